import { inflateRawSync } from 'node:zlib';
import { UnreadableFileError } from './unreadable.ts';

const endMark = 0x06054b50;
const entryMark = 0x02014b50;
const localMark = 0x04034b50;
const endSize = 22;
const longestComment = 65_535;
const mostEntries = 10_000;
const mostBytes = 64 * 1024 * 1024;

/** The files of a zip archive, unpacked when they are read. */
export class Zip {
  readonly #bytes: Buffer;
  readonly #entries = new Map<string, Entry>();
  #left = mostBytes;

  /** @throws UnreadableFile for what is no archive, or has too many entries */
  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    for (const entry of within(() => entriesOf(bytes))) this.#entries.set(entry.name, entry);
  }

  get names(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /**
   * A file as UTF-8 text; `undefined` when there is none of that name.
   * @throws UnreadableFile when it is encrypted or damaged, or all that was read is more than 64 MB
   */
  text(name: string): string | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    const bytes = within(() => this.#unpack(entry));
    this.#left -= bytes.length;
    return bytes.toString('utf8');
  }

  #unpack({ method, size, at, isEncrypted }: Entry): Buffer {
    if (isEncrypted || this.#bytes.readUInt32LE(at) !== localMark) throw damaged();
    const start = at + 30 + this.#bytes.readUInt16LE(at + 26) + this.#bytes.readUInt16LE(at + 28);
    const packed = this.#bytes.subarray(start, start + size);
    if (packed.length < size || packed.length > this.#left) throw damaged();
    if (method === 0) return packed;
    if (method !== 8) throw damaged();
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, this.#left) });
  }
}

interface Entry {
  readonly name: string;
  /** 0 is stored, 8 is deflated. */
  readonly method: number;
  /** Of the packed bytes. */
  readonly size: number;
  /** Where its local header begins. */
  readonly at: number;
  readonly isEncrypted: boolean;
}

function entriesOf(bytes: Buffer): Entry[] {
  const end = endOf(bytes);
  const count = bytes.readUInt16LE(end + 10);
  if (count > mostEntries) throw damaged();
  const entries: Entry[] = [];
  let at = bytes.readUInt32LE(end + 16);
  for (let index = 0; index < count; index++) {
    if (bytes.readUInt32LE(at) !== entryMark) throw damaged();
    const nameEnd = at + 46 + bytes.readUInt16LE(at + 28);
    entries.push({
      name: bytes.toString('utf8', at + 46, nameEnd),
      method: bytes.readUInt16LE(at + 10),
      size: bytes.readUInt32LE(at + 20),
      at: bytes.readUInt32LE(at + 42),
      isEncrypted: (bytes.readUInt16LE(at + 8) & 1) === 1,
    });
    at = nameEnd + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return entries;
}

/** The last record of an archive, which a comment may follow. */
function endOf(bytes: Buffer): number {
  const first = Math.max(0, bytes.length - endSize - longestComment);
  for (let at = bytes.length - endSize; at >= first; at--) {
    if (bytes.readUInt32LE(at) === endMark) return at;
  }
  throw damaged();
}

const damaged = (): UnreadableFileError =>
  new UnreadableFileError('The archive is damaged or encrypted');

/** Offsets in a damaged archive lead anywhere. */
function within<T>(read: () => T): T {
  try {
    return read();
  } catch {
    throw damaged();
  }
}
