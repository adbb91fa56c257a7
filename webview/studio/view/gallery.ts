import { html, nothing, render, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { formatBytes } from '../../../src/base/amounts.ts';
import type { Clock } from '../../../src/base/clock.ts';
import type { ImageView } from '../../../src/image/studio/protocol/gallery.ts';
import { renderIcon } from '../../base/controls.ts';
import { countSecondsLeft } from '../../base/failure-card.ts';
import { filterImages, type GalleryQuery, listModelNames } from '../gallery-layout.ts';
import type { State, StudioPost } from '../store.ts';
import type { SavedStudio } from '../saved.ts';
import { Thumbnailer } from '../thumbnailer.ts';
import { labels } from '../labels.ts';
import { renderFailureNote } from './failure-note.ts';
import { renderSelect } from './field.ts';
import { GalleryGrid } from './gallery-grid.ts';
import { SecondTimer } from './job-list.ts';

interface GalleryContext {
  readonly post: StudioPost;
  readonly clock: Clock;
  readonly savedState: SavedStudio;
  readonly openImage: (id: string, imageIds: readonly string[]) => void;
}

type Studio = NonNullable<State['studio']>;

const emptyQuery: GalleryQuery = { text: '', model: '' };

/** Gallery section: images with search, filter and deletion. */
export class Gallery {
  readonly element = document.createElement('div');
  readonly #context: GalleryContext;
  readonly #headElement = createSection('gallery-head');
  readonly #stateElement = createSection('gallery-state');
  readonly #footElement = createSection('gallery-foot');
  readonly #grid: GalleryGrid;
  readonly #timer: SecondTimer;
  #studio: Studio | undefined;
  #allImages: readonly ImageView[] = [];
  #matches: readonly ImageView[] = [];
  #models: readonly string[] = [];
  #query: GalleryQuery;

  constructor(context: GalleryContext) {
    this.#context = context;
    const { post } = context;
    this.#query = context.savedState.state.query;
    this.#timer = new SecondTimer(context.clock, () => this.#renderState());
    const thumbnailer = new Thumbnailer({ post, onChange: () => this.#grid.redrawVisibleRows() });
    this.#grid = new GalleryGrid({
      thumbnailer,
      openImage: (id) => this.#openImage(id),
      removeImages: (ids) => this.#removeImages(ids),
      onSelectionChange: () => this.#renderFoot(),
    });
    this.element.className = 'gallery';
    this.element.append(
      this.#headElement,
      this.#stateElement,
      this.#grid.element,
      this.#footElement,
    );
  }

  /** Scrollable element of the gallery, for saving its scroll position. */
  get scrollElement(): HTMLElement {
    return this.#grid.element;
  }

  update({ studio, orderedImages }: State): void {
    if (studio === null) return;
    this.#studio = studio;
    if (orderedImages !== this.#allImages) {
      this.#allImages = orderedImages;
      this.#models = listModelNames(orderedImages);
      this.#filterImages();
    }
    this.#render();
  }

  /** Requests the images of the gallery from the host, unless they were requested before. */
  requestImagesOnce(): void {
    if (this.#studio?.gallery.status === 'unasked') this.#context.post({ type: 'gallery-request' });
  }

  /** Moves the focus to the image, or to the search field if the image is not visible. */
  focus(id?: string): void {
    if (id !== undefined && this.#matches.some((image) => image.id === id)) this.#grid.focus(id);
    else this.focusSearch();
  }

  focusSearch(): void {
    this.#headElement.querySelector('input')?.focus();
  }

  #openImage(id: string): void {
    this.#context.openImage(
      id,
      this.#matches.map((image) => image.id),
    );
  }

  #removeImages(ids: readonly string[]): void {
    if (ids.length > 0) this.#context.post({ type: 'images-delete', ids: [...ids] });
  }

  #setQuery(query: Partial<GalleryQuery>): void {
    this.#query = { ...this.#query, ...query };
    this.#context.savedState.save({ query: this.#query });
    this.#filterImages();
    this.#render();
  }

  #filterImages(): void {
    const isUnfiltered = this.#query.text.trim() === '' && this.#query.model === '';
    this.#matches = isUnfiltered ? this.#allImages : filterImages(this.#allImages, this.#query);
  }

  #render(): void {
    this.#renderHead();
    this.#renderState();
    const isEmpty = this.#matches.length === 0;
    this.#grid.element.hidden = isEmpty;
    if (!isEmpty) this.#grid.update(this.#matches);
    this.#renderFoot();
  }

  #renderState(): void {
    const failure = this.#studio?.gallery.failure ?? null;
    const now = this.#context.clock.now();
    render(this.#renderStateText(now), this.#stateElement);
    this.#timer.scheduleRendering(failure !== null && countSecondsLeft(failure, now) > 0);
  }

  #renderHead(): void {
    const { text, model } = this.#query;
    render(
      html`<input
          type="search"
          class="input"
          aria-label=${labels.searchPrompts}
          placeholder=${labels.searchPrompts}
          spellcheck="false"
          .value=${live(text)}
          @input=${(event: Event) => this.#setQuery({ text: (event.target as HTMLInputElement).value })}
        />
        ${renderSelect({
          id: 'gallery-model',
          label: labels.filterModel,
          value: model,
          options: [
            { value: '', label: labels.allModels },
            ...this.#models.map((name) => ({ value: name, label: name })),
          ],
          onChange: (value) => this.#setQuery({ model: value }),
        })}`,
      this.#headElement,
    );
  }

  /** Renders the gallery's failure, empty state or loading placeholder. */
  #renderStateText(now: number): TemplateResult | typeof nothing {
    const gallery = this.#studio?.gallery;
    if (gallery === undefined) return nothing;
    if (gallery.failure !== null) {
      return renderFailureNote({
        failure: gallery.failure,
        now,
        runAction: (action) =>
          this.#context.post({ type: 'action-run', source: 'gallery', jobId: null, action }),
      });
    }
    if (this.#matches.length > 0) return nothing;
    if (this.#allImages.length > 0) return this.#renderNoMatches();
    if (gallery.status === 'ready')
      return html`<p class="empty">${renderIcon('file-media')} ${labels.galleryEmpty}</p>`;
    return renderSkeleton();
  }

  #renderNoMatches(): TemplateResult {
    return html`<div class="empty" role="status">
      <p>${labels.galleryNone}</p>
      <button
        type="button"
        class="button secondary"
        @click=${() => {
          this.#setQuery(emptyQuery);
          this.focusSearch();
        }}
      >
        ${labels.clearFilters}
      </button>
    </div>`;
  }

  #renderFoot(): void {
    const gallery = this.#studio?.gallery;
    if (gallery === undefined) return;
    const { selectedIds } = this.#grid;
    render(
      html`<span class="gallery-count">${this.#formatCount()}</span>
        <span class="spring"></span>
        ${selectedIds.length > 0 ? this.#renderSelectionActions(selectedIds) : this.#renderGalleryActions(gallery)}`,
      this.#footElement,
    );
  }

  #formatCount(): string {
    const gallery = this.#studio?.gallery;
    const totalCount = Math.max(gallery?.count ?? 0, this.#allImages.length);
    const showsAllImages = this.#matches.length === this.#allImages.length;
    const countText = showsAllImages
      ? labels.formatImageCount(totalCount)
      : labels.formatCountOf(this.#matches.length, totalCount);
    const spaceText =
      gallery === undefined || gallery.capBytes === 0
        ? ''
        : labels.formatUsedSpace(formatBytes(gallery.bytes), formatBytes(gallery.capBytes));
    return [countText, spaceText].filter(Boolean).join(' · ');
  }

  #renderSelectionActions(selectedIds: readonly string[]): TemplateResult {
    return html`<span>${labels.formatSelectedCount(selectedIds.length)}</span>
      <button type="button" class="button secondary" @click=${() => this.#grid.selectImages([])}>
        ${labels.clearSelection}
      </button>
      <button type="button" class="button" @click=${() => this.#removeImages(selectedIds)}>
        ${labels.deleteSelected}
      </button>`;
  }

  #renderGalleryActions({ count }: Studio['gallery']): TemplateResult | typeof nothing {
    if (count === 0 && this.#allImages.length === 0) return nothing;
    return html`<button
        type="button"
        class="quiet-button"
        @click=${() => this.#context.post({ type: 'gallery-resize' })}
      >
        ${renderIcon('settings')} ${labels.gallerySize}
      </button>
      <button
        type="button"
        class="quiet-button"
        @click=${() => this.#context.post({ type: 'gallery-clear' })}
      >
        ${renderIcon('trash')} ${labels.deleteAll}
      </button>`;
  }
}

/** Renders loading placeholders, which become visible after a delay. */
const renderSkeleton = (): TemplateResult =>
  html`<div class="skeleton late" role="status" aria-label=${labels.galleryLoading}>
    ${Array.from({ length: 12 }, () => html`<span></span>`)}
  </div>`;

function createSection(className: string): HTMLElement {
  const element = document.createElement('div');
  element.className = className;
  return element;
}
