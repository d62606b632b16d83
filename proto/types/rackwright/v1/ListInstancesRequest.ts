// Original file: rackwright/v1/instance_service.proto


export interface ListInstancesRequest {
}

export interface ListInstancesRequest__Output {
}
