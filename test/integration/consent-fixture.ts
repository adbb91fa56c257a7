import * as vscode from 'vscode';

/**
 * Records modal dialogs, and presses the prepared buttons in order. After the last prepared button, dismisses all
 * further dialogs.
 */
export class FakeConsentDialogs implements Disposable {
  readonly shownQuestions: string[] = [];
  readonly shownDetails: string[] = [];
  readonly shownButtons: (readonly string[])[] = [];
  readonly answers: string[];
  readonly #originalShow = vscode.window.showWarningMessage;

  constructor(...answers: readonly string[]) {
    this.answers = [...answers];
    const showWarningMessage = async (
      question: string,
      options: vscode.MessageOptions,
      ...buttons: readonly string[]
    ): Promise<string | undefined> => {
      this.shownQuestions.push(question);
      this.shownDetails.push(options.detail ?? '');
      this.shownButtons.push(buttons);
      return this.answers.shift();
    };
    Object.assign(vscode.window, { showWarningMessage });
  }

  [Symbol.dispose](): void {
    Object.assign(vscode.window, { showWarningMessage: this.#originalShow });
  }
}
