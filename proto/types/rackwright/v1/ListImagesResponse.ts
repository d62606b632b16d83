// Original file: rackwright/v1/image_service.proto

import type { Image as _rackwright_v1_Image, Image__Output as _rackwright_v1_Image__Output } from '../../rackwright/v1/Image.ts';

export interface ListImagesResponse {
  'images'?: (_rackwright_v1_Image)[];
}

export interface ListImagesResponse__Output {
  'images': (_rackwright_v1_Image__Output)[];
}
