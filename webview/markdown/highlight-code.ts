import highlighter from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import csharp from 'highlight.js/lib/languages/csharp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import kotlin from 'highlight.js/lib/languages/kotlin';
import php from 'highlight.js/lib/languages/php';
import powershell from 'highlight.js/lib/languages/powershell';
import python from 'highlight.js/lib/languages/python';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import swift from 'highlight.js/lib/languages/swift';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';

interface StyledRun {
  readonly text: string;
  /** Syntax scopes of the text, such as `string` or `title.function`, outermost first. */
  readonly scopes: readonly string[];
}

/**
 * Output of highlight.js as DOM nodes, in place of its HTML emitter. Creates each element separately, so that no string
 * is parsed as HTML.
 */
export class ColoredLines {
  readonly #runs: StyledRun[] = [];
  readonly #scopes: string[] = [];

  /** Returns the nodes of each line. Repeats a scope that spans several lines on each of these lines. */
  splitLines(): Node[][] {
    const nodesByLine: Node[][] = [[]];
    for (const { text, scopes } of this.#runs) {
      for (const [part] of text.matchAll(/[^\n]*\n|[^\n]+/gu)) {
        nodesByLine.at(-1)?.push(createColoredNode(part, scopes));
        if (part.endsWith('\n')) nodesByLine.push([]);
      }
    }
    return nodesByLine;
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

  /** Adds embedded code of another language, such as a script in an HTML page. */
  __addSublanguage(innerLines: object): void {
    if (!(innerLines instanceof ColoredLines)) return;
    for (const { text, scopes } of innerLines.#runs) {
      this.#runs.push({ text, scopes: [...this.#scopes, ...scopes] });
    }
  }

  finalize(): void {}

  toHTML(): string {
    return '';
  }
}

function createColoredNode(text: string, scopes: readonly string[]): Node {
  return scopes.reduceRight<Node>((innerNode, scope) => {
    const span = document.createElement('span');
    span.className = getClassName(scope);
    span.append(innerNode);
    return span;
  }, document.createTextNode(text));
}

/** Converts a scope to class names as highlight.js does: `title.function` becomes `hljs-title function_`. */
function getClassName(scope: string): string {
  const [kind = '', ...details] = scope.split('.');
  return [`hljs-${kind}`, ...details.map((detail, index) => detail + '_'.repeat(index + 1))].join(
    ' ',
  );
}

const languages = {
  ...{ bash, c, csharp, css, diff, dockerfile, go, ini, java, javascript, json, kotlin },
  ...{ php, powershell, python, ruby, rust, sql, swift, typescript, xml, yaml },
};
for (const [name, language] of Object.entries(languages)) {
  highlighter.registerLanguage(name, language);
}
// The C grammar colors classes, types, strings and comments of C++ at a third of the size.
highlighter.registerAliases(['cpp', 'c++', 'cc', 'hpp'], { languageName: 'c' });
highlighter.registerAliases(['shell'], { languageName: 'bash' });
highlighter.configure({ __emitter: ColoredLines });

export function isKnownLanguage(name: string): boolean {
  return highlighter.getLanguage(name) !== undefined;
}

/**
 * Highlights a code block whose lines are split into several elements. Joins the texts of `groups` first, because a
 * comment or string can span two groups. The text of each group must end with a newline.
 */
export function highlightGroups(language: string, groups: readonly HTMLElement[]): void {
  const code = groups.map((group) => group.textContent).join('');
  const emitter = highlighter.highlight(code, { language, ignoreIllegals: true })._emitter;
  if (!(emitter instanceof ColoredLines)) return;
  const nodesByLine = emitter.splitLines();
  let line = 0;
  for (const group of groups) {
    const end = line + group.textContent.split('\n').length - 1;
    group.replaceChildren(...nodesByLine.slice(line, end).flat());
    line = end;
  }
}
