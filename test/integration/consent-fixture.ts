import * as vscode from 'vscode';

/** Records modal dialogs, and presses the prepared buttons in order. If no button is left, dismisses the dialog. */
export class FakeConsentDialogs implements Disposable {
  readonly questions: string[] = [];
  readonly details: string[] = [];
  readonly buttons: (readonly string[])[] = [];
  readonly answers: string[];
  readonly #original = vscode.window.showWarningMessage;

  constructor(...answers: readonly string[]) {
    this.answers = [...answers];
    const showWarningMessage = async (
      question: string,
      options: vscode.MessageOptions,
      ...buttons: readonly string[]
    ): Promise<string | undefined> => {
      this.questions.push(question);
      this.details.push(options.detail ?? '');
      this.buttons.push(buttons);
      return this.answers.shift();
    };
    Object.assign(vscode.window, { showWarningMessage });
  }

  [Symbol.dispose](): void {
    Object.assign(vscode.window, { showWarningMessage: this.#original });
  }
}
