import * as vscode from 'vscode';
import type { Clock } from '../../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';

/** Document and position of a cursor that has not moved for some time. */
export interface IdleCursor {
  readonly document: vscode.TextDocument;
  readonly position: vscode.Position;
  /** Returns true if the cursor has not moved since this position was reported. */
  readonly isUnmoved: () => boolean;
}

export interface CursorIdleOptions {
  readonly clock: Clock;
  /** Idle time in milliseconds. */
  readonly ms: number;
  /** Called when the cursor has not moved for the idle time. Must not reject. */
  readonly onIdle: (cursor: IdleCursor) => Promise<void>;
}

/** Reports when the cursor of the active editor stops moving. Reports nothing in an untrusted workspace. */
export class CursorIdleTimer implements Disposable {
  readonly #owned = new DisposableStore();
  readonly #options: CursorIdleOptions;
  #cancel = (): void => {};
  /** Number of cursor moves since creation. */
  #moveCount = 0;

  constructor(options: CursorIdleOptions) {
    this.#options = options;
    const { window } = vscode;
    this.#owned.add(
      window.onDidChangeTextEditorSelection(({ textEditor }) => {
        // Inactive editors also report selections.
        if (textEditor === window.activeTextEditor) this.restart();
      }),
    );
    this.#owned.add(window.onDidChangeActiveTextEditor(() => this.restart()));
    this.restart();
  }

  /** Starts the idle time again, for example after a cursor move. */
  restart(): void {
    this.#moveCount += 1;
    this.#cancel();
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined || !vscode.workspace.isTrusted) return;
    const moveCount = this.#moveCount;
    const { document } = editor;
    const isUnmoved = (): boolean => this.#moveCount === moveCount && !document.isClosed;
    this.#cancel = this.#options.clock.after(this.#options.ms, () => {
      const position = editor.selection.active;
      if (!document.isClosed) void this.#options.onIdle({ document, position, isUnmoved });
    });
  }

  dispose(): void {
    this.#moveCount += 1;
    this.#cancel();
    this.#owned.dispose();
  }
}
