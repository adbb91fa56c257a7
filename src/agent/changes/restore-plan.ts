import type { FileState, StoredContent } from './turn-record.ts';

/** A file that is to go from one state to another. Null: no file. */
export interface Restore {
  readonly from: FileState | null;
  readonly to: FileState | null;
}

/** What is at a place now. */
export interface CurrentFile extends Pick<StoredContent, 'link' | 'realPath'> {
  /** Of the editor's text where it is not saved. Null: nothing is there; any other text: something that is no file. */
  readonly blob: string | null;
}

export type RestoreStep =
  | { readonly type: 'delete'; readonly uri: string }
  | { readonly type: 'rename'; readonly from: string; readonly to: string }
  /** Exactly these bytes, whether there is a file already or not. */
  | { readonly type: 'write'; readonly uri: string; readonly kept: StoredContent }
  /** The file has other text than expected: what `theirs` changed against `base` goes into it. */
  | {
      readonly type: 'merge';
      readonly uri: string;
      readonly base: StoredContent;
      readonly theirs: StoredContent;
    };

export interface RestorePlan {
  /** In the order in which they can be taken; merges come last. */
  readonly steps: readonly RestoreStep[];
  /** Positions of the files that stay as they are: to restore them would cost what somebody did since. */
  readonly conflicts: readonly number[];
}

export type InspectFile = (uri: string) => CurrentFile;

/**
 * Decides how files get to their other state, without overwriting or removing anything that is not exactly what it
 * is expected to be.
 * @param refused Positions of files that must stay. Whether a merge is possible is only known once the texts are: a
 *   caller that finds one is not plans again.
 */
export function planRestore(
  restores: readonly Restore[],
  inspect: InspectFile,
  refused: ReadonlySet<number> = new Set(),
): RestorePlan {
  const conflicts = new Set(refused);
  for (const [index, restore] of restores.entries()) {
    if (classify(restore, inspect) === 'conflict') conflicts.add(index);
  }
  // A file that cannot leave its place keeps another one from going there, and so on.
  for (let blocked: readonly number[] = [-1]; blocked.length > 0;) {
    blocked = findBlocked(restores, inspect, conflicts);
    for (const index of blocked) conflicts.add(index);
  }
  const free = restores.filter((_, index) => !conflicts.has(index));
  return { steps: planSteps(free, inspect), conflicts: [...conflicts].toSorted((a, b) => a - b) };
}

type Classification = 'done' | 'exact' | 'merge' | 'conflict';

/** Looks at the file's two places only, as if there were no others. */
function classify({ from, to }: Restore, inspect: InspectFile): Classification {
  if (to !== null && isRelocated(to, inspect(to.uri))) return 'conflict';
  if (isRestored(to, from, inspect)) return 'done';
  if (from === null) return 'exact';
  const current = inspect(from.uri);
  if (current.blob === null) return to === null ? 'done' : 'conflict';
  if (isRelocated(from, current)) return 'conflict';
  if (current.blob === from.kept.blob) return 'exact';
  return to === null ? 'conflict' : 'merge';
}

function isRestored(to: FileState | null, from: FileState | null, inspect: InspectFile): boolean {
  if (to === null || inspect(to.uri).blob !== to.kept.blob) return false;
  return from === null || from.uri === to.uri || inspect(from.uri).blob === null;
}

/**
 * A link has taken the place of the file or of one of its folders: what is behind it is another file. On disk that
 * cannot be ruled out when nobody recorded where the file really was.
 */
function isRelocated({ uri, kept }: FileState, current: CurrentFile): boolean {
  if (current.blob !== null && current.link !== kept.link) return true;
  if (kept.realPath === undefined && /^file:/iu.test(uri)) return true;
  return kept.realPath !== undefined && current.realPath !== kept.realPath;
}

function findBlocked(
  restores: readonly Restore[],
  inspect: InspectFile,
  conflicts: ReadonlySet<number>,
): readonly number[] {
  const free = [...restores.entries()].filter(([index]) => !conflicts.has(index));
  const vacatedUris = new Set(free.flatMap(([, restore]) => vacatedUri(restore, inspect) ?? []));
  return free
    .filter(([, restore]) => {
      const { from, to } = restore;
      if (to === null || from?.uri === to.uri || inspect(to.uri).blob === null) return false;
      const classification = classify(restore, inspect);
      return classification !== 'done' && (classification === 'merge' || !vacatedUris.has(to.uri));
    })
    .map(([index]) => index);
}

function vacatedUri(restore: Restore, inspect: InspectFile): string | undefined {
  const { from, to } = restore;
  if (from === null || from.uri === to?.uri) return undefined;
  const classification = classify(restore, inspect);
  const isFree = to !== null && inspect(to.uri).blob === null;
  return classification === 'exact' || (classification === 'merge' && isFree)
    ? from.uri
    : undefined;
}

function planSteps(restores: readonly Restore[], inspect: InspectFile): readonly RestoreStep[] {
  const open = restores.filter((restore) => classify(restore, inspect) !== 'done');
  const targetUris = new Set(open.flatMap(({ to }) => to?.uri ?? []));
  const steps = open.flatMap((restore) => planFileSteps(restore, targetUris, inspect));
  return stepOrder.flatMap((type) => steps.filter((step) => step.type === type));
}

/** What makes room goes first; a place may be a file before and a folder after. */
const stepOrder = ['delete', 'rename', 'write', 'merge'] as const;

function planFileSteps(
  restore: Restore,
  targetUris: ReadonlySet<string>,
  inspect: InspectFile,
): readonly RestoreStep[] {
  const { from, to } = restore;
  if (to === null) return from === null ? [] : deleteUnlessReplaced(from.uri, targetUris);
  const content: RestoreStep =
    from !== null && classify(restore, inspect) === 'merge'
      ? { type: 'merge', uri: to.uri, base: from.kept, theirs: to.kept }
      : { type: 'write', uri: to.uri, kept: to.kept };
  if (from === null || from.uri === to.uri) return [content];
  if (inspect(to.uri).blob !== null)
    return [...deleteUnlessReplaced(from.uri, targetUris), content];
  const move: RestoreStep = { type: 'rename', from: from.uri, to: to.uri };
  return from.kept.blob === to.kept.blob ? [move] : [move, content];
}

/** Unless another file takes the place: that one overwrites what is there. */
const deleteUnlessReplaced = (
  uri: string,
  targetUris: ReadonlySet<string>,
): readonly RestoreStep[] => (targetUris.has(uri) ? [] : [{ type: 'delete', uri }]);

/**
 * The permission bits that a file gets when it is made anew: of what was recorded only whether it can be run counts.
 * Its owner can read and write it; others never get more than they had, and never may write.
 */
export function restoredPermissions(recorded: number): number {
  const isProgram = (recorded & 0o100) !== 0;
  const [own, others] = isProgram ? [0o700, 0o055] : [0o600, 0o044];
  return own | (recorded & others);
}

/**
 * Whether a symbolic link leads where its names say, however the folders on the way look: `a/..` is another place when
 * `a` is a link itself.
 * @param link With slashes of either kind.
 */
export function isUnambiguousTarget(link: string): boolean {
  if (link === '' || link.includes('\0')) return false;
  const names = link.split(/[\\/]/u);
  const firstName = names.findIndex((name) => name !== '..' && name !== '.');
  return firstName < 0 || !names.slice(firstName).includes('..');
}
