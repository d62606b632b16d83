// Original file: rackwright/v1/build_service.proto


export interface PrepareBuildRequest {
  'instance'?: (string);
}

export interface PrepareBuildRequest__Output {
  'instance': (string);
}
