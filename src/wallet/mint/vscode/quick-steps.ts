import * as vscode from 'vscode';
import { DisposableStore } from '../../../base/disposable.ts';

/** Where one question stands among all of them. */
export interface StepPosition {
  readonly title: string;
  /** From 1, with a way back from each; absent before it is known whether there are others. */
  readonly step?: number;
  readonly totalSteps?: number;
}

/** What came of one question: a value, the way back, or nothing when the person went away. */
export type StepResult<T> = { readonly value: T } | 'back' | undefined;

export interface Choice<T> extends vscode.QuickPickItem {
  readonly value: T;
}

interface PickStep<T> extends StepPosition {
  readonly placeholder: string;
  readonly choices: readonly Choice<T>[];
  /** The one that Enter takes; the first by default. */
  readonly active?: T;
}

interface TextStep extends StepPosition {
  readonly prompt: string;
  readonly value: string;
  readonly placeholder?: string;
  /** Why the text cannot be taken; `undefined` when it can. */
  readonly problem: (text: string) => string | undefined;
}

/** One of several choices. */
export function showPickStep<T>(step: PickStep<T>): Promise<StepResult<T>> {
  const pick = vscode.window.createQuickPick<Choice<T>>();
  pick.placeholder = step.placeholder;
  pick.matchOnDescription = true;
  pick.items = step.choices;
  const active = step.choices.find(({ value }) => value === step.active);
  // An empty list would take the focus from the first one.
  if (active !== undefined) pick.activeItems = [active];
  return shownStep(pick, step, () => pick.selectedItems[0]);
}

/** A short text. */
export function showTextStep(step: TextStep): Promise<StepResult<string>> {
  const input = vscode.window.createInputBox();
  input.prompt = step.prompt;
  input.placeholder = step.placeholder ?? '';
  input.value = step.value;
  const check = (): string | undefined => step.problem(input.value.trim());
  const watching = input.onDidChangeValue(() => {
    input.validationMessage = check();
  });
  const answer = shownStep(input, step, () => {
    input.validationMessage = check();
    return input.validationMessage === undefined ? { value: input.value.trim() } : undefined;
  });
  return answer.finally(() => watching.dispose());
}

type AnyInput = vscode.InputBox | vscode.QuickPick<vscode.QuickPickItem>;

/** @param accepted The answer that stands there; `undefined` while there is none that can be taken. */
function shownStep<T>(
  input: Pick<AnyInput, keyof vscode.InputBox & keyof vscode.QuickPick<vscode.QuickPickItem>>,
  { title, step, totalSteps }: StepPosition,
  accepted: () => { readonly value: T } | undefined,
): Promise<StepResult<T>> {
  const owned = new DisposableStore();
  Object.assign(input, { title, step, totalSteps, ignoreFocusOut: true });
  input.buttons = step === undefined ? [] : [vscode.QuickInputButtons.Back];
  owned.add(input);
  return new Promise((resolve) => {
    const end = (answer: StepResult<T>): void => {
      resolve(answer);
      owned.dispose();
    };
    owned.add(input.onDidHide(() => end(undefined)));
    owned.add(
      input.onDidTriggerButton((button) => {
        if (button === vscode.QuickInputButtons.Back) end('back');
      }),
    );
    owned.add(
      input.onDidAccept(() => {
        const found = accepted();
        if (found !== undefined) end({ value: found.value });
      }),
    );
    input.show();
  });
}
