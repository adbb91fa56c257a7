import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';
import { Emitter, type Event } from '../../../base/event.ts';

/** Where the person wrote last: the studio's tab takes the place of the editor, but not of what is meant by it. */
export class LastEditor implements Disposable {
  readonly #owned = new DisposableStore();
  readonly #changes = this.#owned.add(new Emitter<void>());
  #editor: vscode.TextEditor | undefined;

  constructor() {
    this.#take(vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors[0]);
    this.#owned.add(
      vscode.window.onDidChangeActiveTextEditor((editor) => {
        this.#take(editor);
        this.#changes.fire();
      }),
    );
  }

  /** Another editor is meant, or none any more. */
  readonly onDidChange: Event<void> = (listener) => this.#changes.event(listener);

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
    this.#owned.dispose();
  }

  #take(editor: vscode.TextEditor | undefined): void {
    if (editor !== undefined && editor.document.uri.scheme !== 'output') this.#editor = editor;
  }
}
