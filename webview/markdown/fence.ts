import { CodeBlock } from './code-block.ts';
import { decodeEntities } from './entities.ts';

/** A fenced code block read line by line, so that an endless one costs only what is new. */
export class Fence {
  readonly #block: CodeBlock;
  readonly #indent: number;
  readonly #closing: RegExp;
  #partial = '';
  #shown = 0;
  #closed = false;

  /** `opening` is the complete first line without its newline. */
  constructor(opening: string) {
    const [, indent = '', marker = '', info = ''] = /^( *)(`+|~+)(.*)$/.exec(opening) ?? [];
    this.#indent = indent.length;
    this.#closing = new RegExp(`^ {0,3}\\${marker[0] ?? '`'}{${marker.length},} *$`);
    this.#block = new CodeBlock(
      decodeEntities(info.trim().replaceAll(/\\([!-/:-@[-`{-~])/g, '$1')),
    );
  }

  get element(): HTMLElement {
    return this.#block.element;
  }

  /** Takes text and returns what follows the closing line, or undefined while the fence is open. */
  write(text: string): string | undefined {
    const all = this.#partial + text;
    let start = 0;
    while (!this.#closed) {
      const newline = all.indexOf('\n', start);
      if (newline === -1) break;
      this.#line(all.slice(start, newline));
      start = newline + 1;
    }
    this.#partial = this.#closed ? '' : all.slice(start);
    if (this.#closed) return all.slice(start);
    this.#showPartial();
    return undefined;
  }

  /** The text has ended; an open last line is complete. */
  end(): void {
    if (this.#partial && !this.#closed) this.#line(this.#partial);
    this.#partial = '';
  }

  #line(line: string): void {
    if (this.#closing.test(line)) this.#closed = true;
    else this.#block.append(`${this.#unindent(line).slice(this.#shown)}\n`);
    this.#shown = 0;
  }

  /** Shows the line being written, unless it may still turn out to be the closing one. */
  #showPartial(): void {
    if (/^ *(?:[`~]+ *)?$/.test(this.#partial)) return;
    const visible = this.#unindent(this.#partial);
    this.#block.append(visible.slice(this.#shown));
    this.#shown = visible.length;
  }

  #unindent(line: string): string {
    let spaces = 0;
    while (spaces < this.#indent && line[spaces] === ' ') spaces += 1;
    return line.slice(spaces);
  }
}

/** The element of a whole fenced block. */
export function renderFence(source: string): HTMLElement {
  const [opening = ''] = source.split('\n', 1);
  const fence = new Fence(opening);
  fence.write(source.slice(opening.length + 1));
  fence.end();
  return fence.element;
}
