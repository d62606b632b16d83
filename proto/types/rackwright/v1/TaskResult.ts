// Original file: rackwright/v1/task.proto

export const TaskResult = {
  TASK_RESULT_UNSPECIFIED: 'TASK_RESULT_UNSPECIFIED',
  TASK_RESULT_SUCCESS: 'TASK_RESULT_SUCCESS',
  TASK_RESULT_FAILED: 'TASK_RESULT_FAILED',
  TASK_RESULT_CANCELLED: 'TASK_RESULT_CANCELLED',
} as const;

export type TaskResult =
  | 'TASK_RESULT_UNSPECIFIED'
  | 0
  | 'TASK_RESULT_SUCCESS'
  | 1
  | 'TASK_RESULT_FAILED'
  | 2
  | 'TASK_RESULT_CANCELLED'
  | 3

export type TaskResult__Output = typeof TaskResult[keyof typeof TaskResult]
