// Original file: rackwright/v1/instance_service.proto

import type { Pipeline as _rackwright_v1_Pipeline, Pipeline__Output as _rackwright_v1_Pipeline__Output } from '../../rackwright/v1/Pipeline.ts';

export interface ListPipelinesResponse {
  'pipelines'?: (_rackwright_v1_Pipeline)[];
}

export interface ListPipelinesResponse__Output {
  'pipelines': (_rackwright_v1_Pipeline__Output)[];
}
