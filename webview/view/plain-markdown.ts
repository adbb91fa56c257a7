/** Shows the text as it is, until there is a renderer. */
export class MarkdownStream {
  readonly #container: HTMLElement;

  constructor(container: HTMLElement, _options: StreamOptions) {
    this.#container = container;
    container.classList.add('plain');
  }

  append(text: string): void {
    this.#container.append(text);
  }

  flush(): void {}
  end(): void {}
  dispose(): void {}
}

interface StreamOptions {
  readonly openLink: (href: string) => void;
  readonly code: {
    readonly copy: (text: string) => void;
    readonly insert: (text: string) => void;
    readonly newFile: (text: string, language: string) => void;
  };
}

export function renderMarkdown(
  container: HTMLElement,
  text: string,
  options: StreamOptions,
): MarkdownStream {
  const stream = new MarkdownStream(container, options);
  stream.append(text);
  return stream;
}
