import * as vscode from 'vscode';
import { isCanceled, showFailure, toShownFailure } from '../../account/vscode/show-failure.ts';
import { formatCause } from '../../agent/answer/answer-marks.ts';
import { findEditor } from './edited-lines.ts';
import {
  type EditorTarget,
  authorizeSending,
  formatTarget,
  resolveTarget,
  formatProblem,
} from './editor-target.ts';
import type { EditResult, InlineEdit, RefusedEdit } from './inline-edit.ts';
import type { InlineEdits } from './inline-edits.ts';
import { createAnswerActions } from './show-answer.ts';
import type { Host } from '../../host.ts';
import {
  showProgress,
  showInformation,
  showStatusMessage,
  showWarning,
  showWithActions,
  escapeIcons,
} from '../../platform/notifications.ts';

const storedInstructionsKey = 'inlineEdit.instructions';
const maxStoredInstructions = 20;
const maxInstructionLength = 4_000;

/**
 * Prompts the user for an instruction, with earlier instructions as suggestions.
 * @param label File name and line numbers.
 * @returns undefined if the user cancels
 */
export async function promptForInstruction(
  label: string,
  state: vscode.Memento,
): Promise<string | undefined> {
  const storedInstructions = readStoredInstructions(state.get<unknown>(storedInstructionsKey));
  const typedText = await showInstructionPicker(label, storedInstructions);
  const instruction = typedText?.trim().slice(0, maxInstructionLength);
  if (instruction === undefined || instruction === '') return undefined;
  const otherInstructions = storedInstructions.filter(
    (storedInstruction) => storedInstruction !== instruction,
  );
  await state.update(
    storedInstructionsKey,
    [instruction, ...otherInstructions].slice(0, maxStoredInstructions),
  );
  return instruction;
}

function showInstructionPicker(
  label: string,
  storedInstructions: readonly string[],
): Promise<string | undefined> {
  const quickPick = vscode.window.createQuickPick<
    vscode.QuickPickItem & { readonly text: string }
  >();
  quickPick.title = `${vscode.l10n.t('Edit')}: ${label}`;
  quickPick.placeholder = vscode.l10n.t('What should change?');
  quickPick.ignoreFocusOut = true;
  const updateItems = (): void => {
    const typedText = quickPick.value.trim();
    const typedItem = { label: escapeIcons(typedText), text: typedText, alwaysShow: true };
    const storedItems = storedInstructions
      .filter((text) => text !== typedText)
      .map((text) => ({ label: escapeIcons(text), text }));
    quickPick.items = typedText === '' ? storedItems : [typedItem, ...storedItems];
  };
  updateItems();
  quickPick.onDidChangeValue(updateItems);
  return new Promise((resolve) => {
    quickPick.onDidAccept(() => {
      resolve(quickPick.activeItems[0]?.text ?? quickPick.value);
      quickPick.hide();
    });
    quickPick.onDidHide(() => {
      resolve(undefined);
      quickPick.dispose();
    });
    quickPick.show();
  });
}

/** Reads the stored instructions and omits invalid entries. */
const readStoredInstructions = (storedValue: unknown): readonly string[] =>
  (Array.isArray(storedValue) ? storedValue : [])
    .filter(
      (instruction): instruction is string => typeof instruction === 'string' && instruction !== '',
    )
    .slice(0, maxStoredInstructions);

export interface EditDependencies {
  readonly host: Host;
  readonly edits: InlineEdits;
}

export type EditKind = 'editInline' | 'fix' | 'document';

/**
 * Runs an edit command on its target lines. `editInline` prompts for the instruction; other commands have fixed
 * instructions.
 */
export async function runEditCommand(
  dependencies: EditDependencies,
  kind: EditKind,
  args: readonly unknown[],
): Promise<void> {
  const target = await resolveTarget(args, dependencies.host.service.clock);
  if (target === undefined) return showMessage(vscode.l10n.t('Open a file first.'));
  if (kind === 'fix' && target.problems.length === 0)
    return showMessage(vscode.l10n.t('There are no problems.'));
  await editTarget(dependencies, target, () => getInstruction(dependencies, kind, target));
}

/** Checks whether the document can be edited and sent to the service, and then edits the lines of a target. */
export async function editTarget(
  dependencies: EditDependencies,
  target: EditorTarget,
  readInstruction: () => Promise<string | undefined>,
): Promise<void> {
  const obstacle = await findEditObstacle(target.document);
  if (obstacle?.kind === 'blocked') return showMessage(obstacle.message);
  if (obstacle !== undefined) return;
  const instruction = await readInstruction();
  if (instruction === undefined) return;
  await runEdit(dependencies, target, instruction);
}

/** Notifies the user of the result of an edit. The notification suggests the next step. */
export async function showEditResult(
  edit: InlineEdit,
  result: EditResult,
  edits: InlineEdits,
): Promise<void> {
  switch (result.kind) {
    case 'changed':
      return showStatusMessage(vscode.l10n.t('The edit is done. Accept or reject it.'));
    case 'stopped':
    case 'lost':
      return;
    case 'unchanged':
      return showMessage(vscode.l10n.t('The model left the lines as they are.'));
    case 'nothing':
      return showMessage(
        vscode.l10n.t('The model answered without any lines. Say more precisely what to change.'),
      );
    case 'refused':
      return showRefusal({ edit, refusal: result, edits });
    case 'incomplete':
      return showMessage(vscode.l10n.t('The answer is incomplete.'));
    case 'not-restored':
      void showWarning(formatRestoreFailure());
      return;
    case 'read-only':
      return showMessage(vscode.l10n.t('The file cannot be changed: it is read-only.'));
    case 'failed':
      return showEditFailure(edit, result, edits);
  }
}

/** Returns the warning that the original lines could not be restored. */
export const formatRestoreFailure = (): string =>
  vscode.l10n.t('The lines could not be put back. Use Undo in the file.');

/**
 * Shows the reason why the model's answer was refused, with buttons to review the lines that are probably the
 * replacement, to retry, and to show the answer. Ends the edit when the user closes the notification.
 */
async function showRefusal(refusedRun: RefusedRun, { isAnswerShown = false } = {}): Promise<void> {
  const { edit, refusal, edits } = refusedRun;
  const reviewLines = async (): Promise<void> => {
    if (edit.refusal !== refusal) return showMessage(formatOutdatedEdit());
    await showEditResult(edit, await edit.writeRefusedLines(), edits);
  };
  const retryAction = { label: vscode.l10n.t('Retry'), run: () => retryRefusedEdit(refusedRun) };
  await showWithActions(showInformation, formatRefusal(refusal), [
    ...(refusal.lines === undefined
      ? []
      : [{ label: vscode.l10n.t('Review Changes'), run: reviewLines }]),
    retryAction,
    ...(isAnswerShown
      ? []
      : createAnswerActions(refusal.answer, () =>
          showRefusal(refusedRun, { isAnswerShown: true }),
        )),
  ]);
  if (edit.refusal === refusal) await edit.accept();
}

interface RefusedRun {
  readonly edit: InlineEdit;
  readonly refusal: RefusedEdit;
  readonly edits: InlineEdits;
}

/** Retries the edit whose answer was refused, unless the user has already retried it. */
async function retryRefusedEdit({ edit, refusal, edits }: RefusedRun): Promise<void> {
  if (edit.refusal === refusal || edit.state === 'completed') return retryEdit(edit, edits);
  showMessage(formatOutdatedEdit());
}

const formatOutdatedEdit = (): string =>
  vscode.l10n.t('The edit has ended or its lines have changed: start it again.');

/** Returns a message that explains why the answer was refused and what the user can do next. */
function formatRefusal({ reason, cause, lines }: RefusedEdit): string {
  if (cause !== undefined)
    return `${formatCause(cause)} ${vscode.l10n.t('The lines stay unchanged: try again.')}`;
  switch (reason) {
    case 'prose':
      return vscode.l10n.t(
        'The model answered without any lines. Say more precisely what to change.',
      );
    case 'several-blocks':
      return vscode.l10n.t(
        'The answer has several code blocks, so the lines stay unchanged: select fewer lines.',
      );
    case 'no-match':
      return `${vscode.l10n.t('The code does not match the file.')} ${vscode.l10n.t('The lines stay unchanged: try again.')}`;
    case 'unclear':
    case 'uncertain':
      return lines === undefined
        ? vscode.l10n.t('The model gave no usable answer. Retry, or choose another model.')
        : vscode.l10n.t(
            'It is not certain how to apply the answer: review the changes, or try again.',
          );
    case 'outside':
      return vscode.l10n.t(
        'The answer also covers other lines, so the lines stay unchanged: select all that should change.',
      );
    case 'elision':
    case 'cut-off':
    case 'too-long':
      return vscode.l10n.t(
        'The answer is incomplete or too long, so the lines stay unchanged: select fewer lines.',
      );
  }
}

async function runEdit(
  { host, edits }: EditDependencies,
  { document, span, problems }: EditorTarget,
  instruction: string,
): Promise<void> {
  clearSelection({ document, span });
  const startedEdit = await edits.start({
    document,
    span,
    instruction,
    problems: problems.map(formatProblem),
  });
  const location = vscode.ProgressLocation.Window;
  const title = `${vscode.l10n.t('Edit')}: ${formatTarget({ document, span })}`;
  const result = await showProgress({ location, title }, () => startedEdit.resultPromise);
  host.log.debug(`An edit ended: ${result.kind}`);
  if (result.kind === 'refused')
    host.log.info(
      `The answer to an edit was refused: ${result.doubt ?? result.cause?.rule ?? result.reason}`,
    );
  await showEditResult(startedEdit.edit, result, edits);
}

/** Clears the selection, because the changes would be hard to see in selected text. */
function clearSelection({ document, span }: Pick<EditorTarget, 'document' | 'span'>): void {
  const editor = findEditor(document);
  if (editor === undefined || editor.selection.isEmpty) return;
  const startPosition = document.lineAt(span.start).range.start;
  editor.selection = new vscode.Selection(startPosition, startPosition);
}

/**
 * Reason why a document cannot be edited or sent to the service. `declined`: the user declined. `blocked`: any other
 * reason, which `message` states.
 */
type EditObstacle =
  | { readonly kind: 'declined' }
  | { readonly kind: 'blocked'; readonly message: string };

/**
 * Returns the reason why the document cannot be edited or sent to the service. Returns undefined if both are possible.
 */
async function findEditObstacle(document: vscode.TextDocument): Promise<EditObstacle | undefined> {
  if (await isReadOnly(document))
    return {
      kind: 'blocked',
      message: vscode.l10n.t('The file cannot be changed: it is read-only.'),
    };
  const consent = await authorizeSending(document);
  if (consent === 'yes') return undefined;
  return consent === 'no' ? { kind: 'declined' } : { kind: 'blocked', message: consent.reason };
}

async function isReadOnly({ uri, isUntitled }: vscode.TextDocument): Promise<boolean> {
  if (isUntitled || uri.scheme === 'vscode-notebook-cell') return false;
  const { fs } = vscode.workspace;
  if (fs.isWritableFileSystem(uri.scheme) === false) return true;
  try {
    const { permissions = 0 } = await fs.stat(uri);
    return (permissions & vscode.FilePermission.Readonly) !== 0;
  } catch {
    // A missing file is writable.
    return false;
  }
}

async function getInstruction(
  { host }: EditDependencies,
  kind: EditKind,
  target: EditorTarget,
): Promise<string | undefined> {
  switch (kind) {
    case 'editInline':
      return promptForInstruction(formatTarget(target), host.context.workspaceState);
    case 'fix':
      return 'Fix the problems of the lines. Change nothing else.';
    case 'document':
      return 'Document the code in the lines, with comments in the form that is usual in the language. Change nothing but comments.';
  }
}

async function showEditFailure(
  edit: InlineEdit,
  { outcome: { failure } }: Extract<EditResult, { kind: 'failed' }>,
  edits: InlineEdits,
): Promise<void> {
  if (isCanceled(failure)) return;
  await showFailure(toShownFailure(failure), {
    retry: () => retryEdit(edit, edits),
    suggestedActions: ['retry'],
  });
}

/**
 * Retries a failed or refused edit. If the edit has ended, starts a new edit, unless the document changed since then.
 * Does not stop a newer run, and does not discard its lines.
 */
async function retryEdit(edit: InlineEdit, edits: InlineEdits): Promise<void> {
  if (edit.state === 'stopped') return showEditResult(edit, await edit.retry(), edits);
  if (edit.state !== 'completed' || !edit.isOriginal) return showMessage(formatOutdatedEdit());
  const startedEdit = await edits.start({ ...edit.options, span: edit.span });
  await showEditResult(startedEdit.edit, await startedEdit.resultPromise, edits);
}

function showMessage(message: string): void {
  void showInformation(message);
}
