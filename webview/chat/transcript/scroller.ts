import type { ScrollPosition } from '../saved-state.ts';

const endTolerancePx = 24;

/** Keeps a growing transcript scrolled to its end until the user scrolls up. */
export class Scroller {
  readonly #element: HTMLElement;
  readonly #onChange: () => void;
  #isFollowing = true;
  /** Position to restore while the content above the position changes its height. */
  #pinnedPosition: ScrollPosition | undefined;
  #top = 0;

  /** @param onChange called after each scroll event and each change of {@link isFollowing} */
  constructor(element: HTMLElement, content: HTMLElement, onChange: () => void) {
    this.#element = element;
    this.#onChange = onChange;
    element.addEventListener('scroll', () => this.#onScroll(), { passive: true });
    for (const type of ['wheel', 'pointerdown', 'keydown', 'touchstart']) {
      document.addEventListener(type, () => this.#unpin(), { capture: true, passive: true });
    }
    const observer = new ResizeObserver(() => this.restore());
    observer.observe(element);
    observer.observe(content);
  }

  /** True while the view stays at the end of the growing content. */
  get isFollowing(): boolean {
    return this.#isFollowing;
  }

  /** Scrolls to the end or to the pinned position after the content changed. */
  restore(): void {
    if (this.#isFollowing) this.#element.scrollTop = this.#element.scrollHeight;
    else if (this.#pinnedPosition !== undefined) this.#apply(this.#pinnedPosition);
  }

  scrollToEnd(): void {
    this.#unpin();
    this.#isFollowing = true;
    this.restore();
    this.#onChange();
  }

  /** Returns the scroll position, or `undefined` if the view is at the end. */
  position(): ScrollPosition | undefined {
    if (this.#isFollowing) return undefined;
    const { top } = this.#element.getBoundingClientRect();
    for (const article of this.#element.querySelectorAll<HTMLElement>('article')) {
      const bounds = article.getBoundingClientRect();
      if (bounds.bottom > top)
        return { messageId: article.id, offset: Math.round(top - bounds.top) };
    }
    return undefined;
  }

  scrollTo(position: ScrollPosition | undefined): void {
    if (position === undefined || this.#articleOf(position) === null) return this.scrollToEnd();
    this.#isFollowing = false;
    this.#pinnedPosition = position;
    this.restore();
    this.#onChange();
  }

  #articleOf({ messageId }: ScrollPosition): Element | null {
    return this.#element.querySelector(`#${CSS.escape(messageId)}`);
  }

  #apply(position: ScrollPosition): void {
    this.#articleOf(position)?.scrollIntoView({ block: 'start' });
    this.#element.scrollTop += position.offset;
  }

  #unpin(): void {
    this.#pinnedPosition = undefined;
  }

  #onScroll(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#element;
    const isAtEnd = scrollHeight - scrollTop - clientHeight < endTolerancePx;
    // Content growth also increases the distance to the end, so only scrolling up counts as a user action.
    if (this.#pinnedPosition === undefined)
      this.#isFollowing = isAtEnd || (this.#isFollowing && scrollTop >= this.#top);
    this.#top = scrollTop;
    this.#onChange();
  }
}
