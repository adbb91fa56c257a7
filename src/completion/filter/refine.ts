import { findHiddenCharacters } from '../../base/hidden-characters.ts';
import { balanceBrackets, closeBlock, repairIndentation } from './brackets.ts';
import { isEcho, repeatsPreviousLines, cutRepetition, cutRepeatedSuffix } from './repetition.ts';
import { languageAt } from '../language/language.ts';
import type { FilterName } from '../reason.ts';
import { linePrefix, type Snapshot } from '../snapshot.ts';

/** Whether a text is much like what the person has deleted just now, so that they do not want it. */
export function resemblesDeleted(text: string, deletedText: string): boolean {
  const [said, gone] = [text, deletedText].map((each) =>
    each.slice(0, compared).replaceAll(/\s+/gu, ' ').trim(),
  );
  // A slip of the finger is no judgement.
  if (said === undefined || gone === undefined || gone.length < 4) return false;
  if (said === gone || (gone.length >= 12 && said.startsWith(gone))) return true;
  return likeness(pairsOf(said), pairsOf(gone)) >= 0.85;
}

const compared = 1_000;

/** Dice's coefficient over pairs of characters. */
function likeness(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let [shared, all] = [0, 0];
  for (const [pair, count] of a) {
    shared += Math.min(count, b.get(pair) ?? 0);
    all += count;
  }
  for (const count of b.values()) all += count;
  return all === 0 ? 0 : (2 * shared) / all;
}

function pairsOf(text: string): Map<string, number> {
  const pairs = new Map<string, number>();
  for (let at = 0; at + 1 < text.length; at += 1) {
    const pair = text.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

/**
 * Whether a text has characters that a person does not see or cannot tell from others: what draws nothing, blanks other
 * than those of the document, halves of characters, characters that no font agrees on, and heaps of marks on one letter.
 */
export function hasInvisibleCharacters(text: string, snapshot: Snapshot): boolean {
  if (!text.isWellFormed() || neverWanted.test(text)) return true;
  if (findHiddenCharacters(text).next().done === false) return true;
  return [...new Set(text.match(oddBlanks))].some((blank) => !isAtHome(blank, snapshot));
}

/*
 * Private use and noncharacters; controls that join hieroglyphs. Burmese puts five marks on a letter, no script more
 * than six.
 */
const neverWanted = /[\p{Private_Use}\p{Noncharacter_Code_Point}\u{13430}-\u{13440}]|\p{Mark}{7}/u;

/** All blanks but space and tab; the pattern without dots of Braille looks like one. */
const oddBlanks = /(?! )[\p{Space_Separator}\u2800]/gu;

const isAtHome = (blank: string, { prefix, suffix }: Snapshot): boolean =>
  prefix.includes(blank) ||
  suffix.includes(blank) ||
  (blank === '\u3000' && (eastAsian.test(prefix) || eastAsian.test(suffix)));

const eastAsian = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** Up to the first fence of a code block; in a text they belong to it. */
export function removeFences(text: string, snapshot: Snapshot): string {
  if (languageAt(snapshot).scopes === 'paragraphs') return text;
  const fence = /(?:^|\n)[\t ]*(?:```|~~~)/u.exec(text);
  return fence === null ? text : text.slice(0, fence.index);
}

/** Without white space at its end and at the end of its lines; in a text only at its end, where two spaces break a line. */
export function removeTrailingSpace(text: string, snapshot: Snapshot): string {
  const kept = text.trimEnd();
  if (languageAt(snapshot).scopes === 'paragraphs' || !/[\t ]\n/u.test(kept)) return kept;
  return kept
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/**
 * Up to the first gap behind which code may be out of view, so that a person would insert what they do not see. Inside
 * of a line a gap may be 24 columns wide, or as wide as one nearby in the document; an indentation may go as far as
 * lines nearby reach, and 24 columns more. Takes linear time.
 */
export function cutAtWideGap(text: string, snapshot: Snapshot): string {
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

export interface RefineContext {
  readonly snapshot: Snapshot;
  /** What the person deleted just now at this place. */
  readonly erased?: string;
  /** The model has said all; else the text is made of the lines that are whole so far. */
  readonly isWhole: boolean;
  /** What the reader left out before. */
  readonly removed?: FilterName | undefined;
}

export type Refined = { readonly text: string } | { readonly filter: FilterName };

/** What of an answer is fit to be shown, or the first filter that left nothing of it. Takes linear time. */
export function refine(text: string, about: RefineContext): Refined {
  let kept = text;
  for (const { filter, apply } of steps) {
    kept = apply(kept, about);
    if (text.trim() === '') return { filter: about.removed ?? 'blank' };
    if (kept.trim() === '') return { filter };
  }
  return { text: kept };
}

interface Step {
  /** Is said when nothing is left. */
  readonly filter: FilterName;
  readonly apply: (text: string, about: RefineContext) => string;
}

const dropIf = (drops: (text: string, about: RefineContext) => boolean): Step['apply'] => {
  return (text, about) => (drops(text, about) ? '' : text);
};

/*
 * The order matters. What hides something is judged before any of it is cut, so that no cut makes it look clean. Fences
 * and repetitions go before lines are compared with the document, since they stand at the end, where the comparison
 * begins. Brackets are counted when all lines have gone that the document has already, and indentation is repaired when
 * the lines are final. What the person deleted is compared with what would be shown. A block is closed last, since all
 * that counts brackets would take its end away.
 */
const steps: readonly Step[] = [
  {
    filter: 'control-characters',
    apply: dropIf((text, { snapshot }) => hasInvisibleCharacters(text, snapshot)),
  },
  { filter: 'control-characters', apply: (text, { snapshot }) => cutAtWideGap(text, snapshot) },
  { filter: 'prose', apply: (text, { snapshot }) => removeFences(text, snapshot) },
  { filter: 'blank', apply: (text, { snapshot }) => removeTrailingSpace(text, snapshot) },
  { filter: 'echo', apply: dropIf((text, { snapshot }) => isEcho(text, snapshot)) },
  { filter: 'repeats-itself', apply: (text, { snapshot }) => cutRepetition(text, snapshot) },
  { filter: 'repeats-suffix', apply: (text, { snapshot }) => cutRepeatedSuffix(text, snapshot) },
  {
    filter: 'repeats-previous-lines',
    apply: dropIf((text, { snapshot }) => repeatsPreviousLines(text, snapshot)),
  },
  { filter: 'unbalanced', apply: (text, { snapshot }) => balanceBrackets(text, snapshot) },
  { filter: 'blank', apply: (text, { snapshot }) => repairIndentation(text, snapshot) },
  {
    filter: 'just-deleted',
    apply: dropIf((text, { erased }) => erased !== undefined && resemblesDeleted(text, erased)),
  },
  { filter: 'blank', apply: (text, { snapshot }) => closeBlock(text, snapshot) },
];
