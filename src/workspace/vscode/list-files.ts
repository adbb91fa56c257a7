import type { Clock } from '../../base/clock.ts';
import type { PathFilter } from '../path-filter.ts';
import { looksSecret, secretNameGlobs } from '../secret-file.ts';
import { anyCase, listWithRipgrep } from './ripgrep.ts';
import { Breather, walk } from './scan.ts';
import type { SearchPlace } from './search-scope.ts';

/**
 * Reports the path of every file in the search location, in any order. Uses ripgrep if available, otherwise walks the
 * folders. Returns early without an error when the signal aborts.
 */
export async function listFiles(
  { scope, source, root }: SearchPlace,
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
    const all = (path: string): boolean => {
      onPath(path);
      return true;
    };
    const { kind } = await listWithRipgrep({ program, scope, signal, onPath: all });
    if (kind !== 'missing' && kind !== 'failed') return;
  }
  for await (const paths of walk(source, scope, { signal, breather: new Breather() })) {
    for (const path of paths) onPath(path);
  }
}

/** Counts all paths but stores only the first ones in alphabetical order. */
export class FirstPaths {
  readonly #most: number;
  #kept: string[] = [];
  #count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get count(): number {
    return this.#count;
  }

  add(path: string): void {
    this.#count += 1;
    this.#kept.push(path);
    if (this.#kept.length > this.#most * 4) this.#kept = this.paths();
  }

  paths(): string[] {
    return this.#kept.toSorted().slice(0, this.#most);
  }
}

const likelyNames = secretNameGlobs.map(anyCase);

const mostNames = 1_000;
/** Cache duration in milliseconds. An agent run searches repeatedly, and file names rarely change. */
const freshFor = 60_000;

interface SecretFilesOptions {
  readonly clock: Clock;
  /** Returns the path of the ripgrep executable, or undefined without one. */
  readonly ripgrep: () => Promise<string | undefined>;
}

/**
 * Finds the files that a search excludes because they may contain secrets. Selects them by name only, regardless of
 * the search text. If only matching files were listed, searches could guess their contents letter by letter.
 */
export class SecretFiles {
  readonly #options: SecretFilesOptions;
  readonly #known = new Map<string, { readonly at: number; readonly paths: readonly string[] }>();

  constructor(options: SecretFilesOptions) {
    this.#options = options;
  }

  async in(place: SearchPlace, filter: PathFilter, signal: AbortSignal): Promise<string[]> {
    if (place.isFile) return [];
    const start = place.scope.under === '' ? 0 : place.scope.under.length + 1;
    const paths = await this.#paths(place, signal);
    return paths
      .filter((path) => filter.accepts(path.slice(start)))
      .map((path) => place.labelOf(path));
  }

  async #paths(place: SearchPlace, signal: AbortSignal): Promise<readonly string[]> {
    const key = `${place.root.toString()}\0${place.scope.under}`;
    const known = this.#known.get(key);
    const now = this.#options.clock.now();
    if (known !== undefined && now - known.at < freshFor) return known.paths;
    const paths = await this.#find(place, signal);
    if (!signal.aborted) this.#known.set(key, { at: now, paths });
    return paths;
  }

  async #find(place: SearchPlace, signal: AbortSignal): Promise<readonly string[]> {
    const found: string[] = [];
    const scope = { ...place.scope, excludes: [], names: likelyNames };
    await listFiles(
      { ...place, scope },
      {
        program: await this.#options.ripgrep(),
        signal,
        onPath(path) {
          if (found.length < mostNames && looksSecret(path)) found.push(path);
        },
      },
    );
    return found.toSorted();
  }
}
