import type { ScrollPlace } from '../saved.ts';

const slack = 24;

/** Keeps a transcript scrolled to its end while it grows, unless the user scrolled up. */
export class Scroller {
  readonly #element: HTMLElement;
  readonly #onChange: () => void;
  #stuck = true;
  /** Position to restore while the height of the content above it still changes. */
  #pin: ScrollPlace | undefined;
  #top = 0;

  /** `onChange` is called after each scroll event and each change of {@link stuck}. */
  constructor(element: HTMLElement, content: HTMLElement, onChange: () => void) {
    this.#element = element;
    this.#onChange = onChange;
    element.addEventListener('scroll', () => this.#read(), { passive: true });
    for (const type of ['wheel', 'pointerdown', 'keydown', 'touchstart']) {
      document.addEventListener(type, () => this.#unpin(), { capture: true, passive: true });
    }
    const observer = new ResizeObserver(() => this.settle());
    observer.observe(element);
    observer.observe(content);
  }

  /** True while the view follows the end. */
  get stuck(): boolean {
    return this.#stuck;
  }

  /** Restores the scroll position after the content changed. */
  settle(): void {
    if (this.#stuck) this.#element.scrollTop = this.#element.scrollHeight;
    else if (this.#pin !== undefined) this.#apply(this.#pin);
  }

  toEnd(): void {
    this.#unpin();
    this.#stuck = true;
    this.settle();
    this.#onChange();
  }

  /** Returns the scroll position, or `undefined` at the end. */
  place(): ScrollPlace | undefined {
    if (this.#stuck) return undefined;
    const { top } = this.#element.getBoundingClientRect();
    for (const article of this.#element.querySelectorAll<HTMLElement>('article')) {
      const box = article.getBoundingClientRect();
      if (box.bottom > top) return { messageId: article.id, offset: Math.round(top - box.top) };
    }
    return undefined;
  }

  goTo(place: ScrollPlace | undefined): void {
    if (place === undefined || this.#articleOf(place) === null) return this.toEnd();
    this.#stuck = false;
    this.#pin = place;
    this.settle();
    this.#onChange();
  }

  #articleOf({ messageId }: ScrollPlace): Element | null {
    return this.#element.querySelector(`#${CSS.escape(messageId)}`);
  }

  #apply(place: ScrollPlace): void {
    this.#articleOf(place)?.scrollIntoView({ block: 'start' });
    this.#element.scrollTop += place.offset;
  }

  #unpin(): void {
    this.#pin = undefined;
  }

  #read(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#element;
    const atEnd = scrollHeight - scrollTop - clientHeight < slack;
    // Growing content also moves the end away. Only a scroll upwards is a user action.
    if (this.#pin === undefined) this.#stuck = atEnd || (this.#stuck && scrollTop >= this.#top);
    this.#top = scrollTop;
    this.#onChange();
  }
}
