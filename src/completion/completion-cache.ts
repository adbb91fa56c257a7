import type { Clock } from '../base/clock.ts';
import type { FilterName } from './reason.ts';
import type { Snapshot } from './snapshot.ts';

/** The place that an answer was given for, and enough of its surroundings to know it again. */
export interface Anchor {
  readonly document: string;
  readonly position: Snapshot['position'];
  /** What stood directly before the place. */
  readonly textBefore: string;
  /** What stood directly behind it. */
  readonly textAfter: string;
}

/** In characters. A change within them makes another place of it, since it may ask for another answer. */
const tailLength = 2_000;
const headLength = 500;

/** Lines that can have been typed since, without another question. */
const mostLines = 64;

/** Something that editors write behind the cursor by themselves, when what opens it is typed. */
const closing = /[ \t\n]*(?:[)\]}>"'`;,]|<\/[\w:-]{1,40}>)/uy;
const mostClosings = 8;

/** What became of the text at an anchor's place. */
export interface TypedText {
  /** What stands there now, before the cursor. */
  readonly text: string;
  /** What the editor closed behind the cursor meanwhile. It belongs to what was typed, not to what stood there. */
  readonly closed: string;
}

export const createAnchor = ({ document, position, prefix, suffix }: Snapshot): Anchor => ({
  document,
  position,
  textBefore: prefix.slice(-tailLength),
  textAfter: suffix.slice(0, headLength),
});

/**
 * What was typed at the anchor's place since, when all around it is as it was but for brackets, quotes and tags that the
 * editor closed or that were typed over; undefined elsewhere. Takes the same time in a document of any size.
 */
export function typedSince(anchor: Anchor, snapshot: Snapshot): TypedText | undefined {
  if (anchor.document !== snapshot.document) return undefined;
  const start = startOf(anchor, snapshot);
  if (start === undefined || !hasTail(anchor, snapshot.prefix, start)) return undefined;
  const text = snapshot.prefix.slice(start);
  const closed = closedBefore(anchor.textAfter, { suffix: snapshot.suffix, typed: text });
  return closed === undefined ? undefined : { text, closed };
}

/** Where the anchor's place is in the prefix. */
function startOf(
  { position: from }: Anchor,
  { position: to, prefix }: Snapshot,
): number | undefined {
  const lines = to.line - from.line;
  if (lines < 0 || lines > mostLines) return undefined;
  if (lines === 0) {
    const typed = to.character - from.character;
    return typed < 0 || typed > prefix.length ? undefined : prefix.length - typed;
  }
  let end = prefix.length;
  for (let line = 0; line < lines; line += 1) {
    end = end === 0 ? -1 : prefix.lastIndexOf('\n', end - 1);
    if (end < 0) return undefined;
  }
  const lineStart = end === 0 ? 0 : prefix.lastIndexOf('\n', end - 1) + 1;
  const start = lineStart + from.character;
  return start > end ? undefined : start;
}

/** A tail that is shorter than it can be began at the start of its document. */
function hasTail({ textBefore: tail }: Anchor, prefix: string, start: number): boolean {
  if (tail.length < tailLength && start !== tail.length) return false;
  return start >= tail.length && prefix.startsWith(tail, start - tail.length);
}

/** What stands before the head now; undefined when the head is not there. */
function closedBefore(
  head: string,
  { suffix, typed }: { suffix: string; typed: string },
): string | undefined {
  if (isHead(head, suffix, 0)) return '';
  for (const end of closingEnds(suffix)) if (isHead(head, suffix, end)) return suffix.slice(0, end);
  // What the editor had closed was typed over.
  const isTypedOver = closingEnds(head).some(
    (end) => typed.endsWith(head.slice(0, end)) && isHead(head.slice(end), suffix, 0),
  );
  return isTypedOver || isHeadWithCopies(head, suffix, typed) ? '' : undefined;
}

/** Whether the head is there with what was typed in it again: at further cursors. */
function isHeadWithCopies(head: string, suffix: string, typed: string): boolean {
  if (typed === '') return false;
  let [at, from] = [0, 0];
  for (let copies = 1; copies <= mostCopies; copies += 1) {
    let same = 0;
    while (at + same < head.length && head[at + same] === suffix[from + same]) same += 1;
    // What was typed may agree by itself with what follows.
    const copy = suffix.lastIndexOf(typed, from + same);
    if (copy < from || copy === 0) return false;
    at += copy - from;
    from = copy + typed.length;
    const isRest = head.length > headLength / 2 || suffix.length - from === head.length - at;
    if (isRest && suffix.startsWith(head.slice(at), from)) return true;
  }
  return false;
}

const mostCopies = 16;

/** A head that is shorter than it can be ended with its document. */
const isHead = (head: string, suffix: string, at: number): boolean =>
  suffix.startsWith(head, at) &&
  (head.length > headLength / 2 || suffix.length - at === head.length);

/** Where the first things that an editor closes end. */
function closingEnds(text: string): number[] {
  const ends: number[] = [];
  closing.lastIndex = 0;
  while (ends.length < mostClosings && closing.test(text)) ends.push(closing.lastIndex);
  return ends;
}

/** An answer that is paid for. */
export interface Completion {
  readonly id: number;
  readonly anchor: Anchor;
  /** Fit for the document; empty when the model had nothing to say, or nothing that may be shown. */
  readonly text: string;
  /** Why the text is empty. */
  readonly filter?: FilterName;
  /** More of it was to come when it was kept. */
  readonly isPart?: boolean;
}

/** An answer that goes on from where the cursor is. */
export interface CachedCompletion {
  readonly answer: Completion;
  /** What is left of its text; empty when all of it stands there already. */
  readonly rest: string;
  /** What the editor closed behind the cursor while it was typed along: the rest has it, too. */
  readonly closed: string;
}

interface Kept {
  readonly answer: Completion;
  readonly lines: number;
  readonly at: number;
  /** Counts up with each use of any answer. */
  usedAt: number;
}

const mostDocuments = 16;
const mostOfOne = 32;
/** A model that had nothing to say may have more when other places have changed. In milliseconds. */
const emptyFor = 60_000;

/**
 * The answers of this window, by the text that they were given for: one is found again at its place and at every place
 * along its own text, while what stands around it is unchanged. The longest unused are forgotten first.
 */
export class CompletionCache {
  readonly #clock: Clock;
  /** The document used last is the last. */
  readonly #byDocument = new Map<string, Kept[]>();
  #uses = 0;
  /** One call of the provider asks several times about the same place. */
  #last: { readonly snapshot: Snapshot; readonly found: readonly CachedCompletion[] } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes the place of what is known of the same answer. */
  add(answer: Completion): void {
    this.#last = undefined;
    const { document } = answer.anchor;
    const known = this.#byDocument.get(document) ?? [];
    const kept = known.filter((each) => each.answer.id !== answer.id);
    const lines = answer.text.split('\n').length - 1;
    this.#uses += 1;
    kept.push({ answer, lines, at: this.#clock.now(), usedAt: this.#uses });
    if (kept.length > mostOfOne) kept.splice(longestUnused(kept), 1);
    this.#keep(document, kept);
    const [oldest] = this.#byDocument.keys();
    if (this.#byDocument.size > mostDocuments && oldest !== undefined)
      this.#byDocument.delete(oldest);
  }

  /** Newest first. */
  find(snapshot: Snapshot): readonly CachedCompletion[] {
    if (this.#last?.snapshot === snapshot) return this.#last.found;
    const kept = this.#byDocument.get(snapshot.document) ?? [];
    const found: CachedCompletion[] = [];
    for (let index = kept.length - 1; index >= 0; index -= 1) {
      const each = kept[index];
      const known = each === undefined ? undefined : this.#goesOn(each, snapshot);
      if (each === undefined || known === undefined) continue;
      this.#uses += 1;
      each.usedAt = this.#uses;
      found.push(known);
    }
    if (found.length > 0) this.#keep(snapshot.document, kept);
    this.#last = { snapshot, found };
    return found;
  }

  forget(): void {
    this.#last = undefined;
    this.#byDocument.clear();
  }

  #keep(document: string, kept: Kept[]): void {
    this.#byDocument.delete(document);
    this.#byDocument.set(document, kept);
  }

  #goesOn({ answer, lines, at }: Kept, snapshot: Snapshot): CachedCompletion | undefined {
    const { line } = answer.anchor.position;
    const isNear = snapshot.position.line >= line && snapshot.position.line <= line + lines;
    if (!isNear || (answer.text === '' && this.#clock.now() - at > emptyFor)) return undefined;
    const typed = typedSince(answer.anchor, snapshot);
    if (typed === undefined || !answer.text.startsWith(typed.text)) return undefined;
    return { answer, rest: answer.text.slice(typed.text.length), closed: typed.closed };
  }
}

const longestUnused = (kept: readonly Kept[]): number =>
  kept.reduce(
    (oldest, { usedAt }, index) => (usedAt < (kept[oldest]?.usedAt ?? 0) ? index : oldest),
    0,
  );
