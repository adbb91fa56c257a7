import * as vscode from 'vscode';
import { slice } from '../../../agent/checkpoint/lines.ts';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';
import type { Reviews, WaitingHunk } from './reviews.ts';

/** Longer old text is cut in the hover; the comparison shows all of it. */
const longestHover = 4_000;

/** Colours what waits for review in the editors on the screen, in the colours of the editor's own comparisons. */
export class ReviewDecorations implements Disposable {
  readonly #reviews: Reviews;
  readonly #owned = new DisposableStore();
  #types:
    | {
        readonly added: vscode.TextEditorDecorationType;
        readonly removed: vscode.TextEditorDecorationType;
      }
    | undefined;

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
    const waiting = this.#reviews.hunks(document);
    const isAdded = ({ hunk }: WaitingHunk): boolean => hunk.now.end > hunk.now.start;
    editor.setDecorations(
      this.#types.added,
      waiting.filter(isAdded).map((each) => addedLines(document, each)),
    );
    editor.setDecorations(
      this.#types.removed,
      waiting.filter((each) => !isAdded(each)).map((each) => removedLines(document, each)),
    );
  }

  #clear(): void {
    this.#types?.added.dispose();
    this.#types?.removed.dispose();
    this.#types = undefined;
  }
}

function createTypes(): {
  added: vscode.TextEditorDecorationType;
  removed: vscode.TextEditorDecorationType;
} {
  const { Full, Left } = vscode.OverviewRulerLane;
  const color = (name: string): vscode.ThemeColor => new vscode.ThemeColor(name);
  return {
    added: vscode.window.createTextEditorDecorationType({
      isWholeLine: true,
      backgroundColor: color('diffEditor.insertedLineBackground'),
      overviewRulerColor: color('editorOverviewRuler.addedForeground'),
      overviewRulerLane: Left,
    }),
    removed: vscode.window.createTextEditorDecorationType({
      isWholeLine: true,
      backgroundColor: color('diffEditor.removedLineBackground'),
      overviewRulerColor: color('editorOverviewRuler.deletedForeground'),
      overviewRulerLane: Full,
    }),
  };
}

function addedLines(
  document: vscode.TextDocument,
  { review, hunk }: WaitingHunk,
): vscode.DecorationOptions {
  const range = new vscode.Range(hunk.now.start, 0, hunk.now.end - 1, 0);
  const old = slice(review.before, hunk.before);
  return old.length === 0 ? { range } : { range, hoverMessage: oldText(document, old) };
}

/** Where lines are gone there is nothing to colour but the line after; how many they were stands at its end. */
function removedLines(
  document: vscode.TextDocument,
  { review, hunk }: WaitingHunk,
): vscode.DecorationOptions {
  const line = Math.min(hunk.now.start, document.lineCount - 1);
  const old = slice(review.before, hunk.before);
  const text =
    old.length === 1
      ? vscode.l10n.t('1 line removed above')
      : vscode.l10n.t('{0} lines removed above', old.length);
  return {
    range: document.lineAt(line).range,
    hoverMessage: oldText(document, old),
    renderOptions: {
      after: {
        contentText: text,
        margin: '0 0 0 2em',
        color: new vscode.ThemeColor('editorCodeLens.foreground'),
      },
    },
  };
}

function oldText(document: vscode.TextDocument, lines: readonly string[]): vscode.MarkdownString {
  const text = lines.join('\n');
  const shown = text.length > longestHover ? `${text.slice(0, longestHover)}…` : text;
  return new vscode.MarkdownString(vscode.l10n.t('Before the turn:')).appendCodeblock(
    shown,
    document.languageId,
  );
}
