import type { Clock } from '../base/clock.ts';
import type { FilterName } from './reason.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * Position of a completion request. Stores the text around the position, to find the position again after edits
 * elsewhere in the document.
 */
export interface CompletionAnchor {
  readonly documentUri: string;
  readonly position: Snapshot['position'];
  /** Text directly before the position. */
  readonly textBefore: string;
  /** Text directly after the position. */
  readonly textAfter: string;
}

/** Maximum number of stored characters before the position. An edit in this text invalidates the anchor. */
const maxLengthBefore = 2_000;
/** Maximum number of stored characters after the position. An edit in this text invalidates the anchor. */
const maxLengthAfter = 500;

/** Maximum number of lines that the user may type after the request. With more lines, the anchor is not found. */
const maxTypedLines = 64;

/** Matches text that VS Code inserts automatically after an opening bracket, quote or tag, such as `)` or `</ul>`. */
const autoClosedPattern = /[ \t\n]*(?:[)\]}>"'`;,]|<\/[\w:-]{1,40}>)/uy;
const maxAutoClosedBrackets = 8;

/** Text inserted at an anchor since the anchor was created. */
export interface TypedText {
  /** Text between the anchor and the cursor. */
  readonly text: string;
  /** Closing brackets, quotes and tags that VS Code inserted automatically, and that are now after the cursor. */
  readonly autoClosedText: string;
}

export const createAnchor = ({
  documentUri,
  position,
  prefix,
  suffix,
}: Snapshot): CompletionAnchor => ({
  documentUri,
  position,
  textBefore: prefix.slice(-maxLengthBefore),
  textAfter: suffix.slice(0, maxLengthAfter),
});

/**
 * Returns the text typed since the anchor was created; undefined if the surrounding text has changed in another way.
 * Ignores closing brackets and quotes that VS Code inserted or that the user typed over. The duration does not depend
 * on the document size.
 */
export function findTypedText(anchor: CompletionAnchor, snapshot: Snapshot): TypedText | undefined {
  if (anchor.documentUri !== snapshot.documentUri) return undefined;
  const start = findAnchorOffset(anchor, snapshot);
  if (start === undefined || !matchesTextBefore(anchor, snapshot.prefix, start)) return undefined;
  const text = snapshot.prefix.slice(start);
  const autoClosedText = findAutoClosedText(anchor.textAfter, {
    suffix: snapshot.suffix,
    typedText: text,
  });
  return autoClosedText === undefined ? undefined : { text, autoClosedText };
}

/** Returns the offset of the anchor in the snapshot's prefix; undefined if the anchor is too far from the cursor. */
function findAnchorOffset(
  { position: anchorPosition }: CompletionAnchor,
  { position: cursorPosition, prefix }: Snapshot,
): number | undefined {
  const lineCount = cursorPosition.line - anchorPosition.line;
  if (lineCount < 0 || lineCount > maxTypedLines) return undefined;
  if (lineCount === 0) {
    const typedLength = cursorPosition.character - anchorPosition.character;
    return typedLength < 0 || typedLength > prefix.length ? undefined : prefix.length - typedLength;
  }
  let end = prefix.length;
  for (let line = 0; line < lineCount; line += 1) {
    end = end === 0 ? -1 : prefix.lastIndexOf('\n', end - 1);
    if (end < 0) return undefined;
  }
  const lineStart = end === 0 ? 0 : prefix.lastIndexOf('\n', end - 1) + 1;
  const start = lineStart + anchorPosition.character;
  return start > end ? undefined : start;
}

/**
 * Checks whether the text before the anchor is unchanged. Stored text that is shorter than the maximum began at the
 * start of the document, so it must still begin there.
 */
function matchesTextBefore(
  { textBefore }: CompletionAnchor,
  prefix: string,
  start: number,
): boolean {
  if (textBefore.length < maxLengthBefore && start !== textBefore.length) return false;
  return start >= textBefore.length && prefix.startsWith(textBefore, start - textBefore.length);
}

/**
 * Returns the text that VS Code inserted after the cursor; empty if VS Code inserted no text. Returns undefined if the
 * text after the anchor has changed in another way.
 */
function findAutoClosedText(
  textAfter: string,
  { suffix, typedText }: { suffix: string; typedText: string },
): string | undefined {
  // The user may have typed over characters that VS Code inserted automatically before the request.
  const typedOverEnds = findAutoClosedEnds(textAfter).filter((end) =>
    typedText.includes(textAfter.slice(0, end)),
  );
  for (const start of [0, ...typedOverEnds]) {
    const remainingText = textAfter.slice(start);
    const end = [0, ...findAutoClosedEnds(suffix)].find((end) =>
      matchesTextAfter(remainingText, suffix, end),
    );
    if (end !== undefined) return suffix.slice(0, end);
  }
  return matchesTextAfterWithCopies(textAfter, suffix, typedText) ? '' : undefined;
}

/**
 * Checks whether the text after the anchor differs only by inserted copies of the typed text, as when the user types
 * with multiple cursors.
 */
function matchesTextAfterWithCopies(textAfter: string, suffix: string, typedText: string): boolean {
  if (typedText === '') return false;
  let [index, suffixIndex] = [0, 0];
  for (let copyCount = 1; copyCount <= maxCursorCopies; copyCount += 1) {
    let matchLength = 0;
    while (
      index + matchLength < textAfter.length &&
      textAfter[index + matchLength] === suffix[suffixIndex + matchLength]
    )
      matchLength += 1;
    // Skip occurrences of the typed text in the unchanged text.
    const copyIndex = suffix.lastIndexOf(typedText, suffixIndex + matchLength);
    if (copyIndex < suffixIndex || copyIndex === 0) return false;
    index += copyIndex - suffixIndex;
    suffixIndex = copyIndex + typedText.length;
    const isSameRemainder =
      textAfter.length > maxLengthAfter / 2 ||
      suffix.length - suffixIndex === textAfter.length - index;
    if (isSameRemainder && suffix.startsWith(textAfter.slice(index), suffixIndex)) return true;
  }
  return false;
}

const maxCursorCopies = 16;

/**
 * Checks whether the text after the anchor is unchanged. Stored text that is shorter than the maximum ended at the end
 * of the document, so it must still end there.
 */
const matchesTextAfter = (textAfter: string, suffix: string, index: number): boolean =>
  suffix.startsWith(textAfter, index) &&
  (textAfter.length > maxLengthAfter / 2 || suffix.length - index === textAfter.length);

/** Returns the end offset of each closing bracket, quote or tag at the start of the text. */
function findAutoClosedEnds(text: string): number[] {
  const endOffsets: number[] = [];
  autoClosedPattern.lastIndex = 0;
  while (endOffsets.length < maxAutoClosedBrackets && autoClosedPattern.test(text))
    endOffsets.push(autoClosedPattern.lastIndex);
  return endOffsets;
}

/** Completion that a model returned, after all filters were applied. */
export interface Completion {
  readonly id: number;
  readonly anchor: CompletionAnchor;
  /** Text to insert. Empty if the model returned no text or a filter removed the whole text. */
  readonly text: string;
  /** Filter that removed the whole text; absent if no filter removed it. */
  readonly filter?: FilterName;
  /**
   * Offsets that divide `text` into suggestions, in ascending order. Each offset is the end of one suggestion and the
   * start of the next suggestion. Absent or empty if `text` is one suggestion.
   */
  readonly suggestionEnds?: readonly number[];
  /** True if the text is only a part of the answer, because it was cached before the stream ended. */
  readonly isPartial?: boolean;
}

/** Cached completion whose text continues at the cursor. */
export interface CachedCompletion {
  readonly completion: Completion;
  /**
   * Part of the completion that is not in the document yet. Empty if the document already contains the whole
   * completion.
   */
  readonly remainingText: string;
  /**
   * Closing brackets, quotes and tags that VS Code inserted while the user typed the completion. `remainingText` also
   * contains them.
   */
  readonly autoClosedText: string;
}

interface CacheEntry {
  readonly completion: Completion;
  readonly lineCount: number;
  readonly createdAt: number;
  /** Sequence number of the last use of this entry. */
  lastUseNumber: number;
}

const maxDocuments = 16;
const maxCompletionsPerDocument = 32;
/**
 * Lifetime of empty completions in milliseconds. Limited, because edits elsewhere can change the answer to the same
 * request.
 */
const emptyLifetimeMs = 60_000;

/**
 * Cache of the completions that this window received. Finds a completion at its original position, and after the user
 * typed a part of its text, unless the surrounding text has changed. Evicts the least recently used entries.
 */
export class CompletionCache {
  readonly #clock: Clock;
  /** Entries by document URI. The least recently used document comes first. */
  readonly #entriesByDocument = new Map<string, CacheEntry[]>();
  #useCount = 0;
  /** Result of the last lookup. Cached, because one provider call looks up the same snapshot several times. */
  #lastLookup:
    | { readonly snapshot: Snapshot; readonly completions: readonly CachedCompletion[] }
    | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds a completion. Replaces a partial completion with the same id. */
  add(completion: Completion): void {
    this.#lastLookup = undefined;
    const { documentUri } = completion.anchor;
    const previousEntries = this.#entriesByDocument.get(documentUri) ?? [];
    const entries = previousEntries.filter((entry) => entry.completion.id !== completion.id);
    const lineCount = completion.text.split('\n').length - 1;
    this.#useCount += 1;
    entries.push({
      completion,
      lineCount,
      createdAt: this.#clock.now(),
      lastUseNumber: this.#useCount,
    });
    if (entries.length > maxCompletionsPerDocument)
      entries.splice(findLeastRecentlyUsedIndex(entries), 1);
    this.#markEntriesUsed(documentUri, entries);
    const [oldestUri] = this.#entriesByDocument.keys();
    if (this.#entriesByDocument.size > maxDocuments && oldestUri !== undefined)
      this.#entriesByDocument.delete(oldestUri);
  }

  /** Returns the completions that continue at the cursor, newest first. */
  find(snapshot: Snapshot): readonly CachedCompletion[] {
    if (this.#lastLookup?.snapshot === snapshot) return this.#lastLookup.completions;
    const entries = this.#entriesByDocument.get(snapshot.documentUri) ?? [];
    const completions: CachedCompletion[] = [];
    for (let index = entries.length - 1; index >= 0; index -= 1) {
      const entry = entries[index];
      const cachedCompletion = entry === undefined ? undefined : this.#matchEntry(entry, snapshot);
      if (entry === undefined || cachedCompletion === undefined) continue;
      this.#useCount += 1;
      entry.lastUseNumber = this.#useCount;
      completions.push(cachedCompletion);
    }
    if (completions.length > 0) this.#markEntriesUsed(snapshot.documentUri, entries);
    this.#lastLookup = { snapshot, completions };
    return completions;
  }

  /**
   * Checks whether the newest completion of the document is empty and was requested on the cursor's line.
   */
  isLastAnswerEmpty({
    documentUri,
    position,
  }: Pick<Snapshot, 'documentUri' | 'position'>): boolean {
    const lastCompletion = this.#entriesByDocument.get(documentUri)?.at(-1)?.completion;
    return lastCompletion?.text === '' && lastCompletion.anchor.position.line === position.line;
  }

  clear(): void {
    this.#lastLookup = undefined;
    this.#entriesByDocument.clear();
  }

  #markEntriesUsed(documentUri: string, entries: CacheEntry[]): void {
    this.#entriesByDocument.delete(documentUri);
    this.#entriesByDocument.set(documentUri, entries);
  }

  #matchEntry(
    { completion, lineCount, createdAt }: CacheEntry,
    snapshot: Snapshot,
  ): CachedCompletion | undefined {
    const { line } = completion.anchor.position;
    const isNear = snapshot.position.line >= line && snapshot.position.line <= line + lineCount;
    if (!isNear || (completion.text === '' && this.#clock.now() - createdAt > emptyLifetimeMs))
      return undefined;
    const typedText = findTypedText(completion.anchor, snapshot);
    if (typedText === undefined || !completion.text.startsWith(typedText.text)) return undefined;
    return {
      completion,
      remainingText: completion.text.slice(typedText.text.length),
      autoClosedText: typedText.autoClosedText,
    };
  }
}

const findLeastRecentlyUsedIndex = (entries: readonly CacheEntry[]): number =>
  entries.reduce(
    (oldestIndex, { lastUseNumber }, index) =>
      lastUseNumber < (entries[oldestIndex]?.lastUseNumber ?? 0) ? index : oldestIndex,
    0,
  );
