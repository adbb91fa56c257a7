import * as vscode from 'vscode';
import { DisposableStore } from '../../../base/disposable.ts';
import { dispatchMessage, type Handlers } from '../../../base/handlers.ts';
import type { ImageRecord } from '../../image-record.ts';
import {
  addPendingMessage,
  readStudioPageMessage,
  type StudioHostMessage,
  type StudioPageMessage,
  studioVersion,
  type StudioState,
} from '../protocol/messages.ts';
import type { InputImage, StudioModels } from '../protocol/form.ts';
import {
  createFailureAction,
  isChatAction,
  isFailureAction,
} from '../../../account/vscode/failure-actions.ts';
import { findUnencryptedFailure } from '../../../account/vscode/unencrypted-origins.ts';
import type { Host } from '../../../host.ts';
import { showError } from '../../../platform/notifications.ts';
import { createWebviewHtml, createWebviewOptions } from '../../../platform/webview-html.ts';
import { maxUnfinishedCalls, QueueFullError } from './image-jobs.ts';
import type { ImageServices } from '../../vscode/image-services.ts';
import type { ImageActions } from './image-actions.ts';
import type { SavedFiles } from '../../vscode/save-image.ts';
import type { Studio } from './studio.ts';
import { type MessageOf, StudioForms, type StudioPorts } from './studio-forms.ts';
import { StudioGallery } from './studio-gallery.ts';
import { createJobView, StudioImages } from './studio-view.ts';
import { createStudioModels, type StyleList } from './studio-models.ts';

export interface StudioPageOptions {
  readonly host: Host;
  readonly services: ImageServices;
  readonly studio: Studio;
  readonly styles: StyleList;
  readonly savedFiles: SavedFiles;
  readonly actions: ImageActions;
  readonly webview: vscode.Webview;
}

/** Handles the messages of one studio page in the extension host, and sends changes to the page. */
export class StudioPage {
  readonly #options: StudioPageOptions;
  readonly #disposables = new DisposableStore();
  readonly #images: StudioImages;
  readonly #pendingMessages: StudioHostMessage[] = [];
  readonly #forms: StudioForms;
  readonly #gallery: StudioGallery;
  readonly #handlers: Handlers<StudioPageMessage, [], unknown>;
  /** Phase of the page: closed, loading (the page has requested its state, and the host is reading it) or ready. */
  #phase: 'closed' | 'loading' | 'ready' = 'closed';
  /**
   * Messages about changes that occurred while the page was loading. They are sent after the complete state, because
   * this state may not contain the changes yet.
   */
  #changesWhileLoading: StudioHostMessage[] = [];
  /** Model list that was last sent to the page. */
  #postedModels: StudioModels | undefined;

  constructor(options: StudioPageOptions) {
    this.#options = options;
    const { webview, host, services, studio, savedFiles, styles } = options;
    this.#images = new StudioImages({ webview, gallery: services.gallery, savedFiles });
    const ports: StudioPorts = {
      ...options,
      images: this.#images,
      post: (message) => this.#postMessage(message),
      showNotice: (text) => this.showNotice(text),
    };
    this.#forms = new StudioForms(ports);
    this.#gallery = new StudioGallery(ports);
    this.#handlers = this.#createHandlers(ports);
    webview.options = this.#createWebviewOptions();
    this.#reloadPage();
    this.#disposables.add(
      webview.onDidReceiveMessage((rawMessage: unknown) => this.#onMessage(rawMessage)),
    );
    this.#disposables.add(
      studio.jobs.onDidChange((change) => {
        if (change.type === 'job-remove')
          return this.#postMessage({ type: 'job-remove', id: change.id });
        this.#postMessage({ type: 'job-put', job: createJobView(change.job) });
        // The result of a call can show which sizes and options the service accepts, so changed models are sent.
        if (change.job.status === 'done' || change.job.status === 'failed')
          this.#postModelsIfChanged();
      }),
    );
    this.#disposables.add(
      services.gallery.onDidChange((change) => {
        if (change.type === 'image-put')
          this.#postMessage({
            type: 'images-put',
            images: [this.#images.createView(change.record)],
          });
        else this.#postMessage({ type: 'images-remove', ids: [...change.ids] });
        void this.#gallery.postView();
        void this.#gallery.postDetails();
      }),
    );
    this.#disposables.add(
      options.actions.onDidChangeEditor(() => void this.#gallery.postDetails()),
    );
    this.#disposables.add(studio.onDidChangeInputs(() => this.#postInputs()));
    this.#disposables.add(savedFiles.onDidChange(() => void this.#gallery.postImages()));
    this.#disposables.add(
      styles.onDidChange(() => this.#postMessage({ type: 'styles-change', styles: styles.view })),
    );
    this.#disposables.add(host.models.onDidChange(() => this.#postModels()));
    this.#disposables.add(
      host.account.onDidChange(() => {
        this.#postMessage({ type: 'account-change', account: host.account.view });
        this.#forms.postCheck();
      }),
    );
  }

  show(section: 'create' | 'gallery'): void {
    this.#postWhenReady({ type: 'section-show', section, focus: true });
  }

  /** Sends the current create form to the page. */
  postCreateForm(): void {
    this.#postWhenReady({ type: 'create-set', draft: this.#options.studio.createFormDraft });
  }

  showImage(record: ImageRecord): void {
    this.#postWhenReady({ type: 'images-put', images: [this.#images.createView(record)] });
    this.#postWhenReady({ type: 'image-show', id: record.id });
  }

  showNotice(text: string): void {
    this.#postWhenReady({ type: 'notice-show', text: text.slice(0, 1_000) });
  }

  /**
   * Stops sending messages when the page is hidden, because VS Code then discards its content. The page requests its
   * state again when it reloads.
   */
  onHidden(): void {
    this.#phase = 'closed';
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  #reloadPage(): void {
    const { webview, host } = this.#options;
    this.#phase = 'closed';
    webview.html = createWebviewHtml(webview, host.context.extensionUri, {
      title: vscode.l10n.t('Image Studio'),
      script: 'studio',
      style: 'studio',
      readsImages: true,
    });
  }

  #postMessage(message: StudioHostMessage): void {
    if (this.#phase === 'ready') void this.#options.webview.postMessage(message);
    else if (this.#phase === 'loading') addPendingMessage(this.#changesWhileLoading, message);
  }

  #postWhenReady(message: StudioHostMessage): void {
    if (this.#phase === 'ready') this.#postMessage(message);
    else addPendingMessage(this.#pendingMessages, message);
  }

  #onMessage(rawMessage: unknown): void {
    const { host } = this.#options;
    const message = readStudioPageMessage(rawMessage);
    if (message === undefined) {
      host.log.warn('Could not read a message of the image studio');
      return;
    }
    this.#handleMessage(message).catch((error: unknown) => {
      if (error instanceof QueueFullError) return this.showNotice(getQueueFullText());
      host.log.error(`Could not handle the message ${message.type}`, error);
      const text = vscode.l10n.t('That did not work. See the log for details.');
      // A page without its state shows no notices.
      if (this.#phase === 'ready') this.showNotice(text);
      else void showError(text);
    });
  }

  async #handleMessage(message: StudioPageMessage): Promise<void> {
    await dispatchMessage(this.#handlers, message);
  }

  #createHandlers(ports: StudioPorts): Handlers<StudioPageMessage, [], unknown> {
    const { host, styles } = this.#options;
    return {
      ready: ({ version }) =>
        version === studioVersion ? this.#beginSession() : this.#reloadPage(),
      'models-request': () => host.models.refresh({ force: true }),
      'styles-request': () => styles.loadStyles(),
      ...this.#forms.handlers,
      ...this.#gallery.handlers,
      ...createJobHandlers(ports, {
        loadGallery: () => this.#gallery.load(),
        postCheck: () => this.#forms.postCheck(),
      }),
    };
  }

  async #beginSession(): Promise<void> {
    const { host } = this.#options;
    const changes: StudioHostMessage[] = [];
    this.#phase = 'loading';
    this.#changesWhileLoading = changes;
    let state: StudioState;
    try {
      await this.#images.loadThumbnailIds();
      state = await this.#createState();
    } catch (error) {
      if (this.#changesWhileLoading === changes) this.#phase = 'closed';
      throw error;
    }
    // The page was hidden or reloaded in the meantime, and requests its state again.
    if (this.#phase !== 'loading' || this.#changesWhileLoading !== changes) return;
    this.#forms.resetSequenceNumber();
    this.#phase = 'ready';
    this.#postMessage({ type: 'state-set', version: studioVersion, state });
    for (const message of [...changes, ...this.#pendingMessages.splice(0)])
      this.#postMessage(message);
    if (this.#gallery.isRequested) await this.#gallery.load();
    await host.models.refresh();
  }

  async #createState(): Promise<StudioState> {
    const { host, services, studio, styles } = this.#options;
    const jobs = studio.jobs.list.map(createJobView);
    const imageIds = new Set(jobs.flatMap(({ images }) => images));
    const records = await services.gallery.list().catch(() => []);
    const jobImages = records.filter(({ id }) => imageIds.has(id));
    return {
      models: (this.#postedModels = this.#createModels()),
      styles: styles.view,
      create: studio.createFormDraft,
      edit: studio.editFormDraft,
      hasCurrentDrafts: studio.hasCurrentDrafts,
      inputs: await this.#createInputImages(),
      check: this.#forms.checkActiveForm(),
      jobs,
      images: jobImages.map((record) => this.#images.createView(record)),
      gallery: await this.#gallery.createView(),
      account: host.account.view,
    };
  }

  #postModels(): void {
    this.#postedModels = this.#createModels();
    this.#postMessage({ type: 'models-change', models: this.#postedModels });
    this.#forms.postCheck();
  }

  #postModelsIfChanged(): void {
    if (JSON.stringify(this.#createModels()) !== JSON.stringify(this.#postedModels))
      this.#postModels();
  }

  #createModels(): StudioModels {
    const { services, host } = this.#options;
    return createStudioModels(services.choice, host.models);
  }

  /**
   * Returns webview options. The page may load files from the gallery folder, the workspace folders, and the folders of
   * selected input files.
   */
  #createWebviewOptions(): vscode.WebviewOptions {
    const { host, services, studio } = this.#options;
    const inputFolders = studio.inputs.flatMap(({ source }) =>
      source.type === 'file' ? [vscode.Uri.joinPath(vscode.Uri.parse(source.uri), '..')] : [],
    );
    const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri);
    const unrelatedFolders = inputFolders.filter(
      (uri) => vscode.workspace.getWorkspaceFolder(uri) === undefined,
    );
    return createWebviewOptions(host.context.extensionUri, [
      vscode.Uri.file(services.gallery.folder),
      ...folders,
      ...unrelatedFolders,
    ]);
  }

  #postInputs(): void {
    // Assigning new options reloads the page, so new options are assigned only if a folder was added.
    const options = this.#createWebviewOptions();
    const { webview } = this.#options;
    const rootUris = new Set(webview.options.localResourceRoots?.map(String));
    if (options.localResourceRoots?.some((root) => !rootUris.has(String(root))) === true) {
      this.#phase = 'closed';
      webview.options = options;
      return;
    }
    void this.#createInputImages().then((inputs) =>
      this.#postMessage({ type: 'inputs-change', inputs }),
    );
  }

  async #createInputImages(): Promise<InputImage[]> {
    return Promise.all(
      this.#options.studio.inputs.map((input) => this.#images.createInputImage(input)),
    );
  }
}

/** Creates the handlers for job messages and for the actions of failure cards. */
const createJobHandlers = (
  { studio, host, services, post }: StudioPorts,
  {
    loadGallery,
    postCheck,
  }: { readonly loadGallery: () => Promise<void>; readonly postCheck: () => void },
): Handlers<MessageOf<'job-cancel' | 'job-dismiss' | 'action-run'>, [], unknown> => ({
  'job-cancel': ({ id }) => studio.jobs.cancelJob(id),
  'job-dismiss': ({ id }) => studio.jobs.dismissJob(id),
  'action-run': async ({ source, jobId, action }) => {
    if (!isFailureAction(action)) return;
    if (action === 'choose-model') await chooseModel({ services, studio, post });
    else if (action !== 'retry' && action !== 'pay-again' && action !== 'send-without') {
      const failures = {
        job: jobId === null ? undefined : studio.jobs.findJob(jobId)?.failure?.service,
        models: host.models.failure,
        gallery: undefined,
        account: findUnencryptedFailure(host.account),
      };
      if (!isChatAction(action)) await createFailureAction(action, failures[source]?.origin).run();
    } else if (source === 'models') await host.models.refresh({ force: true });
    else if (source === 'gallery') await loadGallery();
    else {
      const job = jobId === null ? undefined : studio.jobs.findJob(jobId);
      if (job === undefined) return;
      if (action === 'send-without' && job.failure) {
        if (!services.omitRefusedField(job.failure)) return;
        postCheck();
      }
      studio.jobs.startJob(job.task, job);
      studio.jobs.dismissJob(job.id);
    }
  },
});

async function chooseModel({
  services,
  studio,
  post,
}: Pick<StudioPorts, 'services' | 'studio' | 'post'>): Promise<void> {
  await services.chooseModel();
  const { model } = services.choice;
  if (model === undefined) return;
  studio.createFormDraft = { ...studio.createFormDraft, model: model.id };
  post({ type: 'create-set', draft: studio.createFormDraft });
}

const getQueueFullText = (): string =>
  vscode.l10n.t(
    '{0} images are on their way already. Wait until one is done, or cancel one.',
    maxUnfinishedCalls,
  );
