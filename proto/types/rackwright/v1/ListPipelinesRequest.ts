// Original file: rackwright/v1/instance_service.proto


export interface ListPipelinesRequest {
  'instance'?: (string);
  'format'?: (string);
  'distribution'?: (string);
  'derivative'?: (string);
  'environment'?: (string);
}

export interface ListPipelinesRequest__Output {
  'instance': (string);
  'format': (string);
  'distribution': (string);
  'derivative': (string);
  'environment': (string);
}
