import * as vscode from 'vscode';
import { withTimeout } from '../../../agent/tools/vscode/language-services.ts';
import type { Clock } from '../../../base/clock.ts';
import {
  rankPaths,
  extractQuestionWords,
  rankMatches,
  type ContextLine,
  formatSnippets,
  type WordMatches,
} from '../ranking.ts';
import {
  type GatherResult,
  formatOmittedFilesNote,
  explainUntrustedWorkspace,
} from './gather-workspace.ts';
import type { WorkspaceReader } from './workspace-reader.ts';
import { createPathFilter } from '../../../workspace/path-filter.ts';
import type { FoundLine } from '../../../workspace/search.ts';
import { isInWorkspace, formatUriLabel } from '../../../workspace/vscode/labels.ts';
import { SecretFiles } from '../../../workspace/vscode/list-files.ts';
import { TextSearch } from '../../../workspace/vscode/text-search.ts';

const snippetLimits = { maxFiles: 20, maxLinesPerFile: 40, maxCharacters: 40_000 };
/** Maximum number of matching lines per word. Words with more matches are too common to distinguish files. */
const maxMatches = 1_000;
/** Number of lines to include before and after each match. */
const contextLineCount = 2;

/**
 * Searches the workspace for the words of a question. Returns the matching lines of the best files, or the reason why
 * there are none.
 */
export async function gatherCodebase(
  question: string,
  reader: WorkspaceReader,
  signal: AbortSignal,
): Promise<GatherResult> {
  const refusal = explainUntrustedWorkspace();
  if (refusal !== undefined) return { refusal };
  const words = extractQuestionWords(question);
  if (words.length === 0) return { refusal: vscode.l10n.t('Describe what you are looking for.') };
  const filesByWord = new Map<string, Map<string, ContextLine[]>>();
  let secretFileCount = 0;
  for (const root of await reader.listFolders()) {
    for (const word of words) {
      const files = filesByWord.get(word) ?? new Map<string, ContextLine[]>();
      filesByWord.set(word, files);
      await searchWord(word, { root, files, reader, signal });
    }
    const names = await new SecretFiles(reader.tools).findSecretFiles(
      root,
      createPathFilter({}),
      signal,
    );
    secretFileCount += names.length;
  }
  const matches = [...filesByWord].map(([word, files]): WordMatches => ({ word, files }));
  const rankedFiles = rankMatches(matches);
  if (rankedFiles.length === 0)
    return {
      refusal: vscode.l10n.t('No file contains a word of the question: {0}.', words.join(', ')),
    };
  const head = `Lines of the workspace that hold words of the question (${words.join(', ')}):`;
  const text = `${head}\n\n${formatSnippets(rankedFiles, snippetLimits)}`;
  const label = vscode.l10n.t('Codebase search');
  return {
    kind: 'search',
    label,
    language: '',
    text,
    note: formatOmittedFilesNote(secretFileCount),
  };
}

async function searchWord(
  word: string,
  {
    root,
    files,
    reader,
    signal,
  }: {
    readonly root: Awaited<ReturnType<WorkspaceReader['locate']>>;
    readonly files: Map<string, ContextLine[]>;
    readonly reader: WorkspaceReader;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  let matchCount = 0;
  const add = (label: string, { line, text, column }: FoundLine): boolean => {
    if (column !== undefined) matchCount += 1;
    if (matchCount > maxMatches) return false;
    const lines = files.get(label) ?? [];
    lines.push({ line, text });
    files.set(label, lines);
    return true;
  };
  const search = new TextSearch({
    target: root,
    query: {
      text: word,
      isRegex: false,
      isCaseSensitive: false,
      contextLineCount,
      maxMatches,
    },
    filter: createPathFilter({}),
    result: { addLine: add },
    readableUris: reader.createReadableUriFilter(),
  });
  await search.run(await reader.tools.getRipgrepPath(), signal);
}

export interface NamedSymbol {
  readonly name: string;
  readonly kind: vscode.SymbolKind;
  readonly uri: vscode.Uri;
  /**
   * Range of the whole symbol, or of the symbol's name if the language service does not report the range of the whole
   * symbol.
   */
  readonly range: vscode.Range;
}

interface SymbolSearch {
  readonly visibleDocument: vscode.TextDocument | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const maxListedSymbols = 30;
const maxCharacters = 60_000;
/** Time limit of a symbol search in milliseconds. Short, because the user waits for the suggestions. */
const searchTimeoutMs = 3_000;
/** Maximum nesting depth of symbols, because a faulty language service could report unlimited nesting. */
const maxDepth = 10;

/** Returns symbols whose name resembles `query`: symbols of the visible file first, then symbols of the workspace. */
export async function findSymbols(
  query: string,
  { visibleDocument, clock, signal }: SymbolSearch,
): Promise<readonly NamedSymbol[]> {
  if (explainUntrustedWorkspace() !== undefined) return [];
  const limits = { clock, signal, timeoutMs: searchTimeoutMs };
  const [fileSymbols, otherSymbols] = await Promise.all([
    visibleDocument !== undefined && isInWorkspace(visibleDocument.uri)
      ? waitWithinLimits(findDocumentSymbols(visibleDocument.uri), limits)
      : [],
    query === '' ? [] : waitWithinLimits(findWorkspaceSymbols(query), limits),
  ]);
  const visibleFileSymbols = rankPaths(query, fileSymbols, {
    getPath: ({ name }) => name,
    maxResults: maxListedSymbols,
  });
  const knownKeys = new Set(visibleFileSymbols.map(createSymbolKey));
  return [
    ...visibleFileSymbols,
    ...otherSymbols.filter((symbol) => !knownKeys.has(createSymbolKey(symbol))),
  ].slice(0, maxListedSymbols);
}

/** Returns the whole text of a symbol to attach, or the reason why it may not be sent. */
export async function gatherSymbol(
  symbol: NamedSymbol,
  reader: WorkspaceReader,
): Promise<GatherResult> {
  const refusal = explainUntrustedWorkspace();
  if (refusal !== undefined) return { refusal };
  const { uri, name } = symbol;
  if (!(await reader.createReadableUriFilter().isReadable(uri)))
    return {
      refusal: vscode.l10n.t('{0} may not be sent: attach the file itself.', formatUriLabel(uri)),
    };
  const document = await vscode.workspace.openTextDocument(uri);
  const range = await findFullRange(symbol);
  const text = document.getText(range).slice(0, maxCharacters);
  if (text.trim() === '') return { refusal: vscode.l10n.t('{0} is no longer where it was.', name) };
  return {
    kind: 'symbol',
    label: `${formatUriLabel(uri)}#${name}`,
    language: document.languageId,
    text,
  };
}

/** Returns the result of a language service, or an empty list if the service fails or exceeds the time limit. */
const waitWithinLimits = <T>(
  resultPromise: PromiseLike<readonly T[]>,
  limits: { readonly clock: Clock; readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<readonly T[]> => withTimeout(resultPromise, limits).catch(() => []);

async function findWorkspaceSymbols(query: string): Promise<readonly NamedSymbol[]> {
  const foundSymbols = await vscode.commands.executeCommand<vscode.SymbolInformation[] | undefined>(
    'vscode.executeWorkspaceSymbolProvider',
    query,
  );
  return (foundSymbols ?? [])
    .filter(({ location }) => isInWorkspace(location.uri))
    .slice(0, maxListedSymbols * 4)
    .map(({ name, kind, location: { uri, range } }) => ({ name, kind, uri, range }));
}

async function findDocumentSymbols(uri: vscode.Uri): Promise<readonly NamedSymbol[]> {
  const foundSymbols = await vscode.commands.executeCommand<
    (vscode.DocumentSymbol | vscode.SymbolInformation)[] | undefined
  >('vscode.executeDocumentSymbolProvider', uri);
  return (foundSymbols ?? []).flatMap((symbol) => flattenSymbol(symbol, uri, 0));
}

function flattenSymbol(
  symbol: vscode.DocumentSymbol | vscode.SymbolInformation,
  uri: vscode.Uri,
  depth: number,
): NamedSymbol[] {
  const range = 'range' in symbol ? symbol.range : symbol.location.range;
  const namedSymbol = { name: symbol.name, kind: symbol.kind, uri, range };
  const children = 'children' in symbol && depth < maxDepth ? symbol.children : [];
  return [namedSymbol, ...children.flatMap((child) => flattenSymbol(child, uri, depth + 1))];
}

/**
 * Returns the range of the whole symbol. Necessary, because workspace symbol searches often report only the range of
 * the name. Returns the given range if the file has no matching symbol.
 */
async function findFullRange({ uri, name, range }: NamedSymbol): Promise<vscode.Range> {
  const documentSymbols = await findDocumentSymbols(uri).catch((): readonly NamedSymbol[] => []);
  const enclosingSymbols = documentSymbols.filter(
    (symbol) => symbol.name === name && symbol.range.contains(range.start),
  );
  return enclosingSymbols.at(-1)?.range ?? range;
}

const createSymbolKey = ({ uri, name, range }: NamedSymbol): string =>
  `${uri.toString()}\0${name}\0${range.start.line}`;
