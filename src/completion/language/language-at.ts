import type { Snapshot } from '../snapshot.ts';
import { languageOf, type Language } from './language.ts';

/** The language at the cursor: of the script, style or block of code when it stands in one, else of the document. */
export function languageAt({ languageId, prefix }: Snapshot): Language {
  const language = languageOf(languageId);
  if (language.scopes === 'tags') return inElement(prefix) ?? language;
  return languageId === 'markdown' ? (inFence(prefix) ?? language) : language;
}

function inElement(prefix: string): Language | undefined {
  if (isInside(prefix, 'script')) return languageOf('typescript');
  return isInside(prefix, 'style') ? languageOf('css') : undefined;
}

function isInside(prefix: string, element: string): boolean {
  const start = prefix.lastIndexOf(`<${element}`);
  return start > prefix.lastIndexOf(`</${element}`) && prefix.includes('>', start);
}

function inFence(prefix: string): Language | undefined {
  let word: string | undefined;
  for (const { groups } of prefix.matchAll(/^ {0,3}(?:```|~~~)[`~]*(?<word>[^\n`]*)\n/gmu))
    word = word === undefined ? (groups?.['word'] ?? '').trim() : undefined;
  return word === undefined ? undefined : languageOf(names.get(word) ?? word);
}

/** What people write behind a fence where the editor's id is another. */
const names = new Map(
  Object.entries({
    ts: 'typescript',
    js: 'javascript',
    tsx: 'typescriptreact',
    jsx: 'javascriptreact',
    py: 'python',
    rb: 'ruby',
    rs: 'rust',
    yml: 'yaml',
    sh: 'shellscript',
    bash: 'shellscript',
    shell: 'shellscript',
    zsh: 'shellscript',
    md: 'markdown',
    text: 'plaintext',
    txt: 'plaintext',
    '': 'plaintext',
  }),
);
