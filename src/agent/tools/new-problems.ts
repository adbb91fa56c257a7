import { stripEscapeSequences, toSingleLine } from '../../base/hidden-characters.ts';
import { diffLines } from '../../base/line-diff.ts';

/** An error that a language service reports in a file. */
export interface Problem {
  /** Position of the error's first character. Line and column start at 0. */
  readonly line: number;
  readonly character: number;
  /** Name of the language service. */
  readonly source: string;
  readonly code: string;
  readonly message: string;
}

/** Text of a file, and the errors in it. */
export interface CheckedText {
  readonly text: string;
  readonly problems: readonly Problem[];
}

/**
 * Returns the errors that a change of the text caused. An error whose line only moved is not new. If several errors
 * have the same message, the errors in changed lines count as new.
 */
export function findNewProblems(before: CheckedText, after: CheckedText): Problem[] {
  const remainingProblems = [...after.problems];
  const removeProblem = (index: number): void =>
    void (index >= 0 && remainingProblems.splice(index, 1));
  const moveLine = createLineMapping(before.text, after.text);
  const unmatchedProblems = before.problems.filter((problem) => {
    const line = moveLine(problem.line);
    const index = remainingProblems.findIndex(
      (otherProblem) => isSameProblem(problem, otherProblem) && otherProblem.line === line,
    );
    removeProblem(index);
    return index < 0;
  });
  for (const problem of unmatchedProblems)
    removeProblem(
      remainingProblems.findIndex((otherProblem) => isSameProblem(problem, otherProblem)),
    );
  return remainingProblems.toSorted((a, b) => a.line - b.line || a.character - b.character);
}

const isSameProblem = (a: Problem, b: Problem): boolean =>
  a.source === b.source && a.code === b.code && a.message === b.message;

/**
 * Returns a function that maps a line number before the change to the number of the same line after it. The function
 * returns undefined for a changed line.
 */
function createLineMapping(before: string, after: string): (line: number) => number | undefined {
  const changes = diffLines(before.split(/\r\n|[\r\n]/u), after.split(/\r\n|[\r\n]/u));
  return (line) => {
    const lastChange = changes.findLast(({ from }) => from.start <= line);
    if (lastChange === undefined) return line;
    return line < lastChange.from.end ? undefined : line - lastChange.from.end + lastChange.to.end;
  };
}

const maxProblems = 10;
const maxMessageLength = 300;

/** Formats new errors for the model, one per line. Empty if none exist. */
export function formatNewProblems(label: string, problems: readonly Problem[]): string {
  if (problems.length === 0) return '';
  const lines = problems.slice(0, maxProblems).map(({ line, character, source, code, message }) => {
    const origin = toPlainLine(`${source} ${code}`).slice(0, 60);
    const position = `${line + 1}:${character + 1}`;
    return `${position} error${origin === '' ? '' : ` (${origin})`}: ${truncateMessage(toPlainLine(message))}`;
  });
  const remainingCount = problems.length - lines.length;
  return [
    `New errors in ${label} after this change:`,
    ...lines,
    ...(remainingCount > 0 ? [`[${remainingCount.toLocaleString('en-US')} more]`] : []),
  ].join('\n');
}

/**
 * Removes line breaks and hidden characters from a problem message, because it can quote untrusted text of the file.
 */
const toPlainLine = (text: string): string =>
  toSingleLine(stripEscapeSequences(text.slice(0, 2_000).replaceAll(/\s+/gu, ' ')));

const truncateMessage = (text: string): string =>
  text.length <= maxMessageLength
    ? text
    : `${text.slice(0, maxMessageLength).replace(/[\uD800-\uDBFF]$/u, '')}…`;
