// Original file: rackwright/v1/token_service.proto


export interface WhoAmIResponse {
  'login'?: (string);
  'roles'?: (string)[];
  'actions'?: (string)[];
}

export interface WhoAmIResponse__Output {
  'login': (string);
  'roles': (string)[];
  'actions': (string)[];
}
