import * as vscode from 'vscode';
import { failureAction, isChatAction } from '../../account/vscode/failure-actions.ts';
import { editorOf } from './edited-lines.ts';
import { type EditorPlace, maySend, placeLabel, placeOf, problemWords } from './editor-target.ts';
import type { EditEnd, InlineEdit } from './inline-edit.ts';
import type { InlineEdits } from './inline-edits.ts';
import type { Host } from '../../host.ts';
import {
  showProgress,
  showError,
  showInformation,
  showStatusMessage,
  showWarning,
  escapeIcons,
} from '../../platform/notifications.ts';
import { failureTable } from '../../service/http/failure.ts';

const stateKey = 'inlineEdit.instructions';
const mostKept = 20;
const longest = 4_000;

/**
 * Prompts for an instruction, with earlier instructions as suggestions.
 * @param label File name and line numbers.
 * @returns undefined if canceled
 */
export async function askInstruction(
  label: string,
  state: vscode.Memento,
): Promise<string | undefined> {
  const kept = readKept(state.get<unknown>(stateKey));
  const typed = await pick(label, kept);
  const instruction = typed?.trim().slice(0, longest);
  if (instruction === undefined || instruction === '') return undefined;
  const others = kept.filter((each) => each !== instruction);
  await state.update(stateKey, [instruction, ...others].slice(0, mostKept));
  return instruction;
}

function pick(label: string, kept: readonly string[]): Promise<string | undefined> {
  const input = vscode.window.createQuickPick<vscode.QuickPickItem & { readonly text: string }>();
  input.title = vscode.l10n.t('Edit {0}', label);
  input.placeholder = vscode.l10n.t('What should change? Press Enter to begin.');
  input.ignoreFocusOut = true;
  const show = (): void => {
    const typed = input.value.trim();
    const own = { label: escapeIcons(typed), text: typed, alwaysShow: true };
    const earlier = kept
      .filter((text) => text !== typed)
      .map((text) => ({ label: escapeIcons(text), text }));
    input.items = typed === '' ? earlier : [own, ...earlier];
  };
  show();
  input.onDidChangeValue(show);
  return new Promise((resolve) => {
    input.onDidAccept(() => {
      resolve(input.activeItems[0]?.text ?? input.value);
      input.hide();
    });
    input.onDidHide(() => {
      resolve(undefined);
      input.dispose();
    });
    input.show();
  });
}

/** Validates the stored instructions, which may have any shape. */
const readKept = (stored: unknown): readonly string[] =>
  (Array.isArray(stored) ? stored : [])
    .filter((each): each is string => typeof each === 'string' && each !== '')
    .slice(0, mostKept);

interface Parts {
  readonly host: Host;
  readonly edits: InlineEdits;
}

export type EditKind = 'editInline' | 'fix' | 'document';

/** Edits lines in place. The instruction comes from the user or from the command. */
export async function editPlace(
  parts: Parts,
  kind: EditKind,
  args: readonly unknown[],
): Promise<void> {
  const place = await placeOf(args, parts.host.service.clock);
  if (place === undefined) return tell(vscode.l10n.t('Open a file first.'));
  if (kind === 'fix' && place.problems.length === 0)
    return tell(vscode.l10n.t('There are no problems at {0}.', placeLabel(place)));
  const why = await whyNot(place.document);
  if (why !== undefined) return why === 'no' ? undefined : tell(why);
  const instruction = await instructionFor(parts, kind, place);
  if (instruction === undefined) return;
  await run(parts, place, instruction);
}

/** Shows the result of an edit, with the user's next steps. */
export async function tellEnd(edit: InlineEdit, end: EditEnd, edits: InlineEdits): Promise<void> {
  switch (end.kind) {
    case 'changed':
      return showStatusMessage(vscode.l10n.t('The edit is done. Accept or reject it.'));
    case 'stopped':
    case 'lost':
      return;
    case 'unchanged':
      return tell(vscode.l10n.t('The model left the lines as they are.'));
    case 'nothing':
      return tell(
        vscode.l10n.t('The model answered without any lines. Say more precisely what to change.'),
      );
    case 'read-only':
      return tell(vscode.l10n.t('The file cannot be changed: it is read-only.'));
    case 'cut-off':
      void showWarning(
        vscode.l10n.t('The answer was cut off: the model may not write more. Edit fewer lines.'),
      );
      return;
    case 'failed':
      return tellFailure(edit, end, edits);
  }
}

async function run(
  { host, edits }: Parts,
  { document, span, problems }: EditorPlace,
  instruction: string,
): Promise<void> {
  unselect({ document, span });
  const begun = await edits.begin({
    document,
    span,
    instruction,
    problems: problems.map(problemWords),
  });
  const location = vscode.ProgressLocation.Window;
  const title = vscode.l10n.t('Editing {0}', placeLabel({ document, span }));
  const end = await showProgress({ location, title }, () => begun.end);
  host.log.debug(`An edit ended: ${end.kind}`);
  await tellEnd(begun.edit, end, edits);
}

/** Clears the selection, which would hide the changes. */
function unselect({ document, span }: Pick<EditorPlace, 'document' | 'span'>): void {
  const editor = editorOf(document);
  if (editor === undefined || editor.selection.isEmpty) return;
  const start = document.lineAt(span.start).range.start;
  editor.selection = new vscode.Selection(start, start);
}

/** Returns the reason that a document cannot be edited or sent, or `no` if the user declined. */
async function whyNot(document: vscode.TextDocument): Promise<string | undefined> {
  if (await isReadOnly(document))
    return vscode.l10n.t('The file cannot be changed: it is read-only.');
  const may = await maySend(document);
  if (may === 'yes') return undefined;
  return may === 'no' ? 'no' : may.why;
}

async function isReadOnly({ uri, isUntitled }: vscode.TextDocument): Promise<boolean> {
  if (isUntitled || uri.scheme === 'vscode-notebook-cell') return false;
  const { fs } = vscode.workspace;
  if (fs.isWritableFileSystem(uri.scheme) === false) return true;
  try {
    const { permissions = 0 } = await fs.stat(uri);
    return (permissions & vscode.FilePermission.Readonly) !== 0;
  } catch {
    // A file that does not exist on disk yet can be written.
    return false;
  }
}

async function instructionFor(
  { host }: Parts,
  kind: EditKind,
  place: EditorPlace,
): Promise<string | undefined> {
  switch (kind) {
    case 'editInline':
      return askInstruction(placeLabel(place), host.context.workspaceState);
    case 'fix':
      return 'Fix the problems of the lines. Change nothing else.';
    case 'document':
      return 'Document the code in the lines, with comments in the form that is usual in the language. Change nothing but comments.';
  }
}

async function tellFailure(
  edit: InlineEdit,
  { outcome: { failure } }: Extract<EditEnd, { kind: 'failed' }>,
  edits: InlineEdits,
): Promise<void> {
  const actions = failureTable[failure.code].actions.flatMap((action) =>
    isChatAction(action) ? [] : [failureAction(action)],
  );
  const retry = vscode.l10n.t('Retry');
  const buttons = [retry, ...actions.map(({ label }) => label)].slice(0, 3);
  const pressed = await showError(failure.message, ...buttons);
  if (pressed === retry) await runAgain(edit, edits);
  else await actions.find(({ label }) => label === pressed)?.run();
}

/** Retries a failed edit. An edit that ended without changes starts as a new edit. */
async function runAgain(edit: InlineEdit, edits: InlineEdits): Promise<void> {
  if (edit.state !== 'over') return tellEnd(edit, await edit.retry(), edits);
  if (edit.wish.document.isClosed) return;
  const begun = await edits.begin({ ...edit.wish, span: edit.span });
  await tellEnd(begun.edit, await begun.end, edits);
}

function tell(message: string): void {
  void showInformation(message);
}
