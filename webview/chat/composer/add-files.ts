import * as l10n from '@vscode/l10n';
import { isAnimated, type ImageFileType, detectImageType } from '../../../src/base/image-format.ts';
import type { HostMessage } from '../../../src/chat/protocol/host-message.ts';
import { maxMediaBytes, maxImageSide, minImageSide } from '../../../src/conversation/protocol.ts';
import type { Post } from '../store.ts';

export interface Scaled {
  /** Null when the picture cannot be sent; `note` then says why. */
  readonly bytes: Uint8Array<ArrayBuffer> | null;
  /** What became of it that the person may not expect; empty when nothing. */
  readonly note: string;
}

/** Decoded, a picture takes four bytes for each pixel. */
const mostPixels = 100_000_000;
const quality = 0.9;

/**
 * Makes a picture what models take: PNG, JPEG or WebP with sides of at most 2,048 pixels, turned as it is to be seen,
 * without what a camera writes into it. One that is so already stays as it is.
 */
export async function scalePicture(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<Scaled> {
  const format = detectImageType(bytes);
  if (format === undefined) return refused(l10n.t('{0} is no picture.', name));
  const url = URL.createObjectURL(new Blob([bytes]));
  try {
    const image = await load(url);
    const { naturalWidth: width, naturalHeight: height } = image;
    const problem = sizeProblem(name, width, height);
    if (problem !== '') return refused(problem);
    const animated = isAnimated(bytes, format);
    const note = animated ? l10n.t('{0} moves. Only its first frame is attached.', name) : '';
    if (!animated && isReady(bytes, format, Math.max(width, height))) return { bytes, note };
    return { bytes: await draw(image, format), note };
  } catch {
    return refused(
      l10n.t('{0} cannot be read here. Save it as PNG or JPEG, and attach that.', name),
    );
  } finally {
    URL.revokeObjectURL(url);
  }
}

const refused = (note: string): Scaled => ({ bytes: null, note });

/** Reads the header alone: what is too large is never decoded. */
async function load(url: string): Promise<HTMLImageElement> {
  const image = new Image();
  await new Promise((resolve, reject) => {
    image.addEventListener('load', resolve);
    image.addEventListener('error', reject);
    image.src = url;
  });
  return image;
}

function sizeProblem(name: string, width: number, height: number): string {
  if (width * height > mostPixels) {
    return l10n.t('{0} has more than 100 million pixels. Attach a smaller copy.', name);
  }
  if (Math.min(width, height) >= minImageSide) return '';
  return l10n.t(
    '{0} has {1} × {2} pixels. The service takes pictures from {3} pixels on each side.',
    name,
    width,
    height,
    minImageSide,
  );
}

const isReady = (bytes: Uint8Array, format: ImageFileType, longest: number): boolean =>
  longest <= maxImageSide && (format === 'png' || format === 'webp' || isPlainJpeg(bytes, format));

/** Without a camera's notes, which may turn it and say where it was taken. */
const isPlainJpeg = (bytes: Uint8Array, format: ImageFileType): boolean =>
  format === 'jpeg' &&
  !new TextDecoder('latin1').decode(bytes.subarray(0, 65_536)).includes('Exif');

/** The browser turns it as its notes say; of a picture that moves it draws the first frame. */
async function draw(
  image: HTMLImageElement,
  format: ImageFileType,
): Promise<Uint8Array<ArrayBuffer>> {
  const { naturalWidth: width, naturalHeight: height } = image;
  // A narrow picture stays longer rather than become too narrow to be taken.
  const scale = Math.min(
    1,
    Math.max(maxImageSide / Math.max(width, height), minImageSide / Math.min(width, height)),
  );
  const canvas = new OffscreenCanvas(Math.round(width * scale), Math.round(height * scale));
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('No canvas');
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await canvas.convertToBlob({ type: sentAs[format], quality });
  return new Uint8Array(await blob.arrayBuffer());
}

/** Photographs stay small, drawings stay sharp, and what is transparent stays so. */
const sentAs: Readonly<Record<ImageFileType, string>> = {
  png: 'image/png',
  gif: 'image/png',
  bmp: 'image/png',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  avif: 'image/webp',
  heic: 'image/jpeg',
};

interface AddContext {
  /** Of the chat that the files are for. */
  readonly conversationId: string;
  readonly post: Post;
  readonly notice: (text: string) => void;
}

/** As many as a message takes of both kinds; the host says which of them are too many. */
const mostFiles = 15;
const longestName = 200;

/** Gives what was pasted or dropped to the host; pictures are scaled first. */
export async function addFiles(files: readonly File[], context: AddContext): Promise<void> {
  const notes: string[] = [];
  if (files.length > mostFiles)
    notes.push(l10n.t('Only the first {0} files are attached.', mostFiles));
  for (const file of files.slice(0, mostFiles)) {
    // One after the other: decoded, each may take hundreds of megabytes.
    // oxlint-disable-next-line eslint/no-await-in-loop
    const { bytes, note } = await prepared(file);
    if (note !== '') notes.push(note);
    if (bytes === null) continue;
    const { conversationId, post } = context;
    post({ type: 'media-add', conversationId, name: displayName(file), bytes });
  }
  if (notes.length > 0) context.notice(notes.join(' '));
}

/** Answers the host, which has a picture from elsewhere. */
export async function scaleForHost(
  { id, name, bytes }: Extract<HostMessage, { type: 'media-scale' }>,
  post: Post,
): Promise<void> {
  const scaled = await scalePicture(name, bytes);
  post({ type: 'media-scaled', id, ...scaled });
}

async function prepared(file: File): Promise<Scaled> {
  const name = displayName(file);
  if (file.size > maxMediaBytes) {
    const note = l10n.t('{0} is larger than 25 MB, which the service does not take.', name);
    return { bytes: null, note };
  }
  if (file.size === 0) return { bytes: null, note: l10n.t('{0} is empty.', name) };
  const bytes = await file.arrayBuffer().then(
    (buffer) => new Uint8Array(buffer),
    () => undefined,
  );
  // A folder, for one.
  if (bytes === undefined) return { bytes: null, note: l10n.t('{0} cannot be read.', name) };
  return detectImageType(bytes) === undefined ? { bytes, note: '' } : scalePicture(name, bytes);
}

const displayName = ({ name }: File): string => name.slice(0, longestName) || 'file';
