import { type MarkdownOptions, MarkdownStream } from './markdown-stream.ts';

const renderOptions = {
  openLink() {},
  code: { copy() {}, insert() {}, openNewFile() {}, apply() {} },
  schedule() {},
};

/** Renders a complete text into a container. */
export function renderMarkdown(
  container: HTMLElement,
  text: string,
  markdownOptions: MarkdownOptions,
): MarkdownStream {
  const stream = new MarkdownStream(container, markdownOptions);
  stream.append(text);
  stream.closeStream();
  return stream;
}

/** Renders a text that arrives in parts. Returns the HTML of the container. */
export function renderParts(parts: readonly string[]): string {
  const container = document.createElement('div');
  const stream = new MarkdownStream(container, renderOptions);
  for (const part of parts) {
    stream.append(part);
    stream.renderPendingText();
  }
  stream.closeStream();
  return container.innerHTML;
}

/** Renders the start of a text without ending the stream. Returns the container. */
export function renderUnfinishedText(parts: readonly string[]): HTMLElement {
  const container = document.createElement('div');
  const stream = new MarkdownStream(container, renderOptions);
  for (const part of parts) {
    stream.append(part);
    stream.renderPendingText();
  }
  stream.dispose();
  return container;
}

/** Splits a text into parts with the lengths that `length` returns. */
export function splitText(text: string, length: () => number): string[] {
  const parts: string[] = [];
  for (let start = 0; start < text.length; start += parts.at(-1)!.length)
    parts.push(text.slice(start, start + length()));
  return parts;
}

/** Creates a generator of integers from 0 to `bound - 1`. The sequence is the same in every run. */
export function createRandom(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}
