// Original file: rackwright/v1/task_service.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { CancelTaskRequest as _rackwright_v1_CancelTaskRequest, CancelTaskRequest__Output as _rackwright_v1_CancelTaskRequest__Output } from '../../rackwright/v1/CancelTaskRequest.ts';
import type { CancelTaskResponse as _rackwright_v1_CancelTaskResponse, CancelTaskResponse__Output as _rackwright_v1_CancelTaskResponse__Output } from '../../rackwright/v1/CancelTaskResponse.ts';
import type { GetTaskRequest as _rackwright_v1_GetTaskRequest, GetTaskRequest__Output as _rackwright_v1_GetTaskRequest__Output } from '../../rackwright/v1/GetTaskRequest.ts';
import type { GetTaskResponse as _rackwright_v1_GetTaskResponse, GetTaskResponse__Output as _rackwright_v1_GetTaskResponse__Output } from '../../rackwright/v1/GetTaskResponse.ts';
import type { ListTasksRequest as _rackwright_v1_ListTasksRequest, ListTasksRequest__Output as _rackwright_v1_ListTasksRequest__Output } from '../../rackwright/v1/ListTasksRequest.ts';
import type { ListTasksResponse as _rackwright_v1_ListTasksResponse, ListTasksResponse__Output as _rackwright_v1_ListTasksResponse__Output } from '../../rackwright/v1/ListTasksResponse.ts';
import type { PurgeHistoryRequest as _rackwright_v1_PurgeHistoryRequest, PurgeHistoryRequest__Output as _rackwright_v1_PurgeHistoryRequest__Output } from '../../rackwright/v1/PurgeHistoryRequest.ts';
import type { PurgeHistoryResponse as _rackwright_v1_PurgeHistoryResponse, PurgeHistoryResponse__Output as _rackwright_v1_PurgeHistoryResponse__Output } from '../../rackwright/v1/PurgeHistoryResponse.ts';
import type { RetryTaskRequest as _rackwright_v1_RetryTaskRequest, RetryTaskRequest__Output as _rackwright_v1_RetryTaskRequest__Output } from '../../rackwright/v1/RetryTaskRequest.ts';
import type { RetryTaskResponse as _rackwright_v1_RetryTaskResponse, RetryTaskResponse__Output as _rackwright_v1_RetryTaskResponse__Output } from '../../rackwright/v1/RetryTaskResponse.ts';
import type { SetPriorityRequest as _rackwright_v1_SetPriorityRequest, SetPriorityRequest__Output as _rackwright_v1_SetPriorityRequest__Output } from '../../rackwright/v1/SetPriorityRequest.ts';
import type { SetPriorityResponse as _rackwright_v1_SetPriorityResponse, SetPriorityResponse__Output as _rackwright_v1_SetPriorityResponse__Output } from '../../rackwright/v1/SetPriorityResponse.ts';
import type { WatchTasksRequest as _rackwright_v1_WatchTasksRequest, WatchTasksRequest__Output as _rackwright_v1_WatchTasksRequest__Output } from '../../rackwright/v1/WatchTasksRequest.ts';
import type { WatchTasksResponse as _rackwright_v1_WatchTasksResponse, WatchTasksResponse__Output as _rackwright_v1_WatchTasksResponse__Output } from '../../rackwright/v1/WatchTasksResponse.ts';

export interface TaskServiceClient extends grpc.Client {
  CancelTask(argument: _rackwright_v1_CancelTaskRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_CancelTaskResponse__Output>): grpc.ClientUnaryCall;
  CancelTask(argument: _rackwright_v1_CancelTaskRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_CancelTaskResponse__Output>): grpc.ClientUnaryCall;
  CancelTask(argument: _rackwright_v1_CancelTaskRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_CancelTaskResponse__Output>): grpc.ClientUnaryCall;
  CancelTask(argument: _rackwright_v1_CancelTaskRequest, callback: grpc.requestCallback<_rackwright_v1_CancelTaskResponse__Output>): grpc.ClientUnaryCall;
  cancelTask(argument: _rackwright_v1_CancelTaskRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_CancelTaskResponse__Output>): grpc.ClientUnaryCall;
  cancelTask(argument: _rackwright_v1_CancelTaskRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_CancelTaskResponse__Output>): grpc.ClientUnaryCall;
  cancelTask(argument: _rackwright_v1_CancelTaskRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_CancelTaskResponse__Output>): grpc.ClientUnaryCall;
  cancelTask(argument: _rackwright_v1_CancelTaskRequest, callback: grpc.requestCallback<_rackwright_v1_CancelTaskResponse__Output>): grpc.ClientUnaryCall;
  
  GetTask(argument: _rackwright_v1_GetTaskRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_GetTaskResponse__Output>): grpc.ClientUnaryCall;
  GetTask(argument: _rackwright_v1_GetTaskRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_GetTaskResponse__Output>): grpc.ClientUnaryCall;
  GetTask(argument: _rackwright_v1_GetTaskRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_GetTaskResponse__Output>): grpc.ClientUnaryCall;
  GetTask(argument: _rackwright_v1_GetTaskRequest, callback: grpc.requestCallback<_rackwright_v1_GetTaskResponse__Output>): grpc.ClientUnaryCall;
  getTask(argument: _rackwright_v1_GetTaskRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_GetTaskResponse__Output>): grpc.ClientUnaryCall;
  getTask(argument: _rackwright_v1_GetTaskRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_GetTaskResponse__Output>): grpc.ClientUnaryCall;
  getTask(argument: _rackwright_v1_GetTaskRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_GetTaskResponse__Output>): grpc.ClientUnaryCall;
  getTask(argument: _rackwright_v1_GetTaskRequest, callback: grpc.requestCallback<_rackwright_v1_GetTaskResponse__Output>): grpc.ClientUnaryCall;
  
  ListTasks(argument: _rackwright_v1_ListTasksRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ListTasksResponse__Output>): grpc.ClientUnaryCall;
  ListTasks(argument: _rackwright_v1_ListTasksRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_ListTasksResponse__Output>): grpc.ClientUnaryCall;
  ListTasks(argument: _rackwright_v1_ListTasksRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ListTasksResponse__Output>): grpc.ClientUnaryCall;
  ListTasks(argument: _rackwright_v1_ListTasksRequest, callback: grpc.requestCallback<_rackwright_v1_ListTasksResponse__Output>): grpc.ClientUnaryCall;
  listTasks(argument: _rackwright_v1_ListTasksRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ListTasksResponse__Output>): grpc.ClientUnaryCall;
  listTasks(argument: _rackwright_v1_ListTasksRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_ListTasksResponse__Output>): grpc.ClientUnaryCall;
  listTasks(argument: _rackwright_v1_ListTasksRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_ListTasksResponse__Output>): grpc.ClientUnaryCall;
  listTasks(argument: _rackwright_v1_ListTasksRequest, callback: grpc.requestCallback<_rackwright_v1_ListTasksResponse__Output>): grpc.ClientUnaryCall;
  
  PurgeHistory(argument: _rackwright_v1_PurgeHistoryRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_PurgeHistoryResponse__Output>): grpc.ClientUnaryCall;
  PurgeHistory(argument: _rackwright_v1_PurgeHistoryRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_PurgeHistoryResponse__Output>): grpc.ClientUnaryCall;
  PurgeHistory(argument: _rackwright_v1_PurgeHistoryRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_PurgeHistoryResponse__Output>): grpc.ClientUnaryCall;
  PurgeHistory(argument: _rackwright_v1_PurgeHistoryRequest, callback: grpc.requestCallback<_rackwright_v1_PurgeHistoryResponse__Output>): grpc.ClientUnaryCall;
  purgeHistory(argument: _rackwright_v1_PurgeHistoryRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_PurgeHistoryResponse__Output>): grpc.ClientUnaryCall;
  purgeHistory(argument: _rackwright_v1_PurgeHistoryRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_PurgeHistoryResponse__Output>): grpc.ClientUnaryCall;
  purgeHistory(argument: _rackwright_v1_PurgeHistoryRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_PurgeHistoryResponse__Output>): grpc.ClientUnaryCall;
  purgeHistory(argument: _rackwright_v1_PurgeHistoryRequest, callback: grpc.requestCallback<_rackwright_v1_PurgeHistoryResponse__Output>): grpc.ClientUnaryCall;
  
  RetryTask(argument: _rackwright_v1_RetryTaskRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_RetryTaskResponse__Output>): grpc.ClientUnaryCall;
  RetryTask(argument: _rackwright_v1_RetryTaskRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_RetryTaskResponse__Output>): grpc.ClientUnaryCall;
  RetryTask(argument: _rackwright_v1_RetryTaskRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_RetryTaskResponse__Output>): grpc.ClientUnaryCall;
  RetryTask(argument: _rackwright_v1_RetryTaskRequest, callback: grpc.requestCallback<_rackwright_v1_RetryTaskResponse__Output>): grpc.ClientUnaryCall;
  retryTask(argument: _rackwright_v1_RetryTaskRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_RetryTaskResponse__Output>): grpc.ClientUnaryCall;
  retryTask(argument: _rackwright_v1_RetryTaskRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_RetryTaskResponse__Output>): grpc.ClientUnaryCall;
  retryTask(argument: _rackwright_v1_RetryTaskRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_RetryTaskResponse__Output>): grpc.ClientUnaryCall;
  retryTask(argument: _rackwright_v1_RetryTaskRequest, callback: grpc.requestCallback<_rackwright_v1_RetryTaskResponse__Output>): grpc.ClientUnaryCall;
  
  SetPriority(argument: _rackwright_v1_SetPriorityRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_SetPriorityResponse__Output>): grpc.ClientUnaryCall;
  SetPriority(argument: _rackwright_v1_SetPriorityRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_SetPriorityResponse__Output>): grpc.ClientUnaryCall;
  SetPriority(argument: _rackwright_v1_SetPriorityRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_SetPriorityResponse__Output>): grpc.ClientUnaryCall;
  SetPriority(argument: _rackwright_v1_SetPriorityRequest, callback: grpc.requestCallback<_rackwright_v1_SetPriorityResponse__Output>): grpc.ClientUnaryCall;
  setPriority(argument: _rackwright_v1_SetPriorityRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_SetPriorityResponse__Output>): grpc.ClientUnaryCall;
  setPriority(argument: _rackwright_v1_SetPriorityRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_rackwright_v1_SetPriorityResponse__Output>): grpc.ClientUnaryCall;
  setPriority(argument: _rackwright_v1_SetPriorityRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_rackwright_v1_SetPriorityResponse__Output>): grpc.ClientUnaryCall;
  setPriority(argument: _rackwright_v1_SetPriorityRequest, callback: grpc.requestCallback<_rackwright_v1_SetPriorityResponse__Output>): grpc.ClientUnaryCall;
  
  WatchTasks(argument: _rackwright_v1_WatchTasksRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_WatchTasksResponse__Output>;
  WatchTasks(argument: _rackwright_v1_WatchTasksRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_WatchTasksResponse__Output>;
  watchTasks(argument: _rackwright_v1_WatchTasksRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_WatchTasksResponse__Output>;
  watchTasks(argument: _rackwright_v1_WatchTasksRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_rackwright_v1_WatchTasksResponse__Output>;
  
}

export interface TaskServiceHandlers extends grpc.UntypedServiceImplementation {
  CancelTask: grpc.handleUnaryCall<_rackwright_v1_CancelTaskRequest__Output, _rackwright_v1_CancelTaskResponse>;
  
  GetTask: grpc.handleUnaryCall<_rackwright_v1_GetTaskRequest__Output, _rackwright_v1_GetTaskResponse>;
  
  ListTasks: grpc.handleUnaryCall<_rackwright_v1_ListTasksRequest__Output, _rackwright_v1_ListTasksResponse>;
  
  PurgeHistory: grpc.handleUnaryCall<_rackwright_v1_PurgeHistoryRequest__Output, _rackwright_v1_PurgeHistoryResponse>;
  
  RetryTask: grpc.handleUnaryCall<_rackwright_v1_RetryTaskRequest__Output, _rackwright_v1_RetryTaskResponse>;
  
  SetPriority: grpc.handleUnaryCall<_rackwright_v1_SetPriorityRequest__Output, _rackwright_v1_SetPriorityResponse>;
  
  WatchTasks: grpc.handleServerStreamingCall<_rackwright_v1_WatchTasksRequest__Output, _rackwright_v1_WatchTasksResponse>;
  
}

export interface TaskServiceDefinition extends grpc.ServiceDefinition {
  CancelTask: MethodDefinition<_rackwright_v1_CancelTaskRequest, _rackwright_v1_CancelTaskResponse, _rackwright_v1_CancelTaskRequest__Output, _rackwright_v1_CancelTaskResponse__Output>
  GetTask: MethodDefinition<_rackwright_v1_GetTaskRequest, _rackwright_v1_GetTaskResponse, _rackwright_v1_GetTaskRequest__Output, _rackwright_v1_GetTaskResponse__Output>
  ListTasks: MethodDefinition<_rackwright_v1_ListTasksRequest, _rackwright_v1_ListTasksResponse, _rackwright_v1_ListTasksRequest__Output, _rackwright_v1_ListTasksResponse__Output>
  PurgeHistory: MethodDefinition<_rackwright_v1_PurgeHistoryRequest, _rackwright_v1_PurgeHistoryResponse, _rackwright_v1_PurgeHistoryRequest__Output, _rackwright_v1_PurgeHistoryResponse__Output>
  RetryTask: MethodDefinition<_rackwright_v1_RetryTaskRequest, _rackwright_v1_RetryTaskResponse, _rackwright_v1_RetryTaskRequest__Output, _rackwright_v1_RetryTaskResponse__Output>
  SetPriority: MethodDefinition<_rackwright_v1_SetPriorityRequest, _rackwright_v1_SetPriorityResponse, _rackwright_v1_SetPriorityRequest__Output, _rackwright_v1_SetPriorityResponse__Output>
  WatchTasks: MethodDefinition<_rackwright_v1_WatchTasksRequest, _rackwright_v1_WatchTasksResponse, _rackwright_v1_WatchTasksRequest__Output, _rackwright_v1_WatchTasksResponse__Output>
}
