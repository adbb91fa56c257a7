import { compileGlob } from '../glob.ts';
import { type IgnoreScope, isIgnored, scopeBelow, scopeOf } from '../ignore-rules.ts';
import type { FileScope, FileSource, FolderEntry, FoundLine, TextQuery } from '../search.ts';
import { LineSearch } from './line-search.ts';

/** Milliseconds of work before the event loop gets a turn: less than half a frame. */
const slice = 6;

/** Divides long work into slices, so that the event loop stays responsive. */
export class Breather {
  #since = performance.now();

  /** True when the current slice is used up and {@link breathe} should be called. */
  get due(): boolean {
    return performance.now() - this.#since > slice;
  }

  /** Resolves after other pending work on the event loop has run. */
  breathe(): Promise<void> {
    return new Promise((resolve) => {
      setImmediate(() => {
        this.#since = performance.now();
        resolve();
      });
    });
  }
}

interface Folder {
  readonly path: string;
  readonly scope: IgnoreScope | undefined;
}

/**
 * Yields the files of the scope folder by folder, as paths relative to its folder. Follows no links, yields to the
 * event loop, and returns early when the signal aborts.
 */
export async function* walk(
  source: FileSource,
  scope: FileScope,
  { signal, breather }: { readonly signal: AbortSignal; readonly breather: Breather },
): AsyncGenerator<readonly string[]> {
  const leavesOut = hiddenBy(scope);
  const above = scope.useIgnoreFiles ? await scopeOf(source, scope.under, false) : undefined;
  const open: Folder[] = [{ path: scope.under, scope: above }];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    if (signal.aborted) return;
    if (breather.due) await breather.breathe();
    const answer = source.entries(folder.path);
    const entries = answer instanceof Promise ? await answer : answer;
    const inner = scope.useIgnoreFiles ? await innerScope(source, folder, entries) : undefined;
    const files: string[] = [];
    for (const { name, kind } of entries) {
      const path = folder.path === '' ? name : `${folder.path}/${name}`;
      if (kind === 'other' || name === '.git' || leavesOut(path)) continue;
      if (isIgnored(inner, path, kind === 'folder')) continue;
      if (kind === 'file') files.push(path);
      else open.push({ path, scope: inner });
    }
    if (files.length > 0) yield files;
  }
}

/** Returns a check for entries that the settings or the call exclude. An excluded folder excludes its contents. */
export function hiddenBy({ hidden, excludes, under }: FileScope): (path: string) => boolean {
  const fromFolder = hidden.map(compileGlob);
  const fromUnder = excludes.map(compileGlob);
  const start = under === '' ? 0 : under.length + 1;
  return (path) =>
    fromFolder.some((matches) => matches(path)) ||
    fromUnder.some((matches) => matches(path.slice(start)));
}

async function innerScope(
  source: FileSource,
  { path, scope }: Folder,
  entries: readonly FolderEntry[],
): Promise<IgnoreScope | undefined> {
  const present = entries.map(({ name }) => name);
  return scopeBelow(source, { parent: scope, path, present });
}

export interface Scan {
  readonly source: FileSource;
  readonly scope: FileScope;
  readonly query: TextQuery;
  readonly signal: AbortSignal;
  /** Selects the files to search by their path. */
  readonly accepts: (path: string) => boolean;
  /** Called for each line found. Returns false to stop. */
  readonly onLine: (path: string, line: FoundLine) => boolean;
}

/** Maximum number of concurrent reads on a slow disk or in a virtual file system. */
const readsAtOnce = 16;
const batchCharacters = 512 * 1_024;

/**
 * Searches files without ripgrep. Yields to the event loop every few milliseconds.
 * @throws ToolError like {@link LineSearch}.
 */
export async function scanFiles({
  source,
  scope,
  query,
  signal,
  accepts,
  onLine,
}: Scan): Promise<'ended' | 'enough' | 'aborted'> {
  const breather = new Breather();
  const batch = new Batch(new LineSearch(query), onLine);
  let reads: Promise<void>[] = [];
  for await (const paths of walk(source, scope, { signal, breather })) {
    for (const path of paths) {
      if (!accepts(path)) continue;
      const answer = source.read(path);
      if (!(answer instanceof Promise)) batch.add(path, answer);
      else reads.push(answer.then((bytes) => batch.add(path, bytes)));
      if (reads.length >= readsAtOnce) {
        await Promise.all(reads);
        reads = [];
      }
      if (breather.due) await breather.breathe();
      if (signal.aborted) return 'aborted';
      if (batch.enough) return 'enough';
    }
  }
  await Promise.all(reads);
  batch.flush();
  if (signal.aborted) return 'aborted';
  return batch.enough ? 'enough' : 'ended';
}

/** Texts that are searched together, because the time limit for an expression costs more than a short search. */
class Batch {
  readonly #search: LineSearch;
  readonly #onLine: Scan['onLine'];
  #paths: string[] = [];
  #texts: string[] = [];
  #characters = 0;
  enough = false;

  constructor(search: LineSearch, onLine: Scan['onLine']) {
    this.#search = search;
    this.#onLine = onLine;
  }

  add(path: string, read: Uint8Array | undefined): void {
    if (read === undefined || this.enough) return;
    const bytes = Buffer.from(read.buffer, read.byteOffset, read.byteLength);
    const text = textOf(bytes, this.#search);
    if (text === undefined) return;
    this.#paths.push(path);
    this.#texts.push(text);
    this.#characters += text.length;
    if (this.#characters > batchCharacters) this.flush();
  }

  flush(): void {
    const [paths, found] = [this.#paths, this.#search.search(this.#texts)];
    [this.#paths, this.#texts, this.#characters] = [[], [], 0];
    this.enough ||= !found.every((lines, at) =>
      lines.every((line) => this.#onLine(paths[at] ?? '', line)),
    );
  }
}

/** Decodes a file. Returns undefined for binary files and for files that can't contain a match. */
function textOf(bytes: Buffer, search: LineSearch): string | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return bytes.toString('utf16le', 2);
  if (!search.mayHold(bytes) || bytes.includes(0)) return undefined;
  const start = first === 0xef && second === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  return bytes.toString('utf8', start);
}
