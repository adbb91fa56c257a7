import { maxUpscaledPixels } from './input-image.ts';
import { encodeImage, openImage, type Pixels, toPixels, type Size } from './pixels.ts';

/** Enlarges the image and returns a PNG file. A higher creativity makes edges sharper. */
export async function upscaleImage(
  pixels: Pixels,
  { scale, creativity }: { scale: number; creativity: number },
): Promise<Buffer> {
  const size = computeUpscaledSize(pixels, scale);
  const edgeStrength = Math.min(0.02, Math.max(0, creativity));
  const source = edgeStrength > 0 ? await sharpen(pixels, 0.5 + edgeStrength * 50) : pixels;
  const image = (await openImage(source)).resize({ ...size, fit: 'fill', kernel: 'lanczos3' });
  return encodeImage(await toPixels(image), 'png');
}

const sharpen = async (pixels: Pixels, sigma: number): Promise<Pixels> =>
  toPixels((await openImage(pixels)).sharpen({ sigma }));

/**
 * Returns the size of the upscaled image. Uses a smaller scale if the result would have more than 16,777,216 pixels.
 */
function computeUpscaledSize({ width, height }: Size, scale: number): Size {
  const factor = Math.min(scale, Math.sqrt(maxUpscaledPixels / (width * height)));
  return { width: Math.floor(width * factor), height: Math.floor(height * factor) };
}
