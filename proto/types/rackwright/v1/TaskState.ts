// Original file: rackwright/v1/task.proto

export const TaskState = {
  TASK_STATE_UNSPECIFIED: 'TASK_STATE_UNSPECIFIED',
  TASK_STATE_PENDING: 'TASK_STATE_PENDING',
  TASK_STATE_RUNNING: 'TASK_STATE_RUNNING',
  TASK_STATE_FINISHED: 'TASK_STATE_FINISHED',
} as const;

export type TaskState =
  | 'TASK_STATE_UNSPECIFIED'
  | 0
  | 'TASK_STATE_PENDING'
  | 1
  | 'TASK_STATE_RUNNING'
  | 2
  | 'TASK_STATE_FINISHED'
  | 3

export type TaskState__Output = typeof TaskState[keyof typeof TaskState]
