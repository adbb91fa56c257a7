import { html, nothing, render, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { ImageView } from '../../../src/image/studio/protocol/gallery.ts';
import { renderIcon } from '../../base/controls.ts';
import {
  type GridCell,
  getTotalHeight,
  createRows,
  getNextIndex,
  type GridRow,
  findRowIndex,
  findRowRange,
} from '../gallery-layout.ts';
import type { Thumbnailer } from '../thumbnailer.ts';
import { labels } from '../labels.ts';
import { renderBadges, describeImage } from './image-actions.ts';
import { cssVariables } from '../../base/css-variables.ts';
import { isRightToLeft } from './roving.ts';

interface GridContext {
  readonly thumbnailer: Thumbnailer;
  readonly openImage: (id: string) => void;
  readonly removeImages: (ids: readonly string[]) => void;
  readonly onSelectionChange: () => void;
}

const [rowHeight, gap] = [176, 4];
/** Distance in pixels above and below the viewport within which the grid renders rows. */
const renderMarginPx = 600;

/** Grid that renders only the rows of images near the viewport. */
export class GalleryGrid {
  readonly element = document.createElement('div');
  readonly #context: GridContext;
  readonly #content = document.createElement('div');
  #images: readonly ImageView[] = [];
  #rows: readonly GridRow[] = [];
  #widthPx = 0;
  /** Id of the only image in the tab order. */
  #activeId: string | undefined;
  #selectedIds: ReadonlySet<string> = new Set();
  #frameRequestId = 0;
  /** Index of the only image in the tab order, computed at each rendering. */
  #tabStopIndex = 0;

  constructor(context: GridContext) {
    this.#context = context;
    this.element.className = 'gallery-scroll';
    this.#content.className = 'gallery-grid';
    this.#content.role = 'grid';
    this.#content.ariaLabel = labels.gallery;
    this.#content.ariaMultiSelectable = 'true';
    this.element.append(this.#content);
    this.element.addEventListener('scroll', () => this.#scheduleDraw(), { passive: true });
    this.#content.addEventListener('keydown', (event) => this.#onKey(event));
    this.#content.addEventListener('click', (event) => this.#onClick(event));
    this.#content.addEventListener('focusin', ({ target }) => this.#onFocus(target));
    new ResizeObserver(() => this.#onResize()).observe(this.element);
  }

  get selectedIds(): readonly string[] {
    return this.#images.filter(({ id }) => this.#selectedIds.has(id)).map(({ id }) => id);
  }

  update(images: readonly ImageView[]): void {
    if (images === this.#images) return this.#drawCells();
    const isOtherList =
      images.length !== this.#images.length || images[0]?.id !== this.#images[0]?.id;
    this.#images = images;
    if (isOtherList) this.#deselectMissingImages();
    this.#layOutRows();
  }

  selectImages(ids: Iterable<string>): void {
    this.#selectedIds = new Set(ids);
    this.#drawCells();
    this.#context.onSelectionChange();
  }

  /** Scrolls to an image and focuses it. The default is the image that was focused last. */
  focus(id = this.#activeId): void {
    const index = Math.max(0, this.#findIndex(id));
    this.#moveTo(index);
  }

  /** Renders the visible rows again, for example after new thumbnails. */
  redrawVisibleRows(): void {
    this.#scheduleDraw();
  }

  #findIndex(id: string | undefined): number {
    return this.#images.findIndex((image) => image.id === id);
  }

  #deselectMissingImages(): void {
    if (this.#selectedIds.size === 0) return;
    const imageIds = new Set(this.#images.map(({ id }) => id));
    this.#selectedIds = this.#selectedIds.intersection(imageIds);
    this.#context.onSelectionChange();
  }

  #onResize(): void {
    const { clientWidth } = this.#content;
    if (clientWidth === this.#widthPx) return this.#scheduleDraw();
    this.#widthPx = clientWidth;
    const firstVisibleIndex = this.#findFirstVisibleIndex();
    this.#layOutRows();
    const row = this.#rows[findRowIndex(this.#rows, firstVisibleIndex)];
    if (row !== undefined) this.element.scrollTop = row.top;
  }

  /**
   * Returns the index of the first visible image. The grid scrolls to this image after the layout has changed, so that
   * it stays at the top.
   */
  #findFirstVisibleIndex(): number {
    const [firstRowIndex] = findRowRange(
      this.#rows,
      this.element.scrollTop,
      this.element.scrollTop,
    );
    return this.element.scrollTop === 0 ? 0 : (this.#rows[firstRowIndex]?.cells[0]?.index ?? 0);
  }

  #layOutRows(): void {
    if (this.#widthPx === 0) this.#widthPx = this.#content.clientWidth;
    this.#rows =
      this.#widthPx === 0 ? [] : createRows(this.#images, { width: this.#widthPx, rowHeight, gap });
    this.#content.style.setProperty('--grid-height', `${getTotalHeight(this.#rows)}px`);
    this.#content.ariaRowCount = String(this.#rows.length);
    this.#drawCells();
  }

  #scheduleDraw(): void {
    if (this.#frameRequestId === 0)
      this.#frameRequestId = requestAnimationFrame(() => this.#drawCells());
  }

  #drawCells(): void {
    cancelAnimationFrame(this.#frameRequestId);
    this.#frameRequestId = 0;
    this.#tabStopIndex = Math.max(0, this.#findIndex(this.#activeId));
    const rows = this.#listVisibleRows();
    render(
      repeat(
        rows,
        ([rowIndex]) => rowIndex,
        ([rowIndex, row]) => this.#renderRow(rowIndex, row),
      ),
      this.#content,
    );
    const images = rows.flatMap(([, { cells }]) =>
      cells.flatMap(({ index }) => this.#images[index] ?? []),
    );
    this.#context.thumbnailer.setQueue(images.filter(({ thumb }) => thumb === null));
  }

  /**
   * Returns the rows near the viewport with their indexes. Includes the row with the focused image, because removing
   * its element would lose the focus.
   */
  #listVisibleRows(): (readonly [number, GridRow])[] {
    const { scrollTop, clientHeight } = this.element;
    const [startIndex, endIndex] = findRowRange(
      this.#rows,
      scrollTop - renderMarginPx,
      scrollTop + clientHeight + renderMarginPx,
    );
    const activeIndex = findRowIndex(this.#rows, this.#tabStopIndex);
    const rowIndexes = Array.from(
      { length: endIndex - startIndex },
      (_, offset) => startIndex + offset,
    );
    if (activeIndex < startIndex) rowIndexes.unshift(activeIndex);
    else if (activeIndex >= endIndex) rowIndexes.push(activeIndex);
    return rowIndexes.flatMap((rowIndex) => {
      const row = this.#rows[rowIndex];
      return row === undefined ? [] : [[rowIndex, row] as const];
    });
  }

  #renderRow(rowIndex: number, { top, height, cells }: GridRow): TemplateResult {
    return html`<div
      role="row"
      class="gallery-row"
      aria-rowindex=${rowIndex + 1}
      ${cssVariables({ '--top': `${top}px`, '--row-height': `${height}px` })}
    >
      ${repeat(
        cells,
        ({ index }) => this.#images[index]?.id,
        (cell, column) => this.#renderCell(cell, column),
      )}
    </div>`;
  }

  #renderCell({ index, left, width }: GridCell, column: number): TemplateResult | typeof nothing {
    const image = this.#images[index];
    if (image === undefined) return nothing;
    const src = this.#context.thumbnailer.getSource(image);
    const isSelected = this.#selectedIds.has(image.id);
    return html`<div
      role="gridcell"
      class="gallery-cell tile"
      data-index=${index}
      tabindex=${index === this.#tabStopIndex ? 0 : -1}
      aria-colindex=${column + 1}
      aria-selected=${isSelected ? 'true' : 'false'}
      aria-label=${describeImage(image)}
      title=${image.prompt}
      ${cssVariables({ '--left': `${left}px`, '--cell-width': `${width}px` })}
    >
      ${src === undefined ? nothing : html`<img src=${src} alt="" decoding="async" draggable="false" />`}
      ${renderBadges(image)}
      <span class="cell-check" aria-hidden="true"
        >${isSelected ? renderIcon('check') : nothing}</span
      >
    </div>`;
  }

  #onFocus(target: EventTarget | null): void {
    const index = findImageIndex(target);
    const id = index === undefined ? undefined : this.#images[index]?.id;
    if (id === undefined || id === this.#activeId) return;
    this.#activeId = id;
    this.#scheduleDraw();
  }

  #onClick(event: MouseEvent): void {
    const index = findImageIndex(event.target);
    const image = index === undefined ? undefined : this.#images[index];
    if (image === undefined) return;
    const isOnCheckbox =
      event.target instanceof Element && event.target.closest('.cell-check') !== null;
    if (isOnCheckbox || event.ctrlKey || event.metaKey) this.#toggleSelection(image.id);
    else this.#context.openImage(image.id);
  }

  #onKey(event: KeyboardEvent): void {
    const image = this.#images[findImageIndex(event.target) ?? -1];
    if (image === undefined) return;
    const shouldSelectAll = event.ctrlKey || event.metaKey;
    const key = isRightToLeft(this.#content) ? mirrorArrowKey(event.key) : event.key;
    const { ctrlKey, metaKey } = event;
    const nextIndex = getNextIndex(this.#rows, this.#findIndex(image.id), {
      key,
      ctrlKey,
      metaKey,
    });
    if (nextIndex !== undefined) this.#moveTo(nextIndex);
    else if (event.key === 'Enter') this.#context.openImage(image.id);
    else if (event.key === ' ') this.#toggleSelection(image.id);
    else if (event.key === 'Delete')
      this.#context.removeImages(this.#selectedIds.size > 0 ? this.selectedIds : [image.id]);
    else if (event.key === 'a' && shouldSelectAll)
      this.selectImages(this.#images.map(({ id }) => id));
    else if (event.key === 'Escape' && this.#selectedIds.size > 0) this.selectImages([]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #toggleSelection(id: string): void {
    this.selectImages(this.#selectedIds.symmetricDifference(new Set([id])));
  }

  #moveTo(index: number): void {
    const row = this.#rows[findRowIndex(this.#rows, index)];
    this.#activeId = this.#images[index]?.id;
    if (row === undefined) return;
    const { scrollTop, clientHeight } = this.element;
    if (row.top < scrollTop) this.element.scrollTop = row.top;
    else if (row.top + row.height > scrollTop + clientHeight)
      this.element.scrollTop = row.top + row.height - clientHeight;
    this.#drawCells();
    this.#content
      .querySelector<HTMLElement>(`[data-index="${index}"]`)
      ?.focus({ preventScroll: true });
  }
}

function findImageIndex(target: EventTarget | null): number | undefined {
  const cell = target instanceof Element ? target.closest<HTMLElement>('[data-index]') : null;
  return cell === null ? undefined : Number(cell.dataset['index']);
}

/** Swaps the left and right arrow keys in a right-to-left layout. */
function mirrorArrowKey(key: string): string {
  if (key === 'ArrowLeft') return 'ArrowRight';
  return key === 'ArrowRight' ? 'ArrowLeft' : key;
}
