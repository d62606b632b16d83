// Original file: rackwright/v1/inventory_service.proto


export interface GetViewRequest {
  'view'?: (string);
  'filters'?: ({[key: string]: string});
  'format'?: (string);
}

export interface GetViewRequest__Output {
  'view': (string);
  'filters': ({[key: string]: string});
  'format': (string);
}
