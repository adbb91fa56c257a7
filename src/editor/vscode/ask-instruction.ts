import * as vscode from 'vscode';
import { withoutIcons } from '../../platform/notifications.ts';

const stateKey = 'inlineEdit.instructions';
const mostKept = 20;
const longest = 4_000;

/**
 * Asks what to change. What was asked before stands below the input.
 * @param label The file and its lines.
 * @returns undefined when the person changed their mind
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
    const own = { label: withoutIcons(typed), text: typed, alwaysShow: true };
    const earlier = kept
      .filter((text) => text !== typed)
      .map((text) => ({ label: withoutIcons(text), text }));
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

/** What is stored may be anything. */
const readKept = (stored: unknown): readonly string[] =>
  (Array.isArray(stored) ? stored : [])
    .filter((each): each is string => typeof each === 'string' && each !== '')
    .slice(0, mostKept);
