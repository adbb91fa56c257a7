import type { ImageFormat, VariantCount } from '../service/images/image-types.ts';

/**
 * What a person chose for a picture, whatever the model: the model's request is built from it, and what the model does
 * not take stays behind. Absent means the model's own default.
 */
export interface ImageOptions {
  readonly negativePrompt?: string;
  readonly width?: number;
  readonly height?: number;
  readonly aspectRatio?: string;
  readonly resolution?: string;
  readonly quality?: string;
  readonly steps?: number;
  readonly cfgScale?: number;
  readonly seed?: number;
  readonly stylePreset?: string;
  readonly format?: ImageFormat;
  readonly safeMode?: boolean;
  readonly webSearch?: boolean;
  readonly enhancePrompt?: boolean;
  readonly hideWatermark?: boolean;
  readonly embedExifMetadata?: boolean;
  readonly variants?: VariantCount;
}
