/** Image formats that the service accepts. */
export type ImageMediaType = 'image/png' | 'image/jpeg' | 'image/webp';

/** Content type of a file, detected from the first bytes because file names are unreliable. */
export type FileContent =
  | { readonly kind: 'text' }
  | { readonly kind: 'image'; readonly mediaType: ImageMediaType }
  /**
   * File that is neither text nor a supported image. `label` describes the type to the user, such as `a PDF document`.
   */
  | { readonly kind: 'binary'; readonly label: string };

/** Maximum number of bytes at the start of a file that {@link detectFileContent} inspects. */
export const maxInspectedBytes = 8_192;

const imageSignatures: readonly (readonly [string, ImageMediaType])[] = [
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
];
/** Label of GIF images, which the service rejects. */
const gifLabel = 'a GIF image, which the service does not take';
const binarySignatures: readonly (readonly [string, string])[] = [
  ['GIF87a', gifLabel],
  ['GIF89a', gifLabel],
  ['%PDF-', 'a PDF document'],
  ['PK\x03\x04', 'a ZIP archive, or a document that is one'],
  ['\x1f\x8b', 'a gzip archive'],
  ['\x7fELF', 'a program'],
  ['SQLite format 3\0', 'a SQLite database'],
];

export function detectFileContent(bytes: Uint8Array): FileContent {
  const startText = String.fromCharCode(...bytes.subarray(0, 16));
  const mediaType = findSupportedImageType(startText);
  if (mediaType !== undefined) return { kind: 'image', mediaType };
  const binarySignature = binarySignatures.find(([signature]) => startText.startsWith(signature));
  if (binarySignature !== undefined) return { kind: 'binary', label: binarySignature[1] };
  const inspectedBytes = bytes.subarray(0, maxInspectedBytes);
  if (!inspectedBytes.includes(0) || isUtf16(inspectedBytes)) return { kind: 'text' };
  return { kind: 'binary', label: 'a binary file' };
}

function findSupportedImageType(startText: string): ImageMediaType | undefined {
  if (startText.startsWith('RIFF') && startText.slice(8, 12) === 'WEBP') return 'image/webp';
  return imageSignatures.find(([signature]) => startText.startsWith(signature))?.[1];
}

/**
 * Detects UTF-16 by its byte order mark. Without the mark, detects text in which nearly every second byte is zero, as
 * with Latin letters.
 */
export function isUtf16(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true;
  let [evenZeroCount, oddZeroCount] = [0, 0];
  for (let index = 0; index < bytes.length; index++) {
    if (bytes[index] !== 0) continue;
    if (index % 2 === 0) evenZeroCount += 1;
    else oddZeroCount += 1;
  }
  return (
    Math.min(evenZeroCount, oddZeroCount) === 0 &&
    Math.max(evenZeroCount, oddZeroCount) > (bytes.length / 2) * 0.9
  );
}
