import { html, render, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import type { ImageDetails, ImageView } from '../../../src/image/studio/protocol/gallery.ts';
import { cssVariables } from '../../base/css-variables.ts';
import { labels } from '../labels.ts';
import { describeImage } from './image-actions.ts';

type SourceImage = NonNullable<ImageDetails['source']>;

const initialSliderPercent = 50;

/**
 * Comparison of two images with a slider between them. The original image is on the left, the edited image on the
 * right.
 */
export class ComparisonView {
  readonly element = document.createElement('div');
  #dividerPercent = initialSliderPercent;
  #imageId = '';

  constructor() {
    this.element.className = 'compare';
  }

  show(image: ImageView, source: SourceImage): void {
    if (image.id !== this.#imageId) this.#dividerPercent = initialSliderPercent;
    this.#imageId = image.id;
    this.#render(image, source);
  }

  #render(image: ImageView, source: SourceImage): void {
    const { width, height, src } = image;
    const dividerPercent = this.#dividerPercent;
    render(
      html`<div
        class="compare-space"
        ${cssVariables({
          '--share': `${dividerPercent}%`,
          '--ratio': String(width / height),
          '--width': `${width}px`,
          '--height': `${height}px`,
        })}
      >
        <img class="compare-after" src=${src} alt="" />
        <img class="compare-before" src=${source.src} alt="" />
        <span class="compare-label before" aria-hidden="true">${labels.before}</span>
        <span class="compare-label after" aria-hidden="true">${labels.after}</span>
        <span class="compare-line" aria-hidden="true"></span>
        <input
          type="range"
          class="compare-slider"
          min="0"
          max="100"
          step="1"
          aria-label=${labels.compareLabel}
          aria-valuetext=${labels.formatCompareValue(dividerPercent, source.label)}
          .value=${String(dividerPercent)}
          @input=${(event: Event) => {
            this.#dividerPercent = (event.target as HTMLInputElement).valueAsNumber;
            this.#render(image, source);
          }}
        />
      </div>`,
      this.element,
    );
  }
}

interface StageContent {
  readonly image: ImageView;
  /** Original image for the comparison. If null, only the visible image is shown. */
  readonly source: ImageDetails['source'];
}

interface ImagePoint {
  readonly x: number;
  readonly y: number;
}

/** Maximum distance in pixels that the pointer moves during a click. A longer movement is a drag. */
const maxClickMovementPx = 4;
const centerPoint: ImagePoint = { x: 0.5, y: 0.5 };

/** Area of the large image. Shows the whole image, or scrolls the image in its full size. */
export class ImageStage {
  readonly element = document.createElement('div');
  readonly #comparison = new ComparisonView();
  readonly #onZoom: () => void;
  #content: StageContent | undefined;
  #isZoomed = false;
  #wasDragged = false;

  constructor(onZoom: () => void) {
    this.#onZoom = onZoom;
    this.element.addEventListener('pointerdown', (event) => this.#onPointerDown(event));
    this.element.addEventListener('click', (event) => this.#onClick(event));
    this.element.addEventListener('keydown', (event) => this.#onKey(event));
  }

  get isZoomed(): boolean {
    return this.#isZoomed;
  }

  show(content: StageContent): void {
    // Fit each new image to the area.
    if (content.image.id !== this.#content?.image.id) this.#isZoomed = false;
    this.#content = content;
    this.#render();
  }

  /**
   * Toggles between the whole image and its full size.
   * @param point position to center in full size, as fractions of width and height
   */
  toggleZoom(point = centerPoint): void {
    this.#isZoomed = !this.#isZoomed;
    this.#onZoom();
    if (!this.#isZoomed) return;
    const { element } = this;
    element.scrollLeft = point.x * element.scrollWidth - element.clientWidth / 2;
    element.scrollTop = point.y * element.scrollHeight - element.clientHeight / 2;
    element.focus({ preventScroll: true });
  }

  #render(): void {
    const { element } = this;
    const { image, source } = this.#content ?? {};
    if (image === undefined) return;
    element.className = this.#isZoomed ? 'stage zoomed' : 'stage';
    // The zoomed area must be focusable, so that arrow keys scroll it.
    if (this.#isZoomed) element.tabIndex = 0;
    else element.removeAttribute('tabindex');
    element.role = this.#isZoomed ? 'group' : null;
    element.ariaLabel = this.#isZoomed ? labels.zoomedImage : null;
    if (source) this.#comparison.show(image, source);
    render(source ? html`${this.#comparison.element}` : renderLargeImage(image), element);
  }

  #onClick(event: MouseEvent): void {
    if (this.#wasDragged || !(event.target instanceof HTMLImageElement)) return;
    const { left, top, width, height } = event.target.getBoundingClientRect();
    this.toggleZoom({ x: (event.clientX - left) / width, y: (event.clientY - top) / height });
  }

  #onKey(event: KeyboardEvent): void {
    if (!this.#isZoomed || event.target !== this.element) return;
    if (event.key === 'Enter') this.toggleZoom();
    // Arrow keys scroll the area, so other handlers must not receive them.
    else if (!event.key.startsWith('Arrow')) return;
    event.stopPropagation();
  }

  /** Starts to move the zoomed image with the mouse. Touch input already scrolls without this handler. */
  #onPointerDown(event: PointerEvent): void {
    this.#wasDragged = false;
    const { target, pointerId, pointerType, button } = event;
    if (!this.#isZoomed || pointerType !== 'mouse' || button !== 0) return;
    if (!(target instanceof HTMLImageElement)) return;
    const { element } = this;
    const { clientX, clientY } = event;
    const { scrollLeft, scrollTop } = element;
    const dragAbortController = new AbortController();
    const { signal } = dragAbortController;
    const onMove = (moveEvent: PointerEvent): void => {
      const [x, y] = [moveEvent.clientX - clientX, moveEvent.clientY - clientY];
      this.#wasDragged ||= Math.hypot(x, y) > maxClickMovementPx;
      if (this.#wasDragged) element.scrollTo(scrollLeft - x, scrollTop - y);
    };
    target.setPointerCapture(pointerId);
    target.addEventListener('pointermove', onMove, { signal });
    target.addEventListener('lostpointercapture', () => dragAbortController.abort(), { signal });
  }
}

// The key creates a new element per image, so that the previous image disappears while the next image loads.
const renderLargeImage = (image: ImageView): TemplateResult =>
  html`${keyed(
    image.id,
    html`<img
      class="large"
      src=${image.src}
      alt=${describeImage(image)}
      width=${image.width}
      height=${image.height}
      decoding="async"
      draggable="false"
      ${cssVariables({
        '--ratio': String(image.width / image.height),
        '--width': `${image.width}px`,
      })}
    />`,
  )}`;
