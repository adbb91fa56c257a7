import { defined } from '../base/json.ts';
import type { ImageOptions } from './image-options.ts';

/**
 * What a person decided for all of their pictures: size, format, safety. What belongs to one picture (its seed, its
 * style, what it must not show) is left out: nobody would look for it in the next one.
 */
export const personalOptions = (options: ImageOptions): ImageOptions =>
  defined({
    width: options.width,
    height: options.height,
    aspectRatio: options.aspectRatio,
    resolution: options.resolution,
    quality: options.quality,
    format: options.format,
    safeMode: options.safeMode,
    hideWatermark: options.hideWatermark,
    embedExifMetadata: options.embedExifMetadata,
  });
