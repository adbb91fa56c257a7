import * as vscode from 'vscode';
import { sliceLines } from '../three-way.ts';
import type { PendingHunk } from './reviews.ts';

/**
 * Maximum number of characters of the old text in a hover. The diff editor shows the whole text.
 */
const maxHoverLength = 4_000;

/**
 * Kinds of decorations. Removed lines are marked below the preceding line, or above the first line
 * of the file.
 */
export const decorationKinds = ['added', 'removedBelow', 'removedAbove'] as const;

export type DecorationKind = (typeof decorationKinds)[number];

const themeColor = (name: string): vscode.ThemeColor => new vscode.ThemeColor(name);

const removedStyle = {
  isWholeLine: true,
  borderStyle: 'solid',
  borderColor: themeColor('editorGutter.deletedBackground'),
  overviewRulerColor: themeColor('editorOverviewRuler.deletedForeground'),
  overviewRulerLane: vscode.OverviewRulerLane.Full,
} as const;

/**
 * Styles of decorations. Borders mark changes in themes without diff background colors, such as
 * high contrast.
 */
export const decorationStyles: Readonly<Record<DecorationKind, vscode.DecorationRenderOptions>> = {
  added: {
    isWholeLine: true,
    backgroundColor: themeColor('diffEditor.insertedLineBackground'),
    borderStyle: 'solid',
    borderWidth: '0 0 0 2px',
    borderColor: themeColor('editorGutter.addedBackground'),
    overviewRulerColor: themeColor('editorOverviewRuler.addedForeground'),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  },
  removedBelow: { ...removedStyle, borderWidth: '0 0 1px 0' },
  removedAbove: { ...removedStyle, borderWidth: '1px 0 0 0' },
};

/** Computes the decorations of pending hunks in a document. */
export function reviewDecorations(
  document: vscode.TextDocument,
  pending: readonly PendingHunk[],
): Readonly<Record<DecorationKind, vscode.DecorationOptions[]>> {
  const decorations: Record<DecorationKind, vscode.DecorationOptions[]> = {
    added: [],
    removedBelow: [],
    removedAbove: [],
  };
  for (const pendingHunk of pending) {
    const { start } = pendingHunk.hunk.now;
    if (!isDeletion(pendingHunk)) decorations.added.push(addedLines(document, pendingHunk));
    else if (start === 0) decorations.removedAbove.push(removedLines(document, pendingHunk, 0));
    else decorations.removedBelow.push(removedLines(document, pendingHunk, start - 1));
  }
  return decorations;
}

/** Checks whether the hunk only removes lines. */
export const isDeletion = ({ hunk }: PendingHunk): boolean => hunk.now.end === hunk.now.start;

function addedLines(
  document: vscode.TextDocument,
  { review, hunk }: PendingHunk,
): vscode.DecorationOptions {
  const range = new vscode.Range(hunk.now.start, 0, hunk.now.end - 1, 0);
  const oldLines = sliceLines(review.before, hunk.before);
  return oldLines.length === 0
    ? { range }
    : { range, hoverMessage: oldTextHover(document, oldLines) };
}

/** Returns a decoration with the number of removed lines at the end of the adjacent line. */
function removedLines(
  document: vscode.TextDocument,
  { review, hunk }: PendingHunk,
  line: number,
): vscode.DecorationOptions {
  const oldLines = sliceLines(review.before, hunk.before);
  return {
    range: document.lineAt(Math.min(line, document.lineCount - 1)).range,
    hoverMessage: oldTextHover(document, oldLines),
    renderOptions: {
      after: {
        contentText:
          hunk.now.start === 0 ? removedAbove(oldLines.length) : removedBelow(oldLines.length),
        margin: '0 0 0 2em',
        color: themeColor('editorCodeLens.foreground'),
      },
    },
  };
}

const removedAbove = (lines: number): string =>
  lines === 1
    ? vscode.l10n.t('1 line removed above')
    : vscode.l10n.t('{0} lines removed above', lines);

const removedBelow = (lines: number): string =>
  lines === 1
    ? vscode.l10n.t('1 line removed below')
    : vscode.l10n.t('{0} lines removed below', lines);

function oldTextHover(
  document: vscode.TextDocument,
  lines: readonly string[],
): vscode.MarkdownString {
  const text = lines.join('\n');
  const visible = text.length > maxHoverLength ? `${text.slice(0, maxHoverLength)}…` : text;
  return new vscode.MarkdownString(vscode.l10n.t('Before the turn:')).appendCodeblock(
    visible,
    document.languageId,
  );
}
