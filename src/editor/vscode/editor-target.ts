import * as vscode from 'vscode';
import type { Clock } from '../../base/clock.ts';
import type { LineSpan } from '../line-span.ts';
import { maySendFile } from '../../workspace/vscode/send-consent.ts';

/** A part of a document that a person means, in whole lines, and what is wrong there. */
export interface EditorPlace {
  readonly document: vscode.TextDocument;
  readonly span: LineSpan;
  readonly problems: readonly vscode.Diagnostic[];
}

/**
 * What a command is about: the place in its arguments, as code actions give it, else the selection of the editor in
 * front; without a selection the symbol around the cursor, else its line. Undefined without an editor.
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

/** A selection that ends before the first character of a line does not include that line. */
function spanOf({ lineCount }: vscode.TextDocument, { start, end }: vscode.Range): LineSpan {
  const isBefore = end.character === 0 && end.line > start.line;
  return { start: start.line, end: Math.min(lineCount, isBefore ? end.line : end.line + 1) };
}

/** Nobody means more lines than this by putting the cursor somewhere. */
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

/** Language services that are only starting are not waited for. */
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

/** Of functions, classes and the like, whatever they stand in. */
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

/** Relative to its folder; only the name for a file outside of the workspace. A notebook's cell has the notebook's. */
export function fileLabel({ uri }: vscode.TextDocument): string {
  const isInside = vscode.workspace.getWorkspaceFolder(uri) !== undefined;
  return isInside ? vscode.workspace.asRelativePath(uri) : (uri.path.split('/').at(-1) ?? uri.path);
}

/** `src/app.ts:3-9`, lines counted from 1. */
export function placeLabel({ document, span }: Pick<EditorPlace, 'document' | 'span'>): string {
  const { start, end } = span;
  const lines = end - start <= 1 ? `${start + 1}` : `${start + 1}-${end}`;
  return `${fileLabel(document)}:${lines}`;
}

export const linesIn = (document: vscode.TextDocument, { start, end }: LineSpan): string[] =>
  Array.from({ length: end - start }, (_, index) => document.lineAt(start + index).text);

/** `Error at line 3: …`, and the line it is about. */
export const problemWords = (problem: vscode.Diagnostic): string =>
  `${vscode.DiagnosticSeverity[problem.severity]} at line ${problem.range.start.line + 1}: ${problem.message}`;

/**
 * Whether text of the document may be sent: nothing of a workspace that is not trusted, and a file that may hold
 * secrets only when the person says so.
 * @returns `yes`, `no` when the person said no, else why not, for the person
 */
export async function maySend(
  document: vscode.TextDocument,
): Promise<'yes' | 'no' | { why: string }> {
  if (!vscode.workspace.isTrusted)
    return { why: vscode.l10n.t('Nothing of this folder is sent until you trust the workspace.') };
  return (await maySendFile(document.uri, fileLabel(document))) ? 'yes' : 'no';
}
