import * as vscode from 'vscode';
import type { Tool, ToolResult } from '../../tool.ts';
import { ToolError } from '../../../workspace/tool-error.ts';
import { formatCount } from '../../../base/amounts.ts';
import { readOptionalString } from '../../arguments.ts';
import {
  isInWorkspace,
  formatUriLabel,
  listWorkspaceFolderPaths,
} from '../../../workspace/vscode/labels.ts';
import { LanguageServices } from './language-services.ts';
import type { ReadTools } from './ports.ts';
import { ReadableUris } from '../../../workspace/vscode/text-search.ts';

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
      const [resolved] = await tools.checkedPaths.resolve(args, paths);
      return {
        verb: vscode.l10n.t('Find symbols'),
        target: query ?? resolved?.label ?? '',
        ...(path !== undefined && resolved !== undefined && { uri: resolved.uri.toString() }),
        resources: paths.map((path) => ({ type: 'path', path, access: 'read' })),
      };
    },
    async run(args, context) {
      const [path, query] = [readOptionalString(args, 'path'), readOptionalString(args, 'query')];
      const services = new LanguageServices(tools, context);
      if (path === undefined) return searchWorkspace(services, query ?? '', tools);
      const [resolved] = await tools.checkedPaths.recheck(args, [path]);
      if (resolved === undefined) throw new ToolError('not-found', 'There is no such file.');
      const openedDocument = await services.open(resolved);
      const found = await services.execute<vscode.DocumentSymbol | vscode.SymbolInformation>(
        openedDocument,
        'vscode.executeDocumentSymbolProvider',
        openedDocument.document.uri,
      );
      const lines = found.flatMap((symbol) => formatOutline(symbol, 0));
      return formatResult(
        lines,
        resolved.label,
        `No symbols of ${resolved.label} are known: use read_file.`,
      );
    },
  };
}

async function searchWorkspace(
  services: LanguageServices,
  query: string,
  { paths }: ReadTools,
): Promise<ToolResult> {
  const found = await services.execute<vscode.SymbolInformation>(
    { isNew: false },
    'vscode.executeWorkspaceSymbolProvider',
    query,
  );
  const readable = new ReadableUris(paths);
  const isVisible = await Promise.all(
    found.map(async ({ location: { uri } }) => isInWorkspace(uri) && (await readable.has(uri))),
  );
  const lines = found
    .filter((_, index) => isVisible[index])
    .map(({ name, kind, containerName, location }) => {
      const containerNote = containerName === '' ? '' : ` in ${containerName}`;
      return `${formatUriLabel(location.uri)}:${location.range.start.line + 1} ${getKindName(kind)} ${name}${containerNote}`;
    });
  return formatResult(lines, `"${query}"`, `No symbol is like ${query}: try search_text.`);
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

function formatResult(lines: readonly string[], scope: string, emptyMessage: string): ToolResult {
  const target = `${scope} (${formatCount(lines.length)})`;
  if (lines.length === 0) return { output: emptyMessage, target };
  const remainingCount = lines.length - maxSymbols;
  const note = remainingCount > 0 ? [`[${remainingCount.toLocaleString('en-US')} more]`] : [];
  return { output: [...lines.slice(0, maxSymbols), ...note].join('\n'), target };
}

const getKindName = (kind: vscode.SymbolKind): string =>
  (vscode.SymbolKind[kind] ?? 'Symbol').toLowerCase();
