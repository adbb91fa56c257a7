import type * as vscode from 'vscode';
import type { Clock } from '../../../base/clock.ts';
import type { ContextSnippet } from '../../ports.ts';
import type { Snapshot } from '../../snapshot.ts';

/** Context snippet with its source file, which is checked against the file rules again on use. */
export interface SourcedSnippet {
  readonly uri: vscode.Uri;
  readonly snippet: ContextSnippet;
}

/** Source that gathers snippets in the background. */
export interface SnippetSource {
  /** Returns the snippets gathered so far, best first. Takes a fraction of a millisecond. */
  snippets(document: vscode.TextDocument, snapshot: Snapshot): readonly SourcedSnippet[];
}

type Address = Pick<vscode.Uri, 'toString'>;

/** Lookup result for a symbol or an import. */
interface LookupResult {
  /** Undefined if no declaration was found, or if its file may not be shared. */
  readonly source: SourcedSnippet | undefined;
  /** Time when the lookup started. */
  readonly startedAt: LookupTime;
}

interface LookupTime {
  /** Number of document changes before the lookup. */
  readonly changes: number;
  /** Milliseconds since the epoch. */
  readonly ms: number;
}

/**
 * Lifetime of results in milliseconds, because the file may change on disk or a language service
 * may start.
 */
const foundLifetimeMs = 60_000;
const notFoundLifetimeMs = 20_000;
const maxDocuments = 10;
const maxNames = 200;

/** Lookup results by document and name, valid until their source file changes. */
export class SnippetCache {
  readonly #clock: Clock;
  /** Results by document and name, least recently used document first. */
  readonly #documents = new Map<string, Map<string, LookupResult>>();
  /** Sequence number of each document's last change. */
  readonly #changed = new Map<string, number>();
  #changes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): LookupTime {
    return { changes: this.#changes, ms: this.#clock.now() };
  }

  has(document: Address): boolean {
    return this.#documents.has(document.toString());
  }

  get(document: Address, name: string): SourcedSnippet | undefined {
    const result = this.#documents.get(document.toString())?.get(name);
    return result === undefined || this.#isOutdated(result) ? undefined : result.source;
  }

  /** Checks whether a name should be looked up again. */
  isDue(document: Address, name: string): boolean {
    const result = this.#documents.get(document.toString())?.get(name);
    if (result === undefined || this.#isOutdated(result)) return true;
    const age = this.#clock.now() - result.startedAt.ms;
    return age > (result.source === undefined ? notFoundLifetimeMs : foundLifetimeMs);
  }

  set(document: Address, name: string, result: LookupResult): void {
    const address = document.toString();
    const names = this.#documents.get(address) ?? new Map<string, LookupResult>();
    if (names.size >= maxNames) names.clear();
    names.set(name, result);
    this.#documents.delete(address);
    this.#documents.set(address, names);
    const [oldest] = this.#documents.keys();
    if (this.#documents.size > maxDocuments && oldest !== undefined) this.#documents.delete(oldest);
  }

  /** Records a change. Called on every keystroke, so it must be fast. */
  changed(document: Address): void {
    this.#changes += 1;
    this.#changed.set(document.toString(), this.#changes);
  }

  closed(document: Address): void {
    const address = document.toString();
    this.#documents.delete(address);
    this.#changed.delete(address);
    // The document may have been closed without saving.
    for (const names of this.#documents.values())
      for (const [name, { source }] of names)
        if (source?.uri.toString() === address) names.delete(name);
  }

  clear(): void {
    this.#documents.clear();
  }

  #isOutdated({ source, startedAt }: LookupResult): boolean {
    const changed = source && this.#changed.get(source.uri.toString());
    return changed !== undefined && changed > startedAt.changes;
  }
}

/**
 * Returns the name of an error. Omits the message, because language services quote paths and source
 * text in messages.
 */
export function errorName(error: unknown): string {
  const name: unknown = error instanceof Error ? error.name : typeof error;
  return typeof name === 'string' && isName.test(name) ? name : 'Error';
}

/** Matches harmless names. The name of an error can be any text. */
const isName = /^[A-Za-z]{1,40}$/u;
