import { randomUUID } from 'node:crypto';
import { posix } from 'node:path';
import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/event.ts';
import { omitUndefined } from '../../base/json.ts';
import type { ImageRecord } from '../image-record.ts';
import { getFileNameSubject, createImageFileName, createNameLookup } from '../image-text.ts';
import type { Gallery } from './gallery.ts';
import { imageFileExtensions } from '../image-generator.ts';
import { formatFileError, formatUnstoredImage } from './image-failure.ts';
import type { UnstoredImageError } from './image-file.ts';
import {
  type AuthorizedFolder,
  assertSameLinkTarget,
  promptForSaveTarget,
  type SaveTarget,
} from './image-location.ts';
import type { Log } from '../../platform/log.ts';
import { ContextKeys } from '../../platform/commands.ts';
import {
  confirm,
  showError,
  showInformation,
  showWithActions,
} from '../../platform/notifications.ts';

/** Saves gallery images as files in the workspace, or at a location that the user selects. Runs one save at a time. */
export class ImageSaver {
  readonly #gallery: Gallery;
  readonly #log: Log;
  #lastSavePromise: Promise<unknown> = Promise.resolve();

  constructor(gallery: Gallery, log: Log) {
    this.#gallery = gallery;
    this.#log = log;
  }

  /**
   * Saves an image in `folder` under a generated name that no file has. Creates the folder if necessary. Leaves no
   * partial file after an error.
   * @param stem start of the file name; default: based on the prompt and the seed
   * @returns the URI of the file
   * @throws FolderMovedError if the folder no longer leads to the authorized location
   * @throws if the file cannot be written
   */
  save(record: ImageRecord, folder: AuthorizedFolder, stem = ''): Promise<vscode.Uri> {
    return this.#enqueueSave(async () => {
      await assertSameLinkTarget(folder);
      await vscode.workspace.fs.createDirectory(folder.uri);
      return this.#writeFile(record, await findAvailableUri(record, folder.uri, stem), false);
    });
  }

  /**
   * Saves an image like `save`, but first calls `willWrite` with the URI of the new file. Creates nothing before this
   * call.
   * @param willWrite throws to prevent the save
   */
  saveAfterCheck(
    record: ImageRecord,
    folder: vscode.Uri,
    willWrite: (target: vscode.Uri) => Promise<void>,
  ): Promise<vscode.Uri> {
    return this.#enqueueSave(async () => {
      const target = await findAvailableUri(record, folder);
      await willWrite(target);
      await vscode.workspace.fs.createDirectory(folder);
      return this.#writeFile(record, target, false);
    });
  }

  /** Saves an image at the location that the user selected. Replaces an existing file only if the user agreed. */
  saveAs(record: ImageRecord, { target, canReplace }: SaveTarget): Promise<vscode.Uri> {
    return this.#enqueueSave(async () =>
      this.#writeFile(record, canReplace ? target : await findUnusedTarget(target), canReplace),
    );
  }

  #enqueueSave(save: () => Promise<vscode.Uri>): Promise<vscode.Uri> {
    const savePromise = this.#lastSavePromise.then(save);
    this.#lastSavePromise = savePromise.catch(() => {});
    return savePromise;
  }

  /**
   * Writes the image to a temporary file and then renames this file. A full disk therefore leaves no truncated file.
   */
  async #writeFile(
    record: ImageRecord,
    target: vscode.Uri,
    overwrite: boolean,
  ): Promise<vscode.Uri> {
    const { fs } = vscode.workspace;
    const draftUri = vscode.Uri.joinPath(target, '..', `.${randomUUID()}.tmp`);
    const imageUri = vscode.Uri.file(this.#gallery.getImagePath(record));
    try {
      await fs.copy(imageUri, draftUri, { overwrite: false });
      await fs.rename(draftUri, target, { overwrite });
    } catch (error) {
      await Promise.resolve(fs.delete(draftUri)).catch(() => {});
      throw error;
    }
    // The file was saved, so an error of the gallery is logged and not thrown.
    await this.#gallery.recordSavedFile(record.id, target.toString()).catch((error: unknown) => {
      this.#log.error('Could not record where an image was saved', error);
    });
    return target;
  }
}

/** Services that {@link saveImage} needs. */
export interface SaveServices {
  readonly saver: ImageSaver;
  readonly log: Log;
  openGallery(): void;
}

/**
 * Saves an image as a file. After an error, shows the error and offers to save at another location.
 * @param folder authorized folder, or `ask` for a save dialog
 * @param stem start of the file name; default: based on the prompt and the seed
 * @returns undefined if the user canceled; the image is then only in the gallery
 */
export async function saveImage(
  services: SaveServices,
  record: ImageRecord,
  folder: AuthorizedFolder | 'ask',
  stem?: string,
): Promise<vscode.Uri | undefined> {
  const { saver } = services;
  for (let isRefused = false; ; isRefused = true) {
    try {
      if (!isRefused && folder !== 'ask') return await saver.save(record, folder, stem);
      const chosenTarget = await promptForSaveTarget(
        record,
        createFileName(record, omitUndefined({ stem })),
      );
      if (chosenTarget === undefined) return showOnlyInGalleryNotice(services);
      return await saver.saveAs(record, chosenTarget);
    } catch (error) {
      services.log.error('Could not save an image', error);
      const saveLabel = vscode.l10n.t('Save As…');
      const answer = await showError(formatFileError(error), saveLabel);
      if (answer !== saveLabel) return showOnlyInGalleryNotice(services);
    }
  }
}

function showOnlyInGalleryNotice(services: SaveServices): undefined {
  void showWithActions(
    showInformation,
    vscode.l10n.t('The image was not saved as a file. It is in the gallery.'),
    [{ label: vscode.l10n.t('Open Image Gallery'), run: () => services.openGallery() }],
  );
  return undefined;
}

/** Returns a URI in the folder that no file has. The folder itself may not exist yet. */
export async function findAvailableUri(
  record: Pick<ImageRecord, 'origin' | 'format'>,
  folder: vscode.Uri,
  stem = '',
): Promise<vscode.Uri> {
  const isNameUsed = await createUsedNameLookup(folder);
  return vscode.Uri.joinPath(folder, createFileName(record, { stem, isTaken: isNameUsed }));
}

/** Returns the target if no file has this name. Otherwise, appends a number to the name. */
async function findUnusedTarget(target: vscode.Uri): Promise<vscode.Uri> {
  const folder = vscode.Uri.joinPath(target, '..');
  const isNameUsed = await createUsedNameLookup(folder);
  const { name: stem, ext } = posix.parse(target.path);
  let name = `${stem}${ext}`;
  for (let number = 2; isNameUsed(name); number += 1) name = `${stem}-${number}${ext}`;
  return vscode.Uri.joinPath(folder, name);
}

/** Returns a function that checks whether the folder contains a file with a given name. */
async function createUsedNameLookup(folder: vscode.Uri): Promise<(name: string) => boolean> {
  const entries = await Promise.resolve(vscode.workspace.fs.readDirectory(folder)).catch(() => []);
  return createNameLookup(entries.map(([name]) => name));
}

/** Generates the file name of an image. The name contains no text that the service returned. */
export function createFileName(
  record: Pick<ImageRecord, 'origin' | 'format' | 'subject'>,
  {
    stem = '',
    isTaken: isNameUsed = () => false,
  }: { stem?: string; isTaken?: (name: string) => boolean } = {},
): string {
  const { origin, format } = record;
  return stem === ''
    ? createImageFileName({
        prompt: getFileNameSubject(record),
        ...getSeedField(origin),
        format,
        isNameUsed,
      })
    : createImageFileName({ prompt: stem, format, isNameUsed });
}

const getSeedField = (origin: ImageRecord['origin']): { seed?: number } =>
  origin.kind === 'generate' && origin.request.seed !== undefined
    ? { seed: origin.request.seed }
    : {};

/** Observes the saved files of gallery images, and checks whether these files still exist. */
export class SavedFiles implements Disposable {
  readonly #gallery: Gallery;
  readonly #disposables = new DisposableStore();
  readonly #onDidChangeEmitter = this.#disposables.add(new Emitter<void>());
  readonly #missingUris = new Set<string>();

  constructor(gallery: Gallery) {
    this.#gallery = gallery;
    this.#disposables.add(
      vscode.workspace.onDidRenameFiles(({ files }) => void this.#recordMoves(files)),
    );
    this.#disposables.add(vscode.workspace.onDidDeleteFiles(() => void this.recheckAllFiles()));
    this.#disposables.add(vscode.workspace.onDidCreateFiles(() => void this.recheckAllFiles()));
  }

  /** Fires when a saved file of an image is created, deleted or renamed. */
  readonly onDidChange: Event<void> = (listener) => this.#onDidChangeEmitter.event(listener);

  /**
   * Returns the URI of the file to which the image was saved most recently. Considers only files that existed at the
   * last check. Undefined if there is none.
   */
  findSavedUri({ saved }: ImageRecord): string | undefined {
    return saved.findLast((uri) => !this.#missingUris.has(uri));
  }

  /**
   * Checks again whether the saved files of all images exist. VS Code reports no event if another program moves a file.
   */
  async recheckAllFiles(): Promise<void> {
    const uris = (await this.#gallery.list()).flatMap(({ saved }) => saved);
    const fileChecks = await Promise.all(
      uris.map(async (uri) => [uri, await checkFileExists(uri)] as const),
    );
    const previousCount = this.#missingUris.size;
    let hasChanged = false;
    for (const [uri, exists] of fileChecks) {
      hasChanged ||= exists === this.#missingUris.has(uri);
      if (exists) this.#missingUris.delete(uri);
      else this.#missingUris.add(uri);
    }
    if (hasChanged || previousCount !== this.#missingUris.size) this.#onDidChangeEmitter.fire();
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  async #recordMoves(files: readonly RenamedFile[]): Promise<void> {
    const uris = (await this.#gallery.list()).flatMap(({ saved }) => saved);
    const moves = new Map<string, string>();
    for (const savedUri of new Set(uris)) {
      const movedUri = findRenamedUri(files, vscode.Uri.parse(savedUri));
      if (movedUri !== undefined) moves.set(savedUri, movedUri.toString());
    }
    await this.#gallery.recordMovedFiles(moves);
    await this.recheckAllFiles();
  }
}

type RenamedFile = vscode.FileRenameEvent['files'][number];

/** Returns the new URI of a file if the file or a folder above it was renamed. Otherwise returns undefined. */
function findRenamedUri(files: readonly RenamedFile[], uri: vscode.Uri): vscode.Uri | undefined {
  for (const { oldUri, newUri } of files) {
    const isRenamed = uri.path === oldUri.path || uri.path.startsWith(`${oldUri.path}/`);
    if (!isRenamed || uri.scheme !== oldUri.scheme || uri.authority !== oldUri.authority) continue;
    return newUri.with({ path: newUri.path + uri.path.slice(oldUri.path.length) });
  }
  return undefined;
}

/** Checks whether the file exists. Returns true if the file system is unavailable. */
async function checkFileExists(uri: string): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(vscode.Uri.parse(uri, true));
    return true;
  } catch (error) {
    return !(error instanceof vscode.FileSystemError && error.code === 'FileNotFound');
  }
}

/** Total size of the unstored images in bytes. From this size on, no further images are requested. */
const maxUnstoredBytes = 200_000_000;

/**
 * Paid images that the gallery could not store. They stay in memory until the user saves or discards them, or closes
 * the window.
 */
export class UnstoredImages {
  /**
   * Images in memory. The value of an image is true while a notification offers to save it, and false after the user
   * closed the notification.
   */
  readonly #offeredImages = new Map<UnstoredImageError, boolean>();
  readonly #contextKeys = new ContextKeys();
  readonly #log: Pick<Log, 'error'>;

  constructor(log: Pick<Log, 'error'>) {
    this.#log = log;
  }

  /** True if the images in memory have reached the size limit. */
  get isFull(): boolean {
    const sizes = [...this.#offeredImages.keys()].map(({ content }) => content.length);
    return sizes.reduce((sum, size) => sum + size, 0) >= maxUnstoredBytes;
  }

  /** Keeps an image in memory, and offers to save it. */
  add(image: UnstoredImageError): void {
    this.#offeredImages.set(image, false);
    this.#contextKeys.set('hasUnstoredImages', true);
    this.notifyAgain();
  }

  /** Shows another notification for each image whose last notification the user closed. */
  notifyAgain(): void {
    for (const [image, isOffered] of this.#offeredImages)
      if (!isOffered) void this.#offerImage(image);
  }

  /**
   * Shows a save dialog for each image. Stops at the first image that is not saved. After an error, shows the error and
   * offers to save the image again.
   */
  async saveAll(): Promise<void> {
    for (const image of this.#offeredImages.keys()) {
      const result = await this.#saveImage(image);
      if (result === 'saved') continue;
      if (result.problem !== undefined) void this.#offerImage(image, result.problem);
      return;
    }
  }

  /** Discards all images after the user confirms. */
  async discardAll(): Promise<void> {
    if (this.#offeredImages.size === 0) return;
    const discardLabel = vscode.l10n.t('Discard');
    const question = vscode.l10n.t('Discard the images that are not in the gallery?');
    if ((await confirm({ question }, discardLabel)) !== discardLabel) return;
    for (const image of this.#offeredImages.keys()) this.#removeImage(image);
  }

  /**
   * Shows a notification that offers to save the image. Shows it again until the image is saved or discarded, or the
   * user closes the notification.
   */
  async #offerImage(
    image: UnstoredImageError,
    problem = formatUnstoredImage(image),
  ): Promise<void> {
    this.#offeredImages.set(image, true);
    let nextProblem: string | undefined;
    const save = async (): Promise<void> => {
      const result = await this.#saveImage(image);
      if (result !== 'saved') nextProblem = result.problem ?? problem;
    };
    await showWithActions(showError, problem, [
      { label: vscode.l10n.t('Save As…'), run: save },
      { label: vscode.l10n.t('Discard'), run: () => this.#removeImage(image) },
    ]);
    if (!this.#offeredImages.has(image)) return;
    if (nextProblem === undefined) this.#offeredImages.set(image, false);
    else await this.#offerImage(image, nextProblem);
  }

  /**
   * Saves an image at a location that the user selects. Returns `saved`, or an object with the error message in
   * `problem`. The object is empty if the user canceled.
   */
  async #saveImage(image: UnstoredImageError): Promise<'saved' | { readonly problem?: string }> {
    if (!this.#offeredImages.has(image)) return 'saved';
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const name = `image${imageFileExtensions[image.format]}`;
    const uri = await vscode.window.showSaveDialog({
      defaultUri: folder === undefined ? vscode.Uri.file(name) : vscode.Uri.joinPath(folder, name),
    });
    if (uri === undefined) return {};
    try {
      await vscode.workspace.fs.writeFile(uri, image.content);
    } catch (error) {
      this.#log.error('Could not save an image', error);
      return { problem: formatFileError(error) };
    }
    this.#removeImage(image);
    void showInformation(vscode.l10n.t('Saved as {0}.', vscode.workspace.asRelativePath(uri)));
    return 'saved';
  }

  #removeImage(image: UnstoredImageError): void {
    this.#offeredImages.delete(image);
    this.#contextKeys.set('hasUnstoredImages', this.#offeredImages.size > 0);
  }
}
