import * as vscode from 'vscode';
import { type LineDifference, findLineDifferences } from '../line-span.ts';
import { decorationStyles } from '../../agent/changes/vscode/decoration-styles.ts';
import { readLines } from './editor-target.ts';
import type { InlineEdit } from './inline-edit.ts';

/** Maximum length of removed text in characters, at the end of a line and in the hover. */
const maxInlineLength = 60;
const maxHoverLength = 4_000;

/** Decorates the added, removed and pending lines of edits in all visible editors. */
export class EditDecorations implements vscode.Disposable {
  readonly #types = {
    added: vscode.window.createTextEditorDecorationType(decorationStyles.added),
    removed: vscode.window.createTextEditorDecorationType({
      after: { margin: '0 0 0 2em', color: new vscode.ThemeColor('editorCodeLens.foreground') },
    }),
    waiting: vscode.window.createTextEditorDecorationType({ isWholeLine: true, opacity: '0.6' }),
  };

  draw(edits: Iterable<InlineEdit>): void {
    const allEdits = [...edits];
    for (const editor of vscode.window.visibleTextEditors) {
      const documentEdits = allEdits.filter(
        ({ options, state }) => options.document === editor.document && state !== 'completed',
      );
      const decorations = documentEdits.map(createDecorations);
      for (const kind of ['added', 'removed', 'waiting'] as const)
        editor.setDecorations(
          this.#types[kind],
          decorations.flatMap((decoration) => decoration[kind]),
        );
    }
  }

  dispose(): void {
    for (const type of Object.values(this.#types)) type.dispose();
  }
}

type EditDecorationTypes = Readonly<
  Record<'added' | 'removed' | 'waiting', vscode.DecorationOptions[]>
>;

function createDecorations(edit: InlineEdit): EditDecorationTypes {
  const { document } = edit.options;
  const { start } = edit.span;
  const differences = findLineDifferences(edit.original, readLines(document, edit.span));
  const withAddedLines = differences.filter(({ added }) => added.end > added.start);
  return {
    added: withAddedLines.map((difference) => ({
      range: new vscode.Range(
        start + difference.added.start,
        0,
        start + difference.added.end - 1,
        0,
      ),
      ...(difference.removed.length === 0
        ? {}
        : { hoverMessage: createRemovedTextHover(document, difference.removed) }),
    })),
    removed: differences.flatMap((difference) => decorateRemovedLines(document, start, difference)),
    waiting: decoratePendingLines(edit),
  };
}

/**
 * Shows each removed line at the end of the line that replaces it. The last decoration also shows
 * the number of removed lines that are not shown.
 */
function decorateRemovedLines(
  document: vscode.TextDocument,
  start: number,
  { added, removed }: LineDifference,
): readonly vscode.DecorationOptions[] {
  const visibleCount = Math.max(1, added.end - added.start);
  const firstLine = start + added.start - (added.end > added.start ? 0 : 1);
  return removed.slice(0, visibleCount).map((line, index) => {
    const lineNumber = Math.min(Math.max(0, firstLine + index), document.lineCount - 1);
    const { end } = document.lineAt(lineNumber).range;
    const hiddenCount = index === visibleCount - 1 ? removed.length - visibleCount : 0;
    const contentText = formatRemovedLine(line, hiddenCount);
    return {
      range: new vscode.Range(end, end),
      hoverMessage: createRemovedTextHover(document, removed),
      renderOptions: { after: { contentText, textDecoration: 'line-through' } },
    };
  });
}

/**
 * Shortens a removed line.
 * @param hiddenCount Number of removed lines that are not shown, added as a suffix.
 */
function formatRemovedLine(line: string, hiddenCount: number): string {
  const text = line.trim();
  const truncated = text.length > maxInlineLength ? `${text.slice(0, maxInlineLength)}…` : text;
  return hiddenCount > 0 ? `${truncated} (+${hiddenCount})` : truncated;
}

function decoratePendingLines({
  state,
  span,
  answerLineCount,
}: InlineEdit): vscode.DecorationOptions[] {
  const firstPendingLine = span.start + answerLineCount;
  if (state !== 'streaming' || firstPendingLine >= span.end) return [];
  return [{ range: new vscode.Range(firstPendingLine, 0, span.end - 1, 0) }];
}

function createRemovedTextHover(
  document: vscode.TextDocument,
  lines: readonly string[],
): vscode.MarkdownString {
  const text = lines.join('\n');
  const truncated = text.length > maxHoverLength ? `${text.slice(0, maxHoverLength)}…` : text;
  return new vscode.MarkdownString(vscode.l10n.t('Before the edit:')).appendCodeblock(
    truncated,
    document.languageId,
  );
}
