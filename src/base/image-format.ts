/** Image formats that {@link detectImageType} detects. Browsers can display most of these formats. */
export type ImageFileType = 'png' | 'jpeg' | 'webp' | 'gif' | 'bmp' | 'avif' | 'heic';

/**
 * Detects the image format from the first bytes of a file. Ignores the file name and the media type. Returns
 * `undefined` for other files, including SVG, which is text.
 */
export function detectImageType(bytes: Uint8Array): ImageFileType | undefined {
  const start = decodeLatin1(bytes, 0, 12);
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (start.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (start.startsWith('RIFF') && start.endsWith('WEBP')) return 'webp';
  if (/^GIF8[79]a/u.test(start)) return 'gif';
  // Many texts start with the letters `BM`. In a bitmap, the four bytes after the file length are
  // always zero.
  if (start.startsWith('BM') && decodeLatin1(bytes, 6, 10) === '\0\0\0\0') return 'bmp';
  return start.slice(4, 8) === 'ftyp' ? imageTypeByBrand[start.slice(8)] : undefined;
}

const imageTypeByBrand: Readonly<Record<string, ImageFileType>> = {
  avif: 'avif',
  avis: 'avif',
  heic: 'heic',
  heix: 'heic',
  hevc: 'heic',
  mif1: 'heic',
  msf1: 'heic',
};

/** Checks whether an image is animated. Models receive only the first frame of an animated image. */
export function isAnimated(bytes: Uint8Array, format: ImageFileType): boolean {
  switch (format) {
    case 'webp':
      return decodeLatin1(bytes, 12, 16) === 'VP8X' && ((bytes[20] ?? 0) & webpAnimationBit) !== 0;
    case 'gif':
      return countByteSequence(bytes, gifGraphicControl, 2) > 1;
    case 'png':
      return decodeLatin1(bytes, 8, 4_096).includes('acTL');
    default:
      return false;
  }
}

const webpAnimationBit = 0x02;
/** First bytes of a graphic control extension, which precedes every GIF frame that has a delay. */
const gifGraphicControl = [0x21, 0xf9, 0x04] as const;

/** Counts the occurrences of a three-byte sequence in `bytes`, up to `maxCount`. */
function countByteSequence(
  bytes: Uint8Array,
  [a, b, c]: readonly number[],
  maxCount: number,
): number {
  let count = 0;
  for (
    let index = bytes.indexOf(a ?? 0);
    index !== -1 && count < maxCount;
    index = bytes.indexOf(a ?? 0, index + 1)
  ) {
    if (bytes[index + 1] === b && bytes[index + 2] === c) count += 1;
  }
  return count;
}

/** Decodes the bytes from `from` to `to` (exclusive) as Latin-1, one character per byte. */
export const decodeLatin1 = (bytes: Uint8Array, from: number, to: number): string =>
  String.fromCharCode(...bytes.subarray(from, to));
