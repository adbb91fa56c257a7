import type { Size } from './pixels.ts';

const longSides: Readonly<Record<string, number>> = { '1K': 1024, '2K': 2048, '4K': 4096 };

/** The longer side of a resolution tier in pixels; that of `1K` without one. */
export const longSidePx = (resolution: string | undefined): number =>
  longSides[resolution ?? '1K'] ?? 1024;

/** The pixels of a ratio such as `16:9` with this longer side. */
export function sizeOfRatio(ratio: string, longSide: number): Size {
  const [across = 1, down = 1] = ratio.split(':').map(Number);
  const [width, height] = across >= down ? [1, down / across] : [across / down, 1];
  return { width: Math.round(width * longSide), height: Math.round(height * longSide) };
}
