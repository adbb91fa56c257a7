import * as vscode from 'vscode';
import type { Clock } from '../../base/clock.ts';
import type { LineSpan } from '../line-span.ts';
import { confirmSendFile } from '../../workspace/vscode/send-consent.ts';

/** Whole lines of a document that a command edits, with their diagnostics. */
export interface EditorPlace {
  readonly document: vscode.TextDocument;
  readonly span: LineSpan;
  readonly problems: readonly vscode.Diagnostic[];
}

/**
 * Returns the lines for a command: the range in its arguments, as code actions pass it, else the
 * selection of the active editor. Without a selection, returns the symbol around the cursor, or
 * else its line. Undefined without an editor.
 */
export async function placeOf(
  args: readonly unknown[],
  clock: Clock,
): Promise<EditorPlace | undefined> {
  const [uri, range] = args;
  const editor = vscode.window.activeTextEditor;
  if (uri instanceof vscode.Uri && range instanceof vscode.Range)
    return placeAt(await vscode.workspace.openTextDocument(uri), range, clock);
  return editor && placeAt(editor.document, editor.selection, clock);
}

async function placeAt(
  document: vscode.TextDocument,
  range: vscode.Range,
  clock: Clock,
): Promise<EditorPlace> {
  const problems = vscode.languages
    .getDiagnostics(document.uri)
    .filter((problem) => problem.range.intersection(range) !== undefined);
  const wanted = document.validateRange(range);
  const span = wanted.isEmpty
    ? await spanAround(document, wanted.start, clock)
    : spanOf(document, wanted);
  return { document, span, problems };
}

/** Converts a range to whole lines. Excludes a last line of which nothing is selected. */
function spanOf({ lineCount }: vscode.TextDocument, { start, end }: vscode.Range): LineSpan {
  const isBefore = end.character === 0 && end.line > start.line;
  return { start: start.line, end: Math.min(lineCount, isBefore ? end.line : end.line + 1) };
}

/** Maximum size of a symbol around the cursor, in lines. */
const mostLines = 300;

async function spanAround(
  document: vscode.TextDocument,
  position: vscode.Position,
  clock: Clock,
): Promise<LineSpan> {
  const line = { start: position.line, end: position.line + 1 };
  if (document.lineAt(position.line).isEmptyOrWhitespace) return line;
  const around = (await symbolsOf(document, clock))
    .filter((range) => range.contains(position))
    .map((range) => ({ start: range.start.line, end: range.end.line + 1 }))
    .filter(({ start, end }) => end - start <= mostLines && end <= document.lineCount);
  const size = ({ start, end }: LineSpan): number => end - start;
  return around.toSorted((a, b) => size(a) - size(b))[0] ?? line;
}

/**
 * Maximum wait for symbols in milliseconds, so that a starting language service causes no delay.
 */
const patience = 1_500;

async function symbolsOf({ uri }: vscode.TextDocument, clock: Clock): Promise<vscode.Range[]> {
  const found = vscode.commands.executeCommand('vscode.executeDocumentSymbolProvider', uri);
  const symbols = await new Promise<unknown>((resolve) => {
    const cancel = clock.after(patience, () => resolve([]));
    const end = (value: unknown): void => {
      cancel();
      resolve(value);
    };
    found.then(end, () => end([]));
  });
  return Array.isArray(symbols) ? symbols.flatMap(rangesIn) : [];
}

/** Returns the ranges of functions, classes and similar symbols at every level. */
function rangesIn(symbol: vscode.DocumentSymbol | vscode.SymbolInformation): vscode.Range[] {
  const own = 'location' in symbol ? symbol.location.range : symbol.range;
  const inner = 'children' in symbol ? symbol.children.flatMap(rangesIn) : [];
  return blocks.has(symbol.kind) ? [own, ...inner] : inner;
}

const blocks: ReadonlySet<vscode.SymbolKind> = new Set([
  vscode.SymbolKind.Class,
  vscode.SymbolKind.Constructor,
  vscode.SymbolKind.Enum,
  vscode.SymbolKind.Function,
  vscode.SymbolKind.Interface,
  vscode.SymbolKind.Method,
  vscode.SymbolKind.Struct,
]);

/**
 * Returns the path relative to the workspace folder, or only the name of a file outside the
 * workspace. A notebook cell has the notebook's path.
 */
export function fileLabel({ uri }: vscode.TextDocument): string {
  const isInside = vscode.workspace.getWorkspaceFolder(uri) !== undefined;
  return isInside ? vscode.workspace.asRelativePath(uri) : (uri.path.split('/').at(-1) ?? uri.path);
}

/** Formats the location as `src/app.ts:3-9`. Line numbers start at 1. */
export function placeLabel({ document, span }: Pick<EditorPlace, 'document' | 'span'>): string {
  const { start, end } = span;
  const lines = end - start <= 1 ? `${start + 1}` : `${start + 1}-${end}`;
  return `${fileLabel(document)}:${lines}`;
}

export const linesIn = (document: vscode.TextDocument, { start, end }: LineSpan): string[] =>
  Array.from({ length: end - start }, (_, index) => document.lineAt(start + index).text);

/** Formats a diagnostic as `Error at line 3: …`. */
export const problemWords = (problem: vscode.Diagnostic): string =>
  `${vscode.DiagnosticSeverity[problem.severity]} at line ${problem.range.start.line + 1}: ${problem.message}`;

/**
 * Checks whether text of the document may be sent. Requires a trusted workspace, and the user's
 * consent for a file that may contain secrets.
 * @returns `yes`, `no` if the user declined, or the reason as a message for the user
 */
export async function maySend(
  document: vscode.TextDocument,
): Promise<'yes' | 'no' | { why: string }> {
  if (!vscode.workspace.isTrusted)
    return { why: vscode.l10n.t('Nothing of this folder is sent until you trust the workspace.') };
  return (await confirmSendFile(document.uri, fileLabel(document))) ? 'yes' : 'no';
}
