import type { Snapshot } from '../snapshot.ts';
import { CodeScanner } from './code-scanner.ts';
import { indentationOf } from './indentation.ts';
import type { Language } from './language.ts';

/** What is open where the cursor stands. */
export interface CursorContext {
  /** Has read up to the cursor. */
  readonly scanner: CodeScanner;
  /** Outermost first. */
  readonly open: readonly OpenBracket[];
}

export interface OpenBracket {
  readonly bracket: string;
  /** Of the line that it stands on. */
  readonly indentation: string;
  readonly isOnCursorLine: boolean;
}

/** Looks back {@link lookBack} characters at most, so what began earlier is not known. */
export function cursorContext({ prefix }: Snapshot, language: Language): CursorContext {
  const scanner = new CodeScanner(language);
  const open: OpenBracket[] = [];
  const cursorLine = prefix.lastIndexOf('\n') + 1;
  let lineStart = windowStart(prefix);
  for (let at = lineStart; at < prefix.length; at += 1) {
    const character = prefix[at] ?? '';
    if (character === '\n') lineStart = at + 1;
    if (!scanner.push(character)) continue;
    if (closers.includes(character)) {
      if (open.at(-1)?.bracket === openerOf(character)) open.pop();
      continue;
    }
    const indentation = indentationOf(prefix.slice(lineStart, at));
    open.push({ bracket: character, indentation, isOnCursorLine: lineStart === cursorLine });
  }
  return { scanner, open };
}

export const lookBack = 4_000;
export const closers = ')]}';
const openerOf = (closer: string): string => '([{'[closers.indexOf(closer)] ?? '';

/** The beginning of a line where there is one. */
function windowStart(prefix: string): number {
  if (prefix.length <= lookBack) return 0;
  const start = prefix.indexOf('\n', prefix.length - lookBack) + 1;
  return start === 0 ? prefix.length - lookBack : start;
}
