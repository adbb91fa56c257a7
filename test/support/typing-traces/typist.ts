import type { Suggestion } from '../../../src/completion/ports.ts';
import type { ManualClock } from '../manual-clock.ts';
import type { GhostText } from './ghost-text.ts';
import type { ModelEditor } from './model-editor.ts';
import { type IntervalKind, computeIntervalMs } from './rhythm.ts';
import type { ActionMark, Step, Trace } from './trace.ts';

/** Observer of a simulated user's actions. */
export interface TypistWatcher {
  onKey(): void;
  /**
   * Called before the user accepts the visible suggestion. `retainedLength` is the number of characters that match the
   * intended text, and therefore stay in the document.
   */
  onSuggestionAccepted(acceptance: {
    readonly suggestion: Suggestion;
    readonly retainedLength: number;
    readonly isWhole: boolean;
  }): void;
}

/** Minimum number of characters that must match the intended text for the user to accept a suggestion. */
const minMatchingLength = 4;
/** Minimum fraction of a suggestion that must match the intended text for the user to accept it. */
const minMatchingRatio = 0.6;
/** Interval in milliseconds at which the user looks for a suggestion. */
const suggestionPollMs = 25;

type TypeStep = Extract<Step, { kind: 'type' }>;

/** Simulated user. Types the intended text of a trace key by key, and accepts matching suggestions. */
export class Typist {
  readonly #trace: Trace;
  readonly #editor: ModelEditor;
  readonly #ghostText: GhostText;
  readonly #clock: ManualClock;
  readonly #watcher: TypistWatcher;

  constructor(
    trace: Trace,
    dependencies: {
      readonly editor: ModelEditor;
      readonly ghostText: GhostText;
      readonly clock: ManualClock;
      readonly watcher: TypistWatcher;
    },
  ) {
    this.#trace = trace;
    this.#editor = dependencies.editor;
    this.#ghostText = dependencies.ghostText;
    this.#clock = dependencies.clock;
    this.#watcher = dependencies.watcher;
  }

  async runTrace(): Promise<void> {
    for (const [index, step] of this.#trace.steps.entries()) await this.#runStep(step, index);
    await this.#clock.advance(2_000);
  }

  async #runStep(step: Step, index: number): Promise<void> {
    if (step.kind === 'type') return this.#type(step, index);
    await this.#waitInterval('orient', `${index}`);
    if (step.kind === 'move') return this.#moveCursor(step.text);
    if (step.kind === 'erase') return this.#eraseCharacters(step.text.length, `${index}`);
    this.#pressKey(() => this.#editor.insertText(step.text));
  }

  /** Types until the document contains the intended text of the step. */
  async #type({ text, marks }: TypeStep, index: number): Promise<void> {
    const start = this.#editor.textBefore.length;
    const handledMarks = new Set<ActionMark>();
    for (let attempt = 0; ; attempt += 1) {
      if (attempt > 20 * text.length)
        throw new Error(`${this.#trace.name}: no way to step ${index}.`);
      const typedText = this.#editor.textBefore.slice(start);
      const matchingLength = countCommonPrefix(typedText, text);
      if (matchingLength === text.length && matchingLength === typedText.length) break;
      const mark = marks.find(
        (candidate) => candidate.offset === matchingLength && !handledMarks.has(candidate),
      );
      const isAtMark = mark !== undefined && isIndentation(typedText.slice(matchingLength));
      const seedText = `${index} ${matchingLength}`;
      if (isAtMark) {
        handledMarks.add(mark);
        await this.#handleMark(mark, {
          typedText: text.slice(0, matchingLength),
          intendedText: text.slice(matchingLength),
          seedText,
        });
      } else
        await this.#pressNextKey({
          typedText,
          text,
          matchingLength,
          seedText,
        });
    }
    // Remove auto-closed text that the intended text does not contain.
    while (this.#editor.closingText !== '')
      await this.#waitAndPressKey('erase', 'rest', () => this.#editor.deleteNextCharacter());
  }

  async #pressNextKey(progress: {
    readonly typedText: string;
    readonly text: string;
    readonly matchingLength: number;
    readonly seedText: string;
  }): Promise<void> {
    const { typedText, text, matchingLength, seedText } = progress;
    const [editor, nextCharacter] = [this.#editor, text[matchingLength] ?? ''];
    const extraText = typedText.slice(matchingLength);
    if (extraText !== '' && !(isIndentation(extraText) && /[\n)\]}]/u.test(nextCharacter)))
      return this.#waitAndPressKey('erase', seedText, () => editor.pressBackspace());
    const closingText = getBlockEnd(editor.closingText);
    if (extraText === '' && closingText !== '' && text.startsWith(closingText, matchingLength))
      return this.#stepOver(closingText.length, seedText);
    if (nextCharacter === '\n' && hasDuplicateClosingText(editor))
      return this.#waitAndPressKey('erase', seedText, () => editor.deleteNextCharacter());
    const { indentUnit } = this.#trace;
    const isIndenting = isLineStart(typedText) && text.startsWith(indentUnit, matchingLength);
    const intervalKind = getNextIntervalKind(typedText);
    if (isIndenting)
      return this.#waitAndPressKey(intervalKind, seedText, () => editor.insertIndentation());
    return this.#waitAndPressKey(intervalKind, seedText, () => editor.type(nextCharacter));
  }

  async #handleMark(
    mark: ActionMark,
    progress: {
      readonly typedText: string;
      readonly intendedText: string;
      readonly seedText: string;
    },
  ): Promise<void> {
    const { typedText, intendedText, seedText } = progress;
    if (mark.kind === 'slip') return this.#typeAndDelete(mark.text, intendedText, seedText);
    const isBetweenLines = /^(?:\n|$)/u.test(intendedText) || isLineStart(typedText);
    const intervalKind: IntervalKind = isBetweenLines ? 'thought' : 'hesitation';
    if (mark.kind === 'pause') return this.#waitInterval(intervalKind, seedText);
    if (mark.kind === 'escape') {
      await this.#waitInterval(intervalKind, seedText);
      this.#watcher.onKey();
      return this.#ghostText.hideSuggestion();
    }
    await this.#waitForSuggestion(mark.kind, { intendedText, intervalKind, seedText });
  }

  /** Waits for a matching suggestion, accepts it, and waits for the time that the user needs to read it. */
  async #waitForSuggestion(
    markKind: 'look' | 'word' | 'line',
    {
      intendedText,
      intervalKind,
      seedText,
    }: {
      readonly intendedText: string;
      readonly intervalKind: IntervalKind;
      readonly seedText: string;
    },
  ): Promise<void> {
    const deadline =
      this.#clock.now() + computeIntervalMs(intervalKind, this.#addTraceSeed(seedText));
    let appearance: { readonly id: number; readonly time: number } | undefined;
    while (this.#clock.now() < deadline) {
      await this.#clock.advance(Math.min(suggestionPollMs, deadline - this.#clock.now()));
      const { visibleSuggestion } = this.#ghostText;
      if (visibleSuggestion === undefined) appearance = undefined;
      else if (appearance?.id !== visibleSuggestion.id)
        appearance = { id: visibleSuggestion.id, time: this.#clock.now() };
      const readMs = computeIntervalMs('reaction', this.#addTraceSeed(seedText));
      if (visibleSuggestion === undefined || appearance === undefined) continue;
      if (
        this.#clock.now() - appearance.time < readMs ||
        !isAcceptable(visibleSuggestion.text, intendedText)
      )
        continue;
      const acceptedLength = await this.#accept(visibleSuggestion, {
        markKind,
        intendedText,
        seedText,
      });
      const remainingText = intendedText.slice(acceptedLength);
      if (remainingText === '') return;
      return this.#waitForSuggestion('look', {
        intendedText: remainingText,
        intervalKind: 'afterTake',
        seedText: `${seedText}+${acceptedLength}`,
      });
    }
  }

  /**
   * Accepts the suggestion, and deletes accepted text that is not intended. Returns the number of intended characters
   * that stay in the document.
   */
  async #accept(
    suggestion: Suggestion,
    options: {
      readonly markKind: 'look' | 'word' | 'line';
      readonly intendedText: string;
      readonly seedText: string;
    },
  ): Promise<number> {
    const { markKind, intendedText, seedText } = options;
    const matchingLength = countCommonPrefix(suggestion.text, intendedText);
    const length =
      markKind === 'look' ? suggestion.text.length : getUnitLength(suggestion.text, markKind);
    const retainedLength = Math.min(length, matchingLength);
    this.#pressKey(() => {}, { isText: false });
    this.#watcher.onSuggestionAccepted({
      suggestion,
      retainedLength,
      isWhole: length >= suggestion.text.length,
    });
    this.#ghostText.acceptSuggestion(length);
    const wrongLength = length - retainedLength;
    if (wrongLength > 0) await this.#waitInterval('notice', seedText);
    // Delete a few characters key by key, and longer text as a selection.
    if (wrongLength > 8) this.#pressKey(() => this.#editor.deletePreviousCharacters(wrongLength));
    else if (wrongLength > 0) await this.#eraseCharacters(wrongLength, `${seedText} wrong`);
    return retainedLength;
  }

  /** Types a wrong text, waits until the user notices the error, and deletes the text. */
  async #typeAndDelete(wrongText: string, intendedText: string, seedText: string): Promise<void> {
    for (const [index, char] of wrongText.split('').entries())
      await this.#waitAndPressKey('withinWord', `${seedText} ${index}`, () =>
        this.#editor.type(char),
      );
    await this.#waitInterval('notice', seedText);
    await this.#eraseCharacters(
      wrongText.length - countCommonPrefix(wrongText, intendedText),
      seedText,
    );
  }

  async #eraseCharacters(count: number, seedText: string): Promise<void> {
    for (let index = 0; index < count; index += 1)
      await this.#waitAndPressKey('erase', `${seedText} ${index}`, () =>
        this.#editor.pressBackspace(),
      );
  }

  #moveCursor(text: string): void {
    this.#watcher.onKey();
    this.#editor.moveCursorAfter(text);
    this.#ghostText.handleMove();
  }

  /** Moves the cursor over the next `count` characters, which are the closing text of a block. */
  async #stepOver(count: number, seedText: string): Promise<void> {
    await this.#waitInterval('withinWord', seedText);
    this.#watcher.onKey();
    this.#editor.moveCursorForward(count);
    this.#ghostText.handleMove();
  }

  async #waitAndPressKey(
    intervalKind: IntervalKind,
    seedText: string,
    change: () => void,
  ): Promise<void> {
    await this.#waitInterval(intervalKind, seedText);
    this.#pressKey(change);
  }

  #pressKey(change: () => void, { isText = true } = {}): void {
    this.#watcher.onKey();
    if (!isText) return;
    change();
    this.#ghostText.handleEdit();
  }

  async #waitInterval(intervalKind: IntervalKind, seedText: string): Promise<void> {
    await this.#clock.advance(computeIntervalMs(intervalKind, this.#addTraceSeed(seedText)));
  }

  #addTraceSeed = (seedText: string): string => `${this.#trace.seed} ${seedText}`;
}

/** Checks whether a user who intends to type `intendedText` accepts the suggestion `text`. */
function isAcceptable(text: string, intendedText: string): boolean {
  const matchingLength = countCommonPrefix(text, intendedText);
  const requiredLength = Math.min(minMatchingLength, intendedText.trimEnd().length);
  return matchingLength >= requiredLength && matchingLength >= minMatchingRatio * text.length;
}

/**
 * Returns the number of characters that VS Code inserts when the user accepts the next word or line of the suggestion.
 */
function getUnitLength(text: string, unit: 'word' | 'line'): number {
  const unitPattern = unit === 'word' ? /^\s*(?:[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]+)/u : /^\n?[^\n]*/u;
  return Math.max(1, unitPattern.exec(text)?.[0].length ?? text.length);
}

/**
 * Returns the text after the cursor that ends a block: a closing bracket on a separate line, or a closing tag. Returns
 * an empty string if there is none.
 */
const getBlockEnd = (closingText: string): string =>
  /^(?:\n[ \t]*(?:[)\]}]|<\/[\w-]+>)|<\/[\w-]+>)/u.exec(closingText)?.[0] ?? '';

/**
 * Checks whether the closing text after the cursor is superfluous. This is the case if it is on the same line, and no
 * open bracket is directly before the cursor.
 */
const hasDuplicateClosingText = ({ textBefore, closingText }: ModelEditor): boolean =>
  /^[^\n]/u.test(closingText) && !/[([{,>]\s*$/u.test(textBefore);

const isLineStart = (typedText: string): boolean => /(?:^|\n)[ \t]*$/u.test(typedText);
const isIndentation = (text: string): boolean => /^[ \t]*$/u.test(text);

function getNextIntervalKind(typedText: string): IntervalKind {
  if (isLineStart(typedText)) return 'lineStart';
  return /[\p{L}\p{N}_]$/u.test(typedText) ? 'withinWord' : 'wordStart';
}

function countCommonPrefix(first: string, second: string): number {
  const minLength = Math.min(first.length, second.length);
  for (let index = 0; index < minLength; index += 1)
    if (first[index] !== second[index]) return index;
  return minLength;
}
