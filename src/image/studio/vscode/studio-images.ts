import * as vscode from 'vscode';
import type { ImageRecord, ImageSourceReference } from '../../image-record.ts';
import type { ImageDetails, ImageView } from '../protocol/gallery.ts';
import type { InputImage } from '../protocol/form.ts';
import type { Gallery } from '../../vscode/gallery.ts';
import type { SavedFiles } from '../../vscode/save-image.ts';
import type { StudioInput } from './studio.ts';
import { imageView, fitUri, fitName, sourceLabel } from './studio-view.ts';

export interface StudioImagesOptions {
  readonly webview: vscode.Webview;
  readonly gallery: Gallery;
  readonly saved: SavedFiles;
}

/** Converts images to views for a page. The page receives URIs, never image bytes. */
export class StudioImages {
  readonly #options: StudioImagesOptions;
  /** Ids of images with a thumbnail on disk. */
  readonly #thumbnails = new Set<string>();

  constructor(options: StudioImagesOptions) {
    this.#options = options;
  }

  /** Reads from disk which images have thumbnails. Call it before `view`. */
  async load(): Promise<void> {
    for (const id of await this.#options.gallery.thumbnails()) this.#thumbnails.add(id);
  }

  async storeThumbnail(id: string, bytes: Uint8Array): Promise<void> {
    if (await this.#options.gallery.storeThumbnail(id, bytes)) this.#thumbnails.add(id);
  }

  view(record: ImageRecord): ImageView {
    const { saved } = this.#options;
    const file = saved.find(record);
    const lastFile = file ?? record.saved.at(-1);
    return imageView(record, {
      src: this.#webviewUriOf(record),
      thumb: this.#thumbnail(record.id),
      file: lastFile === undefined ? 'unsaved' : file === undefined ? 'missing' : 'saved',
      fileLabel:
        lastFile === undefined ? '' : vscode.workspace.asRelativePath(vscode.Uri.parse(lastFile)),
    });
  }

  async input({ id, source, label, width, height }: StudioInput): Promise<InputImage> {
    const src = (await this.#webviewUriOfSource(source)) ?? '';
    return { id, label: fitName(label), src, thumb: this.#thumbnail(id), width, height };
  }

  /**
   * Returns the source image to compare with the result. Null if the image has no source or several sources, or if the
   * source was deleted.
   */
  async source({ origin }: ImageRecord): Promise<ImageDetails['source']> {
    const [source, ...otherSources] = origin.kind === 'generate' ? [] : origin.sources;
    if (source === undefined || otherSources.length > 0) return null;
    const src = await this.#webviewUriOfSource(source);
    return src === undefined || src === '' ? null : { src, label: fitName(sourceLabel(source)) };
  }

  async #webviewUriOfSource(source: ImageSourceReference): Promise<string | undefined> {
    if (source.type === 'file') return this.#webviewUri(vscode.Uri.parse(source.uri));
    const record = await this.#options.gallery.find(source.id);
    return record && this.#webviewUriOf(record);
  }

  #webviewUriOf(record: ImageRecord): string {
    return this.#webviewUri(vscode.Uri.file(this.#options.gallery.imagePath(record)));
  }

  #thumbnail(id: string): string | null {
    if (!this.#thumbnails.has(id)) return null;
    return this.#webviewUri(vscode.Uri.file(this.#options.gallery.thumbnailPath(id)));
  }

  #webviewUri(uri: vscode.Uri): string {
    return fitUri(this.#options.webview.asWebviewUri(uri).toString());
  }
}
