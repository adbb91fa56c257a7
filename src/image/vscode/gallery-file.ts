import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** What others wrote since the last look. */
export interface GalleryNews {
  readonly lines: string;
  /** It is another file than the last time: all that is known must come from these lines. */
  readonly isNew: boolean;
}

/** A rewrite that a crash left half done stands in the way of the next for so long. */
const staleDraftMs = 24 * 60 * 60 * 1_000;
const newline = 0x0a;

/**
 * A file of lines that several windows append to, each of which sees the lines of all. Nobody's lines are lost: the
 * file is only ever appended to, but for `rewrite`, which takes along what comes meanwhile.
 */
export class GalleryFile {
  readonly #path: string;
  /** How much of which file is known, up to the end of a line. */
  #known = { identity: '', end: 0 };

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * The lines that were not told yet, ours included; undefined when there is no such file.
   * @throws what the disk says
   */
  async read(): Promise<GalleryNews | undefined> {
    const file = await open(this.#path, 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (file === undefined) return undefined;
    try {
      const { identity, size } = stateOf(await file.stat({ bigint: true }));
      const isNew = identity !== this.#known.identity || size < this.#known.end;
      const start = isNew ? 0 : this.#known.end;
      const lines = wholeLines(await readRange(file, start, size));
      this.#known = { identity, end: start + lines.length };
      return { lines: lines.toString('utf8'), isNew };
    } finally {
      await file.close();
    }
  }

  /** Whether there are lines that `read` has not told. */
  async hasNews(): Promise<boolean> {
    const found = await stat(this.#path, { bigint: true }).catch(() => undefined);
    if (found === undefined) return false;
    const { identity, size } = stateOf(found);
    return identity !== this.#known.identity || size !== this.#known.end;
  }

  /**
   * Adds whole lines at the end, durably.
   * @param whole what a file that is not there must begin with
   * @throws what the disk says; a part of a line may stay, which is none to any reader
   */
  async append(lines: string, whole: () => string): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT;
    const file = await open(this.#path, flags, 0o600);
    try {
      const { ino, size } = await file.stat();
      const start = size === 0 ? whole() : (await endsLine(file, size)) ? '' : '\n';
      await writeAll(file, `${start}${lines}`);
      await file.sync();
      const now = await stat(this.#path).catch(() => undefined);
      if (now?.ino === ino) return;
    } finally {
      await file.close();
    }
    // Another window rewrote the file meanwhile and may not have seen these lines.
    await this.append(lines, whole);
  }

  /**
   * Replaces the file by what `shorten` makes of all its lines. Does nothing when another window is at it. Lines that
   * are appended meanwhile are taken along.
   * @throws what the disk says; the file is then as it was
   */
  async rewrite(shorten: (lines: string) => string): Promise<void> {
    const draft = `${this.#path}.draft`;
    const target = await openDraft(draft);
    if (target === undefined) return;
    let source: FileHandle | undefined;
    try {
      source = await open(this.#path, 'r');
      const old = wholeLines(await readAll(source));
      try {
        await writeAll(target, shorten(old.toString('utf8')));
        await target.sync();
      } finally {
        await target.close();
      }
      await rename(draft, this.#path);
      // Who appended to the old file until now may not have seen that it was replaced.
      const late = (await readAll(source)).subarray(old.length).toString('utf8');
      if (late !== '') await this.append(late, () => '');
    } catch (error) {
      await rm(draft, { force: true }).catch(() => {});
      throw error;
    } finally {
      await source?.close();
    }
  }
}

interface FileState {
  /** Numbers of files are given again: two files of one path differ in their births. */
  readonly identity: string;
  readonly size: number;
}

const stateOf = ({ ino, birthtimeNs, size }: BigIntStats): FileState => ({
  identity: `${ino} ${birthtimeNs}`,
  size: Number(size),
});

/** Another window may be in the middle of a line. */
const wholeLines = (bytes: Buffer): Buffer => bytes.subarray(0, bytes.lastIndexOf(newline) + 1);

/** `undefined` while another window has it. */
async function openDraft(path: string): Promise<FileHandle | undefined> {
  const age = Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now());
  if (age > staleDraftMs) await rm(path, { force: true });
  return open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return undefined;
    throw error;
  });
}

/** In one piece, as far as the system does it, so that lines of two windows do not mix. */
async function writeAll(file: FileHandle, text: string): Promise<void> {
  for (let rest = Buffer.from(text); rest.length > 0;) {
    const { bytesWritten } = await file.write(rest);
    rest = rest.subarray(bytesWritten);
  }
}

const readAll = async (file: FileHandle): Promise<Buffer> =>
  readRange(file, 0, (await file.stat()).size);

async function readRange(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.alloc(end - start);
  let at = 0;
  while (at < bytes.length) {
    const { bytesRead } = await file.read(bytes, at, bytes.length - at, start + at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return bytes.subarray(0, at);
}

/** A crash, or a full disk, may have cut the last line off; the next one must not become a part of it. */
async function endsLine(file: FileHandle, size: number): Promise<boolean> {
  const [last] = await readRange(file, size - 1, size);
  return last === newline;
}
