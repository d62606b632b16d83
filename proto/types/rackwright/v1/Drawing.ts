// Original file: rackwright/v1/drawing.proto

import type { DrawingSetting as _rackwright_v1_DrawingSetting, DrawingSetting__Output as _rackwright_v1_DrawingSetting__Output } from '../../rackwright/v1/DrawingSetting.ts';

export interface Drawing {
  'entity'?: (string);
  'name'?: (string);
  'format'?: (string);
  'parameters'?: (Buffer | Uint8Array | string);
  'syntax'?: (string);
  'coordinates'?: (string);
  'datacenter'?: (string);
  'settings'?: (_rackwright_v1_DrawingSetting)[];
  'defaults'?: (Buffer | Uint8Array | string);
  'fullCoordinates'?: (boolean);
}

export interface Drawing__Output {
  'entity': (string);
  'name': (string);
  'format': (string);
  'parameters': (Buffer);
  'syntax': (string);
  'coordinates': (string);
  'datacenter': (string);
  'settings': (_rackwright_v1_DrawingSetting__Output)[];
  'defaults': (Buffer);
  'fullCoordinates': (boolean);
}
