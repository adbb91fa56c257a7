import * as vscode from 'vscode';
import { DisposableStore } from '../../../base/disposable.ts';
import { upscalePrice } from '../../image-price.ts';
import type { ImageRecord } from '../../image-record.ts';
import {
  imagesPerMessage,
  readStudioPageMessage,
  type StudioHostMessage,
  type StudioPageMessage,
  studioVersion,
} from '../protocol/messages.ts';
import type { GalleryView, InputPicture, StudioState } from '../protocol/state.ts';
import {
  failureAction,
  isChatAction,
  isFailureAction,
} from '../../../account/vscode/failure-actions.ts';
import type { Host } from '../../../host.ts';
import { newerVersionMessage } from '../../../platform/newer-version-message.ts';
import { webviewHtml, webviewOptions } from '../../../platform/webview-html.ts';
import { mostUnfinished, QueueFullError } from './image-jobs.ts';
import type { ImageParts } from '../../vscode/image-parts.ts';
import type { PictureActions } from './image-actions.ts';
import type { SavedFiles } from '../../vscode/save-image.ts';
import type { Studio } from './studio.ts';
import { checkCreate, checkEdit } from './studio-check.ts';
import { failureCard, imageDetails, jobView, shownPrice } from './studio-view.ts';
import { studioModels, type StyleList } from './studio-models.ts';
import { StudioPictures } from './studio-images.ts';

export interface StudioPageOptions {
  readonly host: Host;
  readonly parts: ImageParts;
  readonly studio: Studio;
  readonly styles: StyleList;
  readonly saved: SavedFiles;
  readonly actions: PictureActions;
  readonly webview: vscode.Webview;
}

/** One page that shows the studio. */
export class StudioPage {
  readonly #options: StudioPageOptions;
  readonly #owned = new DisposableStore();
  readonly #pictures: StudioPictures;
  readonly #waiting: StudioHostMessage[] = [];
  #galleryStatus: GalleryView['status'] = 'unasked';
  #selected: string | undefined;
  /** Number of the newest change of a form that the page told. */
  #seq = 0;
  #ready = false;

  constructor(options: StudioPageOptions) {
    this.#options = options;
    const { webview, host, parts, studio, saved, styles } = options;
    this.#pictures = new StudioPictures({ webview, gallery: parts.gallery, saved });
    webview.options = this.#webviewOptions();
    this.#reload();
    this.#owned.add(webview.onDidReceiveMessage((raw: unknown) => this.#receive(raw)));
    this.#owned.add(
      studio.jobs.onDidChange((change) =>
        this.#post(
          change.type === 'job-put'
            ? { type: 'job-put', job: jobView(change.job) }
            : { type: 'job-remove', id: change.id },
        ),
      ),
    );
    this.#owned.add(
      parts.gallery.onDidChange((change) => {
        if (change.type === 'image-put')
          this.#post({ type: 'images-put', images: [this.#pictures.view(change.record)] });
        else this.#post({ type: 'images-remove', ids: [...change.ids] });
        void this.#postGallery();
        void this.#postDetails();
      }),
    );
    this.#owned.add(options.actions.onDidChangeEditor(() => void this.#postDetails()));
    this.#owned.add(studio.onDidChangeInputs(() => this.#postInputs()));
    this.#owned.add(saved.onDidChange(() => void this.#postAllImages()));
    this.#owned.add(
      styles.onDidChange(() => this.#post({ type: 'styles-change', styles: styles.view })),
    );
    this.#owned.add(host.models.onDidChange(() => this.#postModels()));
    this.#owned.add(
      host.account.onDidChange(() => {
        this.#post({ type: 'account-change', account: host.account.view });
        this.#postCheck();
      }),
    );
  }

  show(section: 'create' | 'gallery'): void {
    this.#postWhenReady({ type: 'section-show', section, focus: true });
  }

  /** The create form was filled in from elsewhere. */
  setCreate(): void {
    this.#postWhenReady({ type: 'create-set', draft: this.#options.studio.create });
  }

  showImage(record: ImageRecord): void {
    this.#postWhenReady({ type: 'images-put', images: [this.#pictures.view(record)] });
    this.#postWhenReady({ type: 'image-show', id: record.id });
  }

  notice(text: string): void {
    this.#postWhenReady({ type: 'notice-show', text: text.slice(0, 1_000) });
  }

  /** Call when the page is gone; it asks for its state when it is there again. */
  hidden(): void {
    this.#ready = false;
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #reload(): void {
    const { webview, host } = this.#options;
    this.#ready = false;
    webview.html = webviewHtml(webview, host.context.extensionUri, {
      title: vscode.l10n.t('Image Studio'),
      script: 'studio',
      style: 'studio',
    });
  }

  #post(message: StudioHostMessage): void {
    if (this.#ready) void this.#options.webview.postMessage(message);
  }

  #postWhenReady(message: StudioHostMessage): void {
    if (this.#ready) this.#post(message);
    else this.#waiting.push(message);
  }

  #receive(raw: unknown): void {
    const { host } = this.#options;
    const message = readStudioPageMessage(raw);
    if (message === undefined) {
      host.log.warn('The image studio sent something that is not a message; it was dropped.');
      return;
    }
    this.#handle(message).catch((error: unknown) => {
      if (error instanceof QueueFullError) return this.notice(queueIsFull());
      host.log.error(`${message.type} failed`, error);
      this.notice(vscode.l10n.t('That did not work. See the log for details.'));
    });
  }

  async #handle(message: StudioPageMessage): Promise<void> {
    const { studio, host, styles, actions, parts } = this.#options;
    switch (message.type) {
      case 'ready':
        if (message.version !== studioVersion) return this.#reload();
        return this.#begin();
      case 'create-change':
        studio.create = message.draft;
        studio.draftsAreCurrent = true;
        this.#seq = message.seq;
        return this.#postCheck();
      case 'edit-change':
        studio.edit = message.draft;
        studio.draftsAreCurrent = true;
        this.#seq = message.seq;
        return this.#postCheck();
      case 'create-run':
        studio.create = message.draft;
        if (this.#isRefused('create')) return this.#postCheck();
        return studio.runCreate(message.draft);
      case 'edit-run':
        studio.edit = message.draft;
        if (this.#isRefused('edit')) return this.#postCheck();
        return studio.runEdit(message.draft);
      case 'job-cancel':
        return studio.jobs.cancel(message.id);
      case 'job-dismiss':
        return studio.jobs.dismiss(message.id);
      case 'action-run':
        return this.#runAction(message);
      case 'image-select':
        this.#selected = message.id ?? undefined;
        return this.#postDetails();
      case 'image-act': {
        const record = await parts.gallery.find(message.id);
        if (record === undefined) return undefined;
        if (message.action === 'use-settings') return this.#useSettings(record);
        const told = await actions.act(record, message.action);
        return told === undefined ? undefined : this.notice(told);
      }
      case 'images-delete':
        return actions.remove(message.ids);
      case 'gallery-clear':
        return actions.remove((await parts.gallery.list()).map(({ id }) => id));
      case 'input-pick': {
        const told = await actions.pickInputs();
        return told === undefined ? undefined : this.notice(told);
      }
      case 'input-remove':
        return studio.setInputs(studio.inputs.filter(({ id }) => id !== message.id));
      case 'inputs-set':
        return actions.setInputs(message.ids);
      case 'inputs-clear':
        return studio.setInputs([]);
      case 'models-request':
        return host.models.refresh({ force: true });
      case 'styles-request':
        return styles.load();
      case 'gallery-request':
        return this.#loadGallery();
      case 'thumbnail-made':
        return this.#pictures.keepThumbnail(message.id, message.bytes);
    }
  }

  async #begin(): Promise<void> {
    const { host } = this.#options;
    await this.#pictures.load();
    const state = await this.#state();
    this.#seq = 0;
    this.#ready = true;
    this.#post({ type: 'state-set', version: studioVersion, state });
    for (const message of this.#waiting.splice(0)) this.#post(message);
    if (this.#galleryStatus !== 'unasked') await this.#loadGallery();
    await host.models.refresh();
  }

  async #state(): Promise<StudioState> {
    const { host, parts, studio, styles } = this.#options;
    const jobs = studio.jobs.list.map(jobView);
    const wanted = new Set(jobs.flatMap(({ images }) => images));
    const known = await parts.gallery.list().catch(() => []);
    const shown = known.filter(({ id }) => wanted.has(id));
    return {
      models: studioModels(parts.choice, host.models),
      styles: styles.view,
      create: studio.create,
      edit: studio.edit,
      draftsAreCurrent: studio.draftsAreCurrent,
      inputs: await this.#inputs(),
      check: this.#check(this.#mode, 0),
      jobs,
      images: shown.map((record) => this.#pictures.view(record)),
      gallery: await this.#gallery(),
      account: host.account.view,
    };
  }

  #check(mode: 'create' | 'edit', seq: number): NonNullable<StudioState['check']> {
    const { studio, host } = this.#options;
    const { status } = host.account.view;
    const account =
      status === 'signed-out' ? vscode.l10n.t('Set an API key to make pictures.') : undefined;
    return mode === 'create'
      ? checkCreate({ draft: studio.create, model: studio.createModel(), seq, account })
      : checkEdit({
          draft: studio.edit,
          model: studio.editModel(),
          seq,
          account,
          inputs: studio.inputs,
        });
  }

  /** With pictures to change, the form is the edit form. */
  get #mode(): 'create' | 'edit' {
    return this.#options.studio.inputs.length > 0 ? 'edit' : 'create';
  }

  #isRefused(mode: 'create' | 'edit'): boolean {
    return this.#check(mode, 0).problems.some(({ severity }) => severity === 'error');
  }

  #postCheck(): void {
    this.#post({ type: 'check-change', check: this.#check(this.#mode, this.#seq) });
  }

  #postModels(): void {
    const { parts, host } = this.#options;
    this.#post({ type: 'models-change', models: studioModels(parts.choice, host.models) });
    this.#postCheck();
  }

  /** The page may show the pictures of the gallery, of the workspace, and those that the person chose elsewhere. */
  #webviewOptions(): vscode.WebviewOptions {
    const { host, parts, studio } = this.#options;
    const chosen = studio.inputs.flatMap(({ source }) =>
      source.type === 'file' ? [vscode.Uri.joinPath(vscode.Uri.parse(source.uri), '..')] : [],
    );
    const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri);
    const elsewhere = chosen.filter(
      (uri) => vscode.workspace.getWorkspaceFolder(uri) === undefined,
    );
    return webviewOptions(host.context.extensionUri, [
      vscode.Uri.file(parts.gallery.folder),
      ...folders,
      ...elsewhere,
    ]);
  }

  #postInputs(): void {
    // Other options load the page anew, which then asks for its state: only where a folder is added.
    const options = this.#webviewOptions();
    const { webview } = this.#options;
    const known = new Set(webview.options.localResourceRoots?.map(String));
    if (options.localResourceRoots?.some((root) => !known.has(String(root))) === true) {
      this.#ready = false;
      webview.options = options;
      return;
    }
    void this.#inputs().then((inputs) => this.#post({ type: 'inputs-change', inputs }));
  }

  async #inputs(): Promise<InputPicture[]> {
    return Promise.all(this.#options.studio.inputs.map((input) => this.#pictures.input(input)));
  }

  async #gallery(): Promise<GalleryView> {
    return this.#galleryOf(await this.#options.parts.gallery.list().catch(() => []));
  }

  #galleryOf(records: readonly ImageRecord[]): GalleryView {
    return {
      status: this.#galleryStatus,
      failure: this.#galleryFailure(),
      count: records.length,
      bytes: records.reduce((sum, { bytes }) => sum + bytes, 0),
      capBytes: this.#options.parts.gallery.capBytes,
    };
  }

  #galleryFailure(): GalleryView['failure'] {
    if (this.#galleryStatus === 'failed') return unreadable();
    const isNewer = this.#galleryStatus === 'ready' && this.#options.parts.gallery.hasNewerJournal;
    return isNewer ? fromNewerVersion() : null;
  }

  async #postGallery(): Promise<void> {
    this.#post({ type: 'gallery-change', gallery: await this.#gallery() });
  }

  async #loadGallery(): Promise<void> {
    const { gallery } = this.#options.parts;
    this.#galleryStatus = 'loading';
    this.#post({ type: 'gallery-change', gallery: this.#galleryOf([]) });
    try {
      await gallery.list();
      await this.#options.saved.look();
      await this.#postAllImages();
      this.#galleryStatus = 'ready';
    } catch (error) {
      this.#options.host.log.error('The gallery cannot be read', error);
      this.#galleryStatus = 'failed';
    }
    await this.#postGallery();
  }

  async #postAllImages(): Promise<void> {
    const records = await this.#options.parts.gallery.list();
    for (let at = 0; at < records.length; at += imagesPerMessage) {
      const images = records
        .slice(at, at + imagesPerMessage)
        .map((record) => this.#pictures.view(record));
      this.#post({ type: 'images-put', images });
    }
  }

  async #postDetails(): Promise<void> {
    const { parts, host, saved, actions, studio } = this.#options;
    const record =
      this.#selected === undefined ? undefined : await parts.gallery.find(this.#selected);
    if (record === undefined || record.id !== this.#selected) return;
    this.#post({
      type: 'image-details',
      details: imageDetails(record, {
        againText: (seed) => shownPrice(studio.againPrice(record, seed)),
        upscaleText: (scale) => shownPrice(upscalePrice(host.models.models, scale)),
        cannotInsert: actions.cannotInsert,
        isSaved: saved.find(record) !== undefined,
        source: await this.#pictures.source(record),
      }),
    });
  }

  #useSettings(record: ImageRecord): void {
    const draft = this.#options.studio.useSettings(record);
    if (draft !== undefined) this.#post({ type: 'create-set', draft });
  }

  async #runAction({
    source,
    jobId,
    action,
  }: Extract<StudioPageMessage, { type: 'action-run' }>): Promise<void> {
    const { studio, host, parts } = this.#options;
    if (!isFailureAction(action)) return undefined;
    if (action === 'retry') {
      if (source === 'models') return host.models.refresh({ force: true });
      if (source === 'gallery') return this.#loadGallery();
      const job = jobId === null ? undefined : studio.jobs.find(jobId);
      if (job === undefined) return undefined;
      studio.jobs.start(job.task, job);
      studio.jobs.dismiss(job.id);
      return undefined;
    }
    if (action === 'choose-model') return this.#chooseModel();
    if (action === 'add-credits') return parts.openWebsite();
    if (!isChatAction(action)) await failureAction(action).run();
    return undefined;
  }

  async #chooseModel(): Promise<void> {
    const { parts, studio } = this.#options;
    await parts.chooseModel();
    const { model } = parts.choice;
    if (model === undefined) return;
    studio.create = { ...studio.create, model: model.id };
    this.#post({ type: 'create-set', draft: studio.create });
  }
}

const queueIsFull = (): string =>
  vscode.l10n.t(
    '{0} pictures are on their way already. Wait until one is done, or cancel one.',
    mostUnfinished,
  );

const fromNewerVersion = (): NonNullable<GalleryView['failure']> =>
  failureCard({ code: 'newer-version', message: newerVersionMessage(), actions: [] });

const unreadable = (): NonNullable<GalleryView['failure']> =>
  failureCard({
    code: 'disk',
    message: vscode.l10n.t('The gallery cannot be read from the disk.'),
    actions: ['retry', 'show-log'],
  });
