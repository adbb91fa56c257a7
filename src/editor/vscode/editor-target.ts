import * as vscode from 'vscode';
import type { Clock } from '../../base/clock.ts';
import type { LineSpan } from '../line-span.ts';
import { confirmSendFile } from '../../workspace/vscode/send-consent.ts';

/** Whole lines that a command edits in a document, and the diagnostics of these lines. */
export interface EditorTarget {
  readonly document: vscode.TextDocument;
  readonly span: LineSpan;
  readonly problems: readonly vscode.Diagnostic[];
}

/**
 * Returns the lines that a command edits: the range in the arguments, which code actions pass, or the selection. For an
 * empty selection, returns the lines of the symbol at the cursor, or the cursor's line if no symbol is there. Returns
 * undefined if there is no editor.
 */
export async function resolveTarget(
  args: readonly unknown[],
  clock: Clock,
): Promise<EditorTarget | undefined> {
  const [uri, range] = args;
  const editor = vscode.window.activeTextEditor;
  if (uri instanceof vscode.Uri && range instanceof vscode.Range)
    return createTarget(await vscode.workspace.openTextDocument(uri), range, clock);
  return editor && createTarget(editor.document, editor.selection, clock);
}

async function createTarget(
  document: vscode.TextDocument,
  range: vscode.Range,
  clock: Clock,
): Promise<EditorTarget> {
  const problems = vscode.languages
    .getDiagnostics(document.uri)
    .filter((problem) => problem.range.intersection(range) !== undefined);
  const validRange = document.validateRange(range);
  const span = validRange.isEmpty
    ? await findSpanAround(document, validRange.start, clock)
    : toLineSpan(document, validRange);
  return { document, span, problems };
}

/**
 * Converts a range to whole lines. Excludes the last line if the range ends at the start of that
 * line.
 */
function toLineSpan({ lineCount }: vscode.TextDocument, { start, end }: vscode.Range): LineSpan {
  const endsAtLineStart = end.character === 0 && end.line > start.line;
  return { start: start.line, end: Math.min(lineCount, endsAtLineStart ? end.line : end.line + 1) };
}

/** Maximum number of lines of a symbol that a command edits when nothing is selected. */
const maxSymbolLines = 300;

async function findSpanAround(
  document: vscode.TextDocument,
  position: vscode.Position,
  clock: Clock,
): Promise<LineSpan> {
  const lineSpan = { start: position.line, end: position.line + 1 };
  if (document.lineAt(position.line).isEmptyOrWhitespace) return lineSpan;
  const symbolSpans = (await findSymbolRanges(document, clock))
    .filter((range) => range.contains(position))
    .map((range) => ({ start: range.start.line, end: range.end.line + 1 }))
    .filter(({ start, end }) => end - start <= maxSymbolLines && end <= document.lineCount);
  const countLines = ({ start, end }: LineSpan): number => end - start;
  return symbolSpans.toSorted((a, b) => countLines(a) - countLines(b))[0] ?? lineSpan;
}

/**
 * Maximum time in milliseconds to wait for the symbols of a document. Limited, because a language service can start
 * slowly.
 */
const symbolTimeoutMs = 1_500;

async function findSymbolRanges(
  { uri }: vscode.TextDocument,
  clock: Clock,
): Promise<vscode.Range[]> {
  const symbolsPromise = vscode.commands.executeCommand(
    'vscode.executeDocumentSymbolProvider',
    uri,
  );
  const symbols = await new Promise<unknown>((resolve) => {
    const cancel = clock.after(symbolTimeoutMs, () => resolve([]));
    const finishSearch = (value: unknown): void => {
      cancel();
      resolve(value);
    };
    symbolsPromise.then(finishSearch, () => finishSearch([]));
  });
  return Array.isArray(symbols) ? symbols.flatMap(collectRanges) : [];
}

/**
 * Returns the range of `symbol` if it is a function, a class or a similar symbol, and the ranges of all such symbols
 * inside `symbol`.
 */
function collectRanges(symbol: vscode.DocumentSymbol | vscode.SymbolInformation): vscode.Range[] {
  const ownRange = 'location' in symbol ? symbol.location.range : symbol.range;
  const childRanges = 'children' in symbol ? symbol.children.flatMap(collectRanges) : [];
  return blockKinds.has(symbol.kind) ? [ownRange, ...childRanges] : childRanges;
}

const blockKinds: ReadonlySet<vscode.SymbolKind> = new Set([
  vscode.SymbolKind.Class,
  vscode.SymbolKind.Constructor,
  vscode.SymbolKind.Enum,
  vscode.SymbolKind.Function,
  vscode.SymbolKind.Interface,
  vscode.SymbolKind.Method,
  vscode.SymbolKind.Struct,
]);

/**
 * Returns the path relative to the workspace folder, or the name of a file outside the workspace.
 * For a notebook cell, returns the path of the notebook.
 */
export function getFileLabel({ uri }: vscode.TextDocument): string {
  const isInside = vscode.workspace.getWorkspaceFolder(uri) !== undefined;
  return isInside ? vscode.workspace.asRelativePath(uri) : (uri.path.split('/').at(-1) ?? uri.path);
}

/** Formats the target as `src/app.ts:3-9`. Line numbers start at 1. */
export function formatTarget({ document, span }: Pick<EditorTarget, 'document' | 'span'>): string {
  const { start, end } = span;
  const lineRange = end - start <= 1 ? `${start + 1}` : `${start + 1}-${end}`;
  return `${getFileLabel(document)}:${lineRange}`;
}

export const readLines = (document: vscode.TextDocument, { start, end }: LineSpan): string[] =>
  Array.from({ length: end - start }, (_, index) => document.lineAt(start + index).text);

/** Formats a diagnostic as `Error at line 3: …`. */
export const formatProblem = (problem: vscode.Diagnostic): string =>
  `${vscode.DiagnosticSeverity[problem.severity]} at line ${problem.range.start.line + 1}: ${problem.message}`;

/**
 * Checks whether text of the document may be sent to the service. Requires a trusted workspace, and the user's consent
 * for a file that may contain secrets.
 * @returns `yes`; `no` if the user declined; otherwise, the reason as a message for the user
 */
export async function authorizeSending(
  document: vscode.TextDocument,
): Promise<'yes' | 'no' | { reason: string }> {
  if (!vscode.workspace.isTrusted)
    return {
      reason: vscode.l10n.t('Nothing of this folder is sent until you trust the workspace.'),
    };
  return (await confirmSendFile(document.uri, getFileLabel(document))) ? 'yes' : 'no';
}
