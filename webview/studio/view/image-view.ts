import { html, nothing, render, type TemplateResult } from 'lit';
import { formatBytes } from '../../../src/base/amounts.ts';
import type {
  ImageAction,
  ImageDetails,
  ImageView,
} from '../../../src/image/studio/protocol/gallery.ts';
import { renderIcon, renderIconButton } from '../../base/controls.ts';
import { copyImage } from '../thumbnailer.ts';
import type { State, StudioPost } from '../store.ts';
import type { SavedImage } from '../saved.ts';
import { labels } from '../labels.ts';
import { renderBadges, renderImageActions } from './image-actions.ts';
import { ensureTabStop, moveFocus } from './roving.ts';
import { ImageStage } from './stage.ts';

interface LargeViewContext {
  readonly post: StudioPost;
  readonly showNotice: (text: string) => void;
  /** Called with the visible image when the view shows another image, and with undefined when the view closes. */
  readonly onShow: (image: SavedImage | undefined) => void;
  /** Called with the id of the image after its large view is closed. */
  readonly onClose: (id: string) => void;
  /** Called after an action that continues in the form, such as `edit`. */
  readonly showForm: () => void;
}

const formActions: ReadonlySet<ImageAction> = new Set(['edit', 'use-as-input', 'use-settings']);
const jobActions: ReadonlySet<ImageAction> = new Set([
  'same-seed',
  'vary',
  'upscale-2',
  'upscale-4',
  'remove-background',
]);
const actionButtonSelector = '.image-actions > button';
const menuItemSelector = '.image-menu > button';

/** Large view of one image with its actions and its generation request. */
export class LargeView {
  readonly element = document.createElement('div');
  readonly #context: LargeViewContext;
  readonly #stage = new ImageStage(() => this.#render());
  #state: State | undefined;
  #imageId: string | undefined;
  /** Ids of the images among which Previous and Next move, in order. */
  #imageIds: readonly string[] = [];
  #isComparing = false;
  #areDetailsOpen = false;
  #isMenuOpen = false;

  constructor(context: LargeViewContext) {
    this.#context = context;
    this.element.className = 'image-view';
    this.element.role = 'region';
    this.element.hidden = true;
    this.element.addEventListener('keydown', (event) => this.#onKey(event));
    this.element.addEventListener('focusout', (event) => this.#onBlur(event));
  }

  /** Id of the visible image. Undefined while the view is closed. */
  get visibleId(): string | undefined {
    return this.#imageId;
  }

  open(id: string, imageIds: readonly string[]): void {
    this.#imageIds = imageIds;
    this.#showImage(id);
  }

  /** Moves the focus to the back button. */
  focus(): void {
    this.element.querySelector<HTMLElement>('.image-back')?.focus();
  }

  close(): void {
    const id = this.#imageId;
    if (id === undefined) return;
    this.#imageId = undefined;
    this.element.hidden = true;
    render(nothing, this.element);
    this.#context.post({ type: 'image-select', id: null });
    this.#context.onShow(undefined);
    this.#context.onClose(id);
  }

  update(state: State): void {
    this.#state = state;
    if (this.#imageId === undefined) return;
    if (!state.images.has(this.#imageId)) return this.#showNeighborOfDeleted(this.#imageId);
    this.#render();
  }

  #showImage(id: string): void {
    this.#imageId = id;
    this.#isComparing = false;
    this.#isMenuOpen = false;
    this.element.hidden = false;
    this.element.scrollTop = 0;
    this.#context.post({ type: 'image-select', id });
    this.#context.onShow({ id, among: this.#imageIds });
    this.#render();
  }

  /**
   * Shows a neighbor of the visible image after the visible image is deleted. Closes the large view if no image
   * remains.
   */
  #showNeighborOfDeleted(id: string): void {
    const index = this.#imageIds.indexOf(id);
    this.#imageIds = this.#imageIds.filter((id) => this.#state?.images.has(id));
    const nextId = this.#imageIds[Math.min(Math.max(0, index), this.#imageIds.length - 1)];
    if (nextId === undefined) return this.close();
    const hadFocus = this.element.contains(document.activeElement);
    this.#showImage(nextId);
    if (hadFocus) this.focus();
  }

  #stepBy(offset: number): void {
    const index = this.#imageIds.indexOf(this.#imageId ?? '');
    const id = this.#imageIds[index + offset];
    if (index !== -1 && id !== undefined) this.#showImage(id);
  }

  #onKey(event: KeyboardEvent): void {
    if (event.defaultPrevented || moveFocus(this.element, menuItemSelector, event)) return;
    if (moveFocus(this.element, actionButtonSelector, event)) return;
    const isInField = event.target instanceof HTMLInputElement;
    if (event.key === 'Escape' && this.#isMenuOpen) this.#closeMenu();
    else if (event.key === 'Escape' && this.#stage.isZoomed) this.#endZoom();
    else if (event.key === 'Escape') this.close();
    else if (event.key === 'Delete' && !isInField) this.#runAction('delete');
    else if (event.key === 'ArrowLeft' && !isInField) this.#stepBy(-1);
    else if (event.key === 'ArrowRight' && !isInField) this.#stepBy(1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #onBlur({ target, relatedTarget }: FocusEvent): void {
    const menu = this.element.querySelector('.image-menu');
    if (menu === null || !(target instanceof Node) || !menu.contains(target)) return;
    if (relatedTarget instanceof Element && relatedTarget.matches('.menu-button')) return;
    if (relatedTarget instanceof Node && menu.contains(relatedTarget)) return;
    this.#isMenuOpen = false;
    this.#render();
  }

  #toggleMenu(): void {
    if (this.#isMenuOpen) return this.#closeMenu();
    this.#isMenuOpen = true;
    this.#render();
    this.element.querySelector<HTMLElement>(menuItemSelector)?.focus();
  }

  /** Closes the menu and focuses the menu button. Otherwise, the focus would be lost when the menu closes. */
  #closeMenu(): void {
    if (!this.#isMenuOpen) return;
    this.element.querySelector<HTMLElement>('.menu-button')?.focus();
    this.#isMenuOpen = false;
    this.#render();
  }

  /** Ends the zoom and focuses the zoom button, because the image area is focusable only while it is zoomed. */
  #endZoom(): void {
    this.#stage.toggleZoom();
    this.element.querySelector<HTMLElement>('.zoom')?.focus();
  }

  #runAction(action: ImageAction): void {
    if (this.#imageId === undefined) return;
    this.#context.post({ type: 'image-act', id: this.#imageId, action });
    if (formActions.has(action)) this.#context.showForm();
    // Closing the view shows the new job in the list.
    else if (jobActions.has(action)) this.close();
  }

  async #copyImage({ src }: ImageView): Promise<void> {
    const noticePromise = copyImage(src).then(
      () => labels.copied,
      () => labels.copyRefused,
    );
    this.#context.showNotice(await noticePromise);
  }

  async #copyJson({ json }: ImageDetails): Promise<void> {
    const noticePromise = navigator.clipboard.writeText(json).then(
      () => labels.jsonCopied,
      () => labels.jsonRefused,
    );
    this.#context.showNotice(await noticePromise);
  }

  get #image(): ImageView | undefined {
    return this.#state?.images.get(this.#imageId ?? '');
  }

  /** Details of the visible image. Null until the host sends the details. */
  get #details(): ImageDetails | null {
    const details = this.#state?.details ?? null;
    return details?.id === this.#imageId ? details : null;
  }

  #render(): void {
    const image = this.#image;
    if (image === undefined) return;
    const details = this.#details;
    this.#stage.show({ image, source: this.#isComparing ? (details?.source ?? null) : null });
    this.element.ariaLabel = image.prompt || labels.details;
    render(
      html`${this.#renderHead(image, details)}
      ${renderImageActions({
        details,
        isMenuOpen: this.#isMenuOpen,
        toggleMenu: () => this.#toggleMenu(),
        runAction: (action) => {
          this.#closeMenu();
          this.#runAction(action);
        },
        copyImage: () => {
          this.#closeMenu();
          void this.#copyImage(image);
        },
        showReason: (reason) => this.#context.showNotice(reason),
      })}
      ${this.#stage.element} ${this.#renderNotes(image)} ${this.#renderRequest(details)}`,
      this.element,
    );
    ensureTabStop(this.element, actionButtonSelector);
  }

  #renderHead(image: ImageView, details: ImageDetails | null): TemplateResult {
    const index = this.#imageIds.indexOf(image.id);
    const count = this.#imageIds.length;
    return html`<div class="image-head">
      <button type="button" class="image-back quiet-button" @click=${() => this.close()}>
        ${renderIcon('arrow-left')} ${labels.back}
      </button>
      <span class="spring"></span>
      <button
        type="button"
        class="filter zoom"
        aria-pressed=${this.#stage.isZoomed ? 'true' : 'false'}
        @click=${() => this.#stage.toggleZoom()}
      >
        ${renderIcon('zoom-in')} ${labels.zoom}
      </button>
      ${
        details?.source
          ? html`<button
              type="button"
              class="filter"
              aria-pressed=${this.#isComparing ? 'true' : 'false'}
              @click=${() => {
                this.#isComparing = !this.#isComparing;
                this.#render();
              }}
            >
              ${labels.compare}
            </button>`
          : nothing
      }
      ${
        count > 1
          ? html`${renderIconButton({
                icon: 'chevron-left',
                label: labels.previous,
                isDisabled: index <= 0,
                onClick: () => this.#stepBy(-1),
              })}<span class="counter">${labels.formatCountOf(index + 1, count)}</span
              >${renderIconButton({
                icon: 'chevron-right',
                label: labels.next,
                isDisabled: index >= count - 1,
                onClick: () => this.#stepBy(1),
              })}`
          : nothing
      }
    </div>`;
  }

  #renderNotes(image: ImageView): TemplateResult {
    const { prompt, model, width, height, bytes, moderationText, file, fileLabel } = image;
    const details = [model, `${width} × ${height}`, formatBytes(bytes)].filter(Boolean).join(' · ');
    return html`<div class="image-notes">
      <p class="image-prompt" dir="auto">${prompt}</p>
      <p class="job-facts">${details} ${renderBadges(image)}</p>
      ${moderationText === '' ? nothing : html`<p class="note">${renderIcon('info')} ${moderationText}</p>`}
      ${file === 'missing' ? html`<p class="note">${renderIcon('warning')} ${labels.missingHint}</p>` : nothing}
      ${
        file === 'saved'
          ? html`<p class="note">
              ${renderIcon('check')} <bdi>${labels.formatSavedAs(fileLabel)}</bdi>
            </p>`
          : nothing
      }
    </div>`;
  }

  #renderRequest(details: ImageDetails | null): TemplateResult | typeof nothing {
    if (details === null) return nothing;
    return html`<details
      class="more request"
      ?open=${this.#areDetailsOpen}
      @toggle=${(event: Event) => {
        this.#areDetailsOpen = (event.target as HTMLDetailsElement).open;
      }}
    >
      <summary>${renderIcon('chevron-right')} ${labels.details}</summary>
      <dl>
        ${details.rows.map(
          ({ label, value }) =>
            html`<div>
              <dt>${label}</dt>
              <dd dir="auto">${value}</dd>
            </div>`,
        )}
      </dl>
      <button type="button" class="button secondary" @click=${() => void this.#copyJson(details)}>
        ${labels.copyJson}
      </button>
    </details>`;
  }
}
