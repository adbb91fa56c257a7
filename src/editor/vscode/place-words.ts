import * as vscode from 'vscode';
import type { LineSpan } from '../line-span.ts';
import { maySendFile } from '../../workspace/vscode/send-consent.ts';
import type { EditorPlace } from './editor-target.ts';

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
