import type { ScrollPlace } from '../saved.ts';

const slack = 24;

/** Keeps a transcript at its end while it grows, unless the person scrolled up. */
export class Scroller {
  readonly #element: HTMLElement;
  readonly #onChange: () => void;
  #stuck = true;
  #top = 0;

  /** `onChange` is called after every scrolling and every change of {@link stuck}. */
  constructor(element: HTMLElement, content: HTMLElement, onChange: () => void) {
    this.#element = element;
    this.#onChange = onChange;
    element.addEventListener('scroll', () => this.#read(), { passive: true });
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
  }

  toEnd(): void {
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
    const article = place && this.#element.querySelector(`#${CSS.escape(place.messageId)}`);
    if (!place || !article) return this.toEnd();
    this.#stuck = false;
    article.scrollIntoView({ block: 'start' });
    this.#element.scrollTop += place.offset;
    this.#onChange();
  }

  #read(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#element;
    const atEnd = scrollHeight - scrollTop - clientHeight < slack;
    // Content that grew also leaves the end behind; only a move upwards is the person's.
    this.#stuck = atEnd || (this.#stuck && scrollTop >= this.#top);
    this.#top = scrollTop;
    this.#onChange();
  }
}
