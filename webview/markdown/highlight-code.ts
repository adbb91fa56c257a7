import highlighter from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';

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

const languages = {
  ...{ bash, c, css, diff, go, java, javascript, json },
  ...{ python, rust, sql, typescript, xml, yaml },
};
for (const [name, language] of Object.entries(languages)) {
  highlighter.registerLanguage(name, language);
}
// Near enough for keywords, strings and comments, at a third of the size.
highlighter.registerAliases(['cpp', 'c++', 'cc', 'hpp'], { languageName: 'c' });
highlighter.configure({ __emitter: ColouredLines });

export function isKnownLanguage(name: string): boolean {
  return highlighter.getLanguage(name) !== undefined;
}

/** Colours consecutive groups of lines, whose text must end with a newline, as one piece of code. */
export function highlightGroups(language: string, groups: readonly HTMLElement[]): void {
  const code = groups.map((group) => group.textContent).join('');
  const coloured = highlighter.highlight(code, { language, ignoreIllegals: true })._emitter;
  if (!(coloured instanceof ColouredLines)) return;
  const lines = coloured.lines();
  let line = 0;
  for (const group of groups) {
    const end = line + group.textContent.split('\n').length - 1;
    group.replaceChildren(...lines.slice(line, end).flat());
    line = end;
  }
}
