import { inflateRawSync } from 'node:zlib';
import { UnreadableFileError } from './unreadable-file.ts';

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const localSignature = 0x04034b50;
const endRecordSize = 22;
const maxCommentLength = 65_535;
const maxEntries = 10_000;
const maxUnpackedBytes = 64 * 1024 * 1024;

/** A zip archive. Entries are decompressed when they are read. */
export class Zip {
  readonly #bytes: Buffer;
  readonly #entries = new Map<string, ZipEntry>();
  #remainingBytes = maxUnpackedBytes;

  /**
   * Reads the directory of the archive.
   * @throws UnreadableFileError if the bytes are not an archive, or if it has too many entries
   */
  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    for (const entry of convertReadErrors(() => readEntries(bytes)))
      this.#entries.set(entry.name, entry);
  }

  get names(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /**
   * Reads an entry as UTF-8 text. Returns undefined if the archive has no such entry.
   * @throws UnreadableFileError if the entry is encrypted or damaged, or if more than 64 MB were read from the archive
   * in total
   */
  readText(name: string): string | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    const bytes = convertReadErrors(() => this.#decompressEntry(entry));
    this.#remainingBytes -= bytes.length;
    return bytes.toString('utf8');
  }

  #decompressEntry({ method, size, offset, isEncrypted }: ZipEntry): Buffer {
    if (isEncrypted || this.#bytes.readUInt32LE(offset) !== localSignature)
      throw createDamagedError();
    const start =
      offset + 30 + this.#bytes.readUInt16LE(offset + 26) + this.#bytes.readUInt16LE(offset + 28);
    const compressedBytes = this.#bytes.subarray(start, start + size);
    if (compressedBytes.length < size || compressedBytes.length > this.#remainingBytes)
      throw createDamagedError();
    if (method === 0) return compressedBytes;
    if (method !== 8) throw createDamagedError();
    return inflateRawSync(compressedBytes, { maxOutputLength: Math.max(1, this.#remainingBytes) });
  }
}

interface ZipEntry {
  readonly name: string;
  /** Compression method: 0 for stored, 8 for deflated. */
  readonly method: number;
  /** Size of the compressed entry in bytes. */
  readonly size: number;
  /** Byte offset of the entry's local header. */
  readonly offset: number;
  readonly isEncrypted: boolean;
}

function readEntries(bytes: Buffer): ZipEntry[] {
  const end = findEndRecord(bytes);
  const count = bytes.readUInt16LE(end + 10);
  if (count > maxEntries) throw createDamagedError();
  const entries: ZipEntry[] = [];
  let offset = bytes.readUInt32LE(end + 16);
  for (let index = 0; index < count; index++) {
    if (bytes.readUInt32LE(offset) !== entrySignature) throw createDamagedError();
    const nameEnd = offset + 46 + bytes.readUInt16LE(offset + 28);
    entries.push({
      name: bytes.toString('utf8', offset + 46, nameEnd),
      method: bytes.readUInt16LE(offset + 10),
      size: bytes.readUInt32LE(offset + 20),
      offset: bytes.readUInt32LE(offset + 42),
      isEncrypted: (bytes.readUInt16LE(offset + 8) & 1) === 1,
    });
    offset = nameEnd + bytes.readUInt16LE(offset + 30) + bytes.readUInt16LE(offset + 32);
  }
  return entries;
}

/** Returns the offset of the end record of the archive. A comment of variable length can follow this record. */
function findEndRecord(bytes: Buffer): number {
  const minIndex = Math.max(0, bytes.length - endRecordSize - maxCommentLength);
  for (let index = bytes.length - endRecordSize; index >= minIndex; index--) {
    if (bytes.readUInt32LE(index) === endSignature) return index;
  }
  throw createDamagedError();
}

const createDamagedError = (): UnreadableFileError =>
  new UnreadableFileError('The archive is damaged or encrypted');

/** Calls `read`, and converts its errors to an `UnreadableFileError`. Offsets in a damaged archive can be invalid. */
function convertReadErrors<T>(read: () => T): T {
  try {
    return read();
  } catch {
    throw createDamagedError();
  }
}
