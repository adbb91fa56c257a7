import type { Sharp } from 'sharp';
import { openImage, type Pixels, toPixels, type Size } from './pixels.ts';
import { type Scene, sceneSvg } from './scene.ts';
import { treatmentOf } from './styles.ts';

/** Larger pictures are painted in this size and enlarged: drawing takes far longer than that. */
const longestPainted = 1280;

/** The picture of a scene in exactly this size. */
export async function paint(scene: Scene, size: Size): Promise<Pixels> {
  const { width, height } = size;
  const shrunk = Math.min(1, longestPainted / Math.max(width, height));
  const painted = { width: scaled(width, shrunk), height: scaled(height, shrunk) };
  const svg = await openImage(Buffer.from(sceneSvg(scene, painted)));
  const drawn = await treated(await toPixels(svg.removeAlpha()), scene.style);
  if (shrunk === 1) return drawn;
  return toPixels(
    (await openImage(drawn)).resize(width, height, { fit: 'fill', kernel: 'linear' }),
  );
}

const scaled = (length: number, factor: number): number => Math.max(1, Math.round(length * factor));

async function treated(pixels: Pixels, style: string | undefined): Promise<Pixels> {
  const image = await openImage(pixels);
  switch (treatmentOf(style)) {
    case 'grey':
      return toPixels(image.modulate({ saturation: 0 }));
    case 'blocks':
      return blocks(image, pixels);
    case 'soft':
      return toPixels(image.blur(4));
    case 'night':
    case 'plain':
      return pixels;
  }
}

async function blocks(image: Sharp, { width, height }: Size): Promise<Pixels> {
  const size = { width: Math.ceil(width / 16), height: Math.ceil(height / 16) };
  const small = await toPixels(image.resize({ ...size, fit: 'fill', kernel: 'nearest' }));
  return toPixels(
    (await openImage(small)).resize(width, height, { fit: 'fill', kernel: 'nearest' }),
  );
}
