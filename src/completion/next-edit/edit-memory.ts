import type { Clock } from '../../base/clock.ts';
import {
  type EditPattern,
  isReversePattern,
  deriveEditPattern,
  deriveRename,
  patternLimits,
} from './edit-pattern.ts';
import { findWordStart, type LineChange, LineEdit, type LineCursor } from './line-edit.ts';
import type { ChangedLine } from './model-edit.ts';
import { type Insertion, findInsertion } from './next-insertion.ts';
import type { LastEdit, NextLocation } from './next-location.ts';

/**
 * Limits of the edit memory.
 * - `ms`: lifetime of an edit in milliseconds.
 * - `edits`: maximum number of stored edits.
 * - `laterEdits`: number of later edits after which an edit is removed.
 * - `ignored`: number of ignored suggestions of an edit after which the edit is removed.
 * - `locations`: maximum number of stored lines per edit.
 */
export const editMemoryLimits = {
  ms: 5 * 60_000,
  edits: 3,
  laterEdits: 8,
  ignored: 3,
  locations: 100,
} as const;

/**
 * Stores the user's latest small edits and finds lines where an edit can be repeated. All changes to one range of a
 * line form one edit, until the cursor leaves the range. An edit is removed when it expires, when the user undoes it,
 * or when the user ignores its suggestions. An edit is never suggested on a line where it was made or rejected.
 */
export class EditMemory {
  readonly #clock: Clock;
  /** Stored edits, newest first. */
  #knownEdits: KnownEdit[] = [];
  #currentEdit: LineEdit | undefined;
  #suggestion: SuggestedEdit | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Updates the cursor. Pass `undefined` for no cursor or multiple cursors. */
  moveCursor(cursor: LineCursor | undefined): void {
    if (cursor && this.#isCurrentLine(cursor) && this.#currentEdit?.touchesChange(cursor.character))
      return;
    this.#finishLineEdit();
    const isShort = cursor !== undefined && cursor.text.length <= patternLimits.line;
    this.#currentEdit = isShort ? new LineEdit(cursor) : undefined;
    if (!cursor || !this.#isSuggestedAt(cursor)) this.#countAsIgnored();
  }

  /**
   * Adds a change within one line to the edit that the user currently makes on this line. Takes about as long as
   * copying the line.
   */
  applyChange(change: LineChange): void {
    const { character, removedLength } = change;
    const currentEdit = this.#currentEdit;
    if (!currentEdit?.isAtLine(change)) return this.reset();
    if (!currentEdit.touchesChange(character, character + removedLength)) {
      this.#finishLineEdit();
      this.#currentEdit = new LineEdit({ ...toLineCursor(currentEdit), character });
    }
    const cursor = this.#currentEdit?.applyChange(change);
    if (cursor !== undefined) this.#resolveSuggestion(cursor);
  }

  /**
   * Applies simultaneous changes to several lines. The changes must not contain line ends, and there must be only one
   * cursor. Stores a rename if the same word was replaced on all lines, including the cursor's line. Reads a limited
   * number of lines.
   */
  applyMultiLineChange({ documentUri, lines, lineAt }: MultiLineChange): void {
    this.#finishLineEdit();
    const currentEdit = this.#currentEdit;
    this.reset();
    if (currentEdit?.documentUri !== documentUri || !lines.has(currentEdit.line)) return;
    const changedText = lineAt(currentEdit.line);
    const otherLines = [...lines].slice(0, maxRenamedLines).map(lineAt);
    const pattern = deriveRename({ before: currentEdit.text, after: changedText }, otherLines);
    if (!pattern) return;
    this.#storePattern(pattern, currentEdit);
    this.#currentEdit = new LineEdit({
      ...toLineCursor(currentEdit),
      text: changedText,
      character: 0,
    });
  }

  /**
   * Adds `lineDelta` to the stored numbers of the lines below `line`. Must be called after lines were inserted or
   * deleted.
   */
  shiftLines(documentUri: string, line: number, lineDelta: number): void {
    if (this.#currentEdit?.documentUri === documentUri) {
      this.#finishLineEdit();
      this.reset();
    }
    const locations = this.#knownEdits.flatMap(({ editedLocations, rejectedLocations }) => [
      ...editedLocations,
      ...rejectedLocations,
    ]);
    for (const location of locations)
      if (location.documentUri === documentUri && location.line > line) location.line += lineDelta;
  }

  /** Removes the edits that were made on a line, after the user undid or redid a change on this line. */
  applyUndo(documentUri: string, line: number): void {
    if (this.#currentEdit?.documentUri === documentUri) this.reset();
    this.#knownEdits = this.#knownEdits.filter(
      ({ editedLocations }) => !includesLine(editedLocations, { documentUri, line }),
    );
  }

  /** Stops tracking the edit on the current line. Must be called after a change that the user did not type. */
  reset(): void {
    this.#currentEdit = undefined;
    this.#suggestion = undefined;
  }

  /** Checks whether a stored edit can be repeated at the cursor. */
  hasInsertion(cursor: LineCursor): boolean {
    return this.#findKnownEdit(cursor) !== undefined;
  }

  /**
   * Returns the insertion that repeats a stored edit at the cursor. Also starts to observe whether the user accepts,
   * rejects or ignores the insertion.
   */
  suggestInsertion(cursor: LineCursor): Insertion | undefined {
    const match = this.#findKnownEdit(cursor);
    if (!match) return undefined;
    const { documentUri, line } = cursor;
    const { edit, insertion } = match;
    this.#suggestion = { edit, documentUri, line, resultLine: insertion.resultLine };
    return insertion;
  }

  /** Returns the user's last edit if it can be repeated and the cursor is still on its line. */
  findLastEdit(): LastEdit | undefined {
    const currentEdit = this.#currentEdit;
    if (!currentEdit) return undefined;
    const isUnchanged = currentEdit.text === currentEdit.originalText;
    const pattern = isUnchanged
      ? undefined
      : deriveEditPattern(currentEdit.originalText, currentEdit.text);
    const key = JSON.stringify(pattern);
    const knownEdit = this.#knownEdits.find((edit) =>
      isUnchanged ? isLastMadeAt(edit, currentEdit) : edit.key === key,
    );
    const foundPattern = pattern ?? knownEdit?.pattern;
    if (!foundPattern || (isUnchanged && knownEdit && knownEdit.expiresAt <= this.#clock.now()))
      return undefined;
    const character = isUnchanged ? knownEdit?.character : getEditedWordStart(currentEdit);
    const { documentUri, line } = currentEdit;
    return {
      pattern: foundPattern,
      line,
      character: character ?? 0,
      useCount: (knownEdit?.useCount ?? 0) + (isUnchanged ? 0 : 1),
      isRejected: (line) => includesLine(knownEdit?.rejectedLocations ?? [], { documentUri, line }),
    };
  }

  /**
   * Returns the line that the user currently changes, before and after the change; undefined for a new or unchanged
   * line.
   */
  get changedLine(): ChangedLine | undefined {
    const { originalText = '', text = '' } = this.#currentEdit ?? {};
    return originalText === text || originalText.trim() === ''
      ? undefined
      : { before: originalText, after: text };
  }

  /**
   * Prepares for a repetition of the last edit at the cursor: the next change counts as an accepted suggestion of this
   * edit.
   */
  expectRepetition({ pattern }: LastEdit, cursor: LineCursor, nextLocation: NextLocation): void {
    this.#finishLineEdit();
    const edit = this.#knownEdits.find(({ key }) => key === JSON.stringify(pattern));
    this.#currentEdit = new LineEdit(cursor);
    if (!edit) return;
    const { documentUri, line, text } = cursor;
    const result =
      text.slice(0, nextLocation.start) + nextLocation.text + text.slice(nextLocation.end);
    this.#suggestion = { edit, documentUri, line, resultLine: result };
  }

  #findKnownEdit(cursor: LineCursor): { edit: KnownEdit; insertion: Insertion } | undefined {
    const now = this.#clock.now();
    const { text, character } = cursor;
    const originalText = this.#isCurrentLine(cursor)
      ? (this.#currentEdit?.originalText ?? text)
      : text;
    for (const edit of this.#knownEdits) {
      const isExcluded = edit.expiresAt <= now || edit.languageId !== cursor.languageId;
      if (isExcluded || includesLine(edit.rejectedLocations, cursor)) continue;
      const insertion = findInsertion(edit.pattern, { text, originalText, character });
      if (insertion) return { edit, insertion };
    }
    return undefined;
  }

  /** Stops tracking the current edit and stores its pattern. */
  #finishLineEdit(): void {
    const currentEdit = this.#currentEdit;
    if (!currentEdit || currentEdit.text === currentEdit.originalText) return;
    this.#storePattern(deriveEditPattern(currentEdit.originalText, currentEdit.text), currentEdit);
  }

  #storePattern(pattern: EditPattern | undefined, lineEdit: LineEdit): void {
    const hasPattern = ({ key }: KnownEdit): boolean => key === JSON.stringify(pattern);
    const knownEdit = this.#knownEdits.find(hasPattern);
    for (const edit of this.#knownEdits)
      if (edit !== knownEdit && this.#suggestion?.edit !== edit) edit.laterEditCount++;
    this.#knownEdits = this.#knownEdits.filter(isActive);
    if (pattern) this.#rememberPattern(pattern, knownEdit, lineEdit);
  }

  #rememberPattern(
    pattern: EditPattern,
    knownEdit: KnownEdit | undefined,
    lineEdit: LineEdit,
  ): void {
    const { documentUri, languageId, line } = lineEdit;
    const expiresAt = this.#clock.now() + editMemoryLimits.ms;
    const key = JSON.stringify(pattern);
    const {
      editedLocations,
      rejectedLocations,
    }: Pick<KnownEdit, 'editedLocations' | 'rejectedLocations'> = knownEdit ?? {
      editedLocations: [],
      rejectedLocations: [],
    };
    addLocation(editedLocations, { documentUri, line });
    const edit = {
      pattern,
      key,
      languageId,
      expiresAt,
      editedLocations,
      rejectedLocations,
      laterEditCount: 0,
      ignoredCount: 0,
      character: getEditedWordStart(lineEdit),
      useCount: (knownEdit?.useCount ?? 0) + 1,
    };
    const otherEdits = this.#knownEdits.filter(
      (edit) => edit !== knownEdit && !isReversePattern(edit.pattern, pattern),
    );
    this.#knownEdits = [edit, ...otherEdits].slice(0, editMemoryLimits.edits);
  }

  /**
   * Determines, after a change to the suggestion's line, whether the user accepted the suggestion, continues to type
   * its text, or rejected the suggestion.
   */
  #resolveSuggestion(cursorOffset: number): void {
    const currentEdit = this.#currentEdit;
    const suggestedEdit = this.#suggestion;
    if (!currentEdit || !suggestedEdit || !currentEdit.isAtLine(suggestedEdit)) return;
    const isAccepted = currentEdit.text === suggestedEdit.resultLine;
    const { originalText, text } = currentEdit;
    if (
      !isAccepted &&
      findInsertion(suggestedEdit.edit.pattern, { text, originalText, character: cursorOffset })
    )
      return;
    this.#suggestion = undefined;
    const { edit, documentUri, line } = suggestedEdit;
    addLocation(isAccepted ? edit.editedLocations : edit.rejectedLocations, { documentUri, line });
    if (!isAccepted) return;
    edit.character = getEditedWordStart(currentEdit);
    edit.useCount++;
    edit.ignoredCount = 0;
    edit.laterEditCount = 0;
    edit.expiresAt = this.#clock.now() + editMemoryLimits.ms;
    // Later changes to the line belong to a new edit.
    this.#currentEdit = new LineEdit({ ...toLineCursor(currentEdit), character: cursorOffset });
  }

  /** Marks the suggestion as ignored after the cursor left its line. */
  #countAsIgnored(): void {
    if (!this.#suggestion) return;
    this.#suggestion.edit.ignoredCount++;
    this.#suggestion = undefined;
    this.#knownEdits = this.#knownEdits.filter(isActive);
  }

  #isCurrentLine(cursor: LineCursor): boolean {
    return this.#currentEdit?.isAtLine(cursor) === true && this.#currentEdit.text === cursor.text;
  }

  #isSuggestedAt({ documentUri, line }: LineCursor): boolean {
    return this.#suggestion?.documentUri === documentUri && this.#suggestion.line === line;
  }
}

/** Simultaneous changes to several lines of a document, after they were applied. */
export interface MultiLineChange {
  readonly documentUri: string;
  /** 0-based numbers of the changed lines. */
  readonly lines: ReadonlySet<number>;
  /** Returns the current text of a line. */
  readonly lineAt: (line: number) => string;
}

/** Maximum number of lines that are read after a rename, because a rename may change thousands of lines. */
const maxRenamedLines = 100;

interface KnownEdit {
  readonly pattern: EditPattern;
  readonly key: string;
  readonly languageId: string;
  /** Time at which the edit expires, in milliseconds since the epoch. */
  expiresAt: number;
  /** Lines where the edit was made. */
  readonly editedLocations: LineLocation[];
  readonly rejectedLocations: LineLocation[];
  /** Number of edits that the user made after this edit. */
  laterEditCount: number;
  /** Number of suggestions of this edit that the user ignored. */
  ignoredCount: number;
  /** Offset of the edited text in the line where the edit was last made. */
  character: number;
  /** Number of times that the user made this edit or accepted its repetition. */
  useCount: number;
}

interface LineLocation {
  readonly documentUri: string;
  /** Line number, 0-based. */
  line: number;
}

interface SuggestedEdit {
  readonly edit: KnownEdit;
  readonly documentUri: string;
  /** Line number, 0-based. */
  readonly line: number;
  /** Text of the line after the user accepts the suggestion. */
  readonly resultLine: string;
}

const toLineCursor = ({
  documentUri,
  languageId,
  line,
  text,
}: LineEdit): Omit<LineCursor, 'character'> => ({
  documentUri,
  languageId,
  line,
  text,
});

const isActive = ({ laterEditCount, ignoredCount }: KnownEdit): boolean =>
  laterEditCount < editMemoryLimits.laterEdits && ignoredCount < editMemoryLimits.ignored;

const includesLine = (
  locations: readonly LineLocation[],
  { documentUri, line }: Readonly<LineLocation>,
): boolean =>
  locations.some((location) => location.documentUri === documentUri && location.line === line);

/** Checks whether a line is the line on which an edit was made most recently. */
function isLastMadeAt({ editedLocations }: KnownEdit, line: LineLocation): boolean {
  const lastLocation = editedLocations.at(-1);
  return lastLocation !== undefined && includesLine([lastLocation], line);
}

/** Returns the start of the word that contains the start of a change. */
const getEditedWordStart = ({ text, changeStart = 0 }: LineEdit): number =>
  findWordStart(text, changeStart);

/** Adds a location as the newest. Removes the oldest location if the limit is exceeded. */
function addLocation(locations: LineLocation[], location: LineLocation): void {
  const index = locations.findIndex((knownLocation) => includesLine([knownLocation], location));
  if (index >= 0) locations.splice(index, 1);
  locations.push(location);
  if (locations.length > editMemoryLimits.locations) locations.shift();
}
