// Original file: rackwright/v1/registry_service.proto


export interface SearchArtifactsRequest {
  'instance'?: (string);
  'contains'?: (string);
  'limit'?: (number);
}

export interface SearchArtifactsRequest__Output {
  'instance': (string);
  'contains': (string);
  'limit': (number);
}
