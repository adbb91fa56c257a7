import type { Clock } from '../../base/clock.ts';
import {
  type EditPattern,
  isReverse,
  learnPattern,
  learnRename,
  patternLimits,
} from './edit-pattern.ts';
import { type LineChange, LineEdit, type LineCursor } from './line-edit.ts';
import { type Insertion, findInsertion } from './next-insertion.ts';

/**
 * How long an edit is remembered, how many are, how often something else may be done or it be passed by, and how many
 * places of one are known.
 */
export const editMemoryLimits = {
  ms: 5 * 60_000,
  edits: 3,
  others: 8,
  ignored: 3,
  places: 100,
} as const;

/**
 * Remembers the small edits that the person made lately, and finds where the cursor's line has a place for one of
 * them. An edit is what was done at one stretch of a line until the cursor left it. Forgotten is what is old, was
 * undone, was passed by several times, or lies behind many other edits. Where an edit was made, and where the person
 * typed something else when it was offered, it is not offered again.
 */
export class EditMemory {
  readonly #clock: Clock;
  /** The latest first. */
  #known: KnownEdit[] = [];
  #current: LineEdit | undefined;
  #offer: Offer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The cursor is there; `undefined`: nowhere, or at several places at once. */
  moveCursor(spot: LineCursor | undefined): void {
    if (spot && this.#isCurrent(spot) && this.#current?.touches(spot.character)) return;
    this.#finish();
    const isShort = spot !== undefined && spot.text.length <= patternLimits.line;
    this.#current = isShort ? new LineEdit(spot) : undefined;
    if (!spot || !this.#isOffered(spot)) this.#passBy();
  }

  /** The person typed, pasted or accepted something on one line. Takes about as long as copying the line. */
  applyChange(change: LineChange): void {
    const { character, removedLength } = change;
    const current = this.#current;
    if (!current?.isAt(change)) return this.reset();
    if (!current.touches(character, character + removedLength)) {
      this.#finish();
      this.#current = new LineEdit({ ...asSpot(current), character });
    }
    const cursor = this.#current?.apply(change);
    if (cursor !== undefined) this.#judgeOffer(cursor);
  }

  /**
   * Several places changed at once, none of which has a line end, while the cursor was at one place: learns from it
   * when it was one word that became another, the cursor's line included. Looks at a bounded number of lines.
   */
  applyMultiLineChange({ document, lines, lineAt }: MultiLineChange): void {
    this.#finish();
    const current = this.#current;
    this.reset();
    if (current?.document !== document || !lines.has(current.line)) return;
    const after = lineAt(current.line);
    const others = [...lines].slice(0, mostRenamed).map(lineAt);
    const pattern = learnRename({ before: current.text, after }, others);
    if (!pattern) return;
    this.#learn(pattern, current);
    this.#current = new LineEdit({ ...asSpot(current), text: after, character: 0 });
  }

  /** Text with line ends went or came: `delta` lines more behind `line`. */
  shiftLines(document: string, line: number, delta: number): void {
    if (this.#current?.document === document) {
      this.#finish();
      this.reset();
    }
    const places = this.#known.flatMap(({ made, refused }) => [...made, ...refused]);
    for (const place of places)
      if (place.document === document && place.line > line) place.line += delta;
  }

  /** Something was undone, or done again, on that line: an edit that was made there is not wanted elsewhere. */
  applyUndo(document: string, line: number): void {
    if (this.#current?.document === document) this.reset();
    this.#known = this.#known.filter(({ made }) => !holds(made, { document, line }));
  }

  /** Something else changed the text: there is nothing to learn from the line under the cursor. */
  reset(): void {
    this.#current = undefined;
    this.#offer = undefined;
  }

  /** Whether a known edit can be made there. */
  hasInsertion(spot: LineCursor): boolean {
    return this.#find(spot) !== undefined;
  }

  /** How a known edit can be made there; from then on it is offered. */
  suggestInsertion(spot: LineCursor): Insertion | undefined {
    const found = this.#find(spot);
    if (!found) return undefined;
    const { document, line } = spot;
    const { edit, insertion } = found;
    this.#offer = { edit, document, line, result: insertion.result };
    return insertion;
  }

  #find(spot: LineCursor): { edit: KnownEdit; insertion: Insertion } | undefined {
    const now = this.#clock.now();
    const { text, character } = spot;
    const before = this.#isCurrent(spot) ? (this.#current?.before ?? text) : text;
    for (const edit of this.#known) {
      const isOver = edit.until <= now || edit.languageId !== spot.languageId;
      if (isOver || holds(edit.refused, spot)) continue;
      const insertion = findInsertion(edit.pattern, { text, before, character });
      if (insertion) return { edit, insertion };
    }
    return undefined;
  }

  /** The stretch under the cursor is left: learns what was done to it. */
  #finish(): void {
    const current = this.#current;
    if (!current || current.text === current.before) return;
    this.#learn(learnPattern(current.before, current.text), current);
  }

  #learn(pattern: EditPattern | undefined, by: LineEdit): void {
    const isSame = ({ key }: KnownEdit): boolean => key === JSON.stringify(pattern);
    const known = this.#known.find(isSame);
    for (const edit of this.#known) if (edit !== known && this.#offer?.edit !== edit) edit.others++;
    this.#known = this.#known.filter(isWanted);
    if (pattern) this.#remember(pattern, known, by);
  }

  #remember(pattern: EditPattern, known: KnownEdit | undefined, by: LineEdit): void {
    const { document, languageId, line } = by;
    const until = this.#clock.now() + editMemoryLimits.ms;
    const key = JSON.stringify(pattern);
    const { made, refused }: Pick<KnownEdit, 'made' | 'refused'> = known ?? {
      made: [],
      refused: [],
    };
    note(made, { document, line });
    const edit = { pattern, key, languageId, until, made, refused, others: 0, ignored: 0 };
    const rest = this.#known.filter((each) => each !== known && !isReverse(each.pattern, pattern));
    this.#known = [edit, ...rest].slice(0, editMemoryLimits.edits);
  }

  /** The line changed where something was offered: it was taken, is being typed, or is not wanted there. */
  #judgeOffer(cursor: number): void {
    const current = this.#current;
    const offer = this.#offer;
    if (!current || !offer || !current.isAt(offer)) return;
    const isTaken = current.text === offer.result;
    const { before, text } = current;
    if (!isTaken && findInsertion(offer.edit.pattern, { text, before, character: cursor })) return;
    this.#offer = undefined;
    const { edit, document, line } = offer;
    note(isTaken ? edit.made : edit.refused, { document, line });
    if (!isTaken) return;
    edit.ignored = 0;
    edit.others = 0;
    edit.until = this.#clock.now() + editMemoryLimits.ms;
    // What follows on the line is another edit.
    this.#current = new LineEdit({ ...asSpot(current), character: cursor });
  }

  /** The cursor left the line where something was offered. */
  #passBy(): void {
    if (!this.#offer) return;
    this.#offer.edit.ignored++;
    this.#offer = undefined;
    this.#known = this.#known.filter(isWanted);
  }

  #isCurrent(spot: LineCursor): boolean {
    return this.#current?.isAt(spot) === true && this.#current.text === spot.text;
  }

  #isOffered({ document, line }: LineCursor): boolean {
    return this.#offer?.document === document && this.#offer.line === line;
  }
}

/** Of a document, as it is told of afterwards. */
export interface MultiLineChange {
  readonly document: string;
  /** The numbers of the lines that changed. */
  readonly lines: ReadonlySet<number>;
  /** The text of a line as it is now. */
  readonly lineAt: (line: number) => string;
}

/** How many lines of a change are looked at: in a long document a rename has thousands. */
const mostRenamed = 100;

interface KnownEdit {
  readonly pattern: EditPattern;
  readonly key: string;
  readonly languageId: string;
  /** Milliseconds since the epoch. */
  until: number;
  /** Where it was made, and where it was offered and the person typed something else. */
  readonly made: Place[];
  readonly refused: Place[];
  /** How many other edits were made since it was made. */
  others: number;
  /** How often it was offered since and the cursor went on. */
  ignored: number;
}

interface Place {
  readonly document: string;
  line: number;
}

interface Offer {
  readonly edit: KnownEdit;
  readonly document: string;
  readonly line: number;
  /** The line when it is taken. */
  readonly result: string;
}

const asSpot = ({ document, languageId, line, text }: LineEdit): Omit<LineCursor, 'character'> => ({
  document,
  languageId,
  line,
  text,
});

const isWanted = ({ others, ignored }: KnownEdit): boolean =>
  others < editMemoryLimits.others && ignored < editMemoryLimits.ignored;

const holds = (places: readonly Place[], { document, line }: Readonly<Place>): boolean =>
  places.some((place) => place.document === document && place.line === line);

/** Each place once; the oldest are forgotten. */
function note(places: Place[], place: Place): void {
  if (holds(places, place)) return;
  places.push(place);
  if (places.length > editMemoryLimits.places) places.shift();
}
