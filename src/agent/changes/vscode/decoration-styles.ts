import * as vscode from 'vscode';
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
  /** Lines that replace the removed lines; empty if no line replaces them. Line numbers from 0, `end` excluded. */
  readonly added: { readonly start: number; readonly end: number };
  readonly lines: readonly string[];
}

/**
 * Shows each removed line at the end of the line that replaces it. The last decoration also shows the number of removed
 * lines that are not shown.
 */
export function decorateRemovedText(
  document: vscode.TextDocument,
  { added, lines }: RemovedLines,
): readonly vscode.DecorationOptions[] {
  const visibleCount = Math.min(Math.max(1, added.end - added.start), maxDecoratedLines);
  const firstLine = added.start - (added.end > added.start ? 0 : 1);
  return lines.slice(0, visibleCount).map((line, index) => {
    const lineNumber = Math.min(Math.max(0, firstLine + index), document.lineCount - 1);
    const { end } = document.lineAt(lineNumber).range;
    const hiddenCount = index === visibleCount - 1 ? lines.length - visibleCount : 0;
    const contentText = formatRemovedLine(line, hiddenCount);
    return {
      range: new vscode.Range(end, end),
      // The decoration of added lines has the same hover.
      ...(added.end > added.start ? {} : { hoverMessage: createRemovedTextHover(document, lines) }),
      renderOptions: { after: { contentText, textDecoration: 'line-through' } },
    };
  });
}

/** Maximum number of removed lines that are shown at line ends per change. The diff editor shows all lines. */
const maxDecoratedLines = 100;

const maxInlineLength = 60;

/**
 * Shortens a removed line.
 * @param hiddenCount Number of removed lines that are not shown; appended to the text unless 0.
 */
function formatRemovedLine(line: string, hiddenCount: number): string {
  const text = line.trim();
  const truncated = text.length > maxInlineLength ? `${text.slice(0, maxInlineLength)}…` : text;
  const visible = revealHiddenCharacters(truncated);
  return hiddenCount > 0 ? `${visible} (+${hiddenCount})` : visible;
}

/** Maximum number of characters of removed text in a hover. The diff editor shows the complete text. */
const maxHoverLength = 4_000;

/** Creates a hover with the removed lines. */
export function createRemovedTextHover(
  document: vscode.TextDocument,
  lines: readonly string[],
): vscode.MarkdownString {
  const text = lines.join('\n');
  const truncated = text.length > maxHoverLength ? `${text.slice(0, maxHoverLength)}…` : text;
  return new vscode.MarkdownString(vscode.l10n.t('Before')).appendCodeblock(
    truncated,
    document.languageId,
  );
}
