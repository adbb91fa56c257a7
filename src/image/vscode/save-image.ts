import { randomUUID } from 'node:crypto';
import { posix } from 'node:path';
import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/event.ts';
import type { ImageRecord } from '../image-record.ts';
import { fileNameSubject, imageFileName, nameLookup } from '../image-text.ts';
import type { Gallery } from './gallery.ts';
import { type AuthorizedFolder, assertSameLinkTarget, type SaveTarget } from './image-location.ts';
import type { Log } from '../../platform/log.ts';

/** Writes pictures of the gallery into the workspace, or wherever the person says. One after the other. */
export class ImageSaver {
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
  save(record: ImageRecord, folder: AuthorizedFolder, stem = ''): Promise<vscode.Uri> {
    return this.#inTurn(async () => {
      await assertSameLinkTarget(folder);
      await vscode.workspace.fs.createDirectory(folder.uri);
      return this.#put(record, await availableUri(record, folder.uri, stem), false);
    });
  }

  /**
   * The same, for who must know the place before anything is made there.
   * @param willWrite Throws when nothing may be written there.
   */
  saveChecked(
    record: ImageRecord,
    folder: vscode.Uri,
    willWrite: (target: vscode.Uri) => Promise<void>,
  ): Promise<vscode.Uri> {
    return this.#inTurn(async () => {
      const target = await availableUri(record, folder);
      await willWrite(target);
      await vscode.workspace.fs.createDirectory(folder);
      return this.#put(record, target, false);
    });
  }

  /** Saves a picture where the person chose, over what they chose to replace and nothing else. */
  saveAs(record: ImageRecord, { target, mayReplace }: SaveTarget): Promise<vscode.Uri> {
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
    const picture = vscode.Uri.file(this.#gallery.imagePath(record));
    try {
      await fs.copy(picture, draft, { overwrite: false });
      await fs.rename(draft, target, { overwrite });
    } catch (error) {
      await Promise.resolve(fs.delete(draft)).catch(() => {});
      throw error;
    }
    // The file is there, whether the gallery knows of it or not.
    await this.#gallery.recordSaved(record.id, target.toString()).catch((error: unknown) => {
      this.#log.error('The gallery could not note where a picture was saved', error);
    });
    return target;
  }
}

/** A place for the picture under a name of our own that nothing in the folder has; the folder may be missing. */
export async function availableUri(
  record: Pick<ImageRecord, 'origin' | 'format'>,
  folder: vscode.Uri,
  stem = '',
): Promise<vscode.Uri> {
  const isTaken = await takenIn(folder);
  return vscode.Uri.joinPath(folder, fileNameFor(record, { stem, isTaken }));
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
  return nameLookup(there.map(([name]) => name));
}

/** The name of a picture's file: never one that the service gave. */
export function fileNameFor(
  record: Pick<ImageRecord, 'origin' | 'format' | 'subject'>,
  { stem = '', isTaken = () => false }: { stem?: string; isTaken?: (name: string) => boolean } = {},
): string {
  const { origin, format } = record;
  return stem === ''
    ? imageFileName({ prompt: fileNameSubject(record), ...seedOf(origin), format, isTaken })
    : imageFileName({ prompt: stem, format, isTaken });
}

const seedOf = (origin: ImageRecord['origin']): { seed?: number } =>
  origin.kind === 'generate' && origin.request.seed !== undefined
    ? { seed: origin.request.seed }
    : {};

/** Whether the files that were saved from pictures are still where they were. */
export class SavedFiles implements Disposable {
  readonly #gallery: Gallery;
  readonly #owned = new DisposableStore();
  readonly #changes = this.#owned.add(new Emitter<void>());
  readonly #missing = new Set<string>();

  constructor(gallery: Gallery) {
    this.#gallery = gallery;
    this.#owned.add(vscode.workspace.onDidRenameFiles(({ files }) => void this.#follow(files)));
    this.#owned.add(vscode.workspace.onDidDeleteFiles(() => void this.refresh()));
    this.#owned.add(vscode.workspace.onDidCreateFiles(() => void this.refresh()));
  }

  /** A file appeared or went. */
  readonly onDidChange: Event<void> = (listener) => this.#changes.event(listener);

  /** The newest file of a picture that is there, as far as the last look knows. */
  find({ saved }: ImageRecord): string | undefined {
    return saved.findLast((uri) => !this.#missing.has(uri));
  }

  /** Looks at every file again: what another program moved is in no event. */
  async refresh(): Promise<void> {
    const uris = (await this.#gallery.list()).flatMap(({ saved }) => saved);
    const found = await Promise.all(uris.map(async (uri) => [uri, await isThere(uri)] as const));
    const before = this.#missing.size;
    let changed = false;
    for (const [uri, there] of found) {
      changed ||= there === this.#missing.has(uri);
      if (there) this.#missing.delete(uri);
      else this.#missing.add(uri);
    }
    if (changed || before !== this.#missing.size) this.#changes.fire();
  }

  dispose(): void {
    this.#owned.dispose();
  }

  async #follow(files: readonly Renamed[]): Promise<void> {
    const uris = (await this.#gallery.list()).flatMap(({ saved }) => saved);
    const moves = new Map<string, string>();
    for (const saved of new Set(uris)) {
      const moved = movedBy(files, vscode.Uri.parse(saved));
      if (moved !== undefined) moves.set(saved, moved.toString());
    }
    await this.#gallery.recordMoved(moves);
    await this.refresh();
  }
}

type Renamed = vscode.FileRenameEvent['files'][number];

/** Where a file is now; a folder takes its files along. */
function movedBy(files: readonly Renamed[], uri: vscode.Uri): vscode.Uri | undefined {
  for (const { oldUri: from, newUri: to } of files) {
    const isIt = uri.path === from.path || uri.path.startsWith(`${from.path}/`);
    if (!isIt || uri.scheme !== from.scheme || uri.authority !== from.authority) continue;
    return to.with({ path: to.path + uri.path.slice(from.path.length) });
  }
  return undefined;
}

/** What cannot be looked at now (a file system that is not there yet) counts as there. */
async function isThere(uri: string): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(vscode.Uri.parse(uri, true));
    return true;
  } catch (error) {
    return !(error instanceof vscode.FileSystemError && error.code === 'FileNotFound');
  }
}
