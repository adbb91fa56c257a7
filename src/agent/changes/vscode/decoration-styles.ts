import * as vscode from 'vscode';
import { diffLines, type LineChange } from '../../../base/line-diff.ts';
import { revealHiddenCharacters } from '../../../base/visible-text.ts';

/**
 * Kinds of editor decorations. Removed lines are marked below the preceding line, or above the file's first line. The
 * removed text is shown at the end of a line, because an extension cannot insert lines between the lines of a document.
 */
export const decorationKinds = ['added', 'removedBelow', 'removedAbove', 'removedText'] as const;

export type DecorationKind = (typeof decorationKinds)[number];

const createThemeColor = (name: string): vscode.ThemeColor => new vscode.ThemeColor(name);

const removedStyle = {
  isWholeLine: true,
  borderStyle: 'solid',
  borderColor: createThemeColor('editorGutter.deletedBackground'),
  overviewRulerColor: createThemeColor('editorOverviewRuler.deletedForeground'),
  overviewRulerLane: vscode.OverviewRulerLane.Full,
} as const;

/**
 * Styles of the editor decorations. Borders mark changes in themes without background colors for diffs, such as high
 * contrast themes.
 */
export const decorationStyles: Readonly<Record<DecorationKind, vscode.DecorationRenderOptions>> = {
  added: {
    isWholeLine: true,
    backgroundColor: createThemeColor('diffEditor.insertedLineBackground'),
    borderStyle: 'solid',
    borderWidth: '0 0 0 2px',
    borderColor: createThemeColor('editorGutter.addedBackground'),
    overviewRulerColor: createThemeColor('editorOverviewRuler.addedForeground'),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  },
  removedBelow: { ...removedStyle, borderWidth: '0 0 1px 0' },
  removedAbove: { ...removedStyle, borderWidth: '1px 0 0 0' },
  removedText: {
    after: { margin: '0 0 0 2em', color: createThemeColor('editorCodeLens.foreground') },
  },
};

/** Lines that an edit removed from a document, and the range of their replacement. */
interface RemovedLines {
  /**
   * Range of the lines that replace the removed lines; empty if no line replaces them. Line numbers start at 0, and
   * `end` is excluded.
   */
  readonly addedRange: { readonly start: number; readonly end: number };
  readonly lines: readonly string[];
}

/**
 * Returns decorations that show the removed lines in the editor, beside the lines that replace them. If a removed line
 * and its replacement are similar, shows the removed words before their replacements. Otherwise shows the removed line
 * at the end of its replacement. If the replacement is so long that its end can be out of view, shows the removed line
 * at its start instead. The last decoration also shows the number of removed lines that are not shown.
 */
export function createRemovedTextDecorations(
  document: vscode.TextDocument,
  { addedRange, lines }: RemovedLines,
): readonly vscode.DecorationOptions[] {
  const visibleCount = Math.min(Math.max(1, addedRange.end - addedRange.start), maxDecoratedLines);
  const firstLine = addedRange.start - (addedRange.end > addedRange.start ? 0 : 1);
  const isReplaced = addedRange.end > addedRange.start;
  return lines.slice(0, visibleCount).flatMap((line, index) => {
    const lineNumber = Math.min(Math.max(0, firstLine + index), document.lineCount - 1);
    const {
      text,
      range,
      firstNonWhitespaceCharacterIndex: indentWidth,
    } = document.lineAt(lineNumber);
    const hiddenCount = index === visibleCount - 1 ? lines.length - visibleCount : 0;
    const removedWords = isReplaced && hiddenCount === 0 ? findRemovedWords(line, text) : undefined;
    if (removedWords !== undefined)
      return removedWords.map((word) =>
        createDecorationBefore(new vscode.Position(lineNumber, word.column), word.text),
      );
    if (isReplaced && text.length > maxShortLineLength)
      return createDecorationBefore(
        range.start.with({ character: indentWidth }),
        formatRemovedLine(line, hiddenCount, maxLengthBeforeLine),
      );
    const contentText = formatRemovedLine(line, hiddenCount);
    return {
      range: new vscode.Range(range.end, range.end),
      // The decoration of added lines has the same hover.
      ...(isReplaced ? {} : { hoverMessage: createRemovedTextHover(document, lines) }),
      renderOptions: { after: { contentText, textDecoration: 'line-through' } },
    };
  });
}

const createDecorationBefore = (
  position: vscode.Position,
  contentText: string,
): vscode.DecorationOptions => ({
  range: new vscode.Range(position, position),
  renderOptions: {
    before: {
      contentText,
      textDecoration: 'line-through',
      margin: '0 0.3em 0 0',
      color: createThemeColor('editorCodeLens.foreground'),
    },
  },
});

/**
 * Maximum number of changes in a line for which only the removed words are shown. For a line with more changes, the
 * whole removed line is shown.
 */
const maxChangesPerLine = 3;

/**
 * Finds the words that were removed from a line, and the columns of their replacements.
 * @returns undefined if the lines have too little in common
 */
function findRemovedWords(
  before: string,
  after: string,
): readonly { readonly column: number; readonly text: string }[] | undefined {
  if (Math.max(before.length, after.length) > maxComparedLength) return undefined;
  const [oldWords, newWords] = [splitWords(before), splitWords(after)];
  const isMostlyRemoved = (words: readonly string[]): boolean =>
    words.join('').trim().length * 2 > before.trim().length;
  const knownWords = new Set(newWords);
  // Comparing long lines without common words is slow, and the decorations follow each change of the text.
  if (isMostlyRemoved(oldWords.filter((word) => !knownWords.has(word)))) return undefined;
  const changes = diffLines(oldWords, newWords);
  const getRemovedText = ({ from }: LineChange): string =>
    oldWords.slice(from.start, from.end).join('').trim();
  const removals = changes.filter((change) => getRemovedText(change) !== '');
  if (removals.length > maxChangesPerLine || isMostlyRemoved(removals.map(getRemovedText)))
    return undefined;
  return removals.map((change) => ({
    column: newWords.slice(0, change.to.start).join('').length,
    text: formatRemovedLine(getRemovedText(change)),
  }));
}

/** Maximum length in characters of a line that is compared word by word. */
const maxComparedLength = 1_000;

const splitWords = (line: string): string[] =>
  line.match(/[\p{L}\p{N}_$]+|\s+|[^\p{L}\p{N}_$\s]/gu) ?? [];

/** Maximum number of removed lines that are shown at line ends per change. The diff editor shows all lines. */
const maxDecoratedLines = 100;

const maxInlineLength = 60;
/** Maximum length in characters of removed text that is shown before a long line, so that the line remains in view. */
const maxLengthBeforeLine = 24;
/** Maximum length in characters of a line whose end is in view in most editors. */
const maxShortLineLength = 60;

/**
 * Shortens a removed line.
 * @param hiddenCount Number of removed lines that are not shown; appended to the text unless 0.
 */
function formatRemovedLine(line: string, hiddenCount = 0, limit = maxInlineLength): string {
  const text = line.trim();
  const truncatedText = text.length > limit ? `${text.slice(0, limit)}…` : text;
  const visibleText = revealHiddenCharacters(truncatedText);
  return hiddenCount > 0 ? `${visibleText} (+${hiddenCount})` : visibleText;
}

/** Maximum number of characters of removed text in a hover. The diff editor shows the complete text. */
const maxHoverLength = 4_000;

/** Creates a hover with the removed lines. */
export function createRemovedTextHover(
  document: vscode.TextDocument,
  lines: readonly string[],
): vscode.MarkdownString {
  const text = lines.join('\n');
  const truncatedText = text.length > maxHoverLength ? `${text.slice(0, maxHoverLength)}…` : text;
  return new vscode.MarkdownString(vscode.l10n.t('Before')).appendCodeblock(
    truncatedText,
    document.languageId,
  );
}
