import * as l10n from '@vscode/l10n';
import { isAnimated, type ImageFileType, detectImageType } from '../../../src/base/image-format.ts';
import type { HostMessage } from '../../../src/chat/protocol/host-message.ts';
import {
  maxMediaBytes,
  maxImageSidePx,
  minImageSidePx,
} from '../../../src/conversation/protocol.ts';
import type { PostMessage } from '../store.ts';

export interface ScaledImage {
  /** Converted image. Null if the image cannot be sent; `note` then contains the reason. */
  readonly bytes: Uint8Array<ArrayBuffer> | null;
  /**
   * Message for the user: the reason why the image cannot be sent, or that only the first frame of an animation is
   * attached. Empty if there is no message.
   */
  readonly note: string;
}

/** Maximum number of pixels of an image. A decoded image takes four bytes per pixel. */
const maxPixels = 100_000_000;
const jpegQuality = 0.9;

/**
 * Converts an image to a format that models accept: PNG, JPEG or WebP, at most 2,048 pixels on each side, rotated for
 * display, without camera metadata. Returns an image that already meets these conditions unchanged.
 */
export async function scaleImage(
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<ScaledImage> {
  const format = detectImageType(bytes);
  if (format === undefined)
    return createRejectedImage(
      l10n.t('{0} cannot be read here. Save it as PNG or JPEG, and attach that.', name),
    );
  const url = URL.createObjectURL(new Blob([bytes]));
  try {
    const image = await loadImage(url);
    const { naturalWidth: width, naturalHeight: height } = image;
    const problem = findSizeProblem(name, width, height);
    if (problem !== '') return createRejectedImage(problem);
    const isAnimation = isAnimated(bytes, format);
    const note = isAnimation ? l10n.t('{0} moves. Only its first frame is attached.', name) : '';
    if (!isAnimation && canSendUnchanged(bytes, format, Math.max(width, height)))
      return { bytes, note };
    return { bytes: await drawScaledImage(image, format), note };
  } catch {
    return createRejectedImage(
      l10n.t('{0} cannot be read here. Save it as PNG or JPEG, and attach that.', name),
    );
  } finally {
    URL.revokeObjectURL(url);
  }
}

const createRejectedImage = (note: string): ScaledImage => ({ bytes: null, note });

/** Loads the image's header without decoding the image, so that the caller can reject an image that is too large. */
async function loadImage(url: string): Promise<HTMLImageElement> {
  const image = new Image();
  await new Promise((resolve, reject) => {
    image.addEventListener('load', resolve);
    image.addEventListener('error', reject);
    image.src = url;
  });
  return image;
}

function findSizeProblem(name: string, width: number, height: number): string {
  if (width * height > maxPixels) {
    return l10n.t('{0} has more than 100 million pixels. Attach a smaller copy.', name);
  }
  if (Math.min(width, height) >= minImageSidePx) return '';
  return l10n.t(
    '{0} has {1} × {2} pixels. The service takes images from {3} pixels on each side.',
    name,
    width,
    height,
    minImageSidePx,
  );
}

const canSendUnchanged = (bytes: Uint8Array, format: ImageFileType, longSide: number): boolean =>
  longSide <= maxImageSidePx &&
  (format === 'png' || format === 'webp' || isJpegWithoutMetadata(bytes, format));

/** Checks whether an image is a JPEG without camera metadata. The metadata can contain a rotation and a location. */
const isJpegWithoutMetadata = (bytes: Uint8Array, format: ImageFileType): boolean =>
  format === 'jpeg' &&
  !new TextDecoder('latin1').decode(bytes.subarray(0, 65_536)).includes('Exif');

/** Draws the image to a canvas. The browser applies the rotation and draws only the first frame of an animation. */
async function drawScaledImage(
  image: HTMLImageElement,
  format: ImageFileType,
): Promise<Uint8Array<ArrayBuffer>> {
  const { naturalWidth: width, naturalHeight: height } = image;
  // The long side of a narrow image may exceed the limit, so that the short side does not fall below the minimum.
  const scale = Math.min(
    1,
    Math.max(maxImageSidePx / Math.max(width, height), minImageSidePx / Math.min(width, height)),
  );
  const canvas = new OffscreenCanvas(Math.round(width * scale), Math.round(height * scale));
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('No canvas');
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await canvas.convertToBlob({ type: outputTypes[format], quality: jpegQuality });
  return new Uint8Array(await blob.arrayBuffer());
}

/**
 * Output format for each input format. With these formats, photographs stay small, drawings stay sharp, and
 * transparency is preserved.
 */
const outputTypes: Readonly<Record<ImageFileType, string>> = {
  png: 'image/png',
  gif: 'image/png',
  bmp: 'image/png',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  avif: 'image/webp',
  heic: 'image/jpeg',
};

interface AddContext {
  /** Id of the conversation to attach the files to. */
  readonly conversationId: string;
  readonly post: PostMessage;
  readonly showNotice: (text: string) => void;
}

/**
 * Maximum number of files per paste or drop. The host enforces the limits for the images and documents of a message.
 */
const maxFiles = 15;
const maxNameLength = 200;

/** Sends pasted or dropped files to the host. Scales large images down first. */
export async function addFiles(files: readonly File[], context: AddContext): Promise<void> {
  const notes: string[] = [];
  if (files.length > maxFiles)
    notes.push(l10n.t('Only the first {0} files are attached.', maxFiles));
  for (const file of files.slice(0, maxFiles)) {
    // Scale one image at a time: a decoded image may take hundreds of megabytes.
    const { bytes, note } = await prepareFile(file);
    if (note !== '') notes.push(note);
    if (bytes === null) continue;
    const { conversationId, post } = context;
    post({ type: 'media-add', conversationId, name: getDisplayName(file), bytes });
  }
  if (notes.length > 0) context.showNotice(notes.join(' '));
}

/** Scales an image that the host provides, and posts the scaled image to the host. */
export async function scaleHostImage(
  { id, name, bytes }: Extract<HostMessage, { type: 'media-scale' }>,
  post: PostMessage,
): Promise<void> {
  const scaledImage = await scaleImage(name, bytes);
  post({ type: 'media-scaled', id, ...scaledImage });
}

async function prepareFile(file: File): Promise<ScaledImage> {
  const name = getDisplayName(file);
  if (file.size > maxMediaBytes) {
    const note = l10n.t('{0} is larger than 25 MB, which the service does not take.', name);
    return { bytes: null, note };
  }
  if (file.size === 0) return { bytes: null, note: l10n.t('{0} cannot be read.', name) };
  const bytes = await file.arrayBuffer().then(
    (buffer) => new Uint8Array(buffer),
    () => undefined,
  );
  // Reading fails for folders, for example.
  if (bytes === undefined) return { bytes: null, note: l10n.t('{0} cannot be read.', name) };
  return detectImageType(bytes) === undefined ? { bytes, note: '' } : scaleImage(name, bytes);
}

const getDisplayName = ({ name }: File): string => name.slice(0, maxNameLength) || 'file';
