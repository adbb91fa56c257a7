import * as vscode from 'vscode';
import type { Clock } from '../../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';
import { isSecretText } from '../secret-text.ts';
import { textBefore } from '../text-lines.ts';
import type { FileRules } from './file-rules.ts';
import { ImportedOutlines } from './imported-outlines.ts';
import { NearbyDefinitions } from './near-definitions.ts';
import { OpenTabs } from './open-tabs.ts';
import { RecentEdits } from './recent-edits.ts';
import type { SourcedSnippet, SnippetSource } from './snippet-cache.ts';
import type { ContextSnippet } from '../../ports.ts';
import type { Snapshot } from '../../snapshot.ts';
import { cellOf, openDocument, pathForModel } from '../../../workspace/vscode/documents.ts';

const mostCells = 8;
const longestCell = 2_000;

/** What stands above a cell of a notebook, the nearest first: code and text, never what the code has put out. */
export const cellsAbove: SnippetSource = {
  snippets(document) {
    const cell = cellOf(document);
    if (cell === undefined) return [];
    const pieces: SourcedSnippet[] = [];
    for (let at = cell.index - 1; at >= 0 && pieces.length < mostCells; at -= 1) {
      const above = cell.notebook.cellAt(at).document;
      const text = endOf(above);
      if (text.trim() === '') continue;
      pieces.push({ uri: above.uri, snippet: { kind: 'cell', path: pathForModel(above), text } });
    }
    return pieces;
  },
};

/** The end is nearest to what comes next. */
function endOf(document: vscode.TextDocument): string {
  const line = document.lineCount - 1;
  const { length } = document.lineAt(line).text;
  return textBefore(document, { line, character: length }, longestCell);
}

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
  readonly #sources: readonly SnippetSource[];

  constructor(options: DocumentContextOptions) {
    const { rules } = options;
    this.#rules = rules;
    this.#sources = [
      this.#owned.add(new NearbyDefinitions(options)),
      this.#owned.add(new ImportedOutlines(options)),
      this.#owned.add(new RecentEdits(options)),
      this.#owned.add(new OpenTabs(options)),
      cellsAbove,
    ];
  }

  /** What is known now, best first. Every piece is judged by the rules as they are now. */
  context(snapshot: Snapshot): readonly ContextSnippet[] {
    if (!vscode.workspace.isTrusted) return [];
    const document = openDocument(snapshot.document);
    if (document === undefined || this.#rules.ruleFor(document.uri) !== undefined) return [];
    return this.#sources
      .flatMap((source) => source.snippets(document, snapshot))
      .filter((piece) => this.#mayGo(piece, document))
      .map(({ snippet: part }) => part);
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #mayGo({ uri, snippet: part }: SourcedSnippet, document: vscode.TextDocument): boolean {
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
