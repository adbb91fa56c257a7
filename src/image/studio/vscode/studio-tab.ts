import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';
import type { ImageRecord } from '../../image-record.ts';
import { setTabIcon } from '../../../platform/newer-vscode.ts';
import { showWithActions, showInformation, showWarning } from '../../../platform/notifications.ts';
import type { Host } from '../../../host.ts';
import type { ImageServices } from '../../vscode/image-services.ts';
import type { ImageJobChange } from './image-jobs.ts';
import { LastEditor, ImageActions } from './image-actions.ts';
import { SavedFiles } from '../../vscode/save-image.ts';
import { Studio } from './studio.ts';
import { StudioPage } from './studio-page.ts';
import { StyleList } from './studio-models.ts';

const viewType = 'inferenceService.imageStudio';

/** Studio tab of a window. Jobs continue after the tab is closed. */
export class StudioTab implements Disposable {
  readonly studio: Studio;
  readonly actions: ImageActions;
  readonly #host: Host;
  readonly #services: ImageServices;
  readonly #disposables = new DisposableStore();
  readonly #savedFiles: SavedFiles;
  readonly #styles: StyleList;
  #panel: vscode.WebviewPanel | undefined;
  #page: StudioPage | undefined;

  constructor(host: Host, services: ImageServices) {
    this.#host = host;
    this.#services = services;
    this.studio = this.#disposables.add(new Studio({ services, catalog: host.models }));
    this.#savedFiles = this.#disposables.add(new SavedFiles(services.gallery));
    this.#styles = this.#disposables.add(new StyleList(host));
    let { profileId } = host.account;
    this.#disposables.add(
      host.account.onDidChange(() => {
        if (profileId !== host.account.profileId) this.#styles.discardStyles();
        ({ profileId } = host.account);
      }),
    );
    this.#disposables.add(this.studio.jobs.onDidChange((change) => this.#notifyOfJob(change)));
    this.actions = new ImageActions({
      services,
      studio: this.studio,
      savedFiles: this.#savedFiles,
      lastEditor: this.#disposables.add(new LastEditor()),
    });
  }

  /**
   * Opens the studio tab, or reveals it if it is open. A tab that is already open changes its section only if `section`
   * is `gallery` or a prompt is given.
   * @param prompt prompt for the create form, which the tab then shows; if empty, the form does not change
   */
  show(section: 'create' | 'gallery', prompt = ''): void {
    if (prompt !== '') this.#usePrompt(prompt);
    const isOpen = this.#panel !== undefined;
    if (this.#panel === undefined) {
      const title = vscode.l10n.t('Image Studio');
      const column = vscode.ViewColumn.Active;
      this.restorePanel(vscode.window.createWebviewPanel(viewType, title, column));
    } else {
      this.#panel.reveal();
    }
    if (!isOpen || section === 'gallery') this.#page?.show(section);
  }

  #usePrompt(prompt: string): void {
    this.studio.setInputs([]);
    this.studio.createFormDraft = { ...this.studio.createFormDraft, prompt };
    this.studio.hasCurrentDrafts = true;
    this.#page?.postCreateForm();
  }

  /** Opens the tab with an image of the gallery in the large view. */
  showImage(record: ImageRecord): void {
    this.show('gallery');
    this.#page?.showImage(record);
  }

  /** Creates a studio page in a webview. The caller must dispose the page together with the webview. */
  createPage(webview: vscode.Webview): StudioPage {
    return new StudioPage({
      host: this.#host,
      services: this.#services,
      studio: this.studio,
      styles: this.#styles,
      savedFiles: this.#savedFiles,
      actions: this.actions,
      webview,
    });
  }

  /** Shows the studio in the given panel. Closes the panel if the studio is already open in another panel. */
  restorePanel(panel: vscode.WebviewPanel): void {
    if (this.#panel !== undefined) return panel.dispose();
    setTabIcon(panel, 'file-media');
    const page = this.createPage(panel.webview);
    this.#panel = panel;
    this.#page = page;
    panel.onDidChangeViewState(() => panel.visible || page.onHidden());
    panel.onDidDispose(() => {
      this.#panel = undefined;
      this.#page = undefined;
      page.dispose();
    });
  }

  /** Notifies the user if a job completes or fails while the tab is hidden or closed. */
  #notifyOfJob(change: ImageJobChange): void {
    if (change.type !== 'job-put' || this.#panel?.visible === true) return;
    const { status, failure } = change.job;
    if (status !== 'done' && status !== 'failed') return;
    const message = failure?.message ?? vscode.l10n.t('The images of the image studio are ready.');
    const show = { label: vscode.l10n.t('Show'), run: () => this.show('create') };
    const notify = status === 'done' ? showInformation : showWarning;
    void showWithActions(notify, message, [show]);
  }

  dispose(): void {
    this.#panel?.dispose();
    this.#disposables.dispose();
  }
}
