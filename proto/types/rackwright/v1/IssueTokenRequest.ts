// Original file: rackwright/v1/token_service.proto


export interface IssueTokenRequest {
  'instance'?: (string);
  'subject'?: (string);
  'days'?: (number);
}

export interface IssueTokenRequest__Output {
  'instance': (string);
  'subject': (string);
  'days': (number);
}
