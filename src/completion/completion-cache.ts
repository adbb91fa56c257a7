import type { Clock } from '../base/clock.ts';
import { type Anchor, typedSince } from './anchor.ts';
import type { FilterName } from './reason.ts';
import type { Snapshot } from './snapshot.ts';

/** An answer that is paid for. */
export interface Answer {
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
export interface KnownAnswer {
  readonly answer: Answer;
  /** What is left of its text; empty when all of it stands there already. */
  readonly rest: string;
  /** What the editor closed behind the cursor while it was typed along: the rest has it, too. */
  readonly closed: string;
}

interface Kept {
  readonly answer: Answer;
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
export class KnownAnswers {
  readonly #clock: Clock;
  /** The document used last is the last. */
  readonly #byDocument = new Map<string, Kept[]>();
  #uses = 0;
  /** One call of the provider asks several times about the same place. */
  #last: { readonly snapshot: Snapshot; readonly found: readonly KnownAnswer[] } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes the place of what is known of the same answer. */
  add(answer: Answer): void {
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
  find(snapshot: Snapshot): readonly KnownAnswer[] {
    if (this.#last?.snapshot === snapshot) return this.#last.found;
    const kept = this.#byDocument.get(snapshot.document) ?? [];
    const found: KnownAnswer[] = [];
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

  #goesOn({ answer, lines, at }: Kept, snapshot: Snapshot): KnownAnswer | undefined {
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
