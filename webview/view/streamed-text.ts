import { MarkdownStream, renderMarkdown } from './plain-markdown.ts';

export type MarkdownOptions = ConstructorParameters<typeof MarkdownStream>[1];

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
    this.#container.replaceChildren();
    if (!open) {
      this.#stream = renderMarkdown(this.#container, text, this.#options);
      return;
    }
    this.#stream = new MarkdownStream(this.#container, this.#options);
    this.#stream.append(text);
    this.#stream.flush();
  }
}
