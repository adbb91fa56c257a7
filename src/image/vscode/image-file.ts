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
  readImageFormat,
  readImageHeader,
} from '../image-header.ts';
import type { ImageRecord } from '../image-record.ts';

/** Complete image file in the gallery folder. */
export interface WrittenImage extends ImageHeader {
  readonly path: string;
  readonly byteCount: number;
}

/** Thrown for bytes that are not an image. */
export class InvalidImageError extends Error {
  constructor() {
    super('The bytes are not an image.');
    this.name = 'InvalidImageError';
  }
}

/** Reason why the gallery could not store an image: a disk error, a truncated image, or too many pixels. */
type UnstoredReason = 'disk' | 'cut-off' | 'too-large';

/**
 * Thrown for a received image that the gallery could not store. The error contains the image, for which the user may
 * have paid.
 */
export class UnstoredImageError extends Error {
  /** Received bytes of the image. */
  readonly content: Uint8Array;
  readonly format: ImageHeader['format'];
  readonly reason: UnstoredReason;
  /** Error code of the disk, such as `ENOSPC`. Equal to the reason if there was no disk error. */
  readonly code: string;

  constructor(
    content: Uint8Array,
    { format, reason }: { readonly format: ImageHeader['format']; readonly reason: UnstoredReason },
    cause?: unknown,
  ) {
    super('The image is not in the gallery.', { cause });
    this.name = 'UnstoredImageError';
    this.content = content;
    this.format = format;
    this.reason = reason;
    const { code = 'unknown' } = (cause ?? {}) as NodeJS.ErrnoException;
    this.code = reason === 'disk' ? code : reason;
  }
}

/** Number of bytes at the start and at the end of an image that {@link isCompleteImage} needs. */
const endByteCount = 64;
/** Minimum number of bytes per write, except for the last write. Smaller writes would be slow. */
const blockBytes = 512 * 1024;
/**
 * Minimum length in bytes of a chunk that is stored without a copy. Smaller chunks are copied into a shared buffer,
 * because many small chunks would need much more memory.
 */
const minUncopiedBytes = 16 * 1024;
const copyBufferBytes = 64 * 1024;

/**
 * File of an image that is being received. Stores at most two blocks of the image in memory. After a failed write,
 * keeps all further blocks in memory, because the user may have paid for the image. The file has a temporary name until
 * `completeAs` has checked that the image is complete.
 */
export class ImageFile {
  readonly #folder: string;
  readonly #draftPath: string;
  /** Open file with a temporary name. Undefined if the file could not be created. */
  readonly #file: FileHandle | undefined;
  /**
   * Received bytes from the start of the image, for the next attempt to parse the image header. Truncated to the first
   * few bytes after the last attempt.
   */
  #head: Uint8Array = new Uint8Array();
  /**
   * Number of received bytes at which the next attempt to parse the header is made. Doubles after each attempt, so that
   * small chunks do not cause too many attempts. Infinity after the last attempt.
   */
  #nextHeaderLength = endByteCount;
  #tail: Uint8Array = new Uint8Array();
  /**
   * Received chunks that are not part of a write yet. They become the next block while the previous block is being
   * written.
   */
  #block: Uint8Array[] = [];
  #blockBytes = 0;
  /**
   * Buffer for copies of small chunks. `#copiedByteCount` is the number of copied bytes that `#block` does not contain
   * yet.
   */
  #copyBuffer = new Uint8Array(0);
  #copiedByteCount = 0;
  /** Chunks of the block whose write was started most recently. Cleared when the write has succeeded. */
  #lastBlock: readonly Uint8Array[] = [];
  #lastWritePromise: Promise<void> = Promise.resolve();
  /** Number of bytes that were written successfully. */
  #writtenBytes = 0;
  /**
   * Error of the first failed write, and the blocks of this write and of all later writes. Undefined while no write has
   * failed.
   */
  #failure: { readonly error: unknown; readonly blocks: Uint8Array[] } | undefined;
  #header: ImageHeader | undefined;
  #hasTooManyPixels = false;
  #byteCount = 0;

  private constructor(folder: string, draftPath: string, file: FileHandle | undefined) {
    this.#folder = folder;
    this.#draftPath = draftPath;
    this.#file = file;
  }

  /**
   * Creates an empty file with a temporary name.
   * @throws if the file system cannot create the file
   */
  static async create(folder: string): Promise<ImageFile> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const draftPath = createTemporaryPath(join(folder, 'image'));
    return new ImageFile(folder, draftPath, await open(draftPath, 'wx+'));
  }

  /**
   * Creates an object for an image whose file could not be created. The image stays in memory, and `completeAs` rejects
   * with its content.
   * @param error error of the file system
   */
  static createInMemory(folder: string, error: unknown): ImageFile {
    const file = new ImageFile(folder, '', undefined);
    file.#failure = { error, blocks: [] };
    return file;
  }

  /**
   * Appends bytes to the image. The caller must not change the buffer afterwards, because its bytes may be written to
   * disk later.
   * @throws InvalidImageError as soon as it is certain that the received bytes are not an image
   */
  async write(bytes: Uint8Array): Promise<void> {
    this.#inspectHeader(bytes);
    this.#byteCount += bytes.length;
    this.#blockBytes += bytes.length;
    if (bytes.length < minUncopiedBytes) this.#copyIntoBlock(bytes);
    else {
      this.#moveCopiesToBlock();
      this.#block.push(bytes);
    }
    if (this.#blockBytes >= blockBytes) await this.#flushBlock();
  }

  #copyIntoBlock(bytes: Uint8Array): void {
    if (this.#copiedByteCount + bytes.length > this.#copyBuffer.length) {
      this.#moveCopiesToBlock();
      this.#copyBuffer = new Uint8Array(copyBufferBytes);
    }
    this.#copyBuffer.set(bytes, this.#copiedByteCount);
    this.#copiedByteCount += bytes.length;
  }

  /** Adds the copies of small chunks to the block that is written next. */
  #moveCopiesToBlock(): void {
    if (this.#copiedByteCount > 0)
      this.#block.push(this.#copyBuffer.subarray(0, this.#copiedByteCount));
    this.#copyBuffer = this.#copyBuffer.subarray(this.#copiedByteCount);
    this.#copiedByteCount = 0;
  }

  /**
   * Completes the image, and renames the file to `name` with the extension of the received image format.
   * @throws InvalidImageError if the bytes are not the start of an image
   * @throws UnstoredImageError with the content of the image if it could not be stored; the caller must then call
   * `deleteTemporaryFile`
   */
  async completeAs(name: string): Promise<WrittenImage> {
    this.#readShortHeader();
    if (!this.#hasHeader) await this.#readLateHeader();
    if (this.#hasTooManyPixels) throw await this.#createUnstoredError('too-large');
    const header = this.#header;
    if (header === undefined || !this.#isComplete(header.format)) {
      throw await this.#createUnstoredError('cut-off');
    }
    const { format } = header;
    await this.#flushBlock();
    await this.#waitForLastWrite();
    try {
      if (this.#failure !== undefined) throw this.#failure.error;
      await this.#file?.sync();
      const path = join(this.#folder, createGalleryFileName(name, format));
      await rename(this.#draftPath, path);
      await this.#file?.close();
      return { ...header, path, byteCount: this.#byteCount };
    } catch (error) {
      throw await this.#createUnstoredError('disk', error);
    }
  }

  /**
   * Returns the received part of an image whose download failed. The caller must then call `deleteTemporaryFile`.
   * @returns undefined if the received bytes are not the start of an image
   */
  async takePartialImage(): Promise<UnstoredImageError | undefined> {
    try {
      this.#readShortHeader();
      return this.#format === undefined ? undefined : await this.#createUnstoredError('cut-off');
    } catch {
      return undefined;
    }
  }

  /** Deletes the temporary file. May be called at any time and repeatedly. */
  async deleteTemporaryFile(): Promise<void> {
    await this.#lastWritePromise.catch(() => {});
    await this.#file?.close().catch(() => {});
    if (this.#file !== undefined) await rm(this.#draftPath, { force: true }).catch(() => {});
  }

  /** Waits for the previous block, then starts to write the current block. */
  async #flushBlock(): Promise<void> {
    await this.#waitForLastWrite();
    this.#moveCopiesToBlock();
    const block = this.#block;
    this.#block = [];
    this.#blockBytes = 0;
    if (this.#failure !== undefined || this.#file === undefined) {
      this.#failure?.blocks.push(...block);
      return;
    }
    this.#lastBlock = block;
    this.#lastWritePromise = writeChunks(this.#file, block);
    // Prevents an unhandled rejection. The next `#flushBlock` or `completeAs` handles the error.
    this.#lastWritePromise.catch(() => {});
  }

  /** Waits until the last write ends. If it failed, keeps its block in memory. */
  async #waitForLastWrite(): Promise<void> {
    if (this.#failure !== undefined) return;
    try {
      await this.#lastWritePromise;
      this.#writtenBytes += sumLengths(this.#lastBlock);
    } catch (error) {
      this.#failure = { error, blocks: [...this.#lastBlock] };
    }
    this.#lastBlock = [];
  }

  get #format(): ImageHeader['format'] | undefined {
    return this.#header?.format ?? readImageFormat(this.#head);
  }

  #isComplete(format: ImageHeader['format']): boolean {
    return isCompleteImage(format, {
      head: this.#head,
      tail: this.#tail,
      length: this.#byteCount,
    });
  }

  async #createUnstoredError(reason: UnstoredReason, cause?: unknown): Promise<UnstoredImageError> {
    const format = this.#format;
    if (format === undefined) throw new InvalidImageError();
    return new UnstoredImageError(await this.#readContent(), { format, reason }, cause);
  }

  /**
   * Returns the content of the image. Reads the written blocks through the open file handle, which works even if the
   * file has been deleted. Appends the blocks that could not be written.
   */
  async #readContent(): Promise<Uint8Array> {
    await this.#flushBlock();
    await this.#waitForLastWrite();
    const writtenBytes = Buffer.alloc(this.#writtenBytes);
    if (writtenBytes.length > 0) await fillBuffer(this.#file, writtenBytes);
    return Buffer.concat([writtenBytes, ...(this.#failure?.blocks ?? [])]);
  }

  #inspectHeader(bytes: Uint8Array): void {
    this.#tail = takeLastBytes(this.#tail, bytes);
    if (this.#hasHeader || this.#nextHeaderLength === Infinity) return;
    if (this.#byteCount === 0) this.#head = new Uint8Array(maxHeaderBytes);
    const freeBytes = this.#head.subarray(this.#byteCount);
    freeBytes.set(bytes.subarray(0, freeBytes.length));
    const length = Math.min(maxHeaderBytes, this.#byteCount + bytes.length);
    if (length >= this.#nextHeaderLength) this.#readHeader(length);
  }

  get #hasHeader(): boolean {
    return this.#header !== undefined || this.#hasTooManyPixels;
  }

  /** Parses the header of an image that ended before `#nextHeaderLength` bytes were received. */
  #readShortHeader(): void {
    if (!this.#hasHeader) this.#readHeader(Math.min(maxHeaderBytes, this.#byteCount));
  }

  #readHeader(length: number): void {
    this.#nextHeaderLength =
      length < maxHeaderBytes ? Math.min(maxHeaderBytes, length * 2) : Infinity;
    const head = this.#head.subarray(0, length);
    this.#parseHeader(head);
    if (this.#nextHeaderLength === Infinity && this.#format === undefined)
      throw new InvalidImageError();
    if (this.#hasHeader || this.#nextHeaderLength === Infinity)
      this.#head = this.#head.slice(0, endByteCount);
  }

  /** Parses the header of a complete image that starts with much metadata, as a JPEG can. Reads the whole image. */
  async #readLateHeader(): Promise<void> {
    if (this.#byteCount > maxHeaderBytes) this.#parseHeader(await this.#readContent());
  }

  #parseHeader(bytes: Uint8Array): void {
    this.#header = readImageHeader(bytes);
    this.#hasTooManyPixels = hasTooManyPixels(bytes);
  }
}

/** Fills the buffer from the start of the file. */
async function fillBuffer(file: FileHandle | undefined, buffer: Uint8Array): Promise<void> {
  for (let offset = 0; offset < buffer.length;) {
    const readResult = await file?.read(buffer, offset, buffer.length - offset, offset);
    if (readResult === undefined || readResult.bytesRead === 0)
      throw new Error('The file is truncated.');
    offset += readResult.bytesRead;
  }
}

/** Writes all chunks at the current position of the file. */
async function writeChunks(file: FileHandle, chunks: readonly Uint8Array[]): Promise<void> {
  for (let remainingChunks = chunks; remainingChunks.length > 0;) {
    const { bytesWritten } = await file.writev(remainingChunks);
    remainingChunks = removeFirstBytes(remainingChunks, bytesWritten);
  }
}

/** Returns the chunks without the first `count` bytes of their concatenation. */
function removeFirstBytes(chunks: readonly Uint8Array[], count: number): Uint8Array[] {
  let remainingCount = count;
  return chunks.flatMap((chunk) => {
    const removedCount = Math.min(remainingCount, chunk.length);
    remainingCount -= removedCount;
    return removedCount === chunk.length ? [] : [chunk.subarray(removedCount)];
  });
}

const sumLengths = (chunks: readonly Uint8Array[]): number =>
  chunks.reduce((sum, { length }) => sum + length, 0);

export const createGalleryFileName = (name: string, format: ImageHeader['format']): string =>
  `${name}${imageFileExtensions[format]}`;

/**
 * Creates the record of a gallery file that has none. The record contains no request, because the request is unknown.
 * @returns undefined if the file is not a complete image of the gallery
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
  const header = content && readImageHeader(content);
  if (content === undefined || header === undefined) return undefined;
  const [head, tail] = [content.subarray(0, endByteCount), content.subarray(-endByteCount)];
  const { format, width, height } = header;
  const isComplete = isCompleteImage(format, { head, tail, length: content.length });
  if (!isComplete || createGalleryFileName(id, format) !== name) return undefined;
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

const takeLastBytes = (previousBytes: Uint8Array, bytes: Uint8Array): Uint8Array =>
  bytes.length >= endByteCount
    ? Uint8Array.from(bytes.subarray(-endByteCount))
    : concatenateBytes(previousBytes, bytes).slice(-endByteCount);

function concatenateBytes(a: Uint8Array, b: Uint8Array): Uint8Array {
  const joinedBytes = new Uint8Array(a.length + b.length);
  joinedBytes.set(a);
  joinedBytes.set(b, a.length);
  return joinedBytes;
}
