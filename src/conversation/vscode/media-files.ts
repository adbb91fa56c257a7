import { createHash } from 'node:crypto';
import { readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { isFromNewerVersion } from '../../base/newer-version.ts';
import { mediaNamePattern } from '../media.ts';
import { removeLeftovers, writeFileAtomically } from '../../platform/atomic-file.ts';
import { readRegularFile } from '../../platform/files.ts';

const dayMs = 24 * 60 * 60 * 1_000;
/** No more is ever kept, so what is longer is not ours. */
const maxFileBytes = 25 * 1024 * 1024;

/** Pictures and documents of messages in `folder`, named by their content: the same one is kept once. */
export class MediaFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Keeps the bytes; resolves to the name of their file.
   * @param extension With its dot.
   * @throws what the disk says
   */
  async put(bytes: Uint8Array, extension: string): Promise<string> {
    const name = `${createHash('sha256').update(bytes).digest('hex')}${extension}`;
    const path = join(this.#folder, name);
    const size = await stat(path).then(
      (found) => found.size,
      () => -1,
    );
    if (size !== bytes.length) await writeFileAtomically(path, bytes);
    // It counts as new again: see `clean`.
    else await utimes(path, new Date(), new Date());
    return name;
  }

  /** Undefined when the file is gone, or its name or its content is not one of ours. */
  async get(name: string): Promise<Uint8Array | undefined> {
    if (!mediaNamePattern.test(name)) return undefined;
    const path = join(this.#folder, name);
    const bytes = await readRegularFile(path, { longest: maxFileBytes }).catch(() => undefined);
    if (bytes === undefined || typeof bytes === 'string') return undefined;
    const hash = createHash('sha256').update(bytes).digest('hex');
    return name.startsWith(hash) ? bytes : undefined;
  }

  /**
   * Removes what no text in `folders`, where conversations and drafts are kept, names any more. What is younger than a
   * day stays: a message that names it may be on its way to the disk, in this window or another one. Removes nothing
   * while a newer version's conversation is there, which may name its files in another way, or while one cannot be read.
   */
  async clean(folders: readonly string[]): Promise<void> {
    await removeLeftovers(this.#folder, dayMs);
    const old = await this.#listOlderThan(dayMs);
    if (old.length === 0) return;
    const referenced = await findMediaNames(folders);
    if (referenced === undefined) return;
    for (const name of old.filter((name) => !referenced.has(name))) {
      await rm(join(this.#folder, name), { force: true }).catch(() => {});
    }
  }

  async #listOlderThan(ageMs: number): Promise<readonly string[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const old: string[] = [];
    for (const name of names.filter((name) => mediaNamePattern.test(name))) {
      const { mtimeMs } = await stat(join(this.#folder, name)).catch(() => ({ mtimeMs: Infinity }));
      if (Date.now() - mtimeMs > ageMs) old.push(name);
    }
    return old;
  }
}

/** Names of media files in all texts of the folders; undefined when a folder or a text cannot be read. */
async function findMediaNames(
  folders: readonly string[],
): Promise<ReadonlySet<string> | undefined> {
  const referenced = new Set<string>();
  for (const folder of folders) {
    const files = await readdir(folder).catch(noNamesIfMissing);
    if (files === undefined) return undefined;
    for (const file of files) {
      const text = await readFile(join(folder, file), 'utf8').catch(emptyTextIfMissing);
      if (text === undefined || isFromNewerVersion(text)) return undefined;
      for (const [name] of text.matchAll(mediaNameAnywhere)) referenced.add(name);
    }
  }
  return referenced;
}

/** Returns an empty text for a file that was removed meanwhile, undefined for one that cannot be read. */
const emptyTextIfMissing = ({ code }: NodeJS.ErrnoException): string | undefined =>
  code === 'ENOENT' || code === 'EISDIR' ? '' : undefined;

/** Returns no names for a folder that does not exist, undefined for one that cannot be listed. */
const noNamesIfMissing = ({ code }: NodeJS.ErrnoException): readonly string[] | undefined =>
  code === 'ENOENT' ? [] : undefined;

const mediaNameAnywhere = new RegExp(mediaNamePattern.source.slice(1, -1), 'gu');

/** Where pictures and documents of messages are kept, for all windows. */
export const mediaFolder = ({ globalStorageUri }: vscode.ExtensionContext): vscode.Uri =>
  vscode.Uri.joinPath(globalStorageUri, 'media');
