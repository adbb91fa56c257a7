import { createId } from '../../../base/ids.ts';
import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';
import { Emitter, type Event } from '../../../base/event.ts';
import { hasTooManyPixels, readImageHeader } from '../../image-header.ts';
import type { ImageRecord } from '../../image-record.ts';
import { getImageSubject } from '../../image-text.ts';
import type { ImageAction } from '../protocol/gallery.ts';
import { formatOperationTitle } from './studio-view.ts';
import { createGalleryInput, type Studio, type StudioInput } from './studio.ts';
import { ImageSourceError } from '../../vscode/image-failure.ts';
import { assertTrusted, resolveWritableFolder } from '../../vscode/image-location.ts';
import type { ImageServices } from '../../vscode/image-services.ts';
import { insertReference, TrackedPosition } from '../../vscode/insert-reference.ts';
import { readSourceFile, createTooManyPixelsError } from '../../vscode/run-image-task.ts';
import { type SavedFiles, saveImage } from '../../vscode/save-image.ts';
import { confirm } from '../../../platform/notifications.ts';

/**
 * Text editor that was active most recently. Images are inserted into this editor even while the studio tab is active.
 */
export class LastEditor implements Disposable {
  readonly #disposables = new DisposableStore();
  readonly #onDidChangeEmitter = this.#disposables.add(new Emitter<void>());
  #editor: vscode.TextEditor | undefined;

  constructor() {
    this.#setEditor(vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors[0]);
    this.#disposables.add(
      vscode.window.onDidChangeActiveTextEditor((editor) => {
        this.#setEditor(editor);
        this.#onDidChangeEmitter.fire();
      }),
    );
  }

  /** Fires when the user activates another editor. */
  readonly onDidChange: Event<void> = (listener) => this.#onDidChangeEmitter.event(listener);

  /** Document into which images are inserted. Undefined if no editor was active, or if the document is closed. */
  get document(): vscode.TextDocument | undefined {
    const document = this.#editor?.document;
    return document?.isClosed === true ? undefined : document;
  }

  /** Position at which images are inserted: the end of the selection. Undefined without a document. */
  get position(): vscode.Position | undefined {
    const { document } = this;
    const cursor = this.#editor?.selection.end;
    return cursor && document?.validatePosition(cursor);
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  #setEditor(editor: vscode.TextEditor | undefined): void {
    if (editor !== undefined && editor.document.uri.scheme !== 'output') this.#editor = editor;
  }
}

export interface ImageActionsOptions {
  readonly services: ImageServices;
  readonly studio: Studio;
  readonly savedFiles: SavedFiles;
  readonly lastEditor: LastEditor;
}

type RecordAction = Exclude<ImageAction, 'use-settings'>;

/** Runs the user's actions on gallery images. */
export class ImageActions {
  readonly #options: ImageActionsOptions;

  constructor(options: ImageActionsOptions) {
    this.#options = options;
  }

  /** Fires when `insertProblem` may have changed. */
  get onDidChangeEditor(): LastEditor['onDidChange'] {
    return this.#options.lastEditor.onDidChange;
  }

  /** Reason why images cannot be inserted, as a message for the user. Empty if images can be inserted. */
  get insertProblem(): string {
    return this.#options.lastEditor.document === undefined
      ? vscode.l10n.t('Open a file first.')
      : '';
  }

  /**
   * Runs an action on an image.
   * @returns a message for the user, or undefined if the user already sees the effect of the action
   */
  async runAction(record: ImageRecord, action: RecordAction): Promise<string | undefined> {
    const { services, studio, savedFiles } = this.#options;
    const input = createGalleryInput(
      record,
      getImageSubject(record) || formatOperationTitle(record.origin),
    );
    switch (action) {
      case 'save':
        return formatSavedNotice(await this.#saveImages(record));
      case 'insert':
        return this.#insertImage(record);
      case 'open':
        await vscode.commands.executeCommand('vscode.open', this.#getFileUri(record));
        return undefined;
      case 'reveal': {
        const fileUri = savedFiles.findSavedUri(record);
        if (fileUri === undefined)
          return vscode.l10n.t('The file was moved or deleted. Save it again.');
        await vscode.commands.executeCommand('revealInExplorer', vscode.Uri.parse(fileUri));
        return undefined;
      }
      case 'same-seed':
        studio.regenerateImage(record, 'same');
        return undefined;
      case 'vary':
        studio.regenerateImage(record, 'other');
        return undefined;
      case 'upscale-2':
        studio.startUpscaleJob(input, 2);
        return undefined;
      case 'upscale-4':
        studio.startUpscaleJob(input, 4);
        return undefined;
      case 'remove-background':
        studio.startBackgroundRemoval(input);
        return undefined;
      case 'edit':
        studio.setInputs([input]);
        return undefined;
      case 'use-as-input':
        studio.addInput(input);
        return undefined;
      case 'delete':
        return this.removeImages([record.id], services);
    }
  }

  /** Deletes images permanently after the user confirms. Does not delete files to which images were saved. */
  async removeImages(
    ids: readonly string[],
    { gallery } = this.#options.services,
  ): Promise<undefined> {
    const removeLabel = vscode.l10n.t('Delete');
    const answer = await confirm(
      {
        question:
          ids.length === 1
            ? vscode.l10n.t('Delete this image from the gallery?')
            : vscode.l10n.t('Delete {0} images from the gallery?', ids.length),
        detail: vscode.l10n.t("You can't undo this. Files in your workspace stay."),
      },
      removeLabel,
    );
    if (answer === removeLabel) await gallery.remove(ids);
    return undefined;
  }

  /** Opens a dialog to select image files as input images. Returns a message for the user if a file cannot be used. */
  async pickInputFiles(): Promise<string | undefined> {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const chosenFiles = await vscode.window.showOpenDialog({
      canSelectMany: true,
      ...(folder === undefined ? {} : { defaultUri: folder }),
      filters: { [vscode.l10n.t('Images')]: ['png', 'jpg', 'jpeg', 'webp'] },
      openLabel: vscode.l10n.t('Use as input'),
    });
    for (const uri of chosenFiles ?? []) {
      try {
        this.#options.studio.addInput(await this.createFileInput(uri));
      } catch (error) {
        if (error instanceof ImageSourceError) return error.message;
        throw error;
      }
    }
    return undefined;
  }

  /** Replaces the input images with gallery images, for example those that a page persisted. Skips deleted images. */
  async setInputs(ids: readonly string[]): Promise<void> {
    const { services, studio } = this.#options;
    const previousInputs = new Map(studio.inputs.map((input) => [input.id, input]));
    const inputs: StudioInput[] = [];
    for (const id of ids) {
      const record = await services.gallery.find(id);
      const input =
        previousInputs.get(id) ??
        (record && createGalleryInput(record, formatOperationTitle(record.origin)));
      if (input !== undefined) inputs.push(input);
    }
    studio.setInputs(inputs);
  }

  /**
   * Creates an input image from a file.
   * @throws ImageSourceError if the file is not an image, is too large, or must not be sent to the service
   */
  async createFileInput(uri: vscode.Uri): Promise<StudioInput> {
    assertTrusted(uri);
    const bytes = await readSourceFile(uri);
    if (hasTooManyPixels(bytes)) throw createTooManyPixelsError();
    const header = readImageHeader(bytes);
    if (header === undefined) {
      throw new ImageSourceError(
        vscode.l10n.t(
          '{0} is damaged or not a PNG, JPEG or WebP image. Choose another one.',
          vscode.workspace.asRelativePath(uri),
        ),
      );
    }
    const { width, height } = header;
    const source = { type: 'file', uri: uri.toString() } as const;
    const label = vscode.workspace.asRelativePath(uri);
    return { id: createId(), source, label, width, height };
  }

  #getFileUri(record: ImageRecord): vscode.Uri {
    const file = this.#options.savedFiles.findSavedUri(record);
    const { gallery } = this.#options.services;
    return file === undefined
      ? vscode.Uri.file(gallery.getImagePath(record))
      : vscode.Uri.parse(file);
  }

  async #saveImages(
    record: ImageRecord,
    document?: vscode.TextDocument,
  ): Promise<vscode.Uri | undefined> {
    const folder = await resolveWritableFolder(document);
    return folder === 'none' ? undefined : saveImage(this.#options.services, record, folder);
  }

  async #insertImage(record: ImageRecord): Promise<string | undefined> {
    const { services, lastEditor, savedFiles } = this.#options;
    const { document, position } = lastEditor;
    if (document === undefined || position === undefined) return this.insertProblem;
    const trackedPosition = new TrackedPosition(document, position);
    try {
      const savedUri = savedFiles.findSavedUri(record);
      const imageUri =
        savedUri === undefined
          ? await this.#saveImages(record, document)
          : vscode.Uri.parse(savedUri);
      if (imageUri === undefined) return undefined;
      const insertedReference = await insertReference(trackedPosition, record, imageUri);
      if (insertedReference === undefined)
        return vscode.l10n.t('The file cannot be changed: it is read-only.');
      services.undoneReferences.trackReference(insertedReference);
      return vscode.l10n.t('Inserted into {0}.', vscode.workspace.asRelativePath(document.uri));
    } finally {
      trackedPosition.dispose();
    }
  }
}

const formatSavedNotice = (uri: vscode.Uri | undefined): string | undefined =>
  uri && vscode.l10n.t('Saved as {0}.', vscode.workspace.asRelativePath(uri));
