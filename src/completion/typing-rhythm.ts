import type { Clock } from '../base/clock.ts';
import { linePrefix, type Snapshot } from './snapshot.ts';

/** Milliseconds. A longer time between two keys is a pause, not rhythm. */
const longestInterval = 1_000;
/** How much of what is known a new figure replaces. */
const weight = 0.15;

const usualInterval = 180;

/** What the person does with the text at this moment. */
export type Motion = 'typing' | 'erasing' | 'elsewhere';

/**
 * How the person types: how fast, and whether text is growing or going. Learns from snapshot to snapshot.
 */
export class TypingRhythm {
  readonly #clock: Clock;
  #last: { readonly at: number; readonly snapshot: Snapshot } | undefined;
  #interval = usualInterval;
  #motion: Motion = 'elsewhere';
  #erased = '';

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds between two keys, lately. */
  get interval(): number {
    return this.#interval;
  }

  get motion(): Motion {
    return this.#motion;
  }

  /** What the person deleted directly before this moment, on this line; empty when nothing. */
  get erased(): string {
    return this.#erased;
  }

  /** Each snapshot, in their order. */
  saw(snapshot: Snapshot): void {
    const now = this.#clock.now();
    const last = this.#last;
    this.#last = { at: now, snapshot };
    if (last === undefined) return;
    this.#motion = motionBetween(last.snapshot, snapshot, this.#motion);
    if (this.#motion === 'erasing')
      this.#erased = erasedBetween(last.snapshot, snapshot, this.#erased);
    else if (this.#motion === 'elsewhere' || last.snapshot.position.line !== snapshot.position.line)
      this.#erased = '';
    const interval = now - last.at;
    if (this.#motion === 'typing' && interval <= longestInterval) {
      this.#interval += (interval - this.#interval) * weight;
    }
  }
}

function motionBetween(from: Snapshot, to: Snapshot, before: Motion): Motion {
  if (from.document !== to.document) return 'elsewhere';
  const lines = to.position.line - from.position.line;
  if (lines === 1) return linePrefix(to).trim() === '' ? 'typing' : 'elsewhere';
  if (lines !== 0) return 'elsewhere';
  const grown = to.position.character - from.position.character;
  if (grown < 0) return isErased(from, to) ? 'erasing' : 'elsewhere';
  if (grown === 0) return from.prefix === to.prefix ? before : 'typing';
  return isTyped(from, to, grown) ? 'typing' : 'elsewhere';
}

/** Whether text went away, rather than that the cursor moved over it. */
function isErased(from: Snapshot, to: Snapshot): boolean {
  const passed = linePrefix(from).slice(to.position.character);
  return linePrefix(from).startsWith(linePrefix(to)) && !to.suffix.startsWith(passed);
}

/** Whether text came, or was typed over what the editor had closed, rather than that the cursor moved over it. */
function isTyped(from: Snapshot, to: Snapshot, grown: number): boolean {
  const [rest, passed] = [to.prefix.slice(0, -grown), to.prefix.slice(-grown)];
  if (!rest.endsWith(from.prefix.slice(-64))) return false;
  return onlyClosers.test(passed) || !from.suffix.startsWith(passed);
}

const onlyClosers = /^[)\]}>"'`;,]+$/u;

function erasedBetween(from: Snapshot, to: Snapshot, before: string): string {
  const gone = linePrefix(from).slice(to.position.character);
  return (gone + before).slice(0, 400);
}
