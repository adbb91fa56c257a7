import * as vscode from 'vscode';
import { DisposableStore } from '../../../base/disposable.ts';

/** Position of one prompt in a sequence of prompts. */
export interface StepPosition {
  readonly title: string;
  /** Number of the step, from 1. An input with a step number has a back button. */
  readonly step?: number;
  readonly totalSteps?: number;
}

/** Result of one prompt: a value, `'back'`, or `undefined` when the user cancels. */
export type StepResult<T> = { readonly value: T } | 'back' | undefined;

export interface StepChoice<T> extends vscode.QuickPickItem {
  readonly value: T;
}

interface PickStep<T> extends StepPosition {
  readonly placeholder: string;
  readonly choices: readonly StepChoice<T>[];
  /** Preselected value; defaults to the first choice. */
  readonly activeValue?: T;
}

interface TextStep extends StepPosition {
  readonly prompt: string;
  readonly value: string;
  readonly placeholder?: string;
  /** Message about the value, shown until the user changes the value. */
  readonly message?: string | undefined;
  /** Returns a message if the text is invalid; otherwise `undefined`. */
  readonly findProblem: (text: string) => string | undefined;
}

/** Shows a quick pick from which the user selects one choice. */
export function showPickStep<T>(step: PickStep<T>): Promise<StepResult<T>> {
  const quickPick = vscode.window.createQuickPick<StepChoice<T>>();
  quickPick.placeholder = step.placeholder;
  quickPick.matchOnDescription = true;
  quickPick.items = step.choices;
  const activeChoice = step.choices.find(({ value }) => value === step.activeValue);
  // An empty list would remove the default focus from the first item.
  if (activeChoice !== undefined) quickPick.activeItems = [activeChoice];
  return showStep(quickPick, step, () => quickPick.selectedItems[0]);
}

/** Shows an input box for a short text. */
export function showTextStep(step: TextStep): Promise<StepResult<string>> {
  const input = vscode.window.createInputBox();
  input.prompt = step.prompt;
  input.placeholder = step.placeholder ?? '';
  input.value = step.value;
  input.validationMessage = step.message;
  const findInputProblem = (): string | undefined => step.findProblem(input.value.trim());
  const changeListener = input.onDidChangeValue(() => {
    input.validationMessage = findInputProblem();
  });
  const answerPromise = showStep(input, step, () => {
    input.validationMessage = findInputProblem();
    return input.validationMessage === undefined ? { value: input.value.trim() } : undefined;
  });
  return answerPromise.finally(() => changeListener.dispose());
}

type AnyInput = vscode.InputBox | vscode.QuickPick<vscode.QuickPickItem>;

/**
 * Shows the input and resolves when the user confirms, goes back or cancels.
 * @param readAnswer Returns the entered or selected answer; `undefined` while it is invalid.
 */
function showStep<T>(
  input: Pick<AnyInput, keyof vscode.InputBox & keyof vscode.QuickPick<vscode.QuickPickItem>>,
  { title, step, totalSteps }: StepPosition,
  readAnswer: () => { readonly value: T } | undefined,
): Promise<StepResult<T>> {
  const disposables = new DisposableStore();
  Object.assign(input, { title, step, totalSteps, ignoreFocusOut: true });
  input.buttons = step === undefined ? [] : [vscode.QuickInputButtons.Back];
  disposables.add(input);
  return new Promise((resolve) => {
    const resolveStep = (answer: StepResult<T>): void => {
      resolve(answer);
      disposables.dispose();
    };
    disposables.add(input.onDidHide(() => resolveStep(undefined)));
    disposables.add(
      input.onDidTriggerButton((button) => {
        if (button === vscode.QuickInputButtons.Back) resolveStep('back');
      }),
    );
    disposables.add(
      input.onDidAccept(() => {
        const answer = readAnswer();
        if (answer !== undefined) resolveStep({ value: answer.value });
      }),
    );
    input.show();
  });
}
