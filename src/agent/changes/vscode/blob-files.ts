import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomically } from '../../../platform/atomic-file.ts';

/** Bytes kept for a conversation. */
export interface Blobs {
  /** Undefined when they are gone. */
  read(blob: string): Promise<Uint8Array | undefined>;
  /** @throws what the disk says. */
  keep(bytes: Uint8Array): Promise<void>;
}

/** The name under which bytes are kept: their SHA-256, hexadecimal. */
export const blobOf = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex');

/** Bytes by their hash, each once, in `folder`. */
export class BlobFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * @returns how many bytes that added to the disk; 0 when they were there.
   * @throws what the disk says.
   */
  async put(bytes: Uint8Array): Promise<number> {
    const path = this.#path(blobOf(bytes));
    const { size } = await stat(path).catch(() => ({ size: -1 }));
    if (size === bytes.length) return 0;
    await writeFileAtomically(path, bytes);
    return bytes.length;
  }

  /** Undefined when they are gone, or are no longer what they were. */
  async get(blob: string): Promise<Uint8Array | undefined> {
    const bytes = await readFile(this.#path(blob)).catch(() => undefined);
    return bytes !== undefined && blobOf(bytes) === blob ? bytes : undefined;
  }

  #path(blob: string): string {
    return join(this.#folder, blob);
  }
}
