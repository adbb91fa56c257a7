import * as vscode from 'vscode';
import type { Restore } from '../restore-plan.ts';
import type { FileSide, RestoredFile, TurnRecord } from '../turn-record.ts';
import type { TurnState } from '../turn-state.ts';
import { fileLabel } from './changes-view.ts';
import type { Blobs } from './checkpoint-files.ts';
import { type PlaceRefusal, RestorePlaces } from './restore-check.ts';
import { type Conflict, putFolders, restoreFiles } from './restore-files.ts';
import { type Snapshot, snapshotOf } from './snapshot.ts';
import { withHiddenCodes } from '../../../base/visible-text.ts';
import type { Places } from '../../../workspace/vscode/paths.ts';

/** What became of an undo, a redo or a rejection: labels of files. */
export interface UndoOutcome {
  readonly restored: readonly string[];
  /** Left as they are. */
  readonly conflicts: readonly LabelledConflict[];
  /** Of those restored, what other programs act on. */
  readonly sensitive: readonly string[];
}

export interface LabelledConflict {
  /** The whole path for what is not in this workspace. */
  readonly label: string;
  readonly reason: 'changed' | 'not-kept' | PlaceRefusal['reason'];
  /** Index in the turn's files; absent for a folder. */
  readonly file?: number;
}

/** What an undo works with. */
export interface UndoPorts {
  readonly blobs: Blobs;
  readonly paths: Places;
}

/** A file of a turn to put back: to the state before the turn, or to `to`. */
export interface Rejection {
  readonly file: number;
  readonly to?: FileSide;
}

interface Result {
  readonly records: readonly TurnRecord[];
  readonly outcome: UndoOutcome;
}

/** Brings a whole turn to its other side. @throws what the editor says when it cannot. */
export async function flipTurn(
  state: TurnState,
  type: 'undo' | 'redo',
  { blobs, paths }: UndoPorts,
): Promise<Result> {
  const files = state.changed;
  const places = new RestorePlaces(paths, state.openFolders);
  const restores = files.map((file) => sidesOf(state, file, type));
  const { conflicts, was } = await restoreFiles(restores, { blobs, places }, mixedIn(state, files));
  // What the turn made comes back with the files in it.
  const folders = [...state.folders].map(([uri, was]) => [uri, was && type === 'undo'] as const);
  const foldersLeft = await putFolders(new Map(folders), places);
  const flipped: RestoredFile[] = [];
  for (const [index, restore] of restores.entries()) {
    if (conflicts.has(index)) continue;
    const left = await keptSide(restore.from, was, blobs);
    const reached = await keptSide(restore.to, await look(restore.to), blobs);
    const [done, undone] = type === 'undo' ? [left, reached] : [reached, left];
    flipped.push({ file: files[index] ?? 0, done, undone });
  }
  const outcome = await outcomeOf(state, { places, files, restores, conflicts, foldersLeft });
  return { records: flipped.length === 0 ? [] : [{ type, files: flipped }], outcome };
}

/** Puts some files of a turn back. One of which something was accepted counts as accepted. @throws what the editor says when it cannot. */
export async function rejectFiles(
  state: TurnState,
  rejections: readonly Rejection[],
  { blobs, paths }: UndoPorts,
): Promise<Result> {
  const places = new RestorePlaces(paths, state.openFolders);
  const files = rejections.map(({ file }) => file);
  const restores = rejections.map(({ file, to }) => {
    const sides = sidesOf(state, file, 'undo');
    return to === undefined ? sides : { ...sides, to };
  });
  const { conflicts } = await restoreFiles(restores, { blobs, places }, mixedIn(state, files));
  const done = files.filter((_, index) => !conflicts.has(index));
  const isAll = done.length === state.changed.length;
  const foldersLeft = isAll ? await putFolders(state.folders, places) : [];
  return {
    records: done.map((file) => {
      const isPart = state.files[file]?.reviewed !== undefined;
      return { type: 'review', file, state: isPart ? 'accepted' : 'rejected' };
    }),
    outcome: await outcomeOf(state, { places, files, restores, conflicts, foldersLeft }),
  };
}

function sidesOf(state: TurnState, index: number, type: 'undo' | 'redo'): Restore {
  const { done = null, undone = null } = state.files[index] ?? {};
  return type === 'undo' ? { from: done, to: undone } : { from: undone, to: done };
}

function mixedIn(state: TurnState, files: readonly number[]): ReadonlyMap<number, 'changed'> {
  return new Map(
    files.flatMap((file, index) =>
      state.files[file]?.mixed === true ? [[index, 'changed'] as const] : [],
    ),
  );
}

async function look(side: FileSide | null): Promise<ReadonlyMap<string, Snapshot>> {
  if (side === null) return new Map();
  return new Map([[side.uri, await snapshotOf(vscode.Uri.parse(side.uri))]]);
}

/** The side as it really was found, so that the way back leads exactly there. */
async function keptSide(
  side: FileSide | null,
  found: ReadonlyMap<string, Snapshot>,
  blobs: Blobs,
): Promise<FileSide | null> {
  const snapshot = side === null ? undefined : found.get(side.uri);
  if (side === null || snapshot?.kind !== 'file') return side;
  await blobs.keep(snapshot.bytes);
  return { uri: side.uri, kept: snapshot.kept };
}

interface Restored {
  readonly places: RestorePlaces;
  readonly files: readonly number[];
  readonly restores: readonly Restore[];
  /** By position in `files`. */
  readonly conflicts: ReadonlyMap<number, Conflict>;
  readonly foldersLeft: readonly PlaceRefusal[];
}

async function outcomeOf(
  state: TurnState,
  { places, files, restores, conflicts, foldersLeft }: Restored,
): Promise<UndoOutcome> {
  const labels = files.map((file) => fileLabel(state.files[file]));
  const restored: string[] = [];
  const sensitive: string[] = [];
  for (const [index, restore] of restores.entries()) {
    const label = labels[index] ?? '';
    if (conflicts.has(index)) continue;
    restored.push(label);
    if (await places.isSensitive(restore)) sensitive.push(label);
  }
  return {
    restored,
    conflicts: [
      ...[...conflicts].map(([index, conflict]) => ({
        ...labelled(conflict, labels[index] ?? ''),
        file: files[index] ?? 0,
      })),
      ...foldersLeft.map((refusal) => labelled(refusal, '')),
    ],
    sensitive,
  };
}

const labelled = (conflict: Conflict, label: string): LabelledConflict =>
  typeof conflict === 'string'
    ? { label, reason: conflict }
    : { label: conflict.place, reason: conflict.reason };

/** What the person should know of an undo, a redo or a rejection; undefined when all of it was done and is harmless. */
export function outcomeText({ conflicts, sensitive }: UndoOutcome): string | undefined {
  const sentences = Object.entries(sentencesFor).flatMap(([reason, sentence]) => {
    const labels = conflicts.filter((each) => each.reason === reason).map(({ label }) => label);
    return labels.length === 0 ? [] : [sentence(labels.length, namesOf(labels))];
  });
  if (sensitive.length > 0) {
    sentences.push(
      vscode.l10n.t(
        'Other programs act on files that were changed back: {0}. Look at them before you go on.',
        namesOf(sensitive),
      ),
    );
  }
  return sentences.length === 0 ? undefined : sentences.join(' ');
}

/** Why nothing is decided in a workspace that the person does not trust. */
export const untrustedText = (): string =>
  vscode.l10n.t('Changes cannot be decided until you trust this workspace.');

const sentencesFor: Readonly<
  Record<LabelledConflict['reason'], (count: number, names: string) => string>
> = {
  changed: (count, names) =>
    count === 1
      ? vscode.l10n.t(
          '{0} was left as it is, because it was changed in the same places since. Open it from the list of changes to compare.',
          names,
        )
      : vscode.l10n.t(
          '{0} files were left as they are, because they were changed in the same places since: {1}. Open them from the list of changes to compare.',
          count,
          names,
        ),
  'not-kept': (count, names) =>
    count === 1
      ? vscode.l10n.t('{0} was left as it is, because its other state is no longer kept.', names)
      : vscode.l10n.t(
          '{0} files were left as they are, because their other state is no longer kept: {1}.',
          count,
          names,
        ),
  outside: (count, names) =>
    count === 1
      ? vscode.l10n.t('{0} was left as it is, because it is not in this workspace.', names)
      : vscode.l10n.t(
          '{0} places were left as they are, because they are not in this workspace: {1}.',
          count,
          names,
        ),
  'other-workspace': (count, names) =>
    count === 1
      ? vscode.l10n.t('{0} was left as it is, because it belongs to another workspace.', names)
      : vscode.l10n.t(
          '{0} places were left as they are, because each belongs to another workspace: {1}.',
          count,
          names,
        ),
  unplaced: (count, names) =>
    count === 1
      ? vscode.l10n.t('{0} was left as it is, because its real place was not recorded.', names)
      : vscode.l10n.t(
          '{0} files were left as they are, because their real places were not recorded: {1}.',
          count,
          names,
        ),
};

const namesOf = (labels: readonly string[]): string => labels.slice(0, 5).map(shown).join(', ');

/** Names come from files and journals: what nobody could see in them, or what reorders the text, is written out. */
const shown = withHiddenCodes;
