import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';
import { Emitter, type Event } from '../../../base/event.ts';
import { type TextState, WatchedText } from '../secret-text.ts';

/** Judges open documents by what they say, as soon as somebody asks for them. */
export class TextRules implements Disposable {
  readonly #owned = new DisposableStore();
  readonly #changed = this.#owned.add(new Emitter<void>());
  readonly #texts = new Map<vscode.TextDocument, WatchedText>();

  constructor() {
    this.#owned.add(vscode.workspace.onDidChangeTextDocument((event) => this.#follow(event)));
    this.#owned.add(
      vscode.workspace.onDidCloseTextDocument((document) => void this.#texts.delete(document)),
    );
  }

  /** A document that was clean is secret now, or the other way round. */
  readonly onDidChange: Event<void> = (listener) => this.#changed.event(listener);

  /** Undefined while the document was not read. */
  stateOf(document: vscode.TextDocument): TextState | undefined {
    return this.#texts.get(document)?.state;
  }

  /** Resolves when the whole text was read. */
  read(document: vscode.TextDocument): Promise<TextState> {
    const text = this.#texts.get(document) ?? new WatchedText(document, () => this.#changed.fire());
    if (!document.isClosed) this.#texts.set(document, text);
    return text.read();
  }

  dispose(): void {
    this.#owned.dispose();
    this.#texts.clear();
  }

  #follow({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    this.#texts.get(document)?.follow(contentChanges);
  }
}
