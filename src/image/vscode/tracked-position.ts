import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable.ts';

/** A place in a document that stays where it is in the text while the person goes on writing. */
export class TrackedPosition implements Disposable {
  readonly document: vscode.TextDocument;
  readonly #registration: vscode.Disposable;
  #offset: number;

  constructor(document: vscode.TextDocument, position: vscode.Position) {
    this.document = document;
    this.#offset = document.offsetAt(position);
    this.#registration = vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document === document) this.#follow(event.contentChanges);
    });
  }

  get position(): vscode.Position {
    return this.document.positionAt(this.#offset);
  }

  dispose(): void {
    this.#registration.dispose();
  }

  /** All changes of one event are given in the offsets before it. */
  #follow(changes: readonly vscode.TextDocumentContentChangeEvent[]): void {
    const before = this.#offset;
    for (const { rangeOffset, rangeLength, text } of changes) {
      const end = rangeOffset + rangeLength;
      if (end <= before) this.#offset += text.length - rangeLength;
      // What was replaced around it leaves it at the end of the new text.
      else if (rangeOffset < before) this.#offset += rangeOffset + text.length - before;
    }
  }
}
