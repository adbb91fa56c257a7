import type { Size } from './pixels.ts';

const longSideByResolution: Readonly<Record<string, number>> = {
  '1K': 1024,
  '2K': 2048,
  '4K': 4096,
};

/** Returns the length of the longer side for a resolution, in pixels. Default resolution: `1K`. */
export const getLongSidePx = (resolution: string | undefined): number =>
  longSideByResolution[resolution ?? '1K'] ?? 1024;

/**
 * Returns the size in pixels for an aspect ratio such as `16:9`. `longSide` is the length of the longer side in pixels.
 */
export function computeRatioSize(ratio: string, longSide: number): Size {
  const [ratioWidth = 1, ratioHeight = 1] = ratio.split(':').map(Number);
  const [width, height] =
    ratioWidth >= ratioHeight ? [1, ratioHeight / ratioWidth] : [ratioWidth / ratioHeight, 1];
  return { width: Math.round(width * longSide), height: Math.round(height * longSide) };
}
