import * as vscode from 'vscode';
import type { Clock } from '../../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';

/** A place where the cursor has stayed for a while. */
export interface IdleCursor {
  readonly document: vscode.TextDocument;
  readonly position: vscode.Position;
  /** Whether it is still there. */
  readonly isHere: () => boolean;
}

export interface CursorIdleOptions {
  readonly clock: Clock;
  /** Milliseconds without a move. */
  readonly ms: number;
  /** Must not reject. */
  readonly onIdle: (place: IdleCursor) => Promise<void>;
}

/** Tells when the cursor of the active editor rests. Never in a workspace that is not trusted. */
export class CursorIdleTimer implements Disposable {
  readonly #owned = new DisposableStore();
  readonly #options: CursorIdleOptions;
  #cancel = (): void => {};
  /** Counts the moves. */
  #moves = 0;

  constructor(options: CursorIdleOptions) {
    this.#options = options;
    const { window } = vscode;
    this.#owned.add(
      window.onDidChangeTextEditorSelection(({ textEditor }) => {
        // Editors that are not looked at tell of theirs too.
        if (textEditor === window.activeTextEditor) this.restart();
      }),
    );
    this.#owned.add(window.onDidChangeActiveTextEditor(() => this.restart()));
    this.restart();
  }

  /** The cursor begins to rest now, as after a move. */
  restart(): void {
    this.#moves += 1;
    this.#cancel();
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined || !vscode.workspace.isTrusted) return;
    const moves = this.#moves;
    const { document } = editor;
    const isHere = (): boolean => this.#moves === moves && !document.isClosed;
    this.#cancel = this.#options.clock.after(this.#options.ms, () => {
      const position = editor.selection.active;
      if (!document.isClosed) void this.#options.onIdle({ document, position, isHere });
    });
  }

  dispose(): void {
    this.#moves += 1;
    this.#cancel();
    this.#owned.dispose();
  }
}
