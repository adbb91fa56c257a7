import * as vscode from 'vscode';
import type { FileRestore } from '../restore-plan.ts';
import type { FileState, RestoredFile, TurnRecord } from '../turn-record.ts';
import type { TurnState } from '../turn-state.ts';
import { formatFileLabel } from './changes-view.ts';
import type { BlobStore } from './checkpoint-files.ts';
import { type PathRefusal, RestoreCheck } from './restore-check.ts';
import { type RestoreConflict, restoreFolders, restoreFiles } from './restore-files.ts';
import { type Snapshot, takeSnapshot } from './snapshot.ts';
import { revealHiddenCharacters } from '../../../base/visible-text.ts';
import type { UriLocator } from '../../../workspace/vscode/paths.ts';

/** Result of an undo, a redo or a rejection. Contains labels of files to show to the user. */
export interface UndoOutcome {
  readonly restoredFiles: readonly string[];
  /** Files and folders that stay unchanged, and the reasons. */
  readonly conflicts: readonly LabeledConflict[];
  /** Labels of restored files that other programs execute or read as configuration. */
  readonly sensitiveFiles: readonly string[];
}

export interface LabeledConflict {
  /** Label of the file: its path in the workspace, or its absolute path if it is outside this workspace. */
  readonly label: string;
  readonly reason: 'changed' | 'not-kept' | PathRefusal['reason'];
  /** Index of the file in the turn; absent for a folder. */
  readonly fileIndex?: number;
}

/** Dependencies of an undo. */
export interface UndoPorts {
  readonly blobStore: BlobStore;
  readonly paths: UriLocator;
}

/**
 * A file to reject. The rejection restores the file to the state `to`, or to its state before the turn if `to` is
 * absent.
 */
export interface RejectedFile {
  readonly fileIndex: number;
  readonly to?: FileState;
}

interface UndoResult {
  readonly records: readonly TurnRecord[];
  readonly outcome: UndoOutcome;
}

/**
 * Undoes or redoes a whole turn.
 * @throws Error if VS Code cannot apply the changes
 */
export async function undoOrRedoTurn(
  state: TurnState,
  type: 'undo' | 'redo',
  { blobStore, paths }: UndoPorts,
): Promise<UndoResult> {
  const fileIndexes = state.changedIndexes;
  const check = new RestoreCheck(paths, state.openFolders);
  const restores = fileIndexes.map((fileIndex) => createFileRestore(state, fileIndex, type));
  const { conflicts, snapshots } = await restoreFiles(
    restores,
    { blobStore, check },
    findUserEditConflicts(state, fileIndexes),
  );
  // Only an undo creates folders. A redo creates a folder of the turn together with its files.
  const folders = [...state.folders].map(
    ([uri, didExist]) => [uri, didExist && type === 'undo'] as const,
  );
  const unrestoredFolders = await restoreFolders(new Map(folders), check);
  const restoredFiles: RestoredFile[] = [];
  for (const [index, restore] of restores.entries()) {
    if (conflicts.has(index)) continue;
    const stateBefore = await storeState(restore.from, snapshots, blobStore);
    const stateAfter = await storeState(restore.to, await takeFileSnapshot(restore.to), blobStore);
    const [done, undone] = type === 'undo' ? [stateBefore, stateAfter] : [stateAfter, stateBefore];
    restoredFiles.push({ file: fileIndexes[index] ?? 0, done, undone });
  }
  const outcome = await buildOutcome(state, {
    check,
    fileIndexes,
    restores,
    conflicts,
    unrestoredFolders,
  });
  return { records: restoredFiles.length === 0 ? [] : [{ type, files: restoredFiles }], outcome };
}

/**
 * Restores some files of a turn. A partly accepted file gets the review state `accepted`.
 * @throws Error if VS Code cannot apply the changes
 */
export async function rejectFiles(
  state: TurnState,
  rejections: readonly RejectedFile[],
  { blobStore, paths }: UndoPorts,
): Promise<UndoResult> {
  const check = new RestoreCheck(paths, state.openFolders);
  const fileIndexes = rejections.map(({ fileIndex }) => fileIndex);
  const restores = rejections.map(({ fileIndex, to }) => {
    const fileRestore = createFileRestore(state, fileIndex, 'undo');
    return to === undefined ? fileRestore : { ...fileRestore, to };
  });
  const { conflicts } = await restoreFiles(
    restores,
    { blobStore, check },
    findUserEditConflicts(state, fileIndexes),
  );
  const restoredIndexes = fileIndexes.filter((_, index) => !conflicts.has(index));
  const isWholeTurn = restoredIndexes.length === state.changedIndexes.length;
  const unrestoredFolders = isWholeTurn ? await restoreFolders(state.folders, check) : [];
  return {
    records: restoredIndexes.map((file) => {
      const isPartlyAccepted = state.files[file]?.reviewedBlob !== undefined;
      return { type: 'review', file, state: isPartlyAccepted ? 'accepted' : 'rejected' };
    }),
    outcome: await buildOutcome(state, {
      check,
      fileIndexes,
      restores,
      conflicts,
      unrestoredFolders,
    }),
  };
}

function createFileRestore(state: TurnState, index: number, type: 'undo' | 'redo'): FileRestore {
  const { done = null, undone = null } = state.files[index] ?? {};
  return type === 'undo' ? { from: done, to: undone } : { from: undone, to: done };
}

function findUserEditConflicts(
  state: TurnState,
  files: readonly number[],
): ReadonlyMap<number, 'changed'> {
  return new Map(
    files.flatMap((file, index) =>
      state.files[file]?.hasUserEdits === true ? [[index, 'changed'] as const] : [],
    ),
  );
}

async function takeFileSnapshot(state: FileState | null): Promise<ReadonlyMap<string, Snapshot>> {
  if (state === null) return new Map();
  return new Map([[state.uri, await takeSnapshot(vscode.Uri.parse(state.uri))]]);
}

/**
 * Stores the current state of a file before its restore, so that the reverse operation can restore exactly this state.
 */
async function storeState(
  state: FileState | null,
  snapshots: ReadonlyMap<string, Snapshot>,
  blobStore: BlobStore,
): Promise<FileState | null> {
  const snapshot = state === null ? undefined : snapshots.get(state.uri);
  if (state === null || snapshot?.kind !== 'file') return state;
  await blobStore.store(snapshot.bytes);
  return { uri: state.uri, kept: snapshot.content };
}

interface RestoreResult {
  readonly check: RestoreCheck;
  readonly fileIndexes: readonly number[];
  readonly restores: readonly FileRestore[];
  /** Reasons why files stay unchanged, by index in `fileIndexes`. */
  readonly conflicts: ReadonlyMap<number, RestoreConflict>;
  readonly unrestoredFolders: readonly PathRefusal[];
}

async function buildOutcome(
  state: TurnState,
  { check, fileIndexes, restores, conflicts, unrestoredFolders }: RestoreResult,
): Promise<UndoOutcome> {
  const labels = fileIndexes.map((fileIndex) => formatFileLabel(state.files[fileIndex]));
  const restoredLabels: string[] = [];
  const sensitiveLabels: string[] = [];
  for (const [index, restore] of restores.entries()) {
    const label = labels[index] ?? '';
    if (conflicts.has(index)) continue;
    restoredLabels.push(label);
    if (await check.isSensitive(restore)) sensitiveLabels.push(label);
  }
  return {
    restoredFiles: restoredLabels,
    conflicts: [
      ...[...conflicts].map(([index, conflict]) => ({
        ...labelConflict(conflict, labels[index] ?? ''),
        fileIndex: fileIndexes[index] ?? 0,
      })),
      ...unrestoredFolders.map((folder) => labelConflict(folder, '')),
    ],
    sensitiveFiles: sensitiveLabels,
  };
}

const labelConflict = (conflict: RestoreConflict, label: string): LabeledConflict =>
  typeof conflict === 'string'
    ? { label, reason: conflict }
    : { label: conflict.path, reason: conflict.reason };

/**
 * Returns a message that tells the user about conflicts and sensitive files of an undo, a redo or a rejection;
 * undefined if there is nothing to report.
 */
export function formatOutcomeMessage({
  conflicts,
  sensitiveFiles,
}: UndoOutcome): string | undefined {
  const messages = Object.entries(conflictMessages).flatMap(([reason, format]) => {
    const labels = conflicts
      .filter((conflict) => conflict.reason === reason)
      .map(({ label }) => label);
    return labels.length === 0 ? [] : [format(formatLabels(labels))];
  });
  if (sensitiveFiles.length > 0) {
    messages.push(
      vscode.l10n.t(
        'Other programs act on files that were changed back: {0}. Check them before you continue.',
        formatLabels(sensitiveFiles),
      ),
    );
  }
  return messages.length === 0 ? undefined : messages.join(' ');
}

/** Returns the message that changes cannot be accepted, rejected or undone in an untrusted workspace. */
export const getUntrustedMessage = (): string => vscode.l10n.t('Trust this workspace first.');

const getOutsideWorkspaceMessage = (names: string): string =>
  vscode.l10n.t('Not changed back, because the path is not in this workspace: {0}.', names);

const conflictMessages: Readonly<Record<LabeledConflict['reason'], (names: string) => string>> = {
  changed: (names) =>
    vscode.l10n.t(
      'Not changed back, because of later changes in the same places: {0}. Compare them in the list of changes.',
      names,
    ),
  'not-kept': (names) =>
    vscode.l10n.t('Not changed back, because the other state is no longer stored: {0}.', names),
  outside: getOutsideWorkspaceMessage,
  'other-workspace': getOutsideWorkspaceMessage,
  unplaced: (names) =>
    vscode.l10n.t('Not changed back, because the real path was not recorded: {0}.', names),
};

/**
 * Formats up to five labels. Reveals hidden characters, because labels can contain untrusted text of files and
 * journals.
 */
const formatLabels = (labels: readonly string[]): string =>
  labels.slice(0, 5).map(revealHiddenCharacters).join(', ');
