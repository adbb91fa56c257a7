import * as vscode from 'vscode';
import { findSymbolPosition } from '../text-window.ts';
import type { Tool, ToolContext, ToolResult } from '../../tool.ts';
import { ToolError } from '../../../workspace/tool-error.ts';
import { SearchResult } from '../../../workspace/search.ts';
import { formatCount } from '../../../base/amounts.ts';
import { readIntegerArgument, readOptionalString, readStringArgument } from '../../arguments.ts';
import {
  isInWorkspace,
  formatUriLabel,
  listWorkspaceFolderPaths,
} from '../../../workspace/vscode/labels.ts';
import { LanguageServices } from './language-services.ts';
import { createPathNotFoundError, type ReadTools, throwIfAborted } from './ports.ts';
import { ReadableUris } from '../../../workspace/vscode/text-search.ts';
import { readWorkspaceText } from '../../../workspace/vscode/file-text.ts';

const maxSymbols = 300;

export function createFindSymbolsTool(tools: ReadTools): Tool {
  return {
    name: 'find_symbols',
    kind: 'read',
    description:
      'Give path for the outline of a file with line ranges, or query for workspace symbols with a similar name.',
    parameters: {
      type: 'object',
      properties: {
        query: { type: 'string', minLength: 1 },
        path: { type: 'string' },
      },
      additionalProperties: false,
    },
    async plan(args) {
      const [path, query] = [readOptionalString(args, 'path'), readOptionalString(args, 'query')];
      if ((path === undefined) === (query === undefined))
        throw new ToolError('bad-arguments', 'Give either query or path.');
      const paths = path === undefined ? listWorkspaceFolderPaths() : [path];
      const [resolvedPath] = await tools.checkedPaths.resolvePaths(args, paths);
      return {
        verb: vscode.l10n.t('Find symbols'),
        target: query ?? resolvedPath?.label ?? '',
        ...(path !== undefined &&
          resolvedPath !== undefined && { uri: resolvedPath.uri.toString() }),
        resources: paths.map((path) => ({ type: 'path', path, access: 'read' })),
      };
    },
    async run(args, context) {
      const [path, query] = [readOptionalString(args, 'path'), readOptionalString(args, 'query')];
      const services = new LanguageServices(tools, context);
      if (path === undefined) return searchWorkspace(services, query ?? '', tools);
      const [resolvedPath] = await tools.checkedPaths.recheck(args, [path]);
      if (resolvedPath === undefined) throw new ToolError('not-found', 'There is no such file.');
      const openedDocument = await services.open(resolvedPath);
      const foundSymbols = await services.execute<vscode.DocumentSymbol | vscode.SymbolInformation>(
        openedDocument,
        'vscode.executeDocumentSymbolProvider',
        openedDocument.document.uri,
      );
      const lines = foundSymbols.flatMap((symbol) => formatOutline(symbol, 0));
      return formatSymbols(
        lines,
        resolvedPath.label,
        `No symbols of ${resolvedPath.label} are known: use read_file.`,
      );
    },
  };
}

async function searchWorkspace(
  services: LanguageServices,
  query: string,
  { paths }: ReadTools,
): Promise<ToolResult> {
  const foundSymbols = await services.execute<vscode.SymbolInformation>(
    { isNew: false },
    'vscode.executeWorkspaceSymbolProvider',
    query,
  );
  const readableUris = new ReadableUris(paths);
  const areVisible = await Promise.all(
    foundSymbols.map(
      async ({ location: { uri } }) => isInWorkspace(uri) && (await readableUris.isReadable(uri)),
    ),
  );
  const lines = foundSymbols
    .filter((_, index) => areVisible[index])
    .map(({ name, kind, containerName, location }) => {
      const containerNote = containerName === '' ? '' : ` in ${containerName}`;
      return `${formatUriLabel(location.uri)}:${location.range.start.line + 1} ${getKindName(kind)} ${name}${containerNote}`;
    });
  return formatSymbols(lines, `"${query}"`, `No symbol is like ${query}: try search_text.`);
}

function formatOutline(
  symbol: vscode.DocumentSymbol | vscode.SymbolInformation,
  depth: number,
): string[] {
  const { start, end } = 'range' in symbol ? symbol.range : symbol.location.range;
  const lines = start.line === end.line ? `${start.line + 1}` : `${start.line + 1}-${end.line + 1}`;
  const line = `${'  '.repeat(depth)}${lines} ${getKindName(symbol.kind)} ${symbol.name}`;
  // Limits the depth, because a language service could return endlessly nested results.
  const children = 'children' in symbol && depth < 10 ? symbol.children : [];
  return [line, ...children.flatMap((child) => formatOutline(child, depth + 1))];
}

function formatSymbols(lines: readonly string[], scope: string, emptyMessage: string): ToolResult {
  const target = `${scope} (${formatCount(lines.length)})`;
  if (lines.length === 0) return { output: emptyMessage, target };
  const remainingCount = lines.length - maxSymbols;
  const notes = remainingCount > 0 ? [`[${remainingCount.toLocaleString('en-US')} more]`] : [];
  return { output: [...lines.slice(0, maxSymbols), ...notes].join('\n'), target };
}

const getKindName = (kind: vscode.SymbolKind): string =>
  (vscode.SymbolKind[kind] ?? 'Symbol').toLowerCase();

const maxLocations = 200;
/** Maximum number of files from which the results quote a line. Results in further files contain only the position. */
const maxFilesRead = 50;

export function createGoToDefinitionTool(tools: ReadTools): Tool {
  return createSymbolTool(tools, {
    name: 'go_to_definition',
    summary: 'definition of a symbol on a line',
    description:
      'Finds the definition of a symbol on a given line with the language service. Find the line with search_text or read_file. To find a symbol by name, use find_symbols.',
    verb: vscode.l10n.t('Find definition'),
    command: 'vscode.executeDefinitionProvider',
    noun: 'definition',
    formatRowTarget: (matchCount, symbol) => `${symbol} (${formatCount(matchCount)})`,
  });
}

export function createFindReferencesTool(tools: ReadTools): Tool {
  return createSymbolTool(tools, {
    name: 'find_references',
    summary: 'all uses of a symbol',
    description:
      'Finds all references of a symbol on a given line with the language service. More exact than search_text, which also matches other symbols with the same name.',
    verb: vscode.l10n.t('Find references'),
    command: 'vscode.executeReferenceProvider',
    noun: 'reference',
    formatRowTarget: (matchCount, symbol) => `${symbol} (${formatCount(matchCount)})`,
  });
}

interface SymbolQuery {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly verb: string;
  /** Id of the VS Code command that finds the locations, such as `vscode.executeReferenceProvider`. */
  readonly command: string;
  /** Noun for one result in the output for the model, such as `reference`. */
  readonly noun: string;
  /** Formats the target of the tool row that the user sees. */
  readonly formatRowTarget: (matchCount: number, symbol: string) => string;
}

function createSymbolTool(tools: ReadTools, query: SymbolQuery): Tool {
  return {
    name: query.name,
    kind: 'read',
    summary: query.summary,
    description: query.description,
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'File that contains the symbol.' },
        line: { type: 'integer', minimum: 1, description: 'Line of the symbol, from 1.' },
        symbol: {
          type: 'string',
          minLength: 1,
          description: 'Symbol text, as written on the line.',
        },
      },
      required: ['path', 'line', 'symbol'],
      additionalProperties: false,
    },
    async plan(args) {
      const [path, symbol] = [readStringArgument(args, 'path'), readStringArgument(args, 'symbol')];
      const [resolvedPath] = await tools.checkedPaths.resolvePaths(args, [path]);
      return {
        verb: query.verb,
        target: symbol,
        ...(resolvedPath && { uri: resolvedPath.uri.toString() }),
        resources: [{ type: 'path', path, access: 'read' }],
      };
    },
    async run(args, context) {
      const [path, symbol] = [readStringArgument(args, 'path'), readStringArgument(args, 'symbol')];
      const [resolvedPath] = await tools.checkedPaths.recheck(args, [path]);
      if (resolvedPath === undefined) throw createPathNotFoundError(path);
      const line = readIntegerArgument(args, 'line', {
        min: 1,
        max: Number.MAX_SAFE_INTEGER,
        fallback: 1,
      });
      const services = new LanguageServices(tools, context);
      const openedDocument = await services.open(resolvedPath);
      const position = findSymbolPosition(
        openedDocument.document.getText().split(/\r\n|\r|\n/u),
        line,
        symbol,
      );
      if (position === undefined)
        throw new ToolError(
          'not-found',
          `"${symbol}" is not on line ${line} of ${resolvedPath.label} or near it. Look with read_file.`,
        );
      const foundSymbols = await services.execute<vscode.Location | vscode.LocationLink>(
        openedDocument,
        query.command,
        openedDocument.document.uri,
        new vscode.Position(position.line - 1, position.column),
      );
      return formatLocations(foundSymbols.map(toLocation), { query, symbol, tools, context });
    },
  };
}

const toLocation = (foundSymbol: vscode.Location | vscode.LocationLink): vscode.Location =>
  'targetUri' in foundSymbol
    ? new vscode.Location(
        foundSymbol.targetUri,
        foundSymbol.targetSelectionRange ?? foundSymbol.targetRange,
      )
    : foundSymbol;

async function formatLocations(
  locations: readonly vscode.Location[],
  {
    query,
    symbol,
    tools,
    context,
  }: { query: SymbolQuery; symbol: string; tools: ReadTools; context: ToolContext },
): Promise<ToolResult> {
  const target = query.formatRowTarget(locations.length, symbol);
  if (locations.length === 0)
    return {
      output: `No ${query.noun} of ${symbol} is known: the language may have no service here. Try search_text.`,
      target,
    };
  const result = new SearchResult(maxLocations);
  const readableUris = new ReadableUris(tools.paths);
  const texts = new Map<string, readonly string[] | undefined>();
  const locationsWithoutText: string[] = [];
  for (const { uri, range } of locations) {
    throwIfAborted(context.signal);
    const [key, { line, character }] = [uri.toString(), range.start];
    if (!texts.has(key) && texts.size < maxFilesRead)
      texts.set(key, (await readableUris.isReadable(uri)) ? await readLines(uri) : undefined);
    const text = texts.get(key)?.[line];
    if (text === undefined) locationsWithoutText.push(`${formatUriLabel(uri)}:${line + 1}`);
    else result.addLine(formatUriLabel(uri), { line: line + 1, text, column: character });
  }
  const remainingCount = locations.length - result.matchCount - locationsWithoutText.length;
  const parts = [
    result.toString(),
    locationsWithoutText.slice(0, maxLocations).join('\n'),
    remainingCount > 0 ? `[${remainingCount} more]` : '',
  ];
  return { output: parts.filter((part) => part !== '').join('\n\n'), target };
}

async function readLines(uri: vscode.Uri): Promise<readonly string[] | undefined> {
  try {
    return (await readWorkspaceText(uri)).text.split('\n');
  } catch {
    return undefined;
  }
}
