import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { imageFileName, takenNames } from '../../image/image-file-name.ts';
import { fileWordsOf } from '../../image/image-words.ts';
import type { ImageRecord } from '../../image/image-record.ts';
import { below, isOnDisk, realOrOwn } from '../agent/folder-roots.ts';
import { realPlace } from '../agent/real-place.ts';
import { ask } from '../tell.ts';
import type { Gallery } from './gallery.ts';

/** Writes pictures of the gallery into the workspace, or wherever the person says. One after the other. */
export class PictureSaver {
  readonly #gallery: Gallery;
  #saving: Promise<unknown> = Promise.resolve();

  constructor(gallery: Gallery) {
    this.#gallery = gallery;
  }

  /**
   * Saves a picture under a name of our own that is free in `folder`, which is made when it is missing.
   * @param stem Of the name, instead of the prompt and the seed; empty for those.
   * @returns where it lies now
   * @throws what the file system says; then there is no file, and no part of one
   */
  save(record: ImageRecord, folder: vscode.Uri, stem = ''): Promise<vscode.Uri> {
    return this.#inTurn(async () => {
      await vscode.workspace.fs.createDirectory(folder);
      return this.#put(record, await freePlace(record, folder, stem), false);
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

  /** Saves a picture exactly where the person chose, over what they chose to replace. */
  saveAs(record: ImageRecord, target: vscode.Uri): Promise<vscode.Uri> {
    return this.#inTurn(() => this.#put(record, target, true));
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
    await this.#gallery.noteSaved(record.id, target.toString());
    return target;
  }
}

/**
 * Asks before a picture is written where a repository could have decided the place: in a workspace that is not
 * trusted, and through a link that leads out of it.
 */
export async function mayWriteTo(folder: vscode.Uri): Promise<boolean> {
  const label = vscode.workspace.asRelativePath(folder);
  const elsewhere = await leadsElsewhere(folder);
  if (elsewhere !== undefined) {
    return confirmed(
      vscode.l10n.t('Write the picture outside of the workspace?'),
      vscode.l10n.t('{0} is a link that leads to {1}.', label, elsewhere),
    );
  }
  if (vscode.workspace.isTrusted || !isInWorkspace(folder)) return true;
  return confirmed(
    vscode.l10n.t('Write the picture into this workspace?'),
    vscode.l10n.t('It is in Restricted Mode. The picture would be written to {0}.', label),
  );
}

async function confirmed(question: string, detail: string): Promise<boolean> {
  const write = vscode.l10n.t('Write');
  return (await ask({ question, detail }, write)) === write;
}

const isInWorkspace = (uri: vscode.Uri): boolean =>
  vscode.workspace.getWorkspaceFolder(uri) !== undefined;

/** Where the folder really is, when a link leads out of its workspace folder. */
async function leadsElsewhere(folder: vscode.Uri): Promise<string | undefined> {
  const root = vscode.workspace.getWorkspaceFolder(folder);
  if (root === undefined || !isOnDisk(folder)) return undefined;
  const [place, realRoot] = await Promise.all([realPlace(folder.fsPath), realOrOwn(root.uri)]);
  return below(realRoot, place.path) === undefined ? place.path : undefined;
}

/** A place for the picture under a name of our own that nothing in the folder has; the folder may be missing. */
export async function freePlace(
  record: Pick<ImageRecord, 'origin' | 'format'>,
  folder: vscode.Uri,
  stem = '',
): Promise<vscode.Uri> {
  const there = await Promise.resolve(vscode.workspace.fs.readDirectory(folder)).catch(() => []);
  const isTaken = takenNames(there.map(([name]) => name));
  return vscode.Uri.joinPath(folder, nameFor(record, { stem, isTaken }));
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
