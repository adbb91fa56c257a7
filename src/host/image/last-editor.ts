import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable.ts';

/** Where the person wrote last: the studio's tab takes the place of the editor, but not of what is meant by it. */
export class LastEditor implements Disposable {
  readonly #registration: vscode.Disposable;
  #editor: vscode.TextEditor | undefined;

  constructor() {
    this.#take(vscode.window.activeTextEditor);
    this.#registration = vscode.window.onDidChangeActiveTextEditor((editor) => this.#take(editor));
  }

  /** Undefined when none is open any more. */
  get document(): vscode.TextDocument | undefined {
    const document = this.#editor?.document;
    return document?.isClosed === true ? undefined : document;
  }

  /** Where its cursor stood. */
  get position(): vscode.Position | undefined {
    const { document } = this;
    const end = this.#editor?.selection.end;
    return end && document?.validatePosition(end);
  }

  dispose(): void {
    this.#registration.dispose();
  }

  #take(editor: vscode.TextEditor | undefined): void {
    if (editor !== undefined && editor.document.uri.scheme !== 'output') this.#editor = editor;
  }
}
