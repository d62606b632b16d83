// Original file: rackwright/v1/drawing_service.proto

import type { Drawing as _rackwright_v1_Drawing, Drawing__Output as _rackwright_v1_Drawing__Output } from '../../rackwright/v1/Drawing.ts';

export interface DrawRequest {
  'drawing'?: (_rackwright_v1_Drawing | null);
  'etag'?: (string);
}

export interface DrawRequest__Output {
  'drawing': (_rackwright_v1_Drawing__Output | null);
  'etag': (string);
}
