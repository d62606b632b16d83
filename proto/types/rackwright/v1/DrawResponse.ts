// Original file: rackwright/v1/drawing_service.proto


export interface DrawResponse {
  'mediaType'?: (string);
  'etag'?: (string);
  'unchanged'?: (boolean);
  'image'?: (Buffer | Uint8Array | string);
  'coordinates'?: (Buffer | Uint8Array | string);
}

export interface DrawResponse__Output {
  'mediaType': (string);
  'etag': (string);
  'unchanged': (boolean);
  'image': (Buffer);
  'coordinates': (Buffer);
}
