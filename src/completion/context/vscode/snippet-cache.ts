import type * as vscode from 'vscode';
import type { Clock } from '../../../base/clock.ts';
import type { ContextSnippet } from '../../ports.ts';
import type { Snapshot } from '../../snapshot.ts';

/** A piece of context with the file that it is from, by which the rules judge it once more when it is used. */
export interface SourcedSnippet {
  readonly uri: vscode.Uri;
  readonly snippet: ContextSnippet;
}

/** Something that has gathered pieces in the background. */
export interface SnippetSource {
  /** What is known without a wait, best first. Takes a fraction of a millisecond. */
  snippets(document: vscode.TextDocument, snapshot: Snapshot): readonly SourcedSnippet[];
}

type Address = Pick<vscode.Uri, 'toString'>;

/** What is known of a symbol, or of an import. */
interface Known {
  /** Undefined when nothing was found, or its file may not be told of. */
  readonly piece: SourcedSnippet | undefined;
  /** As {@link SnippetCache.now} said when the question began. */
  readonly asked: Moment;
}

interface Moment {
  /** Changes of any document until then. */
  readonly changes: number;
  /** Milliseconds since the epoch. */
  readonly ms: number;
}

/** Milliseconds after which it is looked for again: the file may have changed on disk, or a service woken up. */
const longestAge = 60_000;
const unknownAge = 20_000;
const mostDocuments = 10;
const mostNames = 200;

/** What was found for the names in each document, until the file changes that it is from. */
export class SnippetCache {
  readonly #clock: Clock;
  /** By document, then by name. The document that was asked for last is last. */
  readonly #documents = new Map<string, Map<string, Known>>();
  /** When documents changed last. */
  readonly #changed = new Map<string, number>();
  #changes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): Moment {
    return { changes: this.#changes, ms: this.#clock.now() };
  }

  has(document: Address): boolean {
    return this.#documents.has(document.toString());
  }

  get(document: Address, name: string): SourcedSnippet | undefined {
    const known = this.#documents.get(document.toString())?.get(name);
    return known === undefined || this.#isOutdated(known) ? undefined : known.piece;
  }

  /** Whether it is time to look for it. */
  isDue(document: Address, name: string): boolean {
    const known = this.#documents.get(document.toString())?.get(name);
    if (known === undefined || this.#isOutdated(known)) return true;
    const age = this.#clock.now() - known.asked.ms;
    return age > (known.piece === undefined ? unknownAge : longestAge);
  }

  set(document: Address, name: string, known: Known): void {
    const address = document.toString();
    const names = this.#documents.get(address) ?? new Map<string, Known>();
    if (names.size >= mostNames) names.clear();
    names.set(name, known);
    this.#documents.delete(address);
    this.#documents.set(address, names);
    const [oldest] = this.#documents.keys();
    if (this.#documents.size > mostDocuments && oldest !== undefined)
      this.#documents.delete(oldest);
  }

  /** Takes a moment only: it is told of every keystroke. */
  changed(document: Address): void {
    this.#changes += 1;
    this.#changed.set(document.toString(), this.#changes);
  }

  closed(document: Address): void {
    const address = document.toString();
    this.#documents.delete(address);
    this.#changed.delete(address);
    // It may have been closed without being saved.
    for (const names of this.#documents.values())
      for (const [name, { piece }] of names)
        if (piece?.uri.toString() === address) names.delete(name);
  }

  clear(): void {
    this.#documents.clear();
  }

  #isOutdated({ piece, asked }: Known): boolean {
    const changed = piece && this.#changed.get(piece.uri.toString());
    return changed !== undefined && changed > asked.changes;
  }
}

/** What kind of error it is. Its message is left out: those of language services quote paths and source text. */
export function errorName(error: unknown): string {
  const name: unknown = error instanceof Error ? error.name : typeof error;
  return typeof name === 'string' && isName.test(name) ? name : 'Error';
}

/** A name is only a property, and could be anything. */
const isName = /^[A-Za-z]{1,40}$/u;
