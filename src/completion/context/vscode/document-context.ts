import * as vscode from 'vscode';
import type { Clock } from '../../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';
import type { ContextPart } from '../../ports.ts';
import type { Snapshot } from '../../snapshot.ts';
import { cellsAbove } from './cells-above.ts';
import type { FileRules } from './file-rules.ts';
import { ImportedOutlines } from './imported-outlines.ts';
import { NearDefinitions } from './near-definitions.ts';
import { cellOf, documentAt } from '../../../workspace/vscode/documents.ts';
import { OpenTabs } from './open-tabs.ts';
import type { Piece, PieceSource } from './piece.ts';
import { RecentEdits } from './recent-edits.ts';
import { isSecretText } from '../secret-text.ts';

export interface DocumentContextOptions {
  readonly rules: FileRules;
  readonly clock: Clock;
  /** Takes what went wrong in the background, for the log. */
  readonly note: (line: string) => void;
}

/** Gathers in the background what may go along with the text around a cursor. Nothing in a workspace that is not trusted. */
export class DocumentContext implements Disposable {
  readonly #owned = new DisposableStore();
  readonly #rules: FileRules;
  readonly #sources: readonly PieceSource[];

  constructor(options: DocumentContextOptions) {
    const { rules } = options;
    this.#rules = rules;
    this.#sources = [
      this.#owned.add(new NearDefinitions(options)),
      this.#owned.add(new ImportedOutlines(options)),
      this.#owned.add(new RecentEdits(options)),
      this.#owned.add(new OpenTabs(options)),
      cellsAbove,
    ];
  }

  /** What is known now, best first. Every piece is judged by the rules as they are now. */
  context(snapshot: Snapshot): readonly ContextPart[] {
    if (!vscode.workspace.isTrusted) return [];
    const document = documentAt(snapshot.document);
    if (document === undefined || this.#rules.ruleFor(document.uri) !== undefined) return [];
    return this.#sources
      .flatMap((source) => source.pieces(document, snapshot))
      .filter((piece) => this.#mayGo(piece, document))
      .map(({ part }) => part);
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #mayGo({ uri, part }: Piece, document: vscode.TextDocument): boolean {
    if (isSecretText(part.text)) return false;
    return isSameFile(uri, document)
      ? this.#rules.ruleFor(uri) === undefined
      : this.#rules.isShareable(uri);
  }
}

/** A document is its own context wherever it lies, and so is a notebook for its cells. */
function isSameFile(uri: vscode.Uri, document: vscode.TextDocument): boolean {
  if (uri.toString() === document.uri.toString()) return true;
  const cells = cellOf(document)?.notebook.getCells() ?? [];
  return cells.some((cell) => cell.document.uri.toString() === uri.toString());
}
