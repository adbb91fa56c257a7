import type { ScrollPlace } from '../saved.ts';

const slack = 24;

/** Keeps a transcript at its end while it grows, unless the person scrolled up. */
export class Scroller {
  readonly #element: HTMLElement;
  readonly #onChange: () => void;
  #stuck = true;
  /** A place to return to while what stands above it still finds its size. */
  #pin: ScrollPlace | undefined;
  #top = 0;

  /** `onChange` is called after every scrolling and every change of {@link stuck}. */
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

  /** True while the end is followed. */
  get stuck(): boolean {
    return this.#stuck;
  }

  /** Goes to the end if it is followed. To be called after the content changed. */
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

  /** Where the person is, or `undefined` at the end. */
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
    // Content that grew also leaves the end behind; only a move upwards is the person's.
    if (this.#pin === undefined) this.#stuck = atEnd || (this.#stuck && scrollTop >= this.#top);
    this.#top = scrollTop;
    this.#onChange();
  }
}
