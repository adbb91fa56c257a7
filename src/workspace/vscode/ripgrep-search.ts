import { ToolError } from '../tool-error.ts';
import type { FileScope, FoundLine, TextQuery } from '../search.ts';
import { FoundLines, foundLinesFormat } from './found-lines.ts';
import { type RipgrepEnd, runRipgrep } from './ripgrep.ts';
import { scopeArguments, scopeTarget } from './ripgrep-arguments.ts';

export interface RipgrepSearch {
  readonly program: string;
  readonly query: TextQuery;
  readonly signal: AbortSignal;
  /** Receives what is found as it comes, paths relative to the scope's folder. False when it wants no more. */
  readonly onLine: (path: string, line: FoundLine) => boolean;
}

/**
 * Searches the files of the scope. Resolves with `missing` when ripgrep does not start.
 * @throws ToolError `bad-arguments` for a regular expression that is none.
 */
export async function searchWithRipgrep(
  scope: FileScope & { readonly encoding?: string | undefined },
  search: RipgrepSearch,
): Promise<Exclude<RipgrepEnd['kind'], 'failed'>> {
  const lines = new FoundLines(search.onLine);
  const end = await runRipgrep({
    program: search.program,
    args: [
      ...scopeArguments(scope),
      ...(scope.encoding === undefined ? [] : [`--encoding=${scope.encoding}`]),
      ...queryArguments(search.query),
      '--',
      scopeTarget(scope),
    ],
    cwd: scope.folder,
    signal: search.signal,
    onText: (text) => lines.feed(text),
  });
  return accepted(end);
}

/** Searches a text that is not, or not so, on the disk. */
export async function searchTextWithRipgrep(
  text: string,
  search: Omit<RipgrepSearch, 'onLine'> & { readonly onLine: (line: FoundLine) => boolean },
): Promise<Exclude<RipgrepEnd['kind'], 'failed'>> {
  const lines = new FoundLines((_, line) => search.onLine(line));
  const end = await runRipgrep({
    program: search.program,
    args: [...queryArguments(search.query), '--', '-'],
    cwd: process.cwd(),
    signal: search.signal,
    input: text,
    onText: (output) => lines.feed(output),
  });
  return accepted(end);
}

function queryArguments({ text, regex, caseSensitive, context, most }: TextQuery): string[] {
  return [
    ...foundLinesFormat,
    '--crlf',
    // What the fast engine cannot do, such as looking ahead, the other one does.
    ...(regex ? ['--engine=auto'] : ['--fixed-strings']),
    caseSensitive ? '--case-sensitive' : '--ignore-case',
    `--context=${context}`,
    // No file needs more than all of them together.
    ...(Number.isFinite(most) ? [`--max-count=${most + 1}`] : []),
    `--regexp=${text}`,
  ];
}

function accepted(end: RipgrepEnd): Exclude<RipgrepEnd['kind'], 'failed'> {
  if (end.kind !== 'failed') return end.kind;
  const reason = /^error: (?<reason>.*)$/mu.exec(end.message)?.groups?.['reason'];
  if (/regex|PCRE2/u.test(end.message))
    throw new ToolError(
      'bad-arguments',
      `The regular expression cannot be read${reason === undefined ? '' : `: ${reason}`}. Search for text as it stands with regex: false.`,
    );
  throw new ToolError('failed', 'The search could not be done. Try another query.');
}
