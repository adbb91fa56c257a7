import * as vscode from 'vscode';
import type { Tool, ToolResult } from '../../tool.ts';
import { ToolError } from '../../../workspace/tool-error.ts';
import { formatCount } from '../../../base/amounts.ts';
import { optionalText } from '../../arguments.ts';
import { isInWorkspace, labelOf, workspacePaths } from '../../../workspace/vscode/labels.ts';
import { LanguageServices } from './language-services.ts';
import type { ReadTools } from './ports.ts';
import { ReadableUris } from '../../../workspace/vscode/text-search.ts';

const mostSymbols = 300;

export function findSymbolsTool(tools: ReadTools): Tool {
  return {
    name: 'find_symbols',
    kind: 'read',
    description:
      'Names that the language services know: with path, the outline of a file with line ranges; with query, functions, classes and other symbols of the workspace whose name is like it. Give one of both. Where no language service is installed, use search_text.',
    parameters: {
      type: 'object',
      properties: {
        query: { type: 'string', minLength: 1, description: 'A name, or a part of one.' },
        path: { type: 'string', description: 'A file whose outline is wanted.' },
      },
      additionalProperties: false,
    },
    async plan(args) {
      const [path, query] = [optionalText(args, 'path'), optionalText(args, 'query')];
      if ((path === undefined) === (query === undefined))
        throw new ToolError('bad-arguments', 'Give either query or path.');
      const paths = path === undefined ? workspacePaths() : [path];
      const [place] = await tools.judged.resolve(args, paths);
      return {
        verb: vscode.l10n.t('Find symbols'),
        done: vscode.l10n.t('Found symbols'),
        target: query ?? place?.label ?? '',
        ...(path !== undefined && place !== undefined && { uri: place.uri.toString() }),
        resources: paths.map((each) => ({ type: 'path', path: each, access: 'read' })),
      };
    },
    async run(args, context) {
      const [path, query] = [optionalText(args, 'path'), optionalText(args, 'query')];
      const services = new LanguageServices(tools, context);
      if (path === undefined) return inWorkspace(services, query ?? '', tools);
      const [place] = await tools.judged.recheck(args, [path]);
      if (place === undefined) throw new ToolError('not-found', 'There is no such file.');
      const opened = await services.open(place);
      const found = await services.ask<vscode.DocumentSymbol | vscode.SymbolInformation>(
        opened,
        'vscode.executeDocumentSymbolProvider',
        opened.document.uri,
      );
      const lines = found.flatMap((symbol) => outline(symbol, 0));
      return told(lines, place.label, `No symbols of ${place.label} are known: use read_file.`);
    },
  };
}

async function inWorkspace(
  services: LanguageServices,
  query: string,
  { paths }: ReadTools,
): Promise<ToolResult> {
  const found = await services.ask<vscode.SymbolInformation>(
    { fresh: false },
    'vscode.executeWorkspaceSymbolProvider',
    query,
  );
  const readable = new ReadableUris(paths);
  const isTold = await Promise.all(
    found.map(async ({ location: { uri } }) => isInWorkspace(uri) && (await readable.has(uri))),
  );
  const lines = found
    .filter((_, at) => isTold[at])
    .map(({ name, kind, containerName, location }) => {
      const inside = containerName === '' ? '' : ` in ${containerName}`;
      return `${labelOf(location.uri)}:${location.range.start.line + 1} ${kindName(kind)} ${name}${inside}`;
    });
  return told(lines, `"${query}"`, `No symbol is like ${query}: try search_text.`);
}

function outline(
  symbol: vscode.DocumentSymbol | vscode.SymbolInformation,
  depth: number,
): string[] {
  const { start, end } = 'range' in symbol ? symbol.range : symbol.location.range;
  const lines = start.line === end.line ? `${start.line + 1}` : `${start.line + 1}-${end.line + 1}`;
  const own = `${'  '.repeat(depth)}${lines} ${kindName(symbol.kind)} ${symbol.name}`;
  // A service that nests without end is not followed.
  const children = 'children' in symbol && depth < 10 ? symbol.children : [];
  return [own, ...children.flatMap((child) => outline(child, depth + 1))];
}

function told(lines: readonly string[], of: string, none: string): ToolResult {
  const target =
    lines.length === 1
      ? vscode.l10n.t('1 symbol for {0}', of)
      : vscode.l10n.t('{0} symbols for {1}', formatCount(lines.length), of);
  if (lines.length === 0) return { output: none, target };
  const more = lines.length - mostSymbols;
  const note = more > 0 ? [`[${more.toLocaleString('en-US')} more]`] : [];
  return { output: [...lines.slice(0, mostSymbols), ...note].join('\n'), target };
}

const kindName = (kind: vscode.SymbolKind): string =>
  (vscode.SymbolKind[kind] ?? 'Symbol').toLowerCase();
