import * as vscode from 'vscode';
import type { CommandId } from '../../platform/command-ids.ts';

/**
 * Returns the code actions for a range. Reads no files and sends no request: each action is a
 * command that does its work when the user selects it.
 */
export function codeActions(
  document: vscode.TextDocument,
  range: vscode.Range,
  { diagnostics, only, triggerKind }: vscode.CodeActionContext,
): vscode.CodeAction[] {
  const kind = kindOf(document);
  if (kind === undefined) return [];
  const isAsked = triggerKind === vscode.CodeActionTriggerKind.Invoke;
  // On save, VS Code requests the kinds listed in folder settings and runs the results, which would
  // send the file.
  if (!isAsked && only !== undefined) return [];
  // Without this condition, every line would show a light bulb.
  const isMeant = isAsked ? hasText(document, range) : !range.isEmpty;
  const isWritable = kind === 'writable';
  const offered = [
    ...(isWritable && diagnostics.length > 0 ? [fix(document, diagnostics)] : []),
    ...(isMeant || diagnostics.length > 0 ? [explain(document, range, diagnostics)] : []),
    ...(isMeant && isWritable ? [rewrite('inferenceService.document', document, range)] : []),
    ...(isMeant ? [rewrite('inferenceService.writeTests', document, range)] : []),
  ];
  return offered.filter((each) => only === undefined || only.contains(each.kind ?? explains));
}

/**
 * Classifies a document. Undefined for documents without code of the user: output, view inputs and
 * diffs.
 */
function kindOf({ uri }: vscode.TextDocument): 'writable' | 'readable' | undefined {
  if (uri.scheme === 'untitled' || uri.scheme === 'vscode-notebook-cell') return 'writable';
  const isWritable = vscode.workspace.fs.isWritableFileSystem(uri.scheme);
  return isWritable === undefined ? undefined : isWritable ? 'writable' : 'readable';
}

const hasText = (document: vscode.TextDocument, range: vscode.Range): boolean =>
  !range.isEmpty || !document.lineAt(range.start.line).isEmptyOrWhitespace;

const explains = vscode.CodeActionKind.Empty.append('explain');
/** Listed next to quick fixes. VS Code shows other kinds last, after a long list. */
const explainsProblem = vscode.CodeActionKind.QuickFix.append('explain');

function fix(
  document: vscode.TextDocument,
  diagnostics: readonly vscode.Diagnostic[],
): vscode.CodeAction {
  const range = diagnostics.map((each) => each.range).reduce((a, b) => a.union(b));
  const title = vscode.l10n.t('Fix with Inference Service');
  const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  action.diagnostics = [...diagnostics];
  action.command = command('inferenceService.fix', title, document, range);
  return action;
}

function explain(
  document: vscode.TextDocument,
  range: vscode.Range,
  diagnostics: readonly vscode.Diagnostic[],
): vscode.CodeAction {
  const whole = range.isEmpty ? (diagnostics[0]?.range ?? range) : range;
  const title = vscode.l10n.t('Explain with Inference Service');
  const isProblem = diagnostics.length > 0;
  const action = new vscode.CodeAction(title, isProblem ? explainsProblem : explains);
  if (isProblem) action.diagnostics = [...diagnostics];
  action.command = command('inferenceService.explain', title, document, whole);
  return action;
}

function rewrite(
  id: 'inferenceService.document' | 'inferenceService.writeTests',
  document: vscode.TextDocument,
  range: vscode.Range,
): vscode.CodeAction {
  const title =
    id === 'inferenceService.document'
      ? vscode.l10n.t('Document with Inference Service')
      : vscode.l10n.t('Write Tests with Inference Service');
  const action = new vscode.CodeAction(title, vscode.CodeActionKind.RefactorRewrite);
  action.command = command(id, title, document, range);
  return action;
}

const command = (
  id: CommandId,
  title: string,
  { uri }: vscode.TextDocument,
  range: vscode.Range,
): vscode.Command => ({
  command: id,
  title,
  // A plain range: a copied `Selection` remains a selection and is not accepted as a range.
  arguments: [uri, new vscode.Range(range.start, range.end)],
});
