import * as vscode from 'vscode';
import { changeOf, type TurnFile, type TurnState } from '../turn-state.ts';
import type { ChangesView } from '../../../chat/protocol/view-state.ts';
import { fullPath } from './restore-check.ts';
import type { LineCounts, ReviewCounts } from './review-counts.ts';

/**
 * What the chat's page shows of a turn's changes; undefined when there are none.
 * @param kept How many lines were kept of decided files.
 */
export function changesView(
  turnId: string,
  state: TurnState,
  kept: Pick<ReviewCounts, 'of'>,
): ChangesView | undefined {
  const files = state.changed.flatMap((index) => state.files[index] ?? []);
  if (files.length === 0) return undefined;
  return { turnId, undone: state.undone, files: files.map((file) => fileView(file, kept)) };
}

/** Relative to its folder in the workspace, the whole path for a file elsewhere; both places of a renamed one. */
export function fileLabel(file: TurnFile | undefined): string {
  const [before, after] = [labelOf(file?.before?.uri), labelOf(file?.after?.uri)];
  if (before !== undefined && after !== undefined && before !== after)
    return `${before} → ${after}`;
  return after ?? before ?? '';
}

function fileView(file: TurnFile, kept: Pick<ReviewCounts, 'of'>): ChangesView['files'][number] {
  const { added, removed } = countsOf(file, kept);
  return { label: fileLabel(file), change: changeOf(file), added, removed, review: file.review };
}

/** What is really changed: of a rejected file nothing is. */
function countsOf(file: TurnFile, kept: Pick<ReviewCounts, 'of'>): LineCounts {
  if (file.review === 'rejected') return { added: 0, removed: 0 };
  if (changeOf(file) === 'deleted') return { added: 0, removed: file.before?.kept.lines ?? 0 };
  return kept.of(file) ?? file;
}

function labelOf(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  const uri = vscode.Uri.parse(name);
  return vscode.workspace.getWorkspaceFolder(uri) === undefined
    ? fullPath(name)
    : vscode.workspace.asRelativePath(uri);
}
