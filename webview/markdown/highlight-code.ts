import highlighter from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import cpp from 'highlight.js/lib/languages/cpp';
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
import { sanitize } from './sanitize.ts';

const languages = {
  ...{ bash, cpp, css, diff, go, java, javascript, json },
  ...{ python, rust, sql, typescript, xml, yaml },
};
for (const [name, language] of Object.entries(languages)) {
  highlighter.registerLanguage(name, language);
}
highlighter.registerAliases('c', { languageName: 'cpp' });

export function isKnownLanguage(name: string): boolean {
  return highlighter.getLanguage(name) !== undefined;
}

/** Colours consecutive groups of lines, whose text must end with a newline, as one piece of code. */
export function highlightGroups(language: string, groups: readonly HTMLElement[]): void {
  const code = groups.map((group) => group.textContent).join('');
  const html = highlighter.highlight(code, { language, ignoreIllegals: true }).value;
  const lines = completeLines(html);
  let line = 0;
  for (const group of groups) {
    const count = group.textContent.split('\n').length - 1;
    group.replaceChildren(sanitize(lines.slice(line, line + count).join('')));
    line += count;
  }
}

/** Cuts highlighted HTML into lines, each closing and reopening the spans that run across it. */
function completeLines(html: string): string[] {
  const open: string[] = [];
  const lines: string[] = [];
  let line = '';
  for (const [part] of html.matchAll(/<span[^>]*>|<\/span>|\n|[^<\n]+/g)) {
    if (part === '\n') {
      lines.push(`${line}\n${'</span>'.repeat(open.length)}`);
      line = open.join('');
      continue;
    }
    if (part === '</span>') open.pop();
    else if (part.startsWith('<')) open.push(part);
    line += part;
  }
  return lines;
}
