import * as vscode from 'vscode';
import { changeOf, type TurnFile, type TurnState } from '../../../agent/checkpoint/turn-state.ts';
import type { ChangesView } from '../../../protocol/view-state.ts';
import { fullPath } from './restore-places.ts';

/** What the chat's page shows of a turn's changes; undefined when there are none. */
export function changesView(turnId: string, state: TurnState): ChangesView | undefined {
  const files = state.changed.flatMap((index) => state.files[index] ?? []);
  if (files.length === 0) return undefined;
  return { turnId, undone: state.undone, files: files.map(fileView) };
}

/** Relative to its folder in the workspace, the whole path for a file elsewhere; both places of a renamed one. */
export function fileLabel(file: TurnFile | undefined): string {
  const [before, after] = [labelOf(file?.before?.uri), labelOf(file?.after?.uri)];
  if (before !== undefined && after !== undefined && before !== after)
    return `${before} → ${after}`;
  return after ?? before ?? '';
}

function fileView(file: TurnFile): ChangesView['files'][number] {
  const change = changeOf(file);
  const counts =
    change === 'deleted'
      ? { added: 0, removed: file.before?.kept.lines ?? 0 }
      : { added: file.added, removed: file.removed };
  return { label: fileLabel(file), change, ...counts, review: file.review };
}

function labelOf(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  const uri = vscode.Uri.parse(name);
  return vscode.workspace.getWorkspaceFolder(uri) === undefined
    ? fullPath(name)
    : vscode.workspace.asRelativePath(uri);
}
