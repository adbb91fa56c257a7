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
  /** First sentence of the comment above it, without its full stop; empty when there is none. */
  readonly comment: string;
  /** From 1, within the attached text. */
  readonly line: number;
}

const fence = /^(`{3,}|~{3,})([^\n]*)\n([\s\S]*?)^\1[ \t]*$/gm;
const pathLike = /[\w./-]*[\w-]\.[a-z]\w{0,4}\b/i;

/** The code blocks of the last user message; of the latest that has any, when the last one speaks of it. */
export function attachedCode(body: ChatBody): Code[] {
  const [last, ...earlier] = body.messages.filter(({ role }) => role === 'user').toReversed();
  const blocks = last === undefined ? [] : codeBlocks(textOf(last));
  if (last === undefined || blocks.length > 0) return blocks;
  const before = earlier
    .map((message) => codeBlocks(textOf(message)))
    .find((each) => each.length > 0);
  return before !== undefined && speaksOf(textOf(last), before) ? before : [];
}

function speaksOf(question: string, blocks: readonly Code[]): boolean {
  if (/\b(?:it|its|this|that|these|those|again|above|line|code|function|file)\b/i.test(question))
    return true;
  const names = blocks.flatMap(declarationsIn).map(({ name }) => name);
  return names.some((name) => question.includes(name));
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
    pattern:
      /\b(?:const|let|var)\s+([\w$]+)\s*(?::[^=\n]+)?=\s*(?:async\s*)?(?:<[^>(]*>)?\(([^)]*)\)[^=\n]*=>/g,
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
      const comment = commentAbove(text.split('\n').slice(0, line - 1));
      found.set(name, { name, kind, parameters: parameterNames(match[2] ?? ''), comment, line });
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

function commentAbove(lines: readonly string[]): string {
  const block: string[] = [];
  for (const line of lines.toReversed()) {
    if (!/^\s*(?:\/\*\*?|\*|\/\/|#)/.test(line)) break;
    block.unshift(line.replace(/^\s*(?:\/\*\*?|\*\/?|\/\/+|#+)\s?|\s*\*\/\s*$/g, ''));
  }
  const [sentence = ''] = block
    .join(' ')
    .trim()
    .split(/\.(?:\s|$)/);
  return sentence.replace(/\{@link\s+([^}]*)\}/g, '`$1`').trim();
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
