import type { ScrollPosition } from '../saved-state.ts';

const endTolerancePx = 24;

/** Keeps a transcript scrolled to its end while it grows, unless the user scrolled up. */
export class Scroller {
  readonly #element: HTMLElement;
  readonly #onChange: () => void;
  #isFollowing = true;
  /** Position to restore while the height of the content above it still changes. */
  #pin: ScrollPosition | undefined;
  #top = 0;

  /** `onChange` is called after each scroll event and each change of {@link isFollowing}. */
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

  /** True while the view follows the end. */
  get isFollowing(): boolean {
    return this.#isFollowing;
  }

  /** Restores the scroll position after the content changed. */
  restore(): void {
    if (this.#isFollowing) this.#element.scrollTop = this.#element.scrollHeight;
    else if (this.#pin !== undefined) this.#apply(this.#pin);
  }

  scrollToEnd(): void {
    this.#unpin();
    this.#isFollowing = true;
    this.restore();
    this.#onChange();
  }

  /** Returns the scroll position, or `undefined` at the end. */
  position(): ScrollPosition | undefined {
    if (this.#isFollowing) return undefined;
    const { top } = this.#element.getBoundingClientRect();
    for (const article of this.#element.querySelectorAll<HTMLElement>('article')) {
      const box = article.getBoundingClientRect();
      if (box.bottom > top) return { messageId: article.id, offset: Math.round(top - box.top) };
    }
    return undefined;
  }

  scrollTo(position: ScrollPosition | undefined): void {
    if (position === undefined || this.#articleOf(position) === null) return this.scrollToEnd();
    this.#isFollowing = false;
    this.#pin = position;
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
    this.#pin = undefined;
  }

  #onScroll(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#element;
    const atEnd = scrollHeight - scrollTop - clientHeight < endTolerancePx;
    // Growing content also moves the end away. Only a scroll upwards is a user action.
    if (this.#pin === undefined)
      this.#isFollowing = atEnd || (this.#isFollowing && scrollTop >= this.#top);
    this.#top = scrollTop;
    this.#onChange();
  }
}
