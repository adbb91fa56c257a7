import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import type { ImageRecord } from '../../image/image-record.ts';
import type { Host } from '../host.ts';
import type { ImageParts } from './image-parts.ts';
import { LastEditor } from './last-editor.ts';
import { PictureActions } from './picture-actions.ts';
import { SavedFiles } from './saved-files.ts';
import { Studio } from './studio.ts';
import { StudioPage } from './studio-page.ts';
import { StyleList } from './style-list.ts';

export const studioViewType = 'inferenceService.imageStudio';

/** The studio's tab: one in a window. What it is at goes on while the tab is closed. */
export class StudioEditor implements Disposable {
  readonly studio: Studio;
  readonly actions: PictureActions;
  readonly #host: Host;
  readonly #parts: ImageParts;
  readonly #owned = new DisposableStore();
  readonly #saved: SavedFiles;
  readonly #styles: StyleList;
  #panel: vscode.WebviewPanel | undefined;
  #page: StudioPage | undefined;

  constructor(host: Host, parts: ImageParts) {
    this.#host = host;
    this.#parts = parts;
    this.studio = this.#owned.add(new Studio({ parts, catalogue: host.models }));
    this.#saved = this.#owned.add(new SavedFiles(parts.gallery));
    this.#styles = new StyleList(host.service);
    this.actions = new PictureActions({
      parts,
      studio: this.studio,
      saved: this.#saved,
      lastEditor: this.#owned.add(new LastEditor()),
    });
  }

  /** Opens the tab, or brings it to the front. */
  show(section: 'create' | 'gallery'): void {
    if (this.#panel === undefined) {
      const title = vscode.l10n.t('Image Studio');
      const column = vscode.ViewColumn.Active;
      this.adopt(vscode.window.createWebviewPanel(studioViewType, title, column));
    } else {
      this.#panel.reveal();
    }
    this.#page?.show(section);
  }

  /** Shows a picture of the gallery large. */
  showImage(record: ImageRecord): void {
    this.show('gallery');
    this.#page?.showImage(record);
  }

  /** A page of the studio in a webview; the caller disposes it with that. */
  showIn(webview: vscode.Webview): StudioPage {
    return new StudioPage({
      host: this.#host,
      parts: this.#parts,
      studio: this.studio,
      styles: this.#styles,
      saved: this.#saved,
      actions: this.actions,
      webview,
    });
  }

  /** Makes a panel the studio's; a second one is closed. */
  adopt(panel: vscode.WebviewPanel): void {
    if (this.#panel !== undefined) return panel.dispose();
    panel.iconPath = new vscode.ThemeIcon('file-media');
    const page = this.showIn(panel.webview);
    this.#panel = panel;
    this.#page = page;
    panel.onDidChangeViewState(() => panel.visible || page.hidden());
    panel.onDidDispose(() => {
      this.#panel = undefined;
      this.#page = undefined;
      page.dispose();
    });
  }

  dispose(): void {
    this.#panel?.dispose();
    this.#owned.dispose();
  }
}
