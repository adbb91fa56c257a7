import * as vscode from 'vscode';
import { type PathFilter, createPathFilter } from '../../../workspace/path-filter.ts';
import { SearchResult, type TextQuery } from '../../../workspace/search.ts';
import type { Tool, ToolArguments, ToolResult } from '../../tool.ts';
import { ToolError } from '../../../workspace/tool-error.ts';
import { formatCount } from '../../../base/amounts.ts';
import {
  readBooleanArgument,
  readIntegerArgument,
  readOptionalString,
  readStringArgument,
} from '../../arguments.ts';
import { getSearchPaths } from './find-files.ts';
import { pluralize } from '../../../workspace/vscode/labels.ts';
import { createPathNotFoundError, type ReadTools, throwIfAborted } from './ports.ts';
import { ReadableUris, TextSearch } from '../../../workspace/vscode/text-search.ts';
import { createSearchLocation } from '../../../workspace/vscode/search-scope.ts';
import { SecretFiles } from '../../../workspace/vscode/list-files.ts';

/** Time limit of a search in milliseconds. A search that reaches it returns the results found so far. */
const searchTimeoutMs = 60_000;
const maxShownSecrets = 10;

export function createSearchTextTool(tools: ReadTools): Tool {
  const secrets = new SecretFiles(tools);
  return {
    name: 'search_text',
    kind: 'read',
    description:
      'Searches files line by line. Returns paths and numbered lines (12: a match, 13- a line near it). Skips ignored and hidden files; includes unsaved changes.',
    parameters: {
      type: 'object',
      properties: {
        query: { type: 'string', minLength: 1 },
        regex: { type: 'boolean' },
        case_sensitive: { type: 'boolean' },
        path: { type: 'string', description: 'Folder or file. Default: the workspace.' },
        include: { type: 'string', description: 'Globs relative to path, e.g. *.ts, src/**' },
        exclude: { type: 'string' },
        context_lines: { type: 'integer', minimum: 0, maximum: 10 },
        max_results: { type: 'integer', minimum: 1, maximum: 1_000 },
      },
      required: ['query'],
      additionalProperties: false,
    },
    async plan(args) {
      const paths = getSearchPaths(args);
      const query = readQuery(args);
      readFilter(args);
      await tools.checkedPaths.resolvePaths(args, paths);
      return {
        verb: vscode.l10n.t('Search'),
        target: query.isRegex ? `/${query.text}/` : `"${query.text}"`,
        resources: paths.map((path) => ({ type: 'path', path, access: 'read' })),
      };
    },
    async run(args, { signal }) {
      const [query, filter] = [readQuery(args), readFilter(args)];
      const result = new SearchResult(query.maxMatches);
      const timeoutSignal = AbortSignal.timeout(searchTimeoutMs);
      const searchSignal = AbortSignal.any([signal, timeoutSignal]);
      const skippedFiles: string[] = [];
      for (const folder of await tools.checkedPaths.recheck(args, getSearchPaths(args))) {
        if (folder.facts.kind === 'missing') throw createPathNotFoundError(folder.label);
        const searchFolder = await createSearchLocation(folder, filter);
        const readableUris = new ReadableUris(tools.paths, folder);
        const search = new TextSearch({
          target: searchFolder,
          query,
          filter,
          result,
          readableUris,
        });
        const [, secretNames] = await Promise.all([
          search.run(await tools.getRipgrepPath(), searchSignal),
          secrets.findSecretFiles(searchFolder, filter, searchSignal),
        ]);
        skippedFiles.push(...secretNames);
      }
      throwIfAborted(signal);
      return formatResult(result, {
        query,
        skippedFiles,
        isTimedOut: timeoutSignal.aborted,
      });
    },
  };
}

function readQuery(args: ToolArguments): TextQuery {
  const text = readStringArgument(args, 'query');
  if (/[\n\r\0]/u.test(text))
    throw new ToolError('bad-arguments', 'A search stays within one line: give a part of one.');
  return {
    text,
    isRegex: readBooleanArgument(args, 'regex'),
    isCaseSensitive: readBooleanArgument(args, 'case_sensitive'),
    contextLineCount: readIntegerArgument(args, 'context_lines', { min: 0, max: 10, fallback: 0 }),
    maxMatches: readIntegerArgument(args, 'max_results', { min: 1, max: 1_000, fallback: 200 }),
  };
}

function readFilter(args: ToolArguments): PathFilter {
  return createPathFilter({
    include: readOptionalString(args, 'include') ?? '',
    exclude: readOptionalString(args, 'exclude') ?? '',
  });
}

function formatResult(
  result: SearchResult,
  {
    query,
    skippedFiles,
    isTimedOut,
  }: {
    readonly query: TextQuery;
    readonly skippedFiles: readonly string[];
    readonly isTimedOut: boolean;
  },
): ToolResult {
  const { matchCount, hasMoreMatches: hasMore } = result;
  const notes = [
    hasMore
      ? `[More than ${pluralize(matchCount, 'match', 'matches')}: the search ended there. Narrow it.]`
      : '',
    isTimedOut ? '[The search took too long and ended early. Narrow it.]' : '',
    skippedFiles.length === 0 ? '' : formatSecretNote(skippedFiles),
  ];
  const resultText = matchCount === 0 ? `No line matches ${query.text}.` : result.toString();
  return {
    output: [resultText, ...notes].filter((part) => part !== '').join('\n\n'),
    target: formatRowTarget(matchCount, hasMore, query),
  };
}

const formatRowTarget = (matchCount: number, hasMore: boolean, { text }: TextQuery): string =>
  `"${text}" (${formatCount(matchCount)}${hasMore ? '+' : ''})`;

function formatSecretNote(names: readonly string[]): string {
  const remainingCount = names.length - maxShownSecrets;
  const visibleNames = names.slice(0, maxShownSecrets).join(', ');
  return `[Not searched, because they may hold secrets: ${visibleNames}${remainingCount > 0 ? ` and ${remainingCount} more` : ''}]`;
}
