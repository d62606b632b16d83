// Original file: rackwright/v1/artifact.proto


export interface ArtifactPlace {
  'instance'?: (string);
  'format'?: (string);
  'distribution'?: (string);
  'derivative'?: (string);
}

export interface ArtifactPlace__Output {
  'instance': (string);
  'format': (string);
  'distribution': (string);
  'derivative': (string);
}
