import { compileGlob } from '../glob.ts';
import { type IgnoreScope, isIgnored, extendScope, collectScope } from '../ignore-rules.ts';
import type { FileScope, FileSource, FolderEntry, FoundLine, TextQuery } from '../search.ts';
import { LineSearch } from './line-search.ts';

/**
 * Maximum duration of a slice of work in milliseconds, less than half a frame. After a slice, the work yields to the
 * event loop.
 */
const sliceMs = 6;

/** Divides long work into slices, so that the event loop stays responsive. */
export class EventLoopYielder {
  #sliceStart = performance.now();

  /** True if {@link yieldToEventLoop} should be called because the current slice has ended. */
  get isDue(): boolean {
    return performance.now() - this.#sliceStart > sliceMs;
  }

  /** Resolves after other pending work on the event loop has run. */
  yieldToEventLoop(): Promise<void> {
    return new Promise((resolve) => {
      setImmediate(() => {
        this.#sliceStart = performance.now();
        resolve();
      });
    });
  }
}

interface ScannedFolder {
  readonly path: string;
  readonly scope: IgnoreScope | undefined;
}

/**
 * Yields the files of the scope folder by folder, as paths relative to the scope's folder. Follows no links. Regularly
 * lets other work on the event loop run, and returns early when the signal aborts.
 */
export async function* walkFiles(
  source: FileSource,
  scope: FileScope,
  { signal, yielder }: { readonly signal: AbortSignal; readonly yielder: EventLoopYielder },
): AsyncGenerator<readonly string[]> {
  const isExcluded = createExclusionFilter(scope);
  const parentScope = scope.usesIgnoreFiles
    ? await collectScope(source, scope.searchPath, false)
    : undefined;
  const pendingFolders: ScannedFolder[] = [{ path: scope.searchPath, scope: parentScope }];
  for (let folder = pendingFolders.pop(); folder !== undefined; folder = pendingFolders.pop()) {
    if (signal.aborted) return;
    if (yielder.isDue) await yielder.yieldToEventLoop();
    const listing = source.listEntries(folder.path);
    const entries = listing instanceof Promise ? await listing : listing;
    const innerScope = scope.usesIgnoreFiles
      ? await createInnerScope(source, folder, entries)
      : undefined;
    const files: string[] = [];
    for (const { name, kind } of entries) {
      const path = folder.path === '' ? name : `${folder.path}/${name}`;
      if (kind === 'other' || name === '.git' || isExcluded(path)) continue;
      if (isIgnored(innerScope, path, kind === 'folder')) continue;
      if (kind === 'file') files.push(path);
      else pendingFolders.push({ path, scope: innerScope });
    }
    if (files.length > 0) yield files;
  }
}

/**
 * Creates a predicate that returns true for paths that the user's settings or the arguments of the tool call exclude.
 * The contents of an excluded folder are also excluded.
 */
export function createExclusionFilter({
  hiddenGlobs,
  excludeGlobs,
  searchPath,
}: FileScope): (path: string) => boolean {
  const hiddenMatchers = hiddenGlobs.map(compileGlob);
  const excludeMatchers = excludeGlobs.map(compileGlob);
  const start = searchPath === '' ? 0 : searchPath.length + 1;
  return (path) =>
    hiddenMatchers.some((matches) => matches(path)) ||
    excludeMatchers.some((matches) => matches(path.slice(start)));
}

async function createInnerScope(
  source: FileSource,
  { path, scope }: ScannedFolder,
  entries: readonly FolderEntry[],
): Promise<IgnoreScope | undefined> {
  const fileNames = entries.map(({ name }) => name);
  return extendScope(source, { parent: scope, path, fileNames });
}

export interface FolderScan {
  readonly source: FileSource;
  readonly scope: FileScope;
  readonly query: TextQuery;
  readonly signal: AbortSignal;
  /** Checks whether the file with this path is to be searched. */
  readonly accepts: (path: string) => boolean;
  /** Called for each line that the search finds. Returns false to stop the search. */
  readonly onLine: (path: string, line: FoundLine) => boolean;
}

/** Maximum number of concurrent reads on a slow disk or in a virtual file system. */
const maxConcurrentReads = 16;
const maxBatchCharacters = 512 * 1_024;

/**
 * Searches files without ripgrep. Yields to the event loop every few milliseconds.
 * @throws ToolError `bad-arguments` for an invalid regular expression, `failed` for an expression that exceeds the time
 * limit.
 */
export async function scanFiles({
  source,
  scope,
  query,
  signal,
  accepts,
  onLine,
}: FolderScan): Promise<'ended' | 'enough' | 'aborted'> {
  const yielder = new EventLoopYielder();
  const batch = new TextBatch(new LineSearch(query), onLine);
  let readPromises: Promise<void>[] = [];
  for await (const paths of walkFiles(source, scope, { signal, yielder })) {
    for (const path of paths) {
      if (!accepts(path)) continue;
      const content = source.read(path);
      if (!(content instanceof Promise)) batch.addFile(path, content);
      else readPromises.push(content.then((bytes) => batch.addFile(path, bytes)));
      if (readPromises.length >= maxConcurrentReads) {
        await Promise.all(readPromises);
        readPromises = [];
      }
      if (yielder.isDue) await yielder.yieldToEventLoop();
      if (signal.aborted) return 'aborted';
      if (batch.isStopped) return 'enough';
    }
  }
  await Promise.all(readPromises);
  batch.searchBatch();
  if (signal.aborted) return 'aborted';
  return batch.isStopped ? 'enough' : 'ended';
}

/**
 * Collects texts and searches them together, because starting a search with a time limit takes longer than searching a
 * short text.
 */
class TextBatch {
  readonly #search: LineSearch;
  readonly #onLine: FolderScan['onLine'];
  #paths: string[] = [];
  #texts: string[] = [];
  #charCount = 0;
  isStopped = false;

  constructor(search: LineSearch, onLine: FolderScan['onLine']) {
    this.#search = search;
    this.#onLine = onLine;
  }

  addFile(path: string, content: Uint8Array | undefined): void {
    if (content === undefined || this.isStopped) return;
    const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
    const text = decodeText(bytes, this.#search);
    if (text === undefined) return;
    this.#paths.push(path);
    this.#texts.push(text);
    this.#charCount += text.length;
    if (this.#charCount > maxBatchCharacters) this.searchBatch();
  }

  searchBatch(): void {
    const [paths, foundLines] = [this.#paths, this.#search.search(this.#texts)];
    [this.#paths, this.#texts, this.#charCount] = [[], [], 0];
    this.isStopped ||= !foundLines.every((lines, index) =>
      lines.every((line) => this.#onLine(paths[index] ?? '', line)),
    );
  }
}

/** Decodes a file. Returns undefined for binary files and for files that can't contain a match. */
function decodeText(bytes: Buffer, search: LineSearch): string | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return bytes.toString('utf16le', 2);
  if (!search.mayContainMatch(bytes) || bytes.includes(0)) return undefined;
  const start = first === 0xef && second === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  return bytes.toString('utf8', start);
}
