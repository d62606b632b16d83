// Original file: rackwright/v1/inventory_service.proto


export interface GetViewResponse {
  'json'?: (Buffer | Uint8Array | string);
  'mediaType'?: (string);
  'database'?: (string);
}

export interface GetViewResponse__Output {
  'json': (Buffer);
  'mediaType': (string);
  'database': (string);
}
