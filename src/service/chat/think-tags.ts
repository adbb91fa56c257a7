const opening = '<think>';
const closing = '</think>';

/**
 * Tells reasoning from answer in content that begins with a `<think>` block (spec §2.3), wherever the tags are cut.
 * Only a block at the very beginning counts: later tags are part of the answer, such as a line of code.
 * White space around the reasoning belongs to neither.
 */
export class ThinkTags {
  readonly #onText: (text: string) => void;
  readonly #onReasoning: (text: string) => void;
  #state: 'start' | 'opened' | 'reasoning' | 'closed' | 'answer' = 'start';
  /** White space, and what may become a tag. */
  #held = '';
  /** White space after it, in pieces: endless white space must not be looked through with each of them. */
  #blanks: string[] = [];

  constructor(to: { onText: (text: string) => void; onReasoning: (text: string) => void }) {
    this.#onText = to.onText;
    this.#onReasoning = to.onReasoning;
  }

  push(text: string): void {
    if (this.#state === 'answer') return this.#onText(text);
    if (isBlank(this.#held) && isBlank(text)) {
      this.#blanks.push(text);
      return;
    }
    const all = this.#takeHeld() + text;
    if (this.#state === 'start') this.#start(all);
    else if (this.#state === 'opened') this.#open(all);
    else if (this.#state === 'reasoning') this.#reason(all);
    else this.#answer(all);
  }

  /** Gives out what was held back; the content is over. */
  end(): void {
    const held = this.#takeHeld();
    if (this.#state === 'start' && held !== '') this.#onText(held);
    if (this.#state === 'reasoning' && held.trim() !== '') this.#onReasoning(held.trimEnd());
  }

  #hold(text: string): void {
    if (isBlank(text)) this.#blanks = [text];
    else this.#held = text;
  }

  #takeHeld(): string {
    const held = this.#held + this.#blanks.join('');
    this.#held = '';
    this.#blanks = [];
    return held;
  }

  #start(all: string): void {
    const text = all.trimStart();
    if (text.startsWith(opening)) {
      this.#state = 'opened';
      this.#open(text.slice(opening.length));
    } else if (opening.startsWith(text)) {
      this.#hold(all);
    } else {
      this.#state = 'answer';
      this.#onText(all);
    }
  }

  #open(all: string): void {
    const text = all.trimStart();
    if (text === '') return;
    this.#state = 'reasoning';
    this.#reason(text);
  }

  #reason(all: string): void {
    const end = all.indexOf(closing);
    const given =
      end < 0 ? all.slice(0, all.length - heldLength(all)) : all.slice(0, end).trimEnd();
    if (given !== '') this.#onReasoning(given);
    if (end < 0) {
      this.#hold(all.slice(given.length));
    } else {
      this.#state = 'closed';
      this.#answer(all.slice(end + closing.length));
    }
  }

  #answer(all: string): void {
    const text = all.trimStart();
    if (text === '') return;
    this.#state = 'answer';
    this.#onText(text);
  }
}

/** Length of the end of `text` that is white space before a closing tag, or the beginning of one. */
function heldLength(text: string): number {
  const at = text.lastIndexOf('<');
  const isTag = at >= 0 && closing.startsWith(text.slice(at));
  const before = isTag ? text.slice(0, at) : text;
  return text.length - before.trimEnd().length;
}

const isBlank = (text: string): boolean => text.trim() === '';
