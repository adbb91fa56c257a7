import { randomInt } from 'node:crypto';
import * as vscode from 'vscode';
import type { ToolArguments } from '../../agent/tool.ts';
import type { ToolPorts } from '../../agent/vscode/agent-runtime.ts';
import { omitUndefined } from '../../base/json.ts';
import { systemClock } from '../../base/clock.ts';
import { DisposableStore } from '../../base/disposable.ts';
import { findUpscalePrice } from '../image-price.ts';
import { maxSeed } from '../image-options.ts';
import {
  showError,
  type Action,
  showWithActions,
  showInformation,
} from '../../platform/notifications.ts';
import { getSetting } from '../../platform/settings.ts';
import {
  isCanceled,
  showFailure,
  type ShownFailure,
  toShownFailure,
} from '../../account/vscode/show-failure.ts';
import type { Host } from '../../host.ts';
import type { FailureAction } from '../../service/http/failure.ts';
import { ChatImageGenerator } from './chat-image-generator.ts';
import { getGalleryFolder } from './gallery-folder.ts';
import { Gallery, galleryMegabytes } from './gallery.ts';
import {
  type GenerateImageCall,
  type ImageChange,
  planImageCall,
  planImageChange,
} from './generate-image-call.ts';
import { ImageChoice } from './image-choice.ts';
import { assertTrusted, authorizeFolder } from './image-location.ts';
import { type ImageFailure, ImageSourceError } from './image-failure.ts';
import { type FailureHandlers, type ImageServices, runWithProgress } from './image-services.ts';
import { ImageLanguageModelTool } from './image-lm-tool.ts';
import {
  type ImageOutcome,
  type ImageProgress,
  createSourceReader,
  runImageTask,
} from './run-image-task.ts';
import { listAvailableActions, omitRefusedOption } from './refused-option.ts';
import type { ImageRecord } from '../image-record.ts';
import type { ImageTask, ImageOperation } from './plan-image.ts';
import { UndoneReferences } from './insert-reference.ts';
import { pickImageModel, pickUpscaleFactor } from './prompt-input.ts';
import { ImageSaver, saveImage, UnstoredImages } from './save-image.ts';
import { StudioTab } from '../studio/vscode/studio-tab.ts';
import { createId } from '../../base/ids.ts';
import { posix } from 'node:path';
import { truncateText } from '../image-text.ts';
import type { Price } from '../../service/model-types.ts';
import { formatPrice } from '../../service/pricing.ts';
import { confirmModeratedImage } from './insert-image.ts';

/** Entry point of the image feature. Loaded on first use. */
export class ImageRuntime implements ImageServices {
  readonly log;
  readonly clock = systemClock;
  readonly gallery: Gallery;
  readonly saver: ImageSaver;
  readonly choice: ImageChoice;
  readonly unstoredImages: UnstoredImages;
  readonly undoneReferences: UndoneReferences;
  readonly studio: StudioTab;
  readonly chat: ChatImageGenerator;
  /** Image tool for agents of VS Code and of other extensions. */
  readonly tool: ImageLanguageModelTool;
  readonly #host: Host;
  readonly #disposables = new DisposableStore();

  constructor(host: Host) {
    this.#host = host;
    this.log = host.log;
    this.gallery = this.#disposables.add(
      new Gallery({
        folder: getGalleryFolder(host).fsPath,
        getMaxBytes: getGalleryLimitBytes,
        listFolderUris: listWorkspaceFolderUris,
        showWarning: (text) => host.log.warn(text),
      }),
    );
    this.saver = new ImageSaver(this.gallery, host.log);
    this.unstoredImages = new UnstoredImages(host.log);
    this.choice = new ImageChoice(
      host.context.globalState,
      host.models,
      () => host.account.connection,
    );
    this.undoneReferences = this.#disposables.add(new UndoneReferences());
    this.studio = this.#disposables.add(new StudioTab(host, this));
    this.chat = new ChatImageGenerator(this, this.studio);
    this.tool = new ImageLanguageModelTool(this);
  }

  async run(
    task: ImageTask,
    options: { signal: AbortSignal; onProgress: (progress: ImageProgress) => void },
  ): Promise<ImageOutcome> {
    const { account, service } = this.#host;
    const profile = account.profile;
    const { gallery, clock, unstoredImages } = this;
    const readSource = createSourceReader(gallery);
    const ports = { service, gallery, readSource, clock, createId, unstoredImages };
    const outcome = await runImageTask(ports, task, options);
    if (outcome.info !== undefined) account.reportOutcome(outcome.info, profile);
    const { failure } = outcome;
    if (failure?.service !== undefined) account.reportOutcome(failure.service, profile);
    else if (failure !== undefined) this.log.warn(`Could not create an image: ${failure.code}`);
    if (failure === undefined) return outcome;
    return { ...outcome, failure: { ...failure, actions: listAvailableActions(failure, account) } };
  }

  generateSeed(): number {
    return randomInt(1, maxSeed + 1);
  }

  async loadModels(): Promise<void> {
    if (this.choice.model === undefined) await this.#host.models.refresh({ force: true });
  }

  async ensureModels(): Promise<boolean> {
    const { models } = this.#host;
    await this.loadModels();
    if (this.choice.model !== undefined) return true;
    await showFailure(
      models.failure === undefined ? createNoImageModelFailure() : toShownFailure(models.failure),
      { retry: () => models.refresh({ force: true }) },
    );
    return false;
  }

  async chooseModel(): Promise<void> {
    if (await this.ensureModels()) await pickImageModel(this.choice);
  }

  async showFailure(failure: ImageFailure, handlers: FailureHandlers): Promise<void> {
    // Shows nothing if the user has stopped the call, or has already received the offer to save the image.
    if (isCanceled(failure) || failure.code === 'unstored-image') return;
    const sendWithoutRefusedField = (): unknown => {
      return this.omitRefusedField(failure) ? handlers.retry() : undefined;
    };
    const excludedActions: FailureAction[] = ['save-image', 'discard-image'];
    if (handlers.chooseModel === undefined) excludedActions.push('choose-model');
    const actions = listAvailableActions(failure, this.#host.account);
    const shownFailure = { ...failure, actions, origin: failure.service?.origin };
    await showFailure(
      shownFailure,
      { ...handlers, excludedActions, sendWithoutRefusedField },
      this.clock,
    );
  }

  omitRefusedField(failure: ImageFailure): boolean {
    return omitRefusedOption(failure, this.#host.account);
  }

  /** Plans a call of the agent's image tool. */
  planCall(ports: ToolPorts, args: ToolArguments): Promise<GenerateImageCall> {
    return planImageCall(this, ports, args);
  }

  /** Plans a call of an agent's tool that changes images. */
  planChange(
    ports: ToolPorts,
    change: ImageChange,
    args: ToolArguments,
  ): Promise<GenerateImageCall> {
    const { models } = this.#host.models;
    return planImageChange({ ...ports, services: this, models }, change, args);
  }

  /** Opens the studio with an image file as the only input image. */
  async editFile(resource: unknown): Promise<void> {
    await this.#runOnClickedFile(resource, async (file) => {
      this.studio.studio.setInputs([await this.studio.actions.createFileInput(file)]);
      this.openStudio();
    });
  }

  async upscaleFile(resource: unknown): Promise<void> {
    await this.#runOnClickedFile(resource, async (file) => {
      const scale = await pickUpscaleFactor(this.#host.models.models);
      if (scale === undefined) return;
      const sources = [{ type: 'file', uri: file.toString() } as const];
      await createProcessedFile(this, file, {
        operation: { kind: 'upscale', scale, sources },
        title: vscode.l10n.t(
          '{0}: {1}',
          vscode.l10n.t('Upscale'),
          vscode.workspace.asRelativePath(file),
        ),
        suffix: `${scale}x`,
        ...omitUndefined({ price: findUpscalePrice(this.#host.models.models, scale) }),
      });
    });
  }

  async removeFileBackground(resource: unknown): Promise<void> {
    await this.#runOnClickedFile(resource, async (file) => {
      const sources = [{ type: 'file', uri: file.toString() } as const];
      await createProcessedFile(this, file, {
        operation: { kind: 'remove-background', sources },
        title: vscode.l10n.t(
          '{0}: {1}',
          vscode.l10n.t('Remove Image Background'),
          vscode.workspace.asRelativePath(file),
        ),
        suffix: 'no-background',
      });
    });
  }

  async #runOnClickedFile(
    resource: unknown,
    run: (file: vscode.Uri) => Promise<void>,
  ): Promise<void> {
    try {
      const file = resolveClickedFile(resource);
      assertTrusted(file);
      await run(file);
    } catch (error) {
      if (!(error instanceof ImageSourceError)) throw error;
      void showError(error.message);
    }
  }

  openStudio(prompt?: string): void {
    this.studio.show('create', prompt);
  }

  showImage(record: ImageRecord): void {
    this.studio.showImage(record);
  }

  openGallery(): void {
    this.studio.show('gallery');
  }

  dispose(): void {
    this.#disposables.dispose();
  }
}

const createNoImageModelFailure = (): ShownFailure => ({
  message: vscode.l10n.t('This service has no image model. Switch the connection.'),
  actions: ['set-key', 'test-connection'],
});

/**
 * Returns the size limit of the gallery in bytes. Limits the setting to its valid range, because settings files can
 * contain other values.
 */
function getGalleryLimitBytes(): number {
  const megabytes = getSetting('inferenceService.image.gallerySize');
  const { min, max } = galleryMegabytes;
  return Math.round(Math.min(max, Math.max(min, megabytes))) * 1_000_000;
}

/** Returns the URIs of the workspace folders. Images can be saved as files in these folders. */
const listWorkspaceFolderUris = (): readonly string[] =>
  (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.toString());

interface FileOperation {
  readonly operation: ImageOperation;
  readonly title: string;
  /** Suffix that the name of the new file gets: `2x` creates `logo-2x` from `logo`. */
  readonly suffix: string;
  readonly price?: Price;
}

/**
 * Runs an operation on an image file of the workspace, and saves the result as a new file in the same folder. Does not
 * change the original file.
 */
async function createProcessedFile(
  services: ImageServices,
  file: vscode.Uri,
  fileOperation: FileOperation,
): Promise<void> {
  const folder = await authorizeFolder(vscode.Uri.joinPath(file, '..'));
  if (folder === undefined) return;
  const { operation, price } = fileOperation;
  const { records, failure } = await runWithProgress(services, {
    title: [fileOperation.title, formatPrice(price)].filter((part) => part !== '').join(' · '),
    task: { operation, ...(price === undefined ? {} : { price }) },
  });
  if (failure !== undefined) {
    const retry = (): Promise<void> => createProcessedFile(services, file, fileOperation);
    return services.showFailure(failure, { retry });
  }
  const [record] = records;
  if (record === undefined || !(await confirmModeratedImage(services, record))) return;
  const savedUri = await saveImage(services, record, folder, createFileStem(file, fileOperation));
  if (savedUri !== undefined) await notifyImageSaved(savedUri);
}

/**
 * Returns the name of the new file without its extension. Truncates the original name to at most 32 UTF-16 code units.
 */
const createFileStem = ({ path }: vscode.Uri, { suffix }: FileOperation): string =>
  `${truncateText(posix.basename(path, posix.extname(path)), 32)}-${suffix}`;

async function notifyImageSaved(savedUri: vscode.Uri): Promise<void> {
  const openAction: Action = {
    label: vscode.l10n.t('Open'),
    run: () => vscode.commands.executeCommand('vscode.open', savedUri),
  };
  const label = vscode.workspace.asRelativePath(savedUri);
  await showWithActions(showInformation, vscode.l10n.t('Saved as {0}.', label), [openAction]);
}

/**
 * Returns the file that VS Code passed to the command from the Explorer, otherwise the image in the active tab.
 * @throws ImageSourceError if there is no such image
 */
function resolveClickedFile(resource: unknown): vscode.Uri {
  if (resource instanceof vscode.Uri) return resource;
  const { activeTab } = vscode.window.tabGroups.activeTabGroup;
  const input: unknown = activeTab?.input;
  if (input instanceof vscode.TabInputCustom) return input.uri;
  throw new ImageSourceError(vscode.l10n.t('Choose an image first.'));
}
