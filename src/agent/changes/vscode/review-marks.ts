import * as vscode from 'vscode';
import { slice } from '../three-way.ts';
import type { WaitingHunk } from './reviews.ts';

/** Longer old text is cut in the hover; the comparison shows all of it. */
const longestHover = 4_000;

/** Lines that are new, and places between lines where some are gone: told from the line before, or the first. */
export const markKinds = ['added', 'removedBelow', 'removedAbove'] as const;

export type MarkKind = (typeof markKinds)[number];

const color = (name: string): vscode.ThemeColor => new vscode.ThemeColor(name);

const removed = {
  isWholeLine: true,
  borderStyle: 'solid',
  borderColor: color('editorGutter.deletedBackground'),
  overviewRulerColor: color('editorOverviewRuler.deletedForeground'),
  overviewRulerLane: vscode.OverviewRulerLane.Full,
} as const;

/** The borders are for themes without the backgrounds, such as those of high contrast. A line that stays has none. */
export const markStyles: Readonly<Record<MarkKind, vscode.DecorationRenderOptions>> = {
  added: {
    isWholeLine: true,
    backgroundColor: color('diffEditor.insertedLineBackground'),
    borderStyle: 'solid',
    borderWidth: '0 0 0 2px',
    borderColor: color('editorGutter.addedBackground'),
    overviewRulerColor: color('editorOverviewRuler.addedForeground'),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  },
  removedBelow: { ...removed, borderWidth: '0 0 1px 0' },
  removedAbove: { ...removed, borderWidth: '1px 0 0 0' },
};

/** Where the marks stand in a document. */
export function reviewMarks(
  document: vscode.TextDocument,
  waiting: readonly WaitingHunk[],
): Readonly<Record<MarkKind, vscode.DecorationOptions[]>> {
  const marks: Record<MarkKind, vscode.DecorationOptions[]> = {
    added: [],
    removedBelow: [],
    removedAbove: [],
  };
  for (const each of waiting) {
    const { start } = each.hunk.now;
    if (!isDeletion(each)) marks.added.push(addedLines(document, each));
    else if (start === 0) marks.removedAbove.push(removedLines(document, each, 0));
    else marks.removedBelow.push(removedLines(document, each, start - 1));
  }
  return marks;
}

/** Nothing is left of what was there before. */
export const isDeletion = ({ hunk }: WaitingHunk): boolean => hunk.now.end === hunk.now.start;

function addedLines(
  document: vscode.TextDocument,
  { review, hunk }: WaitingHunk,
): vscode.DecorationOptions {
  const range = new vscode.Range(hunk.now.start, 0, hunk.now.end - 1, 0);
  const old = slice(review.before, hunk.before);
  return old.length === 0 ? { range } : { range, hoverMessage: oldText(document, old) };
}

/** How many lines are gone stands at the end of the line beside them. */
function removedLines(
  document: vscode.TextDocument,
  { review, hunk }: WaitingHunk,
  line: number,
): vscode.DecorationOptions {
  const old = slice(review.before, hunk.before);
  return {
    range: document.lineAt(Math.min(line, document.lineCount - 1)).range,
    hoverMessage: oldText(document, old),
    renderOptions: {
      after: {
        contentText: hunk.now.start === 0 ? removedAbove(old.length) : removedBelow(old.length),
        margin: '0 0 0 2em',
        color: color('editorCodeLens.foreground'),
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

function oldText(document: vscode.TextDocument, lines: readonly string[]): vscode.MarkdownString {
  const text = lines.join('\n');
  const shown = text.length > longestHover ? `${text.slice(0, longestHover)}…` : text;
  return new vscode.MarkdownString(vscode.l10n.t('Before the turn:')).appendCodeblock(
    shown,
    document.languageId,
  );
}
