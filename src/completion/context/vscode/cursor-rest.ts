import * as vscode from 'vscode';
import type { Clock } from '../../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';

/** Position where the cursor has been idle. */
export interface IdleCursor {
  readonly document: vscode.TextDocument;
  readonly position: vscode.Position;
  /** Returns true if the cursor has not moved since the idle event. */
  readonly isUnmoved: () => boolean;
}

export interface CursorIdleOptions {
  readonly clock: Clock;
  /** Idle time in milliseconds. */
  readonly ms: number;
  /** Called after the idle time. Must not reject. */
  readonly onIdle: (place: IdleCursor) => Promise<void>;
}

/** Reports when the cursor of the active editor is idle. Never in an untrusted workspace. */
export class CursorIdleTimer implements Disposable {
  readonly #owned = new DisposableStore();
  readonly #options: CursorIdleOptions;
  #cancel = (): void => {};
  /** Number of cursor moves. */
  #moves = 0;

  constructor(options: CursorIdleOptions) {
    this.#options = options;
    const { window } = vscode;
    this.#owned.add(
      window.onDidChangeTextEditorSelection(({ textEditor }) => {
        // Inactive editors report selections, too.
        if (textEditor === window.activeTextEditor) this.restart();
      }),
    );
    this.#owned.add(window.onDidChangeActiveTextEditor(() => this.restart()));
    this.restart();
  }

  /** Restarts the idle time, as after a cursor move. */
  restart(): void {
    this.#moves += 1;
    this.#cancel();
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined || !vscode.workspace.isTrusted) return;
    const moves = this.#moves;
    const { document } = editor;
    const isUnmoved = (): boolean => this.#moves === moves && !document.isClosed;
    this.#cancel = this.#options.clock.after(this.#options.ms, () => {
      const position = editor.selection.active;
      if (!document.isClosed) void this.#options.onIdle({ document, position, isUnmoved });
    });
  }

  dispose(): void {
    this.#moves += 1;
    this.#cancel();
    this.#owned.dispose();
  }
}
