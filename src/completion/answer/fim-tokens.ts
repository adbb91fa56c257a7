/**
 * Control token that may appear in an answer. `drop` removes the token, `end` ends the answer, and `skip` also removes
 * the text up to a token in `until`.
 */
export interface FimToken {
  readonly text: string;
  readonly action: 'drop' | 'end' | 'skip';
  /** Closing tokens for the action `skip`. The skipped text ends with the first closing token in the answer. */
  readonly until?: readonly string[];
}

/**
 * Returns the control tokens to filter from an answer. Excludes tokens that the surrounding document contains, because
 * they can be valid code in this document.
 */
export function fimTokensFor(surroundingText: string): ReadonlyMap<string, FimToken> {
  if (!surroundingText.includes('<') && !surroundingText.includes('[')) return byText;
  return new Map([...byText].filter(([text]) => !surroundingText.includes(text)));
}

/** Checks whether a text is the beginning of a token, but not a complete token. */
export const isTokenPrefix = (text: string): boolean => tokenPrefixes.has(text);

const skip = (text: string, ...until: string[]): FimToken => ({ text, action: 'skip', until });
const drop = (text: string): FimToken => ({ text, action: 'drop' });
const end = (text: string): FimToken => ({ text, action: 'end' });

const middleTokens = ['<|fim_middle|>', '<fim_middle>', '<fim-middle>'];

const tokens: readonly FimToken[] = [
  skip('<think>', '</think>'),
  skip('<thinking>', '</thinking>'),
  skip('<reasoning>', '</reasoning>'),
  drop('</think>'),
  skip('<|fim_prefix|>', ...middleTokens),
  skip('<fim_prefix>', ...middleTokens),
  skip('<|fim_suffix|>', ...middleTokens),
  skip('<fim_suffix>', ...middleTokens),
  ...middleTokens.map(drop),
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
const byText: ReadonlyMap<string, FimToken> = new Map(tokens.map((token) => [token.text, token]));
const tokenPrefixes: ReadonlySet<string> = new Set(
  tokens.flatMap(({ text }) =>
    Array.from({ length: text.length - 1 }, (_, index) => text.slice(0, index + 1)),
  ),
);

/**
 * Removes control tokens and reasoning from a stream of characters, and changes line ends to `\n`. Delays characters
 * that may be the beginning of a token. Takes constant time per character.
 */
export class FimTokenFilter {
  readonly #tokens: ReadonlyMap<string, FimToken>;
  readonly #emit: (character: string) => void;
  readonly #hasContent: () => boolean;
  #held = '';
  #until: readonly string[] = [];
  /** Last characters of the skipped text, enough to detect a closing token. */
  #tail = '';
  #isAfterReturn = false;
  hasEnded = false;

  /** @param surroundingText document text around the cursor */
  constructor(
    surroundingText: string,
    sink: { readonly emit: (character: string) => void; readonly hasContent: () => boolean },
  ) {
    this.#tokens = fimTokensFor(surroundingText);
    this.#emit = sink.emit;
    this.#hasContent = sink.hasContent;
  }

  push(raw: string): void {
    if (this.hasEnded) return;
    const isPair = raw === '\n' && this.#isAfterReturn;
    this.#isAfterReturn = raw === '\r';
    if (isPair) return;
    const character = raw === '\r' ? '\n' : raw;
    if (this.#until.length > 0) this.#skip(character);
    else this.#handle(character);
  }

  /** Emits the delayed characters at the end of the stream. */
  end(): void {
    const held = this.#held;
    this.#held = '';
    for (const character of held) this.#emit(character);
  }

  #handle(character: string): void {
    if (this.#held === '' && character !== '<' && character !== '[') return this.#emit(character);
    const held = this.#held + character;
    this.#held = '';
    const token = this.#tokens.get(held);
    if (token !== undefined) return this.#applyToken(token);
    if (isTokenPrefix(held)) this.#held = held;
    else this.#release(held);
  }

  /**
   * Emits the first delayed character, and processes the other characters again, because a token may begin among them.
   */
  #release(held: string): void {
    this.#emit(held[0] ?? '');
    for (let index = 1; index < held.length && !this.hasEnded; index += 1)
      this.#handle(held[index] ?? '');
  }

  #applyToken({ action, until }: FimToken): void {
    // After the first completion text, any control token ends the answer.
    if (action === 'end' || this.#hasContent()) this.hasEnded = true;
    else if (action === 'skip') this.#until = until ?? [];
  }

  #skip(character: string): void {
    this.#tail = (this.#tail + character).slice(-maxCloseLength);
    if (character !== '>' || !this.#until.some((closingToken) => this.#tail.endsWith(closingToken)))
      return;
    this.#until = [];
    this.#tail = '';
  }
}

const maxCloseLength = 16;
