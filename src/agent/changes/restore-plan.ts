import type { FileSide, Kept } from './turn-record.ts';

/** A file that is to go from one state to another. Null: no file. */
export interface Restore {
  readonly from: FileSide | null;
  readonly to: FileSide | null;
}

/** What is at a place now. */
export interface Found extends Pick<Kept, 'link' | 'realPath'> {
  /** Of the editor's text where it is not saved. Null: nothing is there; any other text: something that is no file. */
  readonly blob: string | null;
}

export type Step =
  | { readonly type: 'delete'; readonly uri: string }
  | { readonly type: 'rename'; readonly from: string; readonly to: string }
  /** Exactly these bytes, whether there is a file already or not. */
  | { readonly type: 'write'; readonly uri: string; readonly kept: Kept }
  /** The file has other text than expected: what `theirs` changed against `base` goes into it. */
  | { readonly type: 'merge'; readonly uri: string; readonly base: Kept; readonly theirs: Kept };

export interface RestorePlan {
  /** In the order in which they can be taken; merges come last. */
  readonly steps: readonly Step[];
  /** Positions of the files that stay as they are: to restore them would cost what somebody did since. */
  readonly conflicts: readonly number[];
}

export type Look = (uri: string) => Found;

/**
 * Decides how files get to their other state, without overwriting or removing anything that is not exactly what it
 * is expected to be.
 * @param refused Positions of files that must stay. Whether a merge is possible is only known once the texts are: a
 *   caller that finds one is not plans again.
 */
export function planRestore(
  restores: readonly Restore[],
  look: Look,
  refused: ReadonlySet<number> = new Set(),
): RestorePlan {
  const conflicts = new Set(refused);
  for (const [index, restore] of restores.entries()) {
    if (judge(restore, look) === 'conflict') conflicts.add(index);
  }
  // A file that cannot leave its place keeps another one from going there, and so on.
  for (let blocked: readonly number[] = [-1]; blocked.length > 0;) {
    blocked = blockedIn(restores, look, conflicts);
    for (const index of blocked) conflicts.add(index);
  }
  const free = restores.filter((_, index) => !conflicts.has(index));
  return { steps: stepsOf(free, look), conflicts: [...conflicts].toSorted((a, b) => a - b) };
}

type Judgement = 'done' | 'exact' | 'merge' | 'conflict';

/** Looks at the file's two places only, as if there were no others. */
function judge({ from, to }: Restore, look: Look): Judgement {
  if (to !== null && hasMoved(to, look(to.uri))) return 'conflict';
  if (isThere(to, from, look)) return 'done';
  if (from === null) return 'exact';
  const now = look(from.uri);
  if (now.blob === null) return to === null ? 'done' : 'conflict';
  if (hasMoved(from, now)) return 'conflict';
  if (now.blob === from.kept.blob) return 'exact';
  return to === null ? 'conflict' : 'merge';
}

function isThere(to: FileSide | null, from: FileSide | null, look: Look): boolean {
  if (to === null || look(to.uri).blob !== to.kept.blob) return false;
  return from === null || from.uri === to.uri || look(from.uri).blob === null;
}

/**
 * A link has taken the place of the file or of one of its folders: what is behind it is another file. On disk that
 * cannot be ruled out when nobody recorded where the file really was.
 */
function hasMoved({ uri, kept }: FileSide, now: Found): boolean {
  if (now.blob !== null && now.link !== kept.link) return true;
  if (kept.realPath === undefined && /^file:/iu.test(uri)) return true;
  return kept.realPath !== undefined && now.realPath !== kept.realPath;
}

function blockedIn(
  restores: readonly Restore[],
  look: Look,
  conflicts: ReadonlySet<number>,
): readonly number[] {
  const free = [...restores.entries()].filter(([index]) => !conflicts.has(index));
  const leaving = new Set(free.flatMap(([, restore]) => placeLeft(restore, look) ?? []));
  return free
    .filter(([, restore]) => {
      const { from, to } = restore;
      if (to === null || from?.uri === to.uri || look(to.uri).blob === null) return false;
      const judgement = judge(restore, look);
      return judgement !== 'done' && (judgement === 'merge' || !leaving.has(to.uri));
    })
    .map(([index]) => index);
}

function placeLeft(restore: Restore, look: Look): string | undefined {
  const { from, to } = restore;
  if (from === null || from.uri === to?.uri) return undefined;
  const judgement = judge(restore, look);
  const isFree = to !== null && look(to.uri).blob === null;
  return judgement === 'exact' || (judgement === 'merge' && isFree) ? from.uri : undefined;
}

function stepsOf(restores: readonly Restore[], look: Look): readonly Step[] {
  const open = restores.filter((restore) => judge(restore, look) !== 'done');
  const filled = new Set(open.flatMap(({ to }) => to?.uri ?? []));
  const steps = open.flatMap((restore) => stepsOfFile(restore, filled, look));
  return order.flatMap((type) => steps.filter((step) => step.type === type));
}

/** What makes room goes first; a place may be a file before and a folder after. */
const order = ['delete', 'rename', 'write', 'merge'] as const;

function stepsOfFile(restore: Restore, filled: ReadonlySet<string>, look: Look): readonly Step[] {
  const { from, to } = restore;
  if (to === null) return from === null ? [] : removal(from.uri, filled);
  const content: Step =
    from !== null && judge(restore, look) === 'merge'
      ? { type: 'merge', uri: to.uri, base: from.kept, theirs: to.kept }
      : { type: 'write', uri: to.uri, kept: to.kept };
  if (from === null || from.uri === to.uri) return [content];
  if (look(to.uri).blob !== null) return [...removal(from.uri, filled), content];
  const move: Step = { type: 'rename', from: from.uri, to: to.uri };
  return from.kept.blob === to.kept.blob ? [move] : [move, content];
}

/** Unless another file takes the place: that one overwrites what is there. */
const removal = (uri: string, filled: ReadonlySet<string>): readonly Step[] =>
  filled.has(uri) ? [] : [{ type: 'delete', uri }];

/**
 * The permission bits that a file gets when it is made anew: of what was recorded only whether it can be run counts.
 * Its owner can read and write it; others never get more than they had, and never may write.
 */
export function restoredMode(recorded: number): number {
  const isProgram = (recorded & 0o100) !== 0;
  const [own, others] = isProgram ? [0o700, 0o055] : [0o600, 0o044];
  return own | (recorded & others);
}

/**
 * Whether a symbolic link leads where its names say, however the folders on the way look: `a/..` is another place when
 * `a` is a link itself.
 * @param link With slashes of either kind.
 */
export function isPlainTarget(link: string): boolean {
  if (link === '' || link.includes('\0')) return false;
  const names = link.split(/[\\/]/u);
  const firstPlain = names.findIndex((name) => name !== '..' && name !== '.');
  return firstPlain < 0 || !names.slice(firstPlain).includes('..');
}
