import { wordStart } from './words.ts';

/** The parentheses of a call that stands on one line, as far as brackets and quotes tell. */
export interface Call {
  /** The name before the opening parenthesis. */
  readonly callee: string;
  /** Directly behind the opening parenthesis. */
  readonly start: number;
  /** Before the closing one. */
  readonly end: number;
  /** How many arguments stand between them. */
  readonly count: number;
}

/** The innermost call whose arguments stand around `index`; absent when there is none that is closed on the line. */
export function callAround(line: string, index: number): Call | undefined {
  return callsIn(line).findLast(({ start, end }) => start <= index && index <= end);
}

/** The calls of a function of that name, in the order of their names. */
export const callsOf = (line: string, callee: string): Call[] =>
  callsIn(line).filter((call) => call.callee === callee);

/** In one walk, in the order of their parentheses. */
function callsIn(line: string): Call[] {
  const open: { readonly at: number; commas: number }[] = [];
  const calls: Call[] = [];
  for (let at = 0; at < line.length; at++) {
    const character = line[at] ?? '';
    if (isQuote(character)) at = quoteEnd(line, at);
    else if (character === '\\') at++;
    else if ('([{'.includes(character)) open.push({ at, commas: 0 });
    else if (character === ',') countComma(open.at(-1));
    else if (')]}'.includes(character)) {
      const opened = open.pop();
      if (opened && character === ')') calls.push(...callFrom(line, opened, at));
    }
  }
  return calls.sort((one, other) => one.start - other.start);
}

function callFrom(line: string, opened: { at: number; commas: number }, end: number): Call[] {
  const callee = line.slice(wordStart(line, opened.at), opened.at);
  if (line[opened.at] !== '(' || callee === '') return [];
  const start = opened.at + 1;
  const count = line.slice(start, end).trim() === '' ? 0 : opened.commas + 1;
  return [{ callee, start, end, count }];
}

function countComma(opened: { commas: number } | undefined): void {
  if (opened) opened.commas++;
}

const isQuote = (character: string): boolean =>
  character === '"' || character === "'" || character === '`';

/** The index of the quote that closes; of the opening one when none does, as with an apostrophe. */
function quoteEnd(line: string, open: number): number {
  for (let at = open + 1; at < line.length; at++) {
    if (line[at] === '\\') at++;
    else if (line[at] === line[open]) return at;
  }
  return open;
}
