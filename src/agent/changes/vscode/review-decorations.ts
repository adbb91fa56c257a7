import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';
import { type MarkKind, markKinds, markStyles, reviewMarks } from './review-marks.ts';
import type { Reviews } from './reviews.ts';

/** Colours what waits for review in the editors on the screen, in the colours of the editor's own comparisons. */
export class ReviewDecorations implements Disposable {
  readonly #reviews: Reviews;
  readonly #owned = new DisposableStore();
  #types: MarkTypes | undefined;

  constructor(reviews: Reviews) {
    this.#reviews = reviews;
    this.#owned.add(reviews.onDidChange(() => this.#draw()));
    this.#owned.add(vscode.window.onDidChangeVisibleTextEditors(() => this.#draw()));
    this.#draw();
  }

  dispose(): void {
    this.#clear();
    this.#owned.dispose();
  }

  #draw(): void {
    if (this.#reviews.isEmpty) this.#clear();
    else for (const editor of vscode.window.visibleTextEditors) this.#drawIn(editor);
  }

  #drawIn(editor: vscode.TextEditor): void {
    const { document } = editor;
    if (!this.#reviews.has(document.uri) && this.#types === undefined) return;
    this.#types ??= createTypes();
    const marks = reviewMarks(document, this.#reviews.hunks(document));
    for (const kind of markKinds) editor.setDecorations(this.#types[kind], marks[kind]);
  }

  #clear(): void {
    if (this.#types !== undefined) {
      for (const kind of markKinds) this.#types[kind].dispose();
    }
    this.#types = undefined;
  }
}

type MarkTypes = Readonly<Record<MarkKind, vscode.TextEditorDecorationType>>;

function createTypes(): MarkTypes {
  const create = (kind: MarkKind): vscode.TextEditorDecorationType =>
    vscode.window.createTextEditorDecorationType(markStyles[kind]);
  return {
    added: create('added'),
    removedBelow: create('removedBelow'),
    removedAbove: create('removedAbove'),
  };
}
