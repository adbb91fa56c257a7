import { type BigIntStats, constants } from 'node:fs';
import { copyFile, type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasDamagedLine } from '../../base/json.ts';

/** Complete lines that were appended to the journal since the last read. */
export interface JournalUpdate {
  readonly lines: string;
  /** True if the file was replaced since the last read. `lines` then contains all lines of the new file. */
  readonly isNew: boolean;
}

/**
 * Age in milliseconds from which the temporary file of a journal rewrite is deleted. An interrupted rewrite leaves this
 * file behind, and while it exists, no window can rewrite the journal.
 */
const staleDraftMs = 24 * 60 * 60 * 1_000;
const newlineByte = 0x0a;

/**
 * Journal file that several windows share. All windows only append lines, except that `replaceContent` replaces the
 * file. A rewrite keeps lines that other windows append at the same time.
 */
export class GalleryFile {
  readonly #path: string;
  /**
   * Inode number and creation time of the file at the last read, joined in `identity`. `end` is the byte offset after
   * the last complete line that was read.
   */
  #lastRead = { identity: '', end: 0 };

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Reads the lines that were appended since the last read, including lines that this window appended. Returns
   * undefined if the file does not exist.
   * @throws if the file cannot be read
   */
  async readNewLines(): Promise<JournalUpdate | undefined> {
    const file = await open(this.#path, 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (file === undefined) return undefined;
    try {
      const { identity, sizeBytes } = toFileState(await file.stat({ bigint: true }));
      const isNew = identity !== this.#lastRead.identity || sizeBytes < this.#lastRead.end;
      const start = isNew ? 0 : this.#lastRead.end;
      const lines = takeCompleteLines(await readRange(file, start, sizeBytes));
      this.#lastRead = { identity, end: start + lines.length };
      return { lines: lines.toString('utf8'), isNew };
    } finally {
      await file.close();
    }
  }

  /** Checks whether the file has lines that `readNewLines` has not returned. */
  async hasChanges(): Promise<boolean> {
    const fileStats = await stat(this.#path, { bigint: true }).catch(() => undefined);
    if (fileStats === undefined) return false;
    const { identity, sizeBytes } = toFileState(fileStats);
    return identity !== this.#lastRead.identity || sizeBytes !== this.#lastRead.end;
  }

  /**
   * Appends complete lines and flushes them to disk.
   * @param encodeAll returns the lines to write first if the file is new or empty
   * @throws if the file cannot be written; the file may then end with a partial line, which later reads skip
   */
  async appendLines(lines: string, encodeAll: () => string): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT;
    const file = await open(this.#path, flags, 0o600);
    try {
      const { ino, size } = await file.stat();
      const start = size === 0 ? encodeAll() : (await endsWithNewline(file, size)) ? '' : '\n';
      await writeText(file, `${start}${lines}`);
      await file.sync();
      const currentStats = await stat(this.#path).catch(() => undefined);
      if (currentStats?.ino === ino) return;
    } finally {
      await file.close();
    }
    // Another window replaced the file during the write, so the new file may lack these lines. They are appended again.
    await this.appendLines(lines, encodeAll);
  }

  /**
   * Replaces the content of the file with the result of `rewriteLines`, which receives all lines. Keeps lines that
   * other windows append at the same time. Does nothing while another window rewrites the file. If the file contains
   * damaged lines, first stores a copy of the file.
   * @throws if the file cannot be read or replaced; the file is then unchanged
   */
  async replaceContent(rewriteLines: (lines: string) => string): Promise<void> {
    const draftPath = `${this.#path}.draft`;
    const targetFile = await openDraft(draftPath);
    if (targetFile === undefined) return;
    let sourceFile: FileHandle | undefined;
    try {
      sourceFile = await open(this.#path, 'r');
      const oldLines = takeCompleteLines(await readBytes(sourceFile));
      if (hasDamagedLine(oldLines))
        await copyFile(this.#path, `${this.#path}.damaged-${Date.now()}`);
      try {
        await writeText(targetFile, rewriteLines(oldLines.toString('utf8')));
        await targetFile.sync();
      } finally {
        await targetFile.close();
      }
      await rename(draftPath, this.#path);
      // A window that did not notice the replacement may have appended lines to the old file before the rename, so these
      // lines are copied.
      const appendedLines = (await readBytes(sourceFile))
        .subarray(oldLines.length)
        .toString('utf8');
      if (appendedLines !== '') await this.appendLines(appendedLines, () => '');
    } catch (error) {
      await rm(draftPath, { force: true }).catch(() => {});
      throw error;
    } finally {
      await sourceFile?.close();
    }
  }
}

interface FileState {
  /** Inode number and creation time, because file systems reuse inode numbers. */
  readonly identity: string;
  readonly sizeBytes: number;
}

const toFileState = ({ ino, birthtimeNs, size }: BigIntStats): FileState => ({
  identity: `${ino} ${birthtimeNs}`,
  sizeBytes: Number(size),
});

/** Returns the bytes without an incomplete last line, because another window may still be writing this line. */
const takeCompleteLines = (bytes: Buffer): Buffer =>
  bytes.subarray(0, bytes.lastIndexOf(newlineByte) + 1);

/**
 * Creates the temporary file to which a rewrite writes the new journal. Returns `undefined` if the file exists, because
 * another window is rewriting the journal.
 */
async function openDraft(path: string): Promise<FileHandle | undefined> {
  const ageMs = Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now());
  if (ageMs > staleDraftMs) await rm(path, { force: true });
  return open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return undefined;
    throw error;
  });
}

/**
 * Writes the text in as few system calls as possible. Otherwise, lines that several windows write at the same time
 * could mix.
 */
async function writeText(file: FileHandle, text: string): Promise<void> {
  for (let remainingBytes = Buffer.from(text); remainingBytes.length > 0;) {
    const { bytesWritten } = await file.write(remainingBytes);
    remainingBytes = remainingBytes.subarray(bytesWritten);
  }
}

const readBytes = async (file: FileHandle): Promise<Buffer> =>
  readRange(file, 0, (await file.stat()).size);

async function readRange(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.alloc(end - start);
  let position = 0;
  while (position < bytes.length) {
    const { bytesRead } = await file.read(
      bytes,
      position,
      bytes.length - position,
      start + position,
    );
    if (bytesRead === 0) break;
    position += bytesRead;
  }
  return bytes.subarray(0, position);
}

/**
 * Checks whether the file ends with a newline. If not, a crash or a full disk truncated the last line, and the next
 * entry must start with a newline.
 */
async function endsWithNewline(file: FileHandle, size: number): Promise<boolean> {
  const [lastByte] = await readRange(file, size - 1, size);
  return lastByte === newlineByte;
}
