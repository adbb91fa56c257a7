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
import { ColouredLines } from './coloured-lines.ts';

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
