import type { FileState, StoredContent } from './turn-record.ts';

/**
 * A file that an undo or redo changes from the state `from` to the state `to`. Null means that the file does not exist.
 */
export interface FileRestore {
  readonly from: FileState | null;
  readonly to: FileState | null;
}

/** Current content at a path. */
export interface CurrentFile extends Pick<StoredContent, 'link' | 'realPath'> {
  /**
   * Hash of the current content, including unsaved changes in an editor; null if nothing exists at the path. For a
   * folder or an unreadable file, contains a string that is not a hash.
   */
  readonly blob: string | null;
}

export type RestoreStep =
  | { readonly type: 'delete'; readonly uri: string }
  | { readonly type: 'rename'; readonly from: string; readonly to: string }
  /** Writes the stored bytes exactly. Creates the file if it does not exist. */
  | { readonly type: 'write'; readonly uri: string; readonly kept: StoredContent }
  /** Merges the changes between `base` and `theirs` into a file whose text differs from `base`. */
  | {
      readonly type: 'merge';
      readonly uri: string;
      readonly base: StoredContent;
      readonly theirs: StoredContent;
    };

export interface RestorePlan {
  /** Steps in the order in which they must run. Merges are last. */
  readonly steps: readonly RestoreStep[];
  /** Indexes of files that stay unchanged because their restore would lose later changes. */
  readonly conflictIndexes: readonly number[];
}

export type InspectFile = (uri: string) => CurrentFile;

/**
 * Plans the steps that restore files. Never overwrites or removes a file that differs from its recorded state.
 * @param excludedIndexes Indexes of files that must stay unchanged. If the caller cannot merge the texts of a file, it
 *   adds the index of this file and plans again.
 */
export function planRestore(
  restores: readonly FileRestore[],
  inspect: InspectFile,
  excludedIndexes: ReadonlySet<number> = new Set(),
): RestorePlan {
  const conflictIndexes = new Set(excludedIndexes);
  for (const [index, restore] of restores.entries()) {
    if (classifyRestore(restore, inspect) === 'conflict') conflictIndexes.add(index);
  }
  // A file that stays at its path blocks the file that would move there. The blocked file may block
  // a third file in the same way.
  for (let blockedIndexes: readonly number[] = [-1]; blockedIndexes.length > 0;) {
    blockedIndexes = findBlockedRestores(restores, inspect, conflictIndexes);
    for (const index of blockedIndexes) conflictIndexes.add(index);
  }
  const feasibleRestores = restores.filter((_, index) => !conflictIndexes.has(index));
  return {
    steps: planSteps(feasibleRestores, inspect),
    conflictIndexes: [...conflictIndexes].toSorted((a, b) => a - b),
  };
}

type RestoreKind = 'done' | 'exact' | 'merge' | 'conflict';

/**
 * Decides how to restore one file, based on the file's paths, recorded states and current content. Does not consider
 * how the restore of another file changes these paths.
 */
function classifyRestore({ from, to }: FileRestore, inspect: InspectFile): RestoreKind {
  if (to !== null && isRelocated(to, inspect(to.uri))) return 'conflict';
  if (isRestored(to, from, inspect)) return 'done';
  if (from === null) return 'exact';
  const currentFile = inspect(from.uri);
  if (currentFile.blob === null) return to === null ? 'done' : 'conflict';
  if (isRelocated(from, currentFile)) return 'conflict';
  if (currentFile.blob === from.kept.blob) return 'exact';
  return to === null ? 'conflict' : 'merge';
}

function isRestored(to: FileState | null, from: FileState | null, inspect: InspectFile): boolean {
  if (to === null || inspect(to.uri).blob !== to.kept.blob) return false;
  return from === null || from.uri === to.uri || inspect(from.uri).blob === null;
}

/**
 * Checks whether the path leads to a different file than recorded, because a link has replaced the file or one of its
 * folders. Returns true for a file on disk whose real path was not recorded.
 */
function isRelocated({ uri, kept }: FileState, currentFile: CurrentFile): boolean {
  if (currentFile.blob !== null && currentFile.link !== kept.link) return true;
  if (kept.realPath === undefined && /^file:/iu.test(uri)) return true;
  return kept.realPath !== undefined && currentFile.realPath !== kept.realPath;
}

function findBlockedRestores(
  restores: readonly FileRestore[],
  inspect: InspectFile,
  conflicts: ReadonlySet<number>,
): readonly number[] {
  const feasibleEntries = [...restores.entries()].filter(([index]) => !conflicts.has(index));
  const vacatedUris = new Set(
    feasibleEntries.flatMap(([, restore]) => findVacatedUri(restore, inspect) ?? []),
  );
  return feasibleEntries
    .filter(([, restore]) => {
      const { from, to } = restore;
      if (to === null || from?.uri === to.uri || inspect(to.uri).blob === null) return false;
      const restoreKind = classifyRestore(restore, inspect);
      return restoreKind !== 'done' && (restoreKind === 'merge' || !vacatedUris.has(to.uri));
    })
    .map(([index]) => index);
}

function findVacatedUri(restore: FileRestore, inspect: InspectFile): string | undefined {
  const { from, to } = restore;
  if (from === null || from.uri === to?.uri) return undefined;
  const restoreKind = classifyRestore(restore, inspect);
  const isFree = to !== null && inspect(to.uri).blob === null;
  return restoreKind === 'exact' || (restoreKind === 'merge' && isFree) ? from.uri : undefined;
}

function planSteps(restores: readonly FileRestore[], inspect: InspectFile): readonly RestoreStep[] {
  const unfinishedRestores = restores.filter(
    (restore) => classifyRestore(restore, inspect) !== 'done',
  );
  const targetUris = new Set(unfinishedRestores.flatMap(({ to }) => to?.uri ?? []));
  const steps = unfinishedRestores.flatMap((restore) =>
    planFileSteps(restore, targetUris, inspect),
  );
  return stepOrder.flatMap((type) => steps.filter((step) => step.type === type));
}

/**
 * Order in which the types of steps run. Steps that remove a file from its path come first, because another step may
 * need a folder at this path.
 */
const stepOrder = ['delete', 'rename', 'write', 'merge'] as const;

function planFileSteps(
  restore: FileRestore,
  targetUris: ReadonlySet<string>,
  inspect: InspectFile,
): readonly RestoreStep[] {
  const { from, to } = restore;
  if (to === null) return from === null ? [] : planDeletion(from.uri, targetUris);
  const contentStep: RestoreStep =
    from !== null && classifyRestore(restore, inspect) === 'merge'
      ? { type: 'merge', uri: to.uri, base: from.kept, theirs: to.kept }
      : { type: 'write', uri: to.uri, kept: to.kept };
  if (from === null || from.uri === to.uri) return [contentStep];
  if (inspect(to.uri).blob !== null) return [...planDeletion(from.uri, targetUris), contentStep];
  const renameStep: RestoreStep = { type: 'rename', from: from.uri, to: to.uri };
  return from.kept.blob === to.kept.blob ? [renameStep] : [renameStep, contentStep];
}

/** Returns the step that deletes a file, or no step if another restored file overwrites it. */
const planDeletion = (uri: string, targetUris: ReadonlySet<string>): readonly RestoreStep[] =>
  targetUris.has(uri) ? [] : [{ type: 'delete', uri }];

/**
 * Returns the permission bits for a file that an undo creates again. The owner can read and write the file, and execute
 * it if it was executable. Group and others keep at most their recorded read and execute bits.
 */
export function computeRestoredPermissions(recordedMode: number): number {
  const isProgram = (recordedMode & 0o100) !== 0;
  const [ownerBits, otherBits] = isProgram ? [0o700, 0o055] : [0o600, 0o044];
  return ownerBits | (recordedMode & otherBits);
}

/**
 * Checks whether the target of a symbolic link can be resolved from its text alone. In `a/..`, for example, `a` may be
 * a link to another folder.
 * @param linkTarget Target, with slashes or backslashes.
 */
export function isUnambiguousTarget(linkTarget: string): boolean {
  if (linkTarget === '' || linkTarget.includes('\0')) return false;
  const pathSegments = linkTarget.split(/[\\/]/u);
  const firstNameIndex = pathSegments.findIndex((name) => name !== '..' && name !== '.');
  return firstNameIndex < 0 || !pathSegments.slice(firstNameIndex).includes('..');
}
