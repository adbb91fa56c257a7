import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { imageFileEndings } from '../../image/image-file-endings.ts';
import {
  headerLength,
  type ImageHeader,
  isWhole,
  readImageHeader,
} from '../../image/image-header.ts';

/** A picture as it lies on disk. */
export interface WrittenPicture extends ImageHeader {
  readonly path: string;
  readonly bytes: number;
}

/** Why bytes are not kept: they are no picture, or not all of one. */
export class NotAPictureError extends Error {
  readonly reason: 'no-picture' | 'cut-off';

  constructor(reason: NotAPictureError['reason']) {
    super(reason === 'no-picture' ? 'The bytes are no picture.' : 'The picture is cut off.');
    this.name = 'NotAPictureError';
    this.reason = reason;
  }
}

/** As many as tell whether a picture is whole. */
const tailBytes = 64;

/**
 * A picture that arrives in pieces, written to disk as they come, one copy in memory at most of each piece. It lies
 * under a temporary name until `finish` knows that it is a picture, and whole.
 */
export class PictureFile {
  readonly #folder: string;
  readonly #draft: string;
  readonly #file: FileHandle;
  #head: Uint8Array = new Uint8Array();
  #tail: Uint8Array = new Uint8Array();
  #header: ImageHeader | undefined;
  #bytes = 0;

  private constructor(folder: string, draft: string, file: FileHandle) {
    this.#folder = folder;
    this.#draft = draft;
    this.#file = file;
  }

  /** @throws what the disk says */
  static async create(folder: string): Promise<PictureFile> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const draft = join(folder, `${randomUUID()}.tmp`);
    return new PictureFile(folder, draft, await open(draft, 'wx'));
  }

  /**
   * @throws NotAPictureError as soon as the first bytes show that it is none
   * @throws what the disk says
   */
  async write(bytes: Uint8Array): Promise<void> {
    this.#look(bytes);
    for (let rest = bytes; rest.length > 0;) {
      const { bytesWritten } = await this.#file.write(rest);
      rest = rest.subarray(bytesWritten);
    }
    this.#bytes += bytes.length;
  }

  /**
   * Gives the picture its name: `name` and the ending that its bytes ask for.
   * @throws NotAPictureError, and what the disk says; `discard` it then
   */
  async finish(name: string): Promise<WrittenPicture> {
    const header = this.#header ?? readImageHeader(this.#head);
    if (header === undefined) throw new NotAPictureError('no-picture');
    const { format } = header;
    if (!isWhole(format, { head: this.#head, tail: this.#tail, length: this.#bytes })) {
      throw new NotAPictureError('cut-off');
    }
    await this.#file.sync();
    await this.#file.close();
    const path = join(this.#folder, pictureName(name, format));
    await rename(this.#draft, path);
    return { ...header, path, bytes: this.#bytes };
  }

  /** Lets nothing of it stay. Harmless at any moment. */
  async discard(): Promise<void> {
    await this.#file.close().catch(() => {});
    await rm(this.#draft, { force: true }).catch(() => {});
  }

  #look(bytes: Uint8Array): void {
    this.#tail = lastOf(this.#tail, bytes);
    if (this.#head.length >= headerLength) return;
    this.#head = joined(this.#head, bytes.subarray(0, headerLength - this.#head.length));
    this.#header ??= readImageHeader(this.#head);
    const isEnough = this.#head.length >= headerLength;
    if (isEnough && this.#header === undefined) throw new NotAPictureError('no-picture');
  }
}

export const pictureName = (name: string, format: ImageHeader['format']): string =>
  `${name}${imageFileEndings[format]}`;

const lastOf = (before: Uint8Array, bytes: Uint8Array): Uint8Array =>
  bytes.length >= tailBytes
    ? Uint8Array.from(bytes.subarray(-tailBytes))
    : joined(before, bytes).slice(-tailBytes);

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
