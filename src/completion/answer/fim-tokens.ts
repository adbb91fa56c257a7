/** What a mark in an answer means: `drop` takes it out, `end` ends the answer, `skip` takes out all up to `until`. */
export interface FimToken {
  readonly text: string;
  readonly means: 'drop' | 'end' | 'skip';
  /** The first of these ends what is skipped. */
  readonly until?: readonly string[];
}

/**
 * The marks that models put into answers: of prompts with a hole, of turns, and of thoughts. What stands in the document
 * around the cursor as well is code there.
 */
export function fimTokensFor(around: string): ReadonlyMap<string, FimToken> {
  if (!around.includes('<') && !around.includes('[')) return byText;
  return new Map([...byText].filter(([text]) => !around.includes(text)));
}

/** Whether a mark begins like this and goes on. */
export const isTokenPrefix = (text: string): boolean => beginnings.has(text);

const skip = (text: string, ...until: string[]): FimToken => ({ text, means: 'skip', until });
const drop = (text: string): FimToken => ({ text, means: 'drop' });
const end = (text: string): FimToken => ({ text, means: 'end' });

const middles = ['<|fim_middle|>', '<fim_middle>', '<fim-middle>'];

const marks: readonly FimToken[] = [
  skip('<think>', '</think>'),
  skip('<thinking>', '</thinking>'),
  skip('<reasoning>', '</reasoning>'),
  drop('</think>'),
  skip('<|fim_prefix|>', ...middles),
  skip('<fim_prefix>', ...middles),
  skip('<|fim_suffix|>', ...middles),
  skip('<fim_suffix>', ...middles),
  ...middles.map(drop),
  ...['<prefix>', '</prefix>', '<PRE>', '<MID>', '[PREFIX]', '[MIDDLE]'].map(drop),
  ...['<completion>', '<COMPLETION>', '<answer>', '<missing>', '<insert>', '<fill>'].map(drop),
  ...['<cursor>', '<CURSOR>', '<cursor/>', '<cursor />', '<|cursor|>', '<｜fim▁hole｜>'].map(drop),
  ...['<｜fim▁begin｜>', '<|im_start|>', '<hole>', '<hole/>', '<|middle|>'].map(drop),
  ...['<suffix>', '</suffix>', '<SUF>', '[SUFFIX]', '<｜fim▁end｜>'].map(end),
  ...['</completion>', '</COMPLETION>', '</answer>', '</missing>', '</insert>', '</fill>'].map(end),
  ...['</cursor>', '</hole>', '<|fim_pad|>', '<|file_sep|>', '<file_sep>', '<|repo_name|>'].map(
    end,
  ),
  ...['<|endoftext|>', '<|end_of_text|>', '<|eot_id|>', '<|im_end|>', '<|end|>'].map(end),
  ...['<end_of_turn>', '<EOT>', '<|EOT|>', '<｜end▁of▁sentence｜>', '[/INST]'].map(end),
];
const byText: ReadonlyMap<string, FimToken> = new Map(marks.map((mark) => [mark.text, mark]));
const beginnings: ReadonlySet<string> = new Set(
  marks.flatMap(({ text }) =>
    Array.from({ length: text.length - 1 }, (_, index) => text.slice(0, index + 1)),
  ),
);

/**
 * Takes marks and thoughts out of a stream of characters, and turns all line ends into `\n`. Holds back what may become
 * a mark. Constant time for each character.
 */
export class FimTokenFilter {
  readonly #marks: ReadonlyMap<string, FimToken>;
  readonly #emit: (character: string) => void;
  readonly #hasContent: () => boolean;
  #held = '';
  #until: readonly string[] = [];
  /** The end of what is skipped, as far as it may be a part of its closing mark. */
  #tail = '';
  #isAfterReturn = false;
  isOver = false;

  /** @param around The document around the cursor. */
  constructor(
    around: string,
    to: { readonly emit: (character: string) => void; readonly hasContent: () => boolean },
  ) {
    this.#marks = fimTokensFor(around);
    this.#emit = to.emit;
    this.#hasContent = to.hasContent;
  }

  push(raw: string): void {
    if (this.isOver) return;
    const isPair = raw === '\n' && this.#isAfterReturn;
    this.#isAfterReturn = raw === '\r';
    if (isPair) return;
    const character = raw === '\r' ? '\n' : raw;
    if (this.#until.length > 0) this.#skip(character);
    else this.#take(character);
  }

  /** What was held back is no mark any more. */
  end(): void {
    const held = this.#held;
    this.#held = '';
    for (const character of held) this.#emit(character);
  }

  #take(character: string): void {
    if (this.#held === '' && character !== '<' && character !== '[') return this.#emit(character);
    const held = this.#held + character;
    this.#held = '';
    const mark = this.#marks.get(held);
    if (mark !== undefined) return this.#meet(mark);
    if (isTokenPrefix(held)) this.#held = held;
    else this.#release(held);
  }

  /** The first character begins no mark; one behind it may. */
  #release(held: string): void {
    this.#emit(held[0] ?? '');
    for (let at = 1; at < held.length && !this.isOver; at += 1) this.#take(held[at] ?? '');
  }

  #meet({ means, until }: FimToken): void {
    // Behind the text that is missing there is nothing more to say, whatever the mark.
    if (means === 'end' || this.#hasContent()) this.isOver = true;
    else if (means === 'skip') this.#until = until ?? [];
  }

  #skip(character: string): void {
    this.#tail = (this.#tail + character).slice(-longestClose);
    if (character !== '>' || !this.#until.some((close) => this.#tail.endsWith(close))) return;
    this.#until = [];
    this.#tail = '';
  }
}

const longestClose = 16;
