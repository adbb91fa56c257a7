import { closeSync, type Dirent, openSync, readdirSync, readSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { type FileSource, type FolderEntry, maxScannedFileBytes } from '../search.ts';

/** Buffer size in bytes. Files of this size or larger are read asynchronously. */
const bufferBytes = 256 * 1_024;
/** Duration in milliseconds above which a read counts as slow. */
const slowThresholdMs = 4;
/**
 * Number of consecutive slow reads after which all reads are asynchronous. A single slow read can
 * be coincidental.
 */
const maxSlowCalls = 3;

/**
 * Reads files on disk in `folder`. Synchronous reads take a third of the time if the operating
 * system has cached the files. Switches to asynchronous reads on a slow disk.
 */
export class DiskSource implements FileSource {
  readonly #folder: string;
  readonly #buffer = new Uint8Array(bufferBytes);
  #consecutiveSlowCalls = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  get #isSlow(): boolean {
    return this.#consecutiveSlowCalls >= maxSlowCalls;
  }

  entries(path: string): readonly FolderEntry[] | Promise<readonly FolderEntry[]> {
    const absolutePath = join(this.#folder, path);
    if (this.#isSlow)
      return readdir(absolutePath, { withFileTypes: true }).then(
        (found) => found.map(toFolderEntry),
        () => [],
      );
    return (
      this.#measure(() => readdirSync(absolutePath, { withFileTypes: true }).map(toFolderEntry)) ??
      []
    );
  }

  read(path: string): Uint8Array | undefined | Promise<Uint8Array | undefined> {
    const absolutePath = join(this.#folder, path);
    if (this.#isSlow) return readFileContent(absolutePath);
    const length = this.#measure(() => this.#readIntoBuffer(absolutePath));
    if (length === undefined) return undefined;
    return length < bufferBytes ? this.#buffer.subarray(0, length) : readFileContent(absolutePath);
  }

  #readIntoBuffer(absolutePath: string): number {
    const file = openSync(absolutePath, 'r');
    try {
      return readSync(file, this.#buffer, 0, bufferBytes, 0);
    } finally {
      closeSync(file);
    }
  }

  #measure<T>(run: () => T): T | undefined {
    const startedAt = performance.now();
    try {
      return run();
    } catch {
      return undefined;
    } finally {
      this.#consecutiveSlowCalls =
        performance.now() - startedAt > slowThresholdMs ? this.#consecutiveSlowCalls + 1 : 0;
    }
  }
}

async function readFileContent(absolutePath: string): Promise<Uint8Array | undefined> {
  try {
    await using file = await open(absolutePath, 'r');
    const { size } = await file.stat();
    return size > maxScannedFileBytes ? undefined : await file.readFile();
  } catch {
    return undefined;
  }
}

function toFolderEntry(entry: Dirent): FolderEntry {
  const kind = entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : 'other';
  return { name: entry.name, kind };
}

/** Reads the files of a folder in a virtual workspace. */
export class WorkspaceSource implements FileSource {
  readonly #root: vscode.Uri;

  constructor(root: vscode.Uri) {
    this.#root = root;
  }

  async entries(path: string): Promise<readonly FolderEntry[]> {
    try {
      const found = await vscode.workspace.fs.readDirectory(this.#uri(path));
      return found.map(([name, type]) => ({ name, kind: toEntryKind(type) }));
    } catch {
      return [];
    }
  }

  async read(path: string): Promise<Uint8Array | undefined> {
    try {
      const { size } = await vscode.workspace.fs.stat(this.#uri(path));
      return size > maxScannedFileBytes
        ? undefined
        : await vscode.workspace.fs.readFile(this.#uri(path));
    } catch {
      return undefined;
    }
  }

  #uri(path: string): vscode.Uri {
    return path === '' ? this.#root : vscode.Uri.joinPath(this.#root, path);
  }
}

/** Maps a file type to an entry kind. A link is always `other`. */
function toEntryKind(type: vscode.FileType): FolderEntry['kind'] {
  if (type === vscode.FileType.File) return 'file';
  return type === vscode.FileType.Directory ? 'folder' : 'other';
}
