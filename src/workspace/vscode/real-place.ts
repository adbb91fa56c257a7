import type { Stats } from 'node:fs';
import { lstat, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { PathFacts } from '../path-rules.ts';

export interface RealPlace extends Pick<PathFacts, 'isLink' | 'kind'> {
  /** Absolute, without links; of the nearest parent that exists, for what does not yet. */
  readonly path: string;
}

/** As many as Linux itself follows. */
const mostLinks = 40;

/**
 * Looks at a place on disk, which need not exist.
 * @param path absolute
 * @throws what the disk says when it cannot be looked at: then nothing is known of it
 */
export async function realPlace(path: string): Promise<RealPlace> {
  const [real, own, target] = await Promise.all([
    realPath(path, mostLinks),
    orMissing(lstat(path)),
    orMissing(stat(path)),
  ]);
  return { path: real, isLink: own?.isSymbolicLink() ?? false, kind: kindOf(target) };
}

/** Where the path leads, also when the end of it, or of a link on the way, does not exist. */
async function realPath(path: string, linksLeft: number): Promise<string> {
  const known = await orMissing(realpath(path));
  const parent = dirname(path);
  if (known !== undefined || parent === path) return known ?? path;
  const realParent = await realPath(parent, linksLeft);
  const place = join(realParent, basename(path));
  const own = await orMissing(lstat(place));
  if (!own?.isSymbolicLink()) return place;
  if (linksLeft === 0) throw new Error('Too many links.');
  return realPath(resolve(realParent, await readlink(place)), linksLeft - 1);
}

function kindOf(stats: Stats | undefined): PathFacts['kind'] {
  if (stats === undefined) return 'missing';
  if (stats.isFile()) return 'file';
  return stats.isDirectory() ? 'directory' : 'other';
}

/** Undefined when there is nothing, or a parent is not a folder. */
async function orMissing<T>(looking: Promise<T>): Promise<T | undefined> {
  try {
    return await looking;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
