import { randomUUID } from 'node:crypto';
import { posix } from 'node:path';
import * as vscode from 'vscode';
import { fileWordsOf, imageFileName, takenNames } from '../image-text.ts';
import type { ImageRecord } from '../image-record.ts';
import type { Log } from '../../platform/log.ts';
import { type AllowedFolder, assertUnmoved } from './consent.ts';
import type { Gallery } from './gallery.ts';
import type { ChosenPlace } from './image-location.ts';

/** Writes pictures of the gallery into the workspace, or wherever the person says. One after the other. */
export class PictureSaver {
  readonly #gallery: Gallery;
  readonly #log: Log;
  #saving: Promise<unknown> = Promise.resolve();

  constructor(gallery: Gallery, log: Log) {
    this.#gallery = gallery;
    this.#log = log;
  }

  /**
   * Saves a picture under a name of our own that is free in `folder`, which is made when it is missing.
   * @param stem Of the name, instead of the prompt and the seed; empty for those.
   * @returns where it lies now
   * @throws FolderMovedError when the folder leads to another place than the allowed one; what the file system says.
   *   Then there is no file, and no part of one.
   */
  save(record: ImageRecord, folder: AllowedFolder, stem = ''): Promise<vscode.Uri> {
    return this.#inTurn(async () => {
      await assertUnmoved(folder);
      await vscode.workspace.fs.createDirectory(folder.uri);
      return this.#put(record, await freePlace(record, folder.uri, stem), false);
    });
  }

  /**
   * The same, for who must know the place before anything is made there.
   * @param willWrite Throws when nothing may be written there.
   */
  saveTold(
    record: ImageRecord,
    folder: vscode.Uri,
    willWrite: (target: vscode.Uri) => Promise<void>,
  ): Promise<vscode.Uri> {
    return this.#inTurn(async () => {
      const target = await freePlace(record, folder);
      await willWrite(target);
      await vscode.workspace.fs.createDirectory(folder);
      return this.#put(record, target, false);
    });
  }

  /** Saves a picture where the person chose, over what they chose to replace and nothing else. */
  saveAs(record: ImageRecord, { target, mayReplace }: ChosenPlace): Promise<vscode.Uri> {
    return this.#inTurn(async () =>
      this.#put(record, mayReplace ? target : await freeNear(target), mayReplace),
    );
  }

  #inTurn(save: () => Promise<vscode.Uri>): Promise<vscode.Uri> {
    const saved = this.#saving.then(save);
    this.#saving = saved.catch(() => {});
    return saved;
  }

  /** Under a temporary name first: what a full disk cuts off never has the picture's name. */
  async #put(record: ImageRecord, target: vscode.Uri, overwrite: boolean): Promise<vscode.Uri> {
    const { fs } = vscode.workspace;
    const draft = vscode.Uri.joinPath(target, '..', `.${randomUUID()}.tmp`);
    const picture = vscode.Uri.file(this.#gallery.picturePath(record));
    try {
      await fs.copy(picture, draft, { overwrite: false });
      await fs.rename(draft, target, { overwrite });
    } catch (error) {
      await Promise.resolve(fs.delete(draft)).catch(() => {});
      throw error;
    }
    // The file is there, whether the gallery knows of it or not.
    await this.#gallery.noteSaved(record.id, target.toString()).catch((error: unknown) => {
      this.#log.error('The gallery could not note where a picture was saved', error);
    });
    return target;
  }
}

/** A place for the picture under a name of our own that nothing in the folder has; the folder may be missing. */
export async function freePlace(
  record: Pick<ImageRecord, 'origin' | 'format'>,
  folder: vscode.Uri,
  stem = '',
): Promise<vscode.Uri> {
  const isTaken = await takenIn(folder);
  return vscode.Uri.joinPath(folder, nameFor(record, { stem, isTaken }));
}

/** The place itself, or the next one with a number in its name when that is taken. */
async function freeNear(target: vscode.Uri): Promise<vscode.Uri> {
  const folder = vscode.Uri.joinPath(target, '..');
  const isTaken = await takenIn(folder);
  const { name: stem, ext } = posix.parse(target.path);
  let name = `${stem}${ext}`;
  for (let number = 2; isTaken(name); number += 1) name = `${stem}-${number}${ext}`;
  return vscode.Uri.joinPath(folder, name);
}

async function takenIn(folder: vscode.Uri): Promise<(name: string) => boolean> {
  const there = await Promise.resolve(vscode.workspace.fs.readDirectory(folder)).catch(() => []);
  return takenNames(there.map(([name]) => name));
}

/** The name of a picture's file: never one that the service gave. */
export function nameFor(
  record: Pick<ImageRecord, 'origin' | 'format' | 'subject'>,
  { stem = '', isTaken = () => false }: { stem?: string; isTaken?: (name: string) => boolean } = {},
): string {
  const { origin, format } = record;
  return stem === ''
    ? imageFileName({ prompt: fileWordsOf(record), ...seedOf(origin), format, isTaken })
    : imageFileName({ prompt: stem, format, isTaken });
}

const seedOf = (origin: ImageRecord['origin']): { seed?: number } =>
  origin.kind === 'generate' && origin.request.seed !== undefined
    ? { seed: origin.request.seed }
    : {};
