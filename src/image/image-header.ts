import { detectImageType } from '../base/image-format.ts';
import type { ImageFormat } from '../service/images/image-types.ts';
import type { ImageSize } from './image-size.ts';

export interface ImageHeader extends ImageSize {
  readonly format: ImageFormat;
}

/**
 * Number of bytes that contain the image header of nearly every file. The header of a JPEG can be later, because any
 * number of metadata segments of up to 64 KB each can precede it.
 */
export const maxHeaderBytes = 262_144;

const maxSidePx = 32_768;
/**
 * Maximum number of pixels of an image. Limits the memory for a decoded image, at four bytes per pixel. A file of a few
 * kilobytes can declare a billion pixels.
 */
const maxPixels = 100_000_000;

/**
 * Reads the format and size from the first bytes of an image. Returns `undefined` unless the image is a PNG, JPEG or
 * WebP with sides of 1 to 32,768 pixels and at most 100 million pixels. Uses neither the file name nor the media type.
 * SVG and HTML files are never accepted.
 */
export function readImageHeader(bytes: Uint8Array): ImageHeader | undefined {
  const header = readHeaderOfAnySize(bytes);
  return header === undefined || isTooLarge(header) ? undefined : header;
}

/** Checks whether {@link readImageHeader} rejects an image only because the image has too many pixels. */
export function hasTooManyPixels(bytes: Uint8Array): boolean {
  const header = readHeaderOfAnySize(bytes);
  return header !== undefined && isTooLarge(header);
}

function readHeaderOfAnySize(bytes: Uint8Array): ImageHeader | undefined {
  const format = readImageFormat(bytes);
  const size = format && sizeReaders[format](createView(bytes));
  return format === undefined || size === undefined || size.width < 1 || size.height < 1
    ? undefined
    : { format, ...size };
}

const isTooLarge = ({ width, height }: ImageSize): boolean =>
  Math.max(width, height) > maxSidePx || width * height > maxPixels;

/** Parts of an image file from which {@link isCompleteImage} detects that the file is truncated. */
export interface ImageBoundaries {
  /** At least the first 12 bytes of the file. */
  readonly head: Uint8Array;
  /** At least the last 64 bytes of the file, or the whole file if it is shorter. */
  readonly tail: Uint8Array;
  /** Size of the whole file in bytes. */
  readonly length: number;
}

/** Checks whether the file ends as its format requires. Ignores zero bytes after this end. */
export function isCompleteImage(
  format: ImageFormat,
  { head, tail, length }: ImageBoundaries,
): boolean {
  switch (format) {
    case 'png':
      return endsWith(tail, pngEndBytes);
    case 'jpeg':
      return endsWith(tail, jpegEndBytes);
    case 'webp':
      return head.length >= 12 && length >= 8 + createView(head).getUint32(4, true);
  }
}

/** Last chunk of a PNG: `IEND` with its checksum. */
const pngEndBytes = [0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82];
const jpegEndBytes = [0xff, 0xd9];

/** Reads the format of an image from its first 12 bytes. Returns undefined for other files. */
export function readImageFormat(bytes: Uint8Array): ImageFormat | undefined {
  const type = detectImageType(bytes);
  return type === 'png' || type === 'jpeg' || type === 'webp' ? type : undefined;
}

type SizeReader = (view: DataView) => ImageSize | undefined;

const sizeReaders: Readonly<Record<ImageFormat, SizeReader>> = {
  png: readPngSize,
  jpeg: readJpegSize,
  webp: readWebpSize,
};

/** Reads the size from `IHDR`, the first chunk. Returns `undefined` unless the chunk is 13 bytes long. */
function readPngSize(view: DataView): ImageSize | undefined {
  if (view.byteLength < 33 || view.getUint32(8) !== 13 || readChunkName(view, 12) !== 'IHDR') {
    return undefined;
  }
  return { width: view.getUint32(16), height: view.getUint32(20) };
}

/** Reads the size from the frame header. Skips EXIF data, which can contain the JPEG of a thumbnail. */
function readJpegSize(view: DataView): ImageSize | undefined {
  let offset = 2;
  while (offset + 4 <= view.byteLength) {
    if (view.getUint8(offset) !== 0xff) return undefined;
    const marker = view.getUint8(offset + 1);
    if (marker === 0xff) {
      offset += 1; // Padding bytes can precede a marker.
    } else if (isFrameMarker(marker)) {
      return offset + 9 <= view.byteLength
        ? { width: view.getUint16(offset + 7), height: view.getUint16(offset + 5) }
        : undefined;
    } else if (endsHeader(marker)) {
      return undefined;
    } else {
      const length = view.getUint16(offset + 2);
      if (length < 2) return undefined;
      offset += 2 + length;
    }
  }
  return undefined;
}

/** Checks for the frame markers SOF0 to SOF15. Excludes three markers in this range that do not start a frame. */
const isFrameMarker = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/** Checks for markers after which no frame header can follow, such as the start of the image data. */
const endsHeader = (marker: number): boolean =>
  marker <= 0x01 || (marker >= 0xd0 && marker <= 0xda);

function readWebpSize(view: DataView): ImageSize | undefined {
  if (view.byteLength < 30) return undefined;
  switch (readChunkName(view, 12)) {
    case 'VP8 ':
      return readLossyWebpSize(view);
    case 'VP8L':
      return readLosslessWebpSize(view);
    case 'VP8X':
      return { width: readUint24(view, 24) + 1, height: readUint24(view, 27) + 1 };
    default:
      return undefined;
  }
}

/** Reads width and height, 14 bits each. Ignores the upper two bits of each field, which only request scaling. */
function readLossyWebpSize(view: DataView): ImageSize | undefined {
  if (readUint24(view, 23) !== 0x2a_01_9d) return undefined;
  return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
}

function readLosslessWebpSize(view: DataView): ImageSize | undefined {
  if (view.getUint8(20) !== 0x2f) return undefined;
  const bits = view.getUint32(21, true);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

const readUint24 = (view: DataView, offset: number): number =>
  view.getUint16(offset, true) + view.getUint8(offset + 2) * 0x1_00_00;

const createView = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const readChunkName = (view: DataView, offset: number): string =>
  String.fromCharCode(...[0, 1, 2, 3].map((index) => view.getUint8(offset + index)));

function endsWith(bytes: Uint8Array, endBytes: readonly number[]): boolean {
  let length = bytes.length;
  while (length > 0 && bytes[length - 1] === 0) length -= 1;
  return endBytes.every((byte, index) => bytes[length - endBytes.length + index] === byte);
}
