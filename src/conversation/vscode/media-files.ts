import { createHash } from 'node:crypto';
import { readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { hasDamagedLine } from '../../base/json.ts';
import { isFromNewerVersion } from '../../base/newer-version.ts';
import { mediaNamePattern } from '../media.ts';
import { removeLeftovers, writeFileAtomically } from '../../platform/atomic-file.ts';
import { readRegularFile } from '../../platform/files.ts';

const dayMs = 24 * 60 * 60 * 1_000;
/** Maximum size in bytes of a stored file. */
const maxFileBytes = 25 * 1024 * 1024;

/**
 * Stores images and documents of messages in `folder`. The hash of the content is the file name, so equal files are
 * stored only once.
 */
export class MediaFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Stores the bytes of an image or document. Resolves to the name of the stored file.
   * @param extension File extension, including the dot.
   * @throws an error if the file cannot be written
   */
  async storeFile(bytes: Uint8Array, extension: string): Promise<string> {
    const name = `${createHash('sha256').update(bytes).digest('hex')}${extension}`;
    const path = join(this.#folder, name);
    const size = await stat(path).then(
      (stats) => stats.size,
      () => -1,
    );
    if (size !== bytes.length) await writeFileAtomically(path, bytes);
    // Resets the age of the file, so that `removeUnusedFiles` keeps it.
    else await utimes(path, new Date(), new Date());
    return name;
  }

  /**
   * Reads a media file. Resolves to undefined if the file does not exist, the name is invalid, or the content does not
   * match the hash.
   */
  async get(name: string): Promise<Uint8Array | undefined> {
    if (!mediaNamePattern.test(name)) return undefined;
    const path = join(this.#folder, name);
    const bytes = await readRegularFile(path, { maxFileBytes }).catch(() => undefined);
    if (bytes === undefined || typeof bytes === 'string') return undefined;
    const hash = createHash('sha256').update(bytes).digest('hex');
    return name.startsWith(hash) ? bytes : undefined;
  }

  /**
   * Removes media files to which no conversation or draft in `folders` refers. Removes nothing if a file in `folders`
   * is damaged, unreadable or written by a newer version, because its references are then unknown.
   * @param minAgeMs Minimum age of a removed file, by default a day. A window may not have saved the message that
   * refers to a younger file yet.
   */
  async removeUnusedFiles(folders: readonly string[], minAgeMs = dayMs): Promise<void> {
    await removeLeftovers(this.#folder, dayMs);
    const oldFiles = await this.#listOldFileNames(minAgeMs);
    if (oldFiles.length === 0) return;
    const referencedNames = await findMediaNames(folders);
    if (referencedNames === undefined) return;
    for (const name of oldFiles.filter((name) => !referencedNames.has(name))) {
      await rm(join(this.#folder, name), { force: true }).catch(() => {});
    }
  }

  async #listOldFileNames(ageMs: number): Promise<readonly string[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const oldFiles: string[] = [];
    for (const name of names.filter((name) => mediaNamePattern.test(name))) {
      const { mtimeMs } = await stat(join(this.#folder, name)).catch(() => ({ mtimeMs: Infinity }));
      if (Date.now() - mtimeMs > ageMs) oldFiles.push(name);
    }
    return oldFiles;
  }
}

/**
 * Returns the media file names that occur in the files of the folders. Resolves to undefined if a file is unreadable,
 * damaged or written by a newer version, because some names are then unknown.
 */
async function findMediaNames(
  folders: readonly string[],
): Promise<ReadonlySet<string> | undefined> {
  const referencedNames = new Set<string>();
  for (const folder of folders) {
    const files = await readdir(folder).catch(returnNoNamesIfMissing);
    if (files === undefined) return undefined;
    for (const file of files) {
      const text = await readFile(join(folder, file), 'utf8').catch(returnEmptyTextIfMissing);
      if (text === undefined || isFromNewerVersion(text)) return undefined;
      if (file.includes('.jsonl') && hasDamagedLine(text)) return undefined;
      for (const [name] of text.matchAll(mediaNameInTextPattern)) referencedNames.add(name);
    }
  }
  return referencedNames;
}

/**
 * Error handler for reading a file: returns an empty string if the file was deleted or is a folder, and undefined for
 * other errors.
 */
const returnEmptyTextIfMissing = ({ code }: NodeJS.ErrnoException): string | undefined =>
  code === 'ENOENT' || code === 'EISDIR' ? '' : undefined;

/**
 * Error handler for listing a folder: returns an empty array if the folder is missing, and undefined for other
 * errors.
 */
const returnNoNamesIfMissing = ({ code }: NodeJS.ErrnoException): readonly string[] | undefined =>
  code === 'ENOENT' ? [] : undefined;

const mediaNameInTextPattern = new RegExp(mediaNamePattern.source.slice(1, -1), 'gu');

/** Returns the folder for the images and documents of messages. All windows share this folder. */
export const getMediaFolder = ({ globalStorageUri }: vscode.ExtensionContext): vscode.Uri =>
  vscode.Uri.joinPath(globalStorageUri, 'media');

/** Names of the storage folders whose files refer to media files. */
const referringFolders = ['conversations', 'attached', 'queued'];

/**
 * Removes the media files to which neither a conversation nor an unsent message refers. See
 * {@link MediaFiles.removeUnusedFiles}.
 */
export const cleanMedia = (context: vscode.ExtensionContext, minAgeMs?: number): Promise<void> =>
  new MediaFiles(getMediaFolder(context).fsPath).removeUnusedFiles(
    referringFolders.map((name) => vscode.Uri.joinPath(context.globalStorageUri, name).fsPath),
    minAgeMs,
  );
