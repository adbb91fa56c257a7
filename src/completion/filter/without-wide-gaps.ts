import { linePrefix, type Snapshot } from '../snapshot.ts';

/**
 * Up to the first gap behind which code may be out of view, so that a person would insert what they do not see. Inside
 * of a line a gap may be 24 columns wide, or as wide as one nearby in the document; an indentation may go as far as
 * lines nearby reach, and 24 columns more. Takes linear time.
 */
export function withoutWideGaps(text: string, snapshot: Snapshot): string {
  if (!mayBeWide.test(text)) return text;
  const room = roomAround(snapshot);
  const before = linePrefix(snapshot);
  let start = -before.length;
  for (const line of (before + text).split('\n')) {
    const wide = gapsIn(line).find(
      ({ at, end, columns }) => start + end > 0 && columns > (at === 0 ? room.indent : room.gap),
    );
    if (wide !== undefined) return text.slice(0, Math.max(0, start + wide.at));
    room.indent = Math.max(room.indent, reachOf(line) + most);
    start += line.length + 1;
  }
  return text;
}

/** Columns. A tab counts as four. */
const most = 24;
/** The widest gap, and the farthest end of a line, that the document is an example for. */
const widest = 80;
const farthest = 120;

/** Fewer blanks are not wide, even when all are tabs. */
const mayBeWide = /[\s\u2800]{7}/u;

/** How wide a gap and an indentation may be. */
interface Room {
  readonly gap: number;
  indent: number;
}

function roomAround({ prefix, suffix }: Snapshot): Room {
  const lines = [...prefix.slice(-4_000).split('\n'), ...suffix.split('\n')];
  const gaps = lines.flatMap((line) => gapsIn(line).filter(({ at }) => at > 0));
  return {
    gap: Math.max(most, ...gaps.map(({ columns }) => Math.min(widest, columns))),
    indent: Math.max(...lines.map(reachOf)) + most,
  };
}

const reachOf = (line: string): number => Math.min(farthest, columnsOf(line.trimEnd()));

interface Gap {
  readonly at: number;
  readonly end: number;
  readonly columns: number;
}

/** The long rows of blanks that have something behind them. */
const gapsIn = (line: string): Gap[] =>
  [...line.matchAll(/[\s\u2800]{7,}/gu)]
    .map(({ 0: blanks, index }) => ({
      at: index,
      end: index + blanks.length,
      columns: columnsOf(blanks),
    }))
    .filter(({ end }) => end < line.length);

function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += character === '\t' ? 4 : character === '\u3000' ? 2 : 1;
  return columns;
}
