import { ApiError } from '../api-error.ts';
import { openImage, type Pixels, toPixels } from './pixels.ts';

const mebibyte = 1024 * 1024;

/** Limits for uploaded images. The number of pixels is width × height. */
export interface InputLimits {
  readonly maxBytes: number;
  readonly pixelRange: { readonly min: number; readonly max: number };
}

export const editLimits: InputLimits = {
  maxBytes: 25 * mebibyte,
  pixelRange: { min: 65_536, max: 33_177_600 },
};

/** Maximum number of pixels of an upscaled image, and of the image to upscale. */
export const maxUpscaledPixels = 16_777_216;

export const upscaleLimits: InputLimits = {
  maxBytes: 25 * mebibyte,
  pixelRange: { min: 65_536, max: maxUpscaledPixels },
};

export const styleLimits: InputLimits = {
  maxBytes: 8 * mebibyte,
  pixelRange: { min: 1, max: 33_177_600 },
};

const acceptedFormats = new Set(['png', 'jpeg', 'webp', 'heif']);

/**
 * Reads an uploaded image: file bytes, base64 (with or without a `data:` prefix), or a URL on this machine. Applies the
 * EXIF orientation.
 * @throws ApiError 400 if the format is not PNG, JPEG, WebP or AVIF, or the image has too few pixels; 413 for too many
 * bytes; 422 for too many pixels
 */
export async function readImage(
  source: string | Buffer,
  limits: InputLimits = editLimits,
): Promise<Pixels> {
  const bytes = typeof source === 'string' ? await readBytes(source, limits) : source;
  if (bytes.length > limits.maxBytes) throw createTooLargeError(limits.maxBytes);
  const metadata = await (await openImage(bytes)).metadata().catch(() => undefined);
  if (metadata === undefined || !acceptedFormats.has(metadata.format))
    throw createInvalidImageError();
  checkPixelCount(metadata.width * metadata.height, limits);
  const orientedImage = (await openImage(bytes)).autoOrient();
  return toPixels(orientedImage).catch(() => {
    throw createInvalidImageError();
  });
}

function checkPixelCount(pixelCount: number, { pixelRange: { min, max } }: InputLimits): void {
  if (pixelCount < min) {
    throw new ApiError(400, {
      error: `Image is too small. It must have at least ${min} pixels.`,
      code: 'IMAGE_TOO_SMALL',
    });
  }
  if (pixelCount <= max) return;
  throw new ApiError(422, {
    error: `Image is too large. It must have at most ${max} pixels.`,
    code: 'IMAGE_TOO_LARGE',
  });
}

async function readBytes(text: string, { maxBytes }: InputLimits): Promise<Buffer> {
  if (/^https?:/i.test(text)) return downloadImage(text);
  const dataUrlPrefix = /^data:[\w.+/-]+;base64,/.exec(text)?.[0] ?? '';
  const base64 = text.slice(dataUrlPrefix.length);
  // Base64 has four characters for three bytes. Checking and decoding a long text would take long.
  if (base64.length > (maxBytes * 4) / 3 + 4) throw createTooLargeError(maxBytes);
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) throw createInvalidImageError();
  return Buffer.from(base64, 'base64');
}

/** Downloads a file from this machine. Rejects URLs of other machines. */
async function downloadImage(url: string): Promise<Buffer> {
  if (URL.parse(url)?.hostname !== '127.0.0.1') throw createInvalidImageError();
  const reply = await fetch(url, { redirect: 'error' }).catch(() => undefined);
  if (reply?.ok !== true) throw createInvalidImageError();
  return Buffer.from(await reply.arrayBuffer());
}

const createInvalidImageError = (): ApiError =>
  new ApiError(400, {
    error: 'Supplied image did not pass validation checks.',
    code: 'CORRUPTED_IMAGE',
  });

const createTooLargeError = (max: number): ApiError =>
  new ApiError(413, {
    code: 'PAYLOAD_TOO_LARGE',
    error: `Image is too large. It must have at most ${max / mebibyte} MB.`,
  });
