// Original file: rackwright/v1/task.proto


export interface SourceArchive {
  'id'?: (string);
  'path'?: (string);
}

export interface SourceArchive__Output {
  'id': (string);
  'path': (string);
}
