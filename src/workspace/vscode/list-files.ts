import type { Clock } from '../../base/clock.ts';
import type { PathFilter } from '../path-filter.ts';
import type { FileScope } from '../search.ts';
import { isLikelySecret, secretNameGlobs } from '../secret-file.ts';
import { toCaseInsensitiveGlob, listFilesWithRipgrep } from './ripgrep.ts';
import { EventLoopYielder, walkFiles } from './scan.ts';
import type { SearchLocation } from './search-scope.ts';

/**
 * Reports the path of every file in the search location, in any order. Uses ripgrep if available, and otherwise reads
 * the folders itself. Returns early without an error when the signal aborts.
 */
export async function listFiles(
  { scope, source, root }: SearchLocation,
  {
    program,
    signal,
    onPath,
  }: {
    readonly program: string | undefined;
    readonly signal: AbortSignal;
    readonly onPath: (path: string) => void;
  },
): Promise<void> {
  if (program !== undefined && root.scheme === 'file') {
    const reportPath = (path: string): boolean => {
      onPath(path);
      return true;
    };
    const { kind } = await listFilesWithRipgrep({ program, scope, signal, onPath: reportPath });
    if (kind !== 'missing' && kind !== 'failed') return;
  }
  for await (const paths of walkFiles(source, scope, { signal, yielder: new EventLoopYielder() })) {
    for (const path of paths) onPath(path);
  }
}

/** Counts all added paths, but lists only the first `maxPaths` of them in alphabetical order. */
export class FirstPaths {
  readonly #maxPaths: number;
  #paths: string[] = [];
  #count = 0;

  constructor(maxPaths: number) {
    this.#maxPaths = maxPaths;
  }

  get count(): number {
    return this.#count;
  }

  add(path: string): void {
    this.#count += 1;
    this.#paths.push(path);
    if (this.#paths.length > this.#maxPaths * 4) this.#paths = this.listPaths();
  }

  listPaths(): string[] {
    return this.#paths.toSorted().slice(0, this.#maxPaths);
  }
}

const secretGlobs = secretNameGlobs.map(toCaseInsensitiveGlob);

const maxPathCount = 1_000;
/**
 * Lifetime of cached results in milliseconds. An agent run searches repeatedly, and file names
 * rarely change.
 */
const cacheTtlMs = 60_000;

interface SecretFilesOptions {
  readonly clock: Clock;
  /** Returns the path of the ripgrep executable, or undefined if none exists. */
  readonly getRipgrepPath: () => Promise<string | undefined>;
}

/**
 * Finds the files that a search excludes because they may contain secrets. The result does not depend on the search
 * text. Otherwise, a model could guess the contents of secret files letter by letter with repeated searches.
 */
export class SecretFiles {
  readonly #options: SecretFilesOptions;
  readonly #cache = new Map<
    string,
    { readonly cachedAt: number; readonly paths: readonly string[] }
  >();

  constructor(options: SecretFilesOptions) {
    this.#options = options;
  }

  async findSecretFiles(
    location: SearchLocation,
    filter: PathFilter,
    signal: AbortSignal,
  ): Promise<string[]> {
    if (location.isFile) return [];
    const start = location.scope.searchPath === '' ? 0 : location.scope.searchPath.length + 1;
    const paths = await this.#listPaths(location, signal);
    return paths
      .filter((path) => filter.accepts(path.slice(start)))
      .map((path) => location.formatLabel(path));
  }

  async #listPaths(target: SearchLocation, signal: AbortSignal): Promise<readonly string[]> {
    const key = `${target.root.toString()}\0${target.scope.searchPath}`;
    const cachedList = this.#cache.get(key);
    const now = this.#options.clock.now();
    if (cachedList !== undefined && now - cachedList.cachedAt < cacheTtlMs) return cachedList.paths;
    const paths = await this.#findPaths(target, signal);
    if (!signal.aborted) this.#cache.set(key, { cachedAt: now, paths });
    return paths;
  }

  async #findPaths(target: SearchLocation, signal: AbortSignal): Promise<readonly string[]> {
    const secretPaths: string[] = [];
    const scope: FileScope = { ...target.scope, excludeGlobs: [], nameGlobs: secretGlobs };
    await listFiles(
      { ...target, scope },
      {
        program: await this.#options.getRipgrepPath(),
        signal,
        onPath(path) {
          if (secretPaths.length < maxPathCount && isLikelySecret(path)) secretPaths.push(path);
        },
      },
    );
    return secretPaths.toSorted();
  }
}
