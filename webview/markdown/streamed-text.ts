import { type MarkdownOptions, MarkdownStream, renderMarkdown } from './markdown-stream.ts';

/** Keeps a container equal to a text that mostly grows at its end. */
export class StreamedText {
  readonly #container: HTMLElement;
  readonly #options: MarkdownOptions;
  #stream: MarkdownStream | undefined;
  #text = '';
  #open = true;

  constructor(container: HTMLElement, options: MarkdownOptions) {
    this.#container = container;
    this.#options = options;
  }

  /** Shows `text`; `open` says that more will follow. */
  show(text: string, open: boolean): void {
    if (this.#stream !== undefined && text === this.#text && open === this.#open) return;
    if (this.#stream === undefined || !this.#open || !text.startsWith(this.#text)) {
      this.#restart(text, open);
    } else {
      if (text.length > this.#text.length) this.#stream.append(text.slice(this.#text.length));
      if (open) this.#stream.flush();
      else this.#stream.end();
    }
    this.#text = text;
    this.#open = open;
  }

  /** Shows `text` as it is, at next to no cost, until `show` is called. */
  showPlain(text: string): void {
    this.dispose();
    this.#container.classList.add('plain');
    this.#container.textContent = text;
  }

  dispose(): void {
    this.#stream?.dispose();
    this.#stream = undefined;
    this.#text = '';
    this.#open = true;
  }

  #restart(text: string, open: boolean): void {
    this.dispose();
    // An element of its own: a former stream that still has idle work draws into what is no longer here.
    const target = document.createElement('div');
    this.#container.classList.remove('plain');
    this.#container.replaceChildren(target);
    if (!open) {
      this.#stream = renderMarkdown(target, text, this.#options);
      return;
    }
    this.#stream = new MarkdownStream(target, this.#options);
    this.#stream.append(text);
    this.#stream.flush();
  }
}
