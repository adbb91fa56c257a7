import type { Sharp } from 'sharp';

/** A decoded image with three or four channels of 8 bits. */
export interface Pixels {
  readonly data: Buffer;
  readonly width: number;
  readonly height: number;
  readonly channels: 3 | 4;
}

export type Size = Pick<Pixels, 'width' | 'height'>;

export const formats = ['jpeg', 'png', 'webp'] as const;

export type Format = (typeof formats)[number];

/** Opens an image from the bytes of a file, or from pixels. */
export async function openImage(source: Buffer | Pixels): Promise<Sharp> {
  // The image library is loaded on first use, because most tests never decode an image.
  const { default: sharp } = await import('sharp');
  if (Buffer.isBuffer(source)) return sharp(source);
  const { data, width, height, channels } = source;
  return sharp(data, { raw: { width, height, channels } });
}

export async function toPixels(image: Sharp): Promise<Pixels> {
  const { data, info } = await image
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  if (channels === 3 || channels === 4) return { data, width, height, channels };
  throw new Error(`An sRGB image with ${channels} channels`);
}

/** Encodes an image file. Writes `description` to the metadata of the file. */
export async function encodeImage(
  pixels: Pixels,
  format: Format,
  description?: string,
): Promise<Buffer> {
  const image = await openImage(pixels);
  if (description !== undefined) image.withExif({ IFD0: { ImageDescription: description } });
  switch (format) {
    case 'jpeg':
      return image.flatten({ background: 'white' }).jpeg({ quality: 90 }).toBuffer();
    case 'png':
      return image.png({ compressionLevel: 3 }).toBuffer();
    case 'webp':
      return image.webp({ quality: 85, effort: 0 }).toBuffer();
  }
}

export async function blurPixels(pixels: Pixels): Promise<Pixels> {
  const { width, height } = pixels;
  const smallImage = await toPixels((await openImage(pixels)).resize(12, 12, { fit: 'fill' }));
  return toPixels(
    (await openImage(smallImage)).resize(width, height, { fit: 'fill', kernel: 'linear' }),
  );
}

export const createBlackImage = ({ width, height }: Size): Pixels => ({
  data: Buffer.alloc(width * height * 3),
  width,
  height,
  channels: 3,
});
