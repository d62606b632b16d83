// Original file: rackwright/v1/inventory_service.proto


export interface GetStatusRequest {
}

export interface GetStatusRequest__Output {
}
