import type { Suggestion } from '../../../src/completion/ports.ts';
import type { ManualClock } from '../manual-clock.ts';
import type { GhostText } from './ghost-text.ts';
import type { ModelEditor } from './model-editor.ts';
import { type Beat, beatMs } from './rhythm.ts';
import type { Mark, Step, Trace } from './trace.ts';

/** Observer of a simulated user's actions. */
export interface TypistWatcher {
  onKey(): void;
  /**
   * Called before the user accepts the visible suggestion. `kept` is the number of characters that match the intended
   * text.
   */
  onTaken(taken: {
    readonly shown: Suggestion;
    readonly kept: number;
    readonly isWhole: boolean;
  }): void;
}

/** Minimum number of matching characters for the user to accept a suggestion. */
const minMatchingLength = 4;
/** Minimum fraction of matching text for the user to accept a suggestion. */
const minMatchingRatio = 0.6;
/** Interval in milliseconds at which the user checks for a suggestion. */
const glanceMs = 25;

type Typed = Extract<Step, { kind: 'type' }>;

/** Simulated user of a trace. Types the intended text key by key, and accepts matching suggestions. */
export class Typist {
  readonly #trace: Trace;
  readonly #editor: ModelEditor;
  readonly #ghost: GhostText;
  readonly #clock: ManualClock;
  readonly #watcher: TypistWatcher;

  constructor(
    trace: Trace,
    parts: {
      readonly editor: ModelEditor;
      readonly ghost: GhostText;
      readonly clock: ManualClock;
      readonly watcher: TypistWatcher;
    },
  ) {
    this.#trace = trace;
    this.#editor = parts.editor;
    this.#ghost = parts.ghost;
    this.#clock = parts.clock;
    this.#watcher = parts.watcher;
  }

  async run(): Promise<void> {
    for (const [index, step] of this.#trace.steps.entries()) await this.#runStep(step, index);
    await this.#clock.advance(2_000);
  }

  async #runStep(step: Step, index: number): Promise<void> {
    if (step.kind === 'type') return this.#type(step, index);
    await this.#wait('orient', `${index}`);
    if (step.kind === 'move') return this.#move(step.text);
    if (step.kind === 'erase') return this.#erase(step.text.length, `${index}`);
    this.#press(() => this.#editor.insert(step.text));
  }

  /** Types until the document contains the intended text of the step. */
  async #type({ text, marks }: Typed, index: number): Promise<void> {
    const start = this.#editor.before.length;
    const done = new Set<Mark>();
    for (let turn = 0; ; turn += 1) {
      if (turn > 20 * text.length) throw new Error(`${this.#trace.name}: no way to step ${index}.`);
      const written = this.#editor.before.slice(start);
      const agreed = commonLength(written, text);
      if (agreed === text.length && agreed === written.length) break;
      const mark = marks.find((candidate) => candidate.at === agreed && !done.has(candidate));
      const isAtMark = mark !== undefined && isIndentation(written.slice(agreed));
      const seedText = `${index} ${agreed}`;
      if (isAtMark) {
        done.add(mark);
        await this.#handleMark(mark, {
          written: text.slice(0, agreed),
          rest: text.slice(agreed),
          place: seedText,
        });
      } else await this.#nextKey({ written, text, agreed, place: seedText });
    }
    // Remove auto-closed text that the intended text does not contain.
    while (this.#editor.closers !== '')
      await this.#key('erase', 'rest', () => this.#editor.delete());
  }

  async #nextKey(at: {
    readonly written: string;
    readonly text: string;
    readonly agreed: number;
    readonly place: string;
  }): Promise<void> {
    const { written, text, agreed, place } = at;
    const [editor, next] = [this.#editor, text[agreed] ?? ''];
    const surplus = written.slice(agreed);
    if (surplus !== '' && !(isIndentation(surplus) && /[\n)\]}]/u.test(next)))
      return this.#key('erase', place, () => editor.backspace());
    const block = blockEnd(editor.closers);
    if (surplus === '' && block !== '' && text.startsWith(block, agreed))
      return this.#stepOver(block.length, place);
    if (next === '\n' && isLeftOver(editor))
      return this.#key('erase', place, () => editor.delete());
    const { indentUnit } = this.#trace;
    const isIndenting = isLineStart(written) && text.startsWith(indentUnit, agreed);
    const beat = beatBefore(written);
    if (isIndenting) return this.#key(beat, place, () => editor.indent());
    return this.#key(beat, place, () => editor.type(next));
  }

  async #handleMark(
    mark: Mark,
    at: { readonly written: string; readonly rest: string; readonly place: string },
  ): Promise<void> {
    const { written, rest, place } = at;
    if (mark.kind === 'slip') return this.#typeAndDelete(mark.text, rest, place);
    const isBetweenLines = /^(?:\n|$)/u.test(rest) || isLineStart(written);
    const beat: Beat = isBetweenLines ? 'thought' : 'hesitation';
    if (mark.kind === 'pause') return this.#wait(beat, place);
    if (mark.kind === 'escape') {
      await this.#wait(beat, place);
      this.#watcher.onKey();
      return this.#ghost.hide();
    }
    await this.#waitForSuggestion(mark.kind, { rest, beat, place });
  }

  /** Waits for a matching suggestion, accepts it, and waits for the time to read the text. */
  async #waitForSuggestion(
    how: 'look' | 'word' | 'line',
    { rest, beat, place }: { readonly rest: string; readonly beat: Beat; readonly place: string },
  ): Promise<void> {
    const until = this.#clock.now() + beatMs(beat, this.#seed(place));
    let appearance: { readonly id: number; readonly at: number } | undefined;
    while (this.#clock.now() < until) {
      await this.#clock.advance(Math.min(glanceMs, until - this.#clock.now()));
      const { shown } = this.#ghost;
      if (shown === undefined) appearance = undefined;
      else if (appearance?.id !== shown.id) appearance = { id: shown.id, at: this.#clock.now() };
      const readMs = beatMs('reaction', this.#seed(place));
      if (shown === undefined || appearance === undefined) continue;
      if (this.#clock.now() - appearance.at < readMs || !isAcceptable(shown.text, rest)) continue;
      const taken = await this.#accept(shown, { how, rest, place });
      const next = rest.slice(taken);
      if (next === '') return;
      return this.#waitForSuggestion('look', {
        rest: next,
        beat: 'afterTake',
        place: `${place}+${taken}`,
      });
    }
  }

  /**
   * Accepts the suggestion. Deletes accepted text that is not intended. Returns the number of intended characters in
   * the document.
   */
  async #accept(
    shown: Suggestion,
    about: {
      readonly how: 'look' | 'word' | 'line';
      readonly rest: string;
      readonly place: string;
    },
  ): Promise<number> {
    const { how, rest, place } = about;
    const matchingLength = commonLength(shown.text, rest);
    const length = how === 'look' ? shown.text.length : partLength(shown.text, how);
    const kept = Math.min(length, matchingLength);
    this.#press(() => {}, { isText: false });
    this.#watcher.onTaken({ shown, kept, isWhole: length >= shown.text.length });
    this.#ghost.take(length);
    const wrongLength = length - kept;
    if (wrongLength > 0) await this.#wait('notice', place);
    // Delete a few characters key by key, and longer text as a selection.
    if (wrongLength > 8) this.#press(() => this.#editor.eraseAll(wrongLength));
    else if (wrongLength > 0) await this.#erase(wrongLength, `${place} wrong`);
    return kept;
  }

  /** Types a wrong text, waits until the user would notice, and deletes the text. */
  async #typeAndDelete(wrongText: string, rest: string, seedText: string): Promise<void> {
    for (const [index, char] of wrongText.split('').entries())
      await this.#key('withinWord', `${seedText} ${index}`, () => this.#editor.type(char));
    await this.#wait('notice', seedText);
    await this.#erase(wrongText.length - commonLength(wrongText, rest), seedText);
  }

  async #erase(count: number, seedText: string): Promise<void> {
    for (let index = 0; index < count; index += 1)
      await this.#key('erase', `${seedText} ${index}`, () => this.#editor.backspace());
  }

  #move(text: string): void {
    this.#watcher.onKey();
    this.#editor.moveBehind(text);
    this.#ghost.moved();
  }

  /** Moves the cursor out of an auto-closed block. */
  async #stepOver(count: number, seedText: string): Promise<void> {
    await this.#wait('withinWord', seedText);
    this.#watcher.onKey();
    this.#editor.stepOver(count);
    this.#ghost.moved();
  }

  async #key(beat: Beat, seedText: string, change: () => void): Promise<void> {
    await this.#wait(beat, seedText);
    this.#press(change);
  }

  #press(change: () => void, { isText = true } = {}): void {
    this.#watcher.onKey();
    if (!isText) return;
    change();
    this.#ghost.edited();
  }

  async #wait(beat: Beat, seedText: string): Promise<void> {
    await this.#clock.advance(beatMs(beat, this.#seed(seedText)));
  }

  #seed = (seedText: string): string => `${this.#trace.seed} ${seedText}`;
}

/** Checks whether a user who intends to type `rest` accepts the suggestion `text`. */
function isAcceptable(text: string, rest: string): boolean {
  const matchingLength = commonLength(text, rest);
  const requiredLength = Math.min(minMatchingLength, rest.trimEnd().length);
  return matchingLength >= requiredLength && matchingLength >= minMatchingRatio * text.length;
}

/** Returns the number of characters that VS Code accepts: up to the end of the next word or line. */
function partLength(text: string, how: 'word' | 'line'): number {
  const part = how === 'word' ? /^\s*(?:[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]+)/u : /^\n?[^\n]*/u;
  return Math.max(1, part.exec(text)?.[0].length ?? text.length);
}

/** Returns the end of a block in the text after the cursor: a closing bracket on a separate line, or a tag. */
const blockEnd = (closers: string): string =>
  /^(?:\n[ \t]*(?:[)\]}]|<\/[\w-]+>)|<\/[\w-]+>)/u.exec(closers)?.[0] ?? '';

/** Checks for duplicate closing text after the cursor: at the end of a line, without a matching open bracket. */
const isLeftOver = ({ before, closers }: ModelEditor): boolean =>
  /^[^\n]/u.test(closers) && !/[([{,>]\s*$/u.test(before);

const isLineStart = (written: string): boolean => /(?:^|\n)[ \t]*$/u.test(written);
const isIndentation = (text: string): boolean => /^[ \t]*$/u.test(text);

function beatBefore(written: string): Beat {
  if (isLineStart(written)) return 'lineStart';
  return /[\p{L}\p{N}_]$/u.test(written) ? 'withinWord' : 'wordStart';
}

function commonLength(first: string, second: string): number {
  const minLength = Math.min(first.length, second.length);
  for (let at = 0; at < minLength; at += 1) if (first[at] !== second[at]) return at;
  return minLength;
}
