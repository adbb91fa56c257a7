import type { ChatBody } from '../chat/body.ts';
import { textOf } from '../chat/messages.ts';

/** A piece of code the person attached. */
export interface Code {
  readonly text: string;
  readonly language: string;
  readonly path?: string;
}

export interface Declaration {
  readonly name: string;
  readonly kind: 'function' | 'type';
  readonly parameters: readonly string[];
  /** From 1, within the attached text. */
  readonly line: number;
}

const fence = /^(`{3,}|~{3,})([^\n]*)\n([\s\S]*?)^\1[ \t]*$/gm;
const pathLike = /[\w./-]*[\w-]\.[a-z]\w{0,4}\b/i;

/** The code blocks of the latest user message that has any, in their order. */
export function attachedCode(body: ChatBody): Code[] {
  for (const message of body.messages.toReversed()) {
    if (message.role !== 'user') continue;
    const blocks = codeBlocks(textOf(message));
    if (blocks.length > 0) return blocks;
  }
  return [];
}

function codeBlocks(text: string): Code[] {
  return [...text.matchAll(fence)].map(({ index, 2: info = '', 3: code = '' }) => {
    const heading = text.slice(0, index).trimEnd().split('\n').at(-1) ?? '';
    const path = pathLike.exec(info)?.[0] ?? pathLike.exec(heading)?.[0];
    const [language = ''] = info.trim().split(/[\s:]/);
    return { text: code.trimEnd(), language: language || 'text', ...(path && { path }) };
  });
}

const patterns: readonly { kind: Declaration['kind']; pattern: RegExp }[] = [
  { kind: 'function', pattern: /\bfunction\*?\s+([\w$]+)\s*(?:<[^>(]*>)?\(([^)]*)\)/g },
  {
    kind: 'function',
    pattern: /\b(?:const|let|var)\s+([\w$]+)\s*(?::[^=\n]+)?=\s*(?:async\s*)?\(([^)]*)\)[^=\n]*=>/g,
  },
  { kind: 'function', pattern: /^[ \t]*(?:async\s+)?def\s+(\w+)\s*\(([^)]*)\)/gm },
  { kind: 'function', pattern: /^func\s+(?:\([^)]*\)\s*)?(\w+)\s*\(([^)]*)\)/gm },
  { kind: 'function', pattern: /\bfn\s+(\w+)\s*(?:<[^>]*>)?\(([^)]*)\)/g },
  {
    kind: 'function',
    pattern:
      /^[ \t]+(?:(?:public|private|protected|static|async|override|readonly)\s+)*(?!(?:if|for|while|switch|catch|return|function)\b)(#?[A-Za-z_$][\w$]*)\s*\(([^)]*)\)[^;={\n]*\{[ \t]*$/gm,
  },
  { kind: 'type', pattern: /\b(?:class|interface|struct|trait|enum)\s+([A-Z]\w*)()/g },
  { kind: 'type', pattern: /^(?:export\s+)?type\s+(\w+)()/gm },
];

/** The functions and types declared in the code, in the order of their lines. */
export function declarationsIn({ text }: Code): Declaration[] {
  const found = new Map<string, Declaration>();
  for (const { kind, pattern } of patterns) {
    for (const match of text.matchAll(pattern)) {
      const name = match[1] ?? '';
      if (found.has(name)) continue;
      const line = text.slice(0, match.index + match[0].indexOf(name)).split('\n').length;
      found.set(name, { name, kind, parameters: parameterNames(match[2] ?? ''), line });
    }
  }
  return [...found.values()].sort((a, b) => a.line - b.line);
}

const parameterNames = (list: string): string[] =>
  list
    .split(',')
    .map(
      (part) =>
        /[{[]|[\w$#]+/.exec(part.trim().replace(/^(?:\.\.\.|&?mut |self\b)/, ''))?.[0] ?? '',
    )
    .filter((name) => /^\w/.test(name));

const verbs: Readonly<Record<string, string>> = {
  get: 'Returns',
  is: 'Tells whether it is',
  has: 'Tells whether there is',
  can: 'Tells whether it can',
  parse: 'Parses',
  read: 'Reads',
  load: 'Loads',
  fetch: 'Fetches',
  write: 'Writes',
  save: 'Saves',
  create: 'Creates',
  make: 'Creates',
  build: 'Builds',
  add: 'Adds',
  remove: 'Removes',
  delete: 'Deletes',
  update: 'Updates',
  set: 'Sets',
  find: 'Finds',
  to: 'Converts to',
  from: 'Builds from',
  on: 'Reacts to',
  handle: 'Handles',
  render: 'Renders',
  format: 'Formats',
  check: 'Checks',
  validate: 'Validates',
  compute: 'Computes',
  calculate: 'Calculates',
  sum: 'Adds up',
  total: 'Adds up',
  test: 'Tests',
  init: 'Prepares',
  start: 'Starts',
  stop: 'Stops',
  main: 'Starts the program',
};

/** A short guess from a declaration's name, such as "Parses the order line". */
export function purposeOf({ name, kind }: Declaration): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[\s_#]+/)
    .filter(Boolean);
  const rest = words.slice(1).join(' ');
  if (kind === 'type')
    return `Describes ${/^[aeiou]/.test(words[0] ?? '') ? 'an' : 'a'} ${words.join(' ')}`;
  const verb = verbs[words[0] ?? ''];
  if (verb === undefined) return `Takes care of the ${words.join(' ')}`;
  if (rest === '') return verb;
  return /whether|to$|from$/.test(verb) ? `${verb} ${rest}` : `${verb} the ${rest}`;
}

export interface Remark {
  readonly line: number;
  readonly text: string;
}

const smells: readonly { pattern: RegExp; text: string }[] = [
  { pattern: /\bTODO\b|\bFIXME\b/, text: 'an open `TODO` says something is unfinished.' },
  {
    pattern: /:\s*any\b|\bas any\b/,
    text: '`any` switches type checking off; a precise type costs one line.',
  },
  { pattern: /catch\s*(?:\(\w*\))?\s*\{\s*\}/, text: 'errors are swallowed silently here.' },
  {
    pattern: /except\s*:|except Exception\s*:/,
    text: 'a bare `except` also hides mistakes in the code itself.',
  },
  { pattern: /\bvar\s/, text: '`var` is function-scoped; `const` or `let` says more.' },
  { pattern: /[^=!]==[^=]/, text: '`==` converts its operands; `===` compares what you wrote.' },
  {
    pattern: /console\.log|\bprint\(|println!/,
    text: 'output meant for debugging is still in place.',
  },
  {
    pattern: /JSON\.parse\(/,
    text: '`JSON.parse` throws on bad input, and nothing catches it here.',
  },
  {
    pattern: /\bawait\b(?!.*catch)/,
    text: 'a rejected promise leaves this function; decide who handles it.',
  },
  { pattern: /\[0\]|\.at\(-1\)/, text: 'the list may be empty, and then this is `undefined`.' },
  { pattern: /\/\s*\w+\.length|\/ len\(/, text: 'an empty list makes this a division by zero.' },
  { pattern: /<=\s*\w+\.length/, text: '`<=` runs one step past the end of the list.' },
  {
    pattern: /Number\(|parseInt\(|parseFloat\(/,
    text: 'text that is not a number becomes `NaN` without a word.',
  },
];

/** What a reviewer would point at, at most one remark of each kind. */
export function remarksOn({ text }: Code): Remark[] {
  const lines = text.split('\n');
  return smells.flatMap(({ pattern, text: remark }) => {
    const index = lines.findIndex((line) => pattern.test(line));
    return index < 0 ? [] : [{ line: index + 1, text: remark }];
  });
}

/** The text of a declaration: from its line to where its braces or its indentation end. */
export function sourceOf({ text }: Code, { line }: Declaration): string {
  const lines = text.split('\n').slice(line - 1);
  const indent = (of: string): number => of.length - of.trimStart().length;
  const base = indent(lines[0] ?? '');
  const next = lines.findIndex(
    (each, index) => index > 0 && each.trim() !== '' && indent(each) <= base,
  );
  const closes = next >= 0 && /^\s*[})\]]/.test(lines[next] ?? '');
  const end = next < 0 ? lines.length : next + (closes ? 1 : 0);
  return lines
    .slice(0, end)
    .map((each) => each.slice(base))
    .join('\n')
    .trimEnd();
}
