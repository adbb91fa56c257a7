import * as vscode from 'vscode';
import { type LineMark, lineMarks } from '../line-span.ts';
import { decorationStyles } from '../../agent/changes/vscode/review-marks.ts';
import { linesIn } from './editor-target.ts';
import type { InlineEdit } from './inline-edit.ts';

/** Maximum length of old text at the end of a line, and in the hover. */
const longestAtEnd = 60;
const longestHover = 4_000;

/** Decorates the added, removed and pending lines of edits in all visible editors. */
export class EditMarks implements vscode.Disposable {
  readonly #types = {
    added: vscode.window.createTextEditorDecorationType(decorationStyles.added),
    removed: vscode.window.createTextEditorDecorationType({
      after: { margin: '0 0 0 2em', color: new vscode.ThemeColor('editorCodeLens.foreground') },
    }),
    waiting: vscode.window.createTextEditorDecorationType({ isWholeLine: true, opacity: '0.6' }),
  };

  draw(edits: Iterable<InlineEdit>): void {
    const all = [...edits];
    for (const editor of vscode.window.visibleTextEditors) {
      const own = all.filter(
        ({ wish, state }) => wish.document === editor.document && state !== 'over',
      );
      const marks = own.map(marksOf);
      for (const kind of ['added', 'removed', 'waiting'] as const)
        editor.setDecorations(
          this.#types[kind],
          marks.flatMap((each) => each[kind]),
        );
    }
  }

  dispose(): void {
    for (const type of Object.values(this.#types)) type.dispose();
  }
}

type Marks = Readonly<Record<'added' | 'removed' | 'waiting', vscode.DecorationOptions[]>>;

function marksOf(edit: InlineEdit): Marks {
  const { document } = edit.wish;
  const { start } = edit.span;
  const marks = lineMarks(edit.original, linesIn(document, edit.span));
  const added = marks.filter(({ added }) => added.end > added.start);
  return {
    added: added.map((mark) => ({
      range: new vscode.Range(start + mark.added.start, 0, start + mark.added.end - 1, 0),
      ...(mark.removed.length === 0 ? {} : { hoverMessage: oldText(document, mark.removed) }),
    })),
    removed: marks.flatMap((mark) => removedAt(document, start, mark)),
    waiting: waitingIn(edit),
  };
}

/**
 * Shows each removed line at the end of its replacement, and the number of further ones at the
 * last.
 */
function removedAt(
  document: vscode.TextDocument,
  start: number,
  { added, removed }: LineMark,
): readonly vscode.DecorationOptions[] {
  const places = Math.max(1, added.end - added.start);
  const first = start + added.start - (added.end > added.start ? 0 : 1);
  return removed.slice(0, places).map((line, at) => {
    const shown = Math.min(Math.max(0, first + at), document.lineCount - 1);
    const { end } = document.lineAt(shown).range;
    const more = at === places - 1 ? removed.length - places : 0;
    const contentText = shownOld(line, more);
    return {
      range: new vscode.Range(end, end),
      hoverMessage: oldText(document, removed),
      renderOptions: { after: { contentText, textDecoration: 'line-through' } },
    };
  });
}

/** Shortens a removed line. @param more Number of removed lines after it that are not shown. */
function shownOld(line: string, more: number): string {
  const text = line.trim();
  const cut = text.length > longestAtEnd ? `${text.slice(0, longestAtEnd)}…` : text;
  return more > 0 ? `${cut} (+${more})` : cut;
}

function waitingIn({ state, span, answered }: InlineEdit): vscode.DecorationOptions[] {
  const from = span.start + answered;
  if (state !== 'streaming' || from >= span.end) return [];
  return [{ range: new vscode.Range(from, 0, span.end - 1, 0) }];
}

function oldText(document: vscode.TextDocument, lines: readonly string[]): vscode.MarkdownString {
  const text = lines.join('\n');
  const shown = text.length > longestHover ? `${text.slice(0, longestHover)}…` : text;
  return new vscode.MarkdownString(vscode.l10n.t('Before the edit:')).appendCodeblock(
    shown,
    document.languageId,
  );
}
