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
 * Limits of the edit memory: lifetime of an edit in milliseconds, maximum edits, other edits or
 * ignored suggestions after which an edit is dropped, and maximum positions per edit.
 */
export const editMemoryLimits = {
  ms: 5 * 60_000,
  edits: 3,
  others: 8,
  ignored: 3,
  locations: 100,
} as const;

/**
 * Stores the user's latest small edits and finds lines where an edit can be repeated. An edit
 * consists of all changes to one range of a line until the cursor leaves the range. Edits are
 * dropped after some time, when undone, and when ignored several times. No edit is suggested again
 * at a position where it was made or rejected.
 */
export class EditMemory {
  readonly #clock: Clock;
  /** Stored edits, latest first. */
  #known: KnownEdit[] = [];
  #current: LineEdit | undefined;
  #suggested: SuggestedEdit | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Moves the cursor. `undefined` means no cursor or multiple cursors. */
  moveCursor(cursor: LineCursor | undefined): void {
    if (cursor && this.#isCurrent(cursor) && this.#current?.touches(cursor.character)) return;
    this.#finish();
    const isShort = cursor !== undefined && cursor.text.length <= patternLimits.line;
    this.#current = isShort ? new LineEdit(cursor) : undefined;
    if (!cursor || !this.#isSuggestedAt(cursor)) this.#countAsIgnored();
  }

  /** Applies a change within one line. Takes about as long as copying the line. */
  applyChange(change: LineChange): void {
    const { character, removedLength } = change;
    const current = this.#current;
    if (!current?.isAt(change)) return this.reset();
    if (!current.touches(character, character + removedLength)) {
      this.#finish();
      this.#current = new LineEdit({ ...toLineCursor(current), character });
    }
    const cursor = this.#current?.apply(change);
    if (cursor !== undefined) this.#resolveSuggestion(cursor);
  }

  /**
   * Applies changes to several lines at once, without line ends and with a single cursor. Learns a rename if one
   * word was replaced on all lines, including the cursor's. Reads a bounded number of lines.
   */
  applyMultiLineChange({ document, lines, lineAt }: MultiLineChange): void {
    this.#finish();
    const current = this.#current;
    this.reset();
    if (current?.document !== document || !lines.has(current.line)) return;
    const after = lineAt(current.line);
    const others = [...lines].slice(0, maxRenamedLines).map(lineAt);
    const pattern = learnRename({ before: current.text, after }, others);
    if (!pattern) return;
    this.#learn(pattern, current);
    this.#current = new LineEdit({ ...toLineCursor(current), text: after, character: 0 });
  }

  /** Shifts the stored positions below `line` by `delta` lines. */
  shiftLines(document: string, line: number, delta: number): void {
    if (this.#current?.document === document) {
      this.#finish();
      this.reset();
    }
    const locations = this.#known.flatMap(({ made, refused }) => [...made, ...refused]);
    for (const location of locations)
      if (location.document === document && location.line > line) location.line += delta;
  }

  /** Drops edits made on a line where the user undid or redid a change. */
  applyUndo(document: string, line: number): void {
    if (this.#current?.document === document) this.reset();
    this.#known = this.#known.filter(({ made }) => !includesLine(made, { document, line }));
  }

  /** Stops tracking the current line after a change that was not typing. */
  reset(): void {
    this.#current = undefined;
    this.#suggested = undefined;
  }

  /** Checks whether a known edit can be repeated at the cursor. */
  hasInsertion(cursor: LineCursor): boolean {
    return this.#find(cursor) !== undefined;
  }

  /** Returns the insertion that repeats a known edit, and records it as suggested. */
  suggestInsertion(cursor: LineCursor): Insertion | undefined {
    const found = this.#find(cursor);
    if (!found) return undefined;
    const { document, line } = cursor;
    const { edit, insertion } = found;
    this.#suggested = { edit, document, line, result: insertion.result };
    return insertion;
  }

  #find(cursor: LineCursor): { edit: KnownEdit; insertion: Insertion } | undefined {
    const now = this.#clock.now();
    const { text, character } = cursor;
    const before = this.#isCurrent(cursor) ? (this.#current?.before ?? text) : text;
    for (const edit of this.#known) {
      const isExcluded = edit.until <= now || edit.languageId !== cursor.languageId;
      if (isExcluded || includesLine(edit.refused, cursor)) continue;
      const insertion = findInsertion(edit.pattern, { text, before, character });
      if (insertion) return { edit, insertion };
    }
    return undefined;
  }

  /** Ends the current edit and learns its pattern. */
  #finish(): void {
    const current = this.#current;
    if (!current || current.text === current.before) return;
    this.#learn(learnPattern(current.before, current.text), current);
  }

  #learn(pattern: EditPattern | undefined, by: LineEdit): void {
    const isSame = ({ key }: KnownEdit): boolean => key === JSON.stringify(pattern);
    const known = this.#known.find(isSame);
    for (const edit of this.#known)
      if (edit !== known && this.#suggested?.edit !== edit) edit.others++;
    this.#known = this.#known.filter(isActive);
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
    addLocation(made, { document, line });
    const edit = { pattern, key, languageId, until, made, refused, others: 0, ignored: 0 };
    const rest = this.#known.filter((edit) => edit !== known && !isReverse(edit.pattern, pattern));
    this.#known = [edit, ...rest].slice(0, editMemoryLimits.edits);
  }

  /** Resolves the suggestion after a change of its line: accepted, still being typed, or rejected. */
  #resolveSuggestion(cursor: number): void {
    const current = this.#current;
    const suggested = this.#suggested;
    if (!current || !suggested || !current.isAt(suggested)) return;
    const isAccepted = current.text === suggested.result;
    const { before, text } = current;
    if (!isAccepted && findInsertion(suggested.edit.pattern, { text, before, character: cursor }))
      return;
    this.#suggested = undefined;
    const { edit, document, line } = suggested;
    addLocation(isAccepted ? edit.made : edit.refused, { document, line });
    if (!isAccepted) return;
    edit.ignored = 0;
    edit.others = 0;
    edit.until = this.#clock.now() + editMemoryLimits.ms;
    // Further changes on the line are another edit.
    this.#current = new LineEdit({ ...toLineCursor(current), character: cursor });
  }

  /** Counts the suggestion as ignored after the cursor left its line. */
  #countAsIgnored(): void {
    if (!this.#suggested) return;
    this.#suggested.edit.ignored++;
    this.#suggested = undefined;
    this.#known = this.#known.filter(isActive);
  }

  #isCurrent(cursor: LineCursor): boolean {
    return this.#current?.isAt(cursor) === true && this.#current.text === cursor.text;
  }

  #isSuggestedAt({ document, line }: LineCursor): boolean {
    return this.#suggested?.document === document && this.#suggested.line === line;
  }
}

/** Applied changes to several lines of a document. */
export interface MultiLineChange {
  readonly document: string;
  /** Changed line numbers. */
  readonly lines: ReadonlySet<number>;
  /** Returns the current text of a line. */
  readonly lineAt: (line: number) => string;
}

/** Maximum number of renamed lines that are read. A rename may change thousands. */
const maxRenamedLines = 100;

interface KnownEdit {
  readonly pattern: EditPattern;
  readonly key: string;
  readonly languageId: string;
  /** Expiry in milliseconds since the epoch. */
  until: number;
  /** Positions where the edit was made. */
  readonly made: LineLocation[];
  readonly refused: LineLocation[];
  /** Number of other edits after this edit. */
  others: number;
  /** Number of ignored suggestions of this edit. */
  ignored: number;
}

interface LineLocation {
  readonly document: string;
  line: number;
}

interface SuggestedEdit {
  readonly edit: KnownEdit;
  readonly document: string;
  readonly line: number;
  /** Line after acceptance. */
  readonly result: string;
}

const toLineCursor = ({
  document,
  languageId,
  line,
  text,
}: LineEdit): Omit<LineCursor, 'character'> => ({
  document,
  languageId,
  line,
  text,
});

const isActive = ({ others, ignored }: KnownEdit): boolean =>
  others < editMemoryLimits.others && ignored < editMemoryLimits.ignored;

const includesLine = (
  locations: readonly LineLocation[],
  { document, line }: Readonly<LineLocation>,
): boolean =>
  locations.some((location) => location.document === document && location.line === line);

/** Adds a position if it is new, and drops the oldest position above the limit. */
function addLocation(locations: LineLocation[], location: LineLocation): void {
  if (includesLine(locations, location)) return;
  locations.push(location);
  if (locations.length > editMemoryLimits.locations) locations.shift();
}
