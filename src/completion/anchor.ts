import { type Snapshot } from './snapshot.ts';

/** The place that an answer was given for, and enough of its surroundings to know it again. */
export interface Anchor {
  readonly document: string;
  readonly position: Snapshot['position'];
  /** What stood directly before the place. */
  readonly tail: string;
  /** What stood directly behind it. */
  readonly head: string;
}

const tailLength = 256;
const headLength = 128;

/** Lines that can have been typed since, without another question. */
const mostLines = 64;

/** What editors write behind the cursor by themselves when a bracket or a quote is typed. */
const closers = `)]}>"'\`;,`;
const mostClosers = 8;

export const anchorOf = ({ document, position, prefix, suffix }: Snapshot): Anchor => ({
  document,
  position,
  tail: prefix.slice(-tailLength),
  head: suffix.slice(0, headLength),
});

/**
 * What was typed at the anchor's place since, when all around it is as it was but for brackets and quotes that the
 * editor closed or that were typed over; undefined elsewhere. Takes the same time in a document of any size.
 */
export function typedSince(anchor: Anchor, snapshot: Snapshot): string | undefined {
  if (anchor.document !== snapshot.document) return undefined;
  const start = startOf(anchor, snapshot);
  if (start === undefined || !hasTail(anchor, snapshot.prefix, start)) return undefined;
  return hasHead(anchor, snapshot.suffix) ? snapshot.prefix.slice(start) : undefined;
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
function hasTail({ tail }: Anchor, prefix: string, start: number): boolean {
  if (tail.length < tailLength && start !== tail.length) return false;
  return start >= tail.length && prefix.startsWith(tail, start - tail.length);
}

function hasHead({ head }: Anchor, suffix: string): boolean {
  if (isHead(head, suffix, 0)) return true;
  const closed = closersAt(suffix);
  for (let count = 1; count <= closed; count += 1) if (isHead(head, suffix, count)) return true;
  const typedOver = closersAt(head);
  for (let count = 1; count <= typedOver; count += 1) {
    if (isHead(head.slice(count), suffix, 0)) return true;
  }
  return false;
}

/** A head that is shorter than it can be ended with its document. */
const isHead = (head: string, suffix: string, at: number): boolean =>
  suffix.startsWith(head, at) &&
  (head.length >= headLength - mostClosers || suffix.length - at === head.length);

function closersAt(text: string): number {
  let count = 0;
  while (count < mostClosers && count < text.length && closers.includes(text.charAt(count)))
    count += 1;
  return count;
}
