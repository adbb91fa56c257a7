import * as vscode from 'vscode';
import type { CommandId } from '../../platform/command-ids.ts';

/**
 * Returns the code actions for a range. Reads no files and sends no requests; an action runs a command only after the
 * user selects the action.
 */
export function createCodeActions(
  document: vscode.TextDocument,
  range: vscode.Range,
  { diagnostics, only, triggerKind }: vscode.CodeActionContext,
): vscode.CodeAction[] {
  const kind = classifyDocument(document);
  if (kind === undefined) return [];
  const isExplicit = triggerKind === vscode.CodeActionTriggerKind.Invoke;
  // On save, VS Code runs the kinds of code actions that the folder settings contain. These actions
  // would send the file without a request by the user.
  if (!isExplicit && only !== undefined) return [];
  // Automatic requests get actions only for a selection. Otherwise, every line would show a light
  // bulb.
  const hasTarget = isExplicit ? hasText(document, range) : !range.isEmpty;
  const isWritable = kind === 'writable';
  const actions = [
    ...(isWritable && diagnostics.length > 0 ? [createFixAction(document, diagnostics)] : []),
    ...(hasTarget || diagnostics.length > 0
      ? [createExplainAction(document, range, diagnostics)]
      : []),
    ...(hasTarget && isWritable
      ? [createRewriteAction('inferenceService.document', document, range)]
      : []),
    ...(hasTarget ? [createRewriteAction('inferenceService.writeTests', document, range)] : []),
  ];
  return actions.filter(
    (action) => only === undefined || only.contains(action.kind ?? explainKind),
  );
}

/**
 * Returns `writable` if the document can be edited, and `readable` if its file system is read-only. Returns undefined
 * for documents without user code, such as output panels, input boxes of views, and diffs.
 */
function classifyDocument({ uri }: vscode.TextDocument): 'writable' | 'readable' | undefined {
  if (uri.scheme === 'untitled' || uri.scheme === 'vscode-notebook-cell') return 'writable';
  const isWritable = vscode.workspace.fs.isWritableFileSystem(uri.scheme);
  return isWritable === undefined ? undefined : isWritable ? 'writable' : 'readable';
}

const hasText = (document: vscode.TextDocument, range: vscode.Range): boolean =>
  !range.isEmpty || !document.lineAt(range.start.line).isEmptyOrWhitespace;

const explainKind = vscode.CodeActionKind.Empty.append('explain');
/**
 * Code action kind for explanations of problems: a subkind of quick fixes, because VS Code lists other kinds last in
 * the menu.
 */
const explainProblemKind = vscode.CodeActionKind.QuickFix.append('explain');

function createFixAction(
  document: vscode.TextDocument,
  diagnostics: readonly vscode.Diagnostic[],
): vscode.CodeAction {
  const range = diagnostics.map((diagnostic) => diagnostic.range).reduce((a, b) => a.union(b));
  const title = vscode.l10n.t('Fix with Inference Service');
  const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  action.diagnostics = [...diagnostics];
  action.command = createCommand('inferenceService.fix', title, document, range);
  return action;
}

function createExplainAction(
  document: vscode.TextDocument,
  range: vscode.Range,
  diagnostics: readonly vscode.Diagnostic[],
): vscode.CodeAction {
  const explainedRange = range.isEmpty ? (diagnostics[0]?.range ?? range) : range;
  const title = vscode.l10n.t('Explain with Inference Service');
  const isProblem = diagnostics.length > 0;
  const action = new vscode.CodeAction(title, isProblem ? explainProblemKind : explainKind);
  if (isProblem) action.diagnostics = [...diagnostics];
  action.command = createCommand('inferenceService.explain', title, document, explainedRange);
  return action;
}

function createRewriteAction(
  id: 'inferenceService.document' | 'inferenceService.writeTests',
  document: vscode.TextDocument,
  range: vscode.Range,
): vscode.CodeAction {
  const title =
    id === 'inferenceService.document'
      ? vscode.l10n.t('Document with Inference Service')
      : vscode.l10n.t('Write Tests with Inference Service');
  const action = new vscode.CodeAction(title, vscode.CodeActionKind.RefactorRewrite);
  action.command = createCommand(id, title, document, range);
  return action;
}

const createCommand = (
  id: CommandId,
  title: string,
  { uri }: vscode.TextDocument,
  range: vscode.Range,
): vscode.Command => ({
  command: id,
  title,
  // Copies the range, because `range` may be a `Selection`, which the command does not accept.
  arguments: [uri, new vscode.Range(range.start, range.end)],
});
