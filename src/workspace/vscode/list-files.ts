import type { Clock } from '../../base/clock.ts';
import type { PathFilter } from '../path-filter.ts';
import { looksSecret, secretNameGlobs } from '../secret-file.ts';
import { anyCase, listWithRipgrep } from './ripgrep.ts';
import { Breather, walk } from './scan.ts';
import type { SearchPlace } from './search-scope.ts';

/**
 * Tells the path of every file in the place, in any order: by ripgrep, or folder by folder without it.
 * Ends early, without an error, when the signal fires.
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

/** Counts paths and keeps the first ones in alphabetical order, without keeping all. */
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
/** Milliseconds. A session asks many times in a row, and the names change seldom. */
const freshFor = 60_000;

interface SecretFilesOptions {
  readonly clock: Clock;
  /** The program that searches; undefined for none. */
  readonly ripgrep: () => Promise<string | undefined>;
}

/**
 * Which files a search leaves out because they may hold secrets. Found by their names alone, whatever is searched:
 * if only those with a match were named, a search could read them letter by letter.
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
