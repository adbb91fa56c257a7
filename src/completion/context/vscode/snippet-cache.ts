import type * as vscode from 'vscode';
import type { Clock } from '../../../base/clock.ts';
import type { ContextSnippet } from '../../ports.ts';
import type { Snapshot } from '../../snapshot.ts';

/** Context snippet and the file that contains it. The file rules are checked again before the snippet is sent. */
export interface FileSnippet {
  readonly uri: vscode.Uri;
  readonly snippet: ContextSnippet;
}

/** Gathers snippets of one kind in the background. */
export interface SnippetSource {
  /** Returns the currently available snippets, best first. Must take less than a millisecond. */
  getSnippets(document: vscode.TextDocument, snapshot: Snapshot): readonly FileSnippet[];
}

type DocumentUri = Pick<vscode.Uri, 'toString'>;

/** Result of the lookup of a symbol or an import. */
interface LookupResult {
  /**
   * Snippet of the declaration. Undefined if no declaration was found, or if the declaration is in a file that may not
   * be shared.
   */
  readonly fileSnippet: FileSnippet | undefined;
  readonly startedAt: LookupTime;
}

interface LookupTime {
  /** Number of changes in all documents before the lookup started. */
  readonly changeCount: number;
  /** Start of the lookup in milliseconds since the epoch. */
  readonly timeMs: number;
}

/** Lifetime of a lookup result in milliseconds. Files on disk may change. */
const resultLifetimeMs = 60_000;
/** Lifetime of an empty lookup result in milliseconds. A language service may still be starting. */
const emptyResultLifetimeMs = 20_000;
const maxDocuments = 10;
const maxNames = 200;

/**
 * Results of symbol and import lookups, by document. A result becomes invalid when the file with the declaration
 * changes. An old but valid result is used until a new lookup replaces it.
 */
export class SnippetCache {
  readonly #clock: Clock;
  /** Results by document URI, and by the name of the symbol or import. The least recently used document comes first. */
  readonly #resultsByDocument = new Map<string, Map<string, LookupResult>>();
  /** Sequence number of the latest change of each document, by document URI. */
  readonly #changeNumbers = new Map<string, number>();
  #changeCount = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  getNow(): LookupTime {
    return { changeCount: this.#changeCount, timeMs: this.#clock.now() };
  }

  has(document: DocumentUri): boolean {
    return this.#resultsByDocument.has(document.toString());
  }

  get(document: DocumentUri, name: string): FileSnippet | undefined {
    const result = this.#resultsByDocument.get(document.toString())?.get(name);
    return result === undefined || this.#isOutdated(result) ? undefined : result.fileSnippet;
  }

  /** Checks whether a symbol or import must be looked up, because it has no valid result or its result is too old. */
  isDue(document: DocumentUri, name: string): boolean {
    const result = this.#resultsByDocument.get(document.toString())?.get(name);
    if (result === undefined || this.#isOutdated(result)) return true;
    const ageMs = this.#clock.now() - result.startedAt.timeMs;
    return ageMs > (result.fileSnippet === undefined ? emptyResultLifetimeMs : resultLifetimeMs);
  }

  set(document: DocumentUri, name: string, result: LookupResult): void {
    const uriText = document.toString();
    const resultsByName = this.#resultsByDocument.get(uriText) ?? new Map<string, LookupResult>();
    if (resultsByName.size >= maxNames) resultsByName.clear();
    resultsByName.set(name, result);
    this.#resultsByDocument.delete(uriText);
    this.#resultsByDocument.set(uriText, resultsByName);
    const [oldestUri] = this.#resultsByDocument.keys();
    if (this.#resultsByDocument.size > maxDocuments && oldestUri !== undefined)
      this.#resultsByDocument.delete(oldestUri);
  }

  /** Records a change of a document. Must be fast, because it is called for every key press. */
  handleDocumentChange(document: DocumentUri): void {
    this.#changeCount += 1;
    this.#changeNumbers.set(document.toString(), this.#changeCount);
  }

  handleDocumentClose(document: DocumentUri): void {
    const uriText = document.toString();
    this.#resultsByDocument.delete(uriText);
    this.#changeNumbers.delete(uriText);
    // If the document was closed without saving, snippets of its unsaved text are outdated.
    for (const names of this.#resultsByDocument.values())
      for (const [name, { fileSnippet }] of names)
        if (fileSnippet?.uri.toString() === uriText) names.delete(name);
  }

  clear(): void {
    this.#resultsByDocument.clear();
  }

  #isOutdated({ fileSnippet, startedAt }: LookupResult): boolean {
    const changedAt = fileSnippet && this.#changeNumbers.get(fileSnippet.uri.toString());
    return changedAt !== undefined && changedAt > startedAt.changeCount;
  }
}

/**
 * Returns the name of an error without the message, because messages of language services may quote paths and source
 * text.
 */
export function getErrorName(error: unknown): string {
  const name: unknown = error instanceof Error ? error.name : typeof error;
  return typeof name === 'string' && namePattern.test(name) ? name : 'Error';
}

/**
 * Matches error names that can be logged. Necessary, because the name of an error can be any text, including source
 * text.
 */
const namePattern = /^[A-Za-z]{1,40}$/u;
