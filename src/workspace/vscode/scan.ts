import type { FileScope, FileSource, FoundLine, TextQuery } from '../search.ts';
import { Breather } from './breather.ts';
import { LineSearch } from './line-search.ts';
import { walk } from './walk.ts';

export interface Scan {
  readonly source: FileSource;
  readonly scope: FileScope;
  readonly query: TextQuery;
  readonly signal: AbortSignal;
  /** Whether a file is searched at all. */
  readonly accepts: (path: string) => boolean;
  /** Returns false when it wants no more. */
  readonly onLine: (path: string, line: FoundLine) => boolean;
}

/** Answers that are waited for at once, where reading takes its time. */
const readsAtOnce = 16;
const batchCharacters = 512 * 1_024;

/**
 * What ripgrep does, without it. Work of more than a few milliseconds lets others have their turn.
 * @throws ToolError as {@link LineSearch}.
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

/** Texts that are searched together: guarding an expression costs more than a short text. */
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

/** Undefined for what is no text, or cannot hold what is searched. */
function textOf(bytes: Buffer, search: LineSearch): string | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return bytes.toString('utf16le', 2);
  if (!search.mayHold(bytes) || bytes.includes(0)) return undefined;
  const start = first === 0xef && second === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  return bytes.toString('utf8', start);
}
