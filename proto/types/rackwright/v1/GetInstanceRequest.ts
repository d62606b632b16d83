// Original file: rackwright/v1/instance_service.proto


export interface GetInstanceRequest {
  'instance'?: (string);
}

export interface GetInstanceRequest__Output {
  'instance': (string);
}
