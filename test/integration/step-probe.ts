import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { eventually } from '../support/eventually.ts';

type OpenQuestion = vscode.QuickPick<vscode.QuickPickItem> | vscode.InputBox;
type Listener = (value: unknown) => unknown;

/** Captures the quick picks and input boxes of a flow with several steps. Simulates the user's input in them. */
export class StepProbe implements Disposable {
  readonly #originalFunctions = {
    createQuickPick: vscode.window.createQuickPick,
    createInputBox: vscode.window.createInputBox,
  };
  #question: OpenQuestion | undefined;
  #listeners = new Map<string, Listener>();

  constructor() {
    const { createQuickPick, createInputBox } = this.#originalFunctions;
    Object.assign(vscode.window, {
      createQuickPick: () => this.#captureListeners(createQuickPick()),
      createInputBox: () => this.#captureListeners(createInputBox()),
    });
  }

  /** Waits for the next step and selects the item with this label. */
  async choose(label: string): Promise<void> {
    const pick = await this.#waitForStep();
    assert.ok('items' in pick, `“${label}” is asked for in words`);
    const item = pick.items.find((item) => item.label === label);
    assert.ok(item, `${label} is none of ${pick.items.map((item) => item.label).join(', ')}`);
    pick.selectedItems = [item];
    this.#answer('onDidAccept');
  }

  /**
   * Types a text and presses Enter. If the text is invalid, returns the validation message, and the step stays open.
   * Otherwise returns an empty string.
   */
  async type(text: string): Promise<string> {
    const input = await this.#waitForStep();
    assert.ok(!('items' in input));
    input.value = text;
    const listeners = this.#listeners;
    listeners.get('onDidAccept')?.(undefined);
    const message = input.validationMessage;
    const problem = typeof message === 'string' ? message : (message?.message ?? '');
    if (problem === '' && listeners === this.#listeners) this.#question = undefined;
    return problem;
  }

  async goBack(): Promise<void> {
    const { buttons } = await this.#waitForStep();
    assert.ok(buttons.includes(vscode.QuickInputButtons.Back));
    this.#answer('onDidTriggerButton', vscode.QuickInputButtons.Back);
  }

  /** Returns the number of the open step, and the total number of steps, such as `3/7`. */
  async readStepNumber(): Promise<string> {
    const { step, totalSteps } = await this.#waitForStep();
    return `${step}/${totalSteps}`;
  }

  [Symbol.dispose](): void {
    Object.assign(vscode.window, this.#originalFunctions);
    this.#question?.dispose();
  }

  #answer(event: string, value?: unknown): void {
    this.#question = undefined;
    this.#listeners.get(event)?.(value);
  }

  async #waitForStep(): Promise<OpenQuestion> {
    return eventually(() => {
      assert.ok(this.#question !== undefined, 'no question is open');
      return this.#question;
    });
  }

  /** Captures listeners when the extension adds them, because tests cannot fire events of VS Code. */
  #captureListeners<T extends OpenQuestion>(question: T): T {
    const listeners = new Map<string, Listener>();
    return new Proxy(question, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (name === 'show') {
          return () => {
            this.#question = question;
            this.#listeners = listeners;
            question.show();
          };
        }
        if (typeof name === 'string' && name.startsWith('onDid')) {
          return (listener: Listener): unknown => {
            // Replaces an earlier listener for the same event: the flow adds its listener last, and
            // the earlier listener would end the flow.
            listeners.set(name, listener);
            return (value as (listener: Listener) => unknown)(listener);
          };
        }
        return typeof value === 'function' ? value.bind(target) : value;
      },
      set: (target, name, value) => Reflect.set(target, name, value, target),
    });
  }
}
