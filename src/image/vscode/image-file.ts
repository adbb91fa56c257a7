import { type FileHandle, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isId } from '../../base/ids.ts';
import { createTemporaryPath } from '../../platform/atomic-file.ts';
import { imageFileExtensions } from '../image-generator.ts';
import {
  maxHeaderBytes,
  type ImageHeader,
  hasTooManyPixels,
  isCompleteImage,
  readImageHeader,
} from '../image-header.ts';
import type { ImageRecord } from '../image-record.ts';

/** Complete image file on disk. */
export interface WrittenImage extends ImageHeader {
  readonly path: string;
  readonly bytes: number;
}

const explanations = {
  'not-an-image': 'The bytes are not an image.',
  'cut-off': 'The image is cut off.',
  'too-large': 'The image has too many pixels.',
} as const;

/** Thrown for bytes that are not an image, for truncated images, and for images with too many pixels. */
export class InvalidImageError extends Error {
  readonly reason: keyof typeof explanations;

  constructor(reason: InvalidImageError['reason']) {
    super(explanations[reason]);
    this.name = 'InvalidImageError';
    this.reason = reason;
  }
}

/** Thrown for a complete image that the disk did not store. */
export class UnstoredImageError extends Error {
  readonly content: Uint8Array;
  readonly format: ImageHeader['format'];
  /** Error code of the disk, such as `ENOSPC`. */
  readonly code: string;

  constructor(content: Uint8Array, format: ImageHeader['format'], cause: unknown) {
    super('The image could not be stored.', { cause });
    this.name = 'UnstoredImageError';
    this.content = content;
    this.format = format;
    this.code = (cause as NodeJS.ErrnoException).code ?? 'unknown';
  }
}

/** Number of bytes at the start and the end of an image that {@link isCompleteImage} needs. */
const endBytes = 64;
/** Number of bytes per write. Smaller writes would be slow. */
const blockBytes = 256 * 1024;

/**
 * File of an image that is being received. Keeps at most two blocks in memory. After a failed write, keeps all further
 * blocks, because the image was paid for. The file has a temporary name until `finish` has verified that the image is
 * complete.
 */
export class ImageFile {
  readonly #folder: string;
  readonly #draft: string;
  readonly #file: FileHandle;
  /** All received bytes until the header is parsed. Afterwards, the first bytes. */
  #head: Uint8Array = new Uint8Array();
  /**
   * Number of received bytes at which the header is parsed again. Doubles after each attempt, because chunks can be
   * small.
   */
  #nextHeaderLength = endBytes;
  #tail: Uint8Array = new Uint8Array();
  /** Block that `write` fills, while `#spare` is written to disk. */
  #block = new Uint8Array(blockBytes);
  #spare = new Uint8Array(blockBytes);
  #filledBytes = 0;
  #lastWrite: Promise<void> = Promise.resolve();
  /** Number of bytes of the last write. */
  #lastWriteBytes = 0;
  /** Number of bytes that were written without a failure. */
  #writtenBytes = 0;
  /** Error of the first failed write, and the blocks from this write on. */
  #failure: { readonly error: unknown; readonly blocks: Uint8Array[] } | undefined;
  #header: ImageHeader | undefined;
  #bytes = 0;

  private constructor(folder: string, draft: string, file: FileHandle) {
    this.#folder = folder;
    this.#draft = draft;
    this.#file = file;
  }

  /**
   * Creates an empty file with a temporary name.
   * @throws the file system's error
   */
  static async create(folder: string): Promise<ImageFile> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const draft = createTemporaryPath(join(folder, 'image'));
    return new ImageFile(folder, draft, await open(draft, 'wx'));
  }

  /**
   * Appends bytes. The caller may reuse the buffer after the promise resolves.
   * @throws InvalidImageError as soon as the received bytes cannot be an image
   */
  async write(bytes: Uint8Array): Promise<void> {
    this.#inspect(bytes);
    this.#bytes += bytes.length;
    for (let remainingBytes = bytes; remainingBytes.length > 0;) {
      const block = remainingBytes.subarray(0, blockBytes - this.#filledBytes);
      this.#block.set(block, this.#filledBytes);
      this.#filledBytes += block.length;
      remainingBytes = remainingBytes.subarray(block.length);
      if (this.#filledBytes === blockBytes) await this.#flush();
    }
  }

  /**
   * Renames the file to `name` with the extension of the actual image format.
   * @throws InvalidImageError, or UnstoredImageError with the content of a complete image; the caller must then call
   *   `discard`
   */
  async finish(name: string): Promise<WrittenImage> {
    if (this.#header === undefined) this.#readHeader(Math.min(maxHeaderBytes, this.#bytes));
    const header = this.#header;
    if (header === undefined) throw new InvalidImageError('not-an-image');
    const { format } = header;
    if (!isCompleteImage(format, { head: this.#head, tail: this.#tail, length: this.#bytes })) {
      throw new InvalidImageError('cut-off');
    }
    await this.#flush();
    await this.#endLastWrite();
    try {
      if (this.#failure !== undefined) throw this.#failure.error;
      await this.#file.sync();
      await this.#file.close();
      const path = join(this.#folder, galleryFileName(name, format));
      await rename(this.#draft, path);
      return { ...header, path, bytes: this.#bytes };
    } catch (error) {
      throw new UnstoredImageError(await this.#readContent(), format, error);
    }
  }

  /** Deletes the temporary file. May be called at any time and repeatedly. */
  async discard(): Promise<void> {
    await this.#lastWrite.catch(() => {});
    await this.#file.close().catch(() => {});
    await rm(this.#draft, { force: true }).catch(() => {});
  }

  /** Waits for the previous block, then starts to write the current block. */
  async #flush(): Promise<void> {
    await this.#endLastWrite();
    const block = this.#block.subarray(0, this.#filledBytes);
    this.#filledBytes = 0;
    if (this.#failure !== undefined) {
      this.#failure.blocks.push(block.slice());
      return;
    }
    this.#lastWriteBytes = block.length;
    this.#lastWrite = writeAll(this.#file, block);
    // The next `flush` or `finish` handles the error of this write.
    this.#lastWrite.catch(() => {});
    [this.#block, this.#spare] = [this.#spare, this.#block];
  }

  /** Waits for the last write. Keeps its block if it failed. */
  async #endLastWrite(): Promise<void> {
    if (this.#failure !== undefined) return;
    try {
      await this.#lastWrite;
      this.#writtenBytes += this.#lastWriteBytes;
      this.#lastWriteBytes = 0;
    } catch (error) {
      this.#failure = { error, blocks: [this.#spare.slice(0, this.#lastWriteBytes)] };
    }
  }

  /** Reads the written blocks from the file, and adds the blocks that were not written. */
  async #readContent(): Promise<Uint8Array> {
    const written = await readFile(this.#draft);
    return Buffer.concat([
      written.subarray(0, this.#writtenBytes),
      ...(this.#failure?.blocks ?? []),
    ]);
  }

  #inspect(bytes: Uint8Array): void {
    this.#tail = takeLastBytes(this.#tail, bytes);
    if (this.#header !== undefined) return;
    if (this.#bytes === 0) this.#head = new Uint8Array(maxHeaderBytes);
    const freeBytes = this.#head.subarray(this.#bytes);
    freeBytes.set(bytes.subarray(0, freeBytes.length));
    const length = Math.min(maxHeaderBytes, this.#bytes + bytes.length);
    if (length >= this.#nextHeaderLength) this.#readHeader(length);
  }

  #readHeader(length: number): void {
    this.#nextHeaderLength = Math.min(maxHeaderBytes, length * 2);
    const head = this.#head.subarray(0, length);
    this.#header = readImageHeader(head);
    if (hasTooManyPixels(head)) throw new InvalidImageError('too-large');
    if (this.#header !== undefined) this.#head = this.#head.slice(0, endBytes);
    else if (length >= maxHeaderBytes) throw new InvalidImageError('not-an-image');
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let remainingBytes = bytes; remainingBytes.length > 0;) {
    const { bytesWritten } = await file.write(remainingBytes);
    remainingBytes = remainingBytes.subarray(bytesWritten);
  }
}

export const galleryFileName = (name: string, format: ImageHeader['format']): string =>
  `${name}${imageFileExtensions[format]}`;

/**
 * Reads the record of a gallery file from the file itself. The request of the image is unknown.
 * @returns undefined for a file that is not a complete image of the gallery
 */
export async function recoverRecord(
  folder: string,
  name: string,
): Promise<ImageRecord | undefined> {
  const id = name.replace(/\.[^.]*$/u, '');
  const path = join(folder, name);
  const stats = await stat(path).catch(() => undefined);
  if (!isId(id) || !stats?.isFile()) return undefined;
  const content = await readFile(path).catch(() => undefined);
  const header = content && readImageHeader(content.subarray(0, maxHeaderBytes));
  if (content === undefined || header === undefined) return undefined;
  const [head, tail] = [content.subarray(0, endBytes), content.subarray(-endBytes)];
  const { format, width, height } = header;
  const isComplete = isCompleteImage(format, { head, tail, length: content.length });
  if (!isComplete || galleryFileName(id, format) !== name) return undefined;
  return {
    id,
    createdAt: Math.floor(stats.mtimeMs),
    origin: { kind: 'generate', request: { model: '', prompt: '' }, variant: 0, variants: 1 },
    format,
    width,
    height,
    bytes: content.length,
    moderation: { blurred: false, contentViolation: false, reasons: [] },
    saved: [],
  };
}

const takeLastBytes = (before: Uint8Array, bytes: Uint8Array): Uint8Array =>
  bytes.length >= endBytes
    ? Uint8Array.from(bytes.subarray(-endBytes))
    : concatenateBytes(before, bytes).slice(-endBytes);

function concatenateBytes(a: Uint8Array, b: Uint8Array): Uint8Array {
  const joinedBytes = new Uint8Array(a.length + b.length);
  joinedBytes.set(a);
  joinedBytes.set(b, a.length);
  return joinedBytes;
}
