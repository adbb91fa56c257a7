import * as vscode from 'vscode';
import { getProblemsTool } from '../../../agent/tools/vscode/get-problems.ts';
import { type Gathered, trustRefusal } from './gathered.ts';
import type { WorkspaceReader } from './workspace-reader.ts';

/** Whether the language services know of a problem in any file of the workspace. */
export const hasProblems = (): boolean =>
  vscode.languages
    .getDiagnostics()
    .some(([uri, all]) => all.length > 0 && vscode.workspace.getWorkspaceFolder(uri) !== undefined);

/** The problems of all files of the workspace, as the model's own tool tells them. */
export async function gatherAllProblems(
  reader: WorkspaceReader,
  signal: AbortSignal,
): Promise<Gathered> {
  const refusal = trustRefusal();
  if (refusal !== undefined) return { refusal };
  if (!hasProblems()) return { refusal: vscode.l10n.t('No problems are known in the workspace.') };
  // It asks nobody: of files that need a question it tells nothing.
  const place = { conversationId: '', turnId: '', messageId: '', callId: '', vision: false };
  const { output } = await getProblemsTool(reader.tools).run({}, { ...place, signal });
  return { kind: 'problems', label: vscode.l10n.t('All problems'), language: '', text: output };
}

/** The file whose problems are meant when none is named: the shown one, when it has any. */
export function fileWithProblems(shown: vscode.Uri | undefined): vscode.Uri | undefined {
  if (shown === undefined || vscode.languages.getDiagnostics(shown).length === 0) return undefined;
  return shown;
}
