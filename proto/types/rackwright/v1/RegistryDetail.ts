// Original file: rackwright/v1/task.proto


export interface RegistryDetail {
  'format'?: (string);
  'distribution'?: (string);
  'derivative'?: (string);
  'parameters'?: ({[key: string]: string});
}

export interface RegistryDetail__Output {
  'format': (string);
  'distribution': (string);
  'derivative': (string);
  'parameters': ({[key: string]: string});
}
