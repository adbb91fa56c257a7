interface Run {
  readonly text: string;
  /** What it is, from the outside in, like `string` or `title.function`. */
  readonly scopes: readonly string[];
}

/**
 * Receives what the highlighter finds, in place of its own maker of HTML: elements are built one by one,
 * and no string is ever parsed as HTML.
 */
export class ColouredLines {
  readonly #runs: Run[] = [];
  readonly #scopes: string[] = [];

  /** The nodes of each line; a colour that runs across lines begins again in each. */
  lines(): Node[][] {
    const lines: Node[][] = [[]];
    for (const { text, scopes } of this.#runs) {
      for (const [part] of text.matchAll(/[^\n]*\n|[^\n]+/gu)) {
        lines.at(-1)?.push(coloured(part, scopes));
        if (part.endsWith('\n')) lines.push([]);
      }
    }
    return lines;
  }

  addText(text: string): void {
    if (text !== '') this.#runs.push({ text, scopes: [...this.#scopes] });
  }

  openNode(scope: string): void {
    this.#scopes.push(scope);
  }

  closeNode(): void {
    this.#scopes.pop();
  }

  startScope(scope: string): void {
    this.openNode(scope);
  }

  endScope(): void {
    this.closeNode();
  }

  /** Takes in code of another language, like the script of a page. */
  __addSublanguage(inner: object): void {
    if (!(inner instanceof ColouredLines)) return;
    for (const { text, scopes } of inner.#runs) {
      this.#runs.push({ text, scopes: [...this.#scopes, ...scopes] });
    }
  }

  finalize(): void {}

  toHTML(): string {
    return '';
  }
}

function coloured(text: string, scopes: readonly string[]): Node {
  return scopes.reduceRight<Node>((inner, scope) => {
    const span = document.createElement('span');
    span.className = className(scope);
    span.append(inner);
    return span;
  }, document.createTextNode(text));
}

/** `title.function` is `hljs-title function_`, as in the highlighter's own style sheets. */
function className(scope: string): string {
  const [kind = '', ...details] = scope.split('.');
  return [`hljs-${kind}`, ...details.map((detail, at) => detail + '_'.repeat(at + 1))].join(' ');
}
