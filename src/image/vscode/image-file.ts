import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { imageFileExtensions } from '../image-generator.ts';
import {
  maxHeaderBytes,
  type ImageHeader,
  hasTooManyPixels,
  isCompleteImage,
  readImageHeader,
} from '../image-header.ts';

/** A picture as it lies on disk. */
export interface WrittenImage extends ImageHeader {
  readonly path: string;
  readonly bytes: number;
}

const explanations = {
  'no-picture': 'The bytes are no picture.',
  'cut-off': 'The picture is cut off.',
  'too-large': 'The picture has too many pixels.',
} as const;

/** Why bytes are not kept: they are no picture, not all of one, or of one with more pixels than can be shown. */
export class InvalidImageError extends Error {
  readonly reason: keyof typeof explanations;

  constructor(reason: InvalidImageError['reason']) {
    super(explanations[reason]);
    this.name = 'NotAPictureError';
    this.reason = reason;
  }
}

/** As many of its first and its last bytes as tell whether a picture is whole. */
const endBytes = 64;
/** Many small writes would cost more than the bytes in them. */
const blockBytes = 256 * 1024;

/**
 * A picture that arrives in pieces, written to disk as they come: at most two blocks of it are in memory. It lies under
 * a temporary name until `finish` knows that it is a picture, and whole.
 */
export class ImageFile {
  readonly #folder: string;
  readonly #draft: string;
  readonly #file: FileHandle;
  /** All bytes until the header is known, then only the first few. */
  #head: Uint8Array = new Uint8Array();
  /** How many of them are worth another look: twice as many as at the last, however small the pieces are. */
  #nextLook = endBytes;
  #tail: Uint8Array = new Uint8Array();
  /** One is filled while the other is written. */
  #block = new Uint8Array(blockBytes);
  #spare = new Uint8Array(blockBytes);
  #filled = 0;
  #writing: Promise<void> = Promise.resolve();
  #header: ImageHeader | undefined;
  #bytes = 0;

  private constructor(folder: string, draft: string, file: FileHandle) {
    this.#folder = folder;
    this.#draft = draft;
    this.#file = file;
  }

  /** @throws what the disk says */
  static async create(folder: string): Promise<ImageFile> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const draft = join(folder, `picture.${randomUUID()}.tmp`);
    return new ImageFile(folder, draft, await open(draft, 'wx'));
  }

  /**
   * The bytes are the caller's again when it resolves.
   * @throws NotAPictureError as soon as the first bytes show that it is none
   * @throws what the disk said to these bytes, or to those before
   */
  async write(bytes: Uint8Array): Promise<void> {
    this.#look(bytes);
    this.#bytes += bytes.length;
    for (let rest = bytes; rest.length > 0;) {
      const part = rest.subarray(0, blockBytes - this.#filled);
      this.#block.set(part, this.#filled);
      this.#filled += part.length;
      rest = rest.subarray(part.length);
      if (this.#filled === blockBytes) await this.#flush();
    }
  }

  /**
   * Gives the picture its name: `name` and the ending that its bytes ask for.
   * @throws NotAPictureError, and what the disk says; `discard` it then
   */
  async finish(name: string): Promise<WrittenImage> {
    if (this.#header === undefined) this.#lookAt(Math.min(maxHeaderBytes, this.#bytes));
    const header = this.#header;
    if (header === undefined) throw new InvalidImageError('no-picture');
    const { format } = header;
    if (!isCompleteImage(format, { head: this.#head, tail: this.#tail, length: this.#bytes })) {
      throw new InvalidImageError('cut-off');
    }
    await this.#flush();
    await this.#writing;
    await this.#file.sync();
    await this.#file.close();
    const path = join(this.#folder, galleryFileName(name, format));
    await rename(this.#draft, path);
    return { ...header, path, bytes: this.#bytes };
  }

  /** Lets nothing of it stay. Harmless at any moment. */
  async discard(): Promise<void> {
    await this.#writing.catch(() => {});
    await this.#file.close().catch(() => {});
    await rm(this.#draft, { force: true }).catch(() => {});
  }

  /** Begins to write the filled block when the one before is written. */
  async #flush(): Promise<void> {
    await this.#writing;
    const block = this.#block;
    this.#writing = writeAll(this.#file, block.subarray(0, this.#filled));
    // Who writes next, or finishes, hears of it.
    this.#writing.catch(() => {});
    [this.#block, this.#spare] = [this.#spare, block];
    this.#filled = 0;
  }

  #look(bytes: Uint8Array): void {
    this.#tail = lastOf(this.#tail, bytes);
    if (this.#header !== undefined) return;
    if (this.#bytes === 0) this.#head = new Uint8Array(maxHeaderBytes);
    const room = this.#head.subarray(this.#bytes);
    room.set(bytes.subarray(0, room.length));
    const length = Math.min(maxHeaderBytes, this.#bytes + bytes.length);
    if (length >= this.#nextLook) this.#lookAt(length);
  }

  #lookAt(length: number): void {
    this.#nextLook = Math.min(maxHeaderBytes, length * 2);
    const head = this.#head.subarray(0, length);
    this.#header = readImageHeader(head);
    if (hasTooManyPixels(head)) throw new InvalidImageError('too-large');
    if (this.#header !== undefined) this.#head = this.#head.slice(0, endBytes);
    else if (length >= maxHeaderBytes) throw new InvalidImageError('no-picture');
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let rest = bytes; rest.length > 0;) {
    const { bytesWritten } = await file.write(rest);
    rest = rest.subarray(bytesWritten);
  }
}

export const galleryFileName = (name: string, format: ImageHeader['format']): string =>
  `${name}${imageFileExtensions[format]}`;

const lastOf = (before: Uint8Array, bytes: Uint8Array): Uint8Array =>
  bytes.length >= endBytes
    ? Uint8Array.from(bytes.subarray(-endBytes))
    : joined(before, bytes).slice(-endBytes);

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
