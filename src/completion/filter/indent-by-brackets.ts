import { CodeScanner } from '../language/code-scanner.ts';
import { closers } from '../language/cursor-context.ts';
import { indentationOf } from '../language/indentation.ts';
import type { Language } from '../language/language.ts';
import { linePrefix, type Snapshot } from '../snapshot.ts';

/**
 * The text indented as its brackets nest, when it came without any indentation in a language that needs none. Undefined
 * when it may have been meant like that.
 */
export function indentByBrackets(
  text: string,
  snapshot: Snapshot,
  language: Language,
): string | undefined {
  const [first = '', ...below] = text.split('\n');
  if (language.scopes !== 'braces' || !below.every(isFlat)) return undefined;
  const own = linePrefix(snapshot);
  const levels = levelsOf([own + first, ...below], language);
  if (levels === undefined) return undefined;
  // What stands directly in a namespace often is not indented.
  if (indentationOf(own) === '' && !levels.some((level) => level > 1)) return undefined;
  const indent = (line: string, index: number): string =>
    line === '' ? '' : indentationOf(own) + snapshot.indentUnit.repeat(levels[index] ?? 0) + line;
  return [first, ...below.map((line, index) => indent(line, index + 1))].join('\n');
}

/** Directives of a preprocessor stand at the margin. */
const isFlat = (line: string): boolean => line === '' || /^[^\s#]/u.test(line);

/** How many steps deeper than the first each line is; undefined when one is less deep. */
function levelsOf(lines: readonly string[], language: Language): number[] | undefined {
  const scanner = new CodeScanner(language);
  /** Of the lines that opened what is open. */
  const opened: number[] = [];
  const levels: number[] = [];
  for (const line of lines) {
    const closing = levels.length === 0 ? 0 : leadingClosers(line);
    if (closing > opened.length) return undefined;
    const level = closing > 0 ? (opened.at(-closing) ?? 0) : (opened.at(-1) ?? -1) + 1;
    levels.push(level);
    for (const character of `${line}\n`) {
      if (!scanner.push(character)) continue;
      if (closers.includes(character)) opened.pop();
      else opened.push(level);
    }
  }
  return levels;
}

const leadingClosers = (line: string): number => /^[)\]}]*/u.exec(line)?.[0].length ?? 0;
