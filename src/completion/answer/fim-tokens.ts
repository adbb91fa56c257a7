import {
  thinkingMarkers,
  thinkingTags,
  turnEndTokens,
  turnStartTokens,
} from '../../base/model-answer.ts';

/**
 * Fill-in-the-middle (FIM) control token that may appear in an answer. A token after the first completion text always
 * ends the answer. Before this text, the effect depends on `action`:
 * - `drop` removes the token.
 * - `end` ends the answer.
 * - `skip` removes the token and the following text, up to and including a token in `closingTokens`.
 */
export interface FimToken {
  readonly text: string;
  readonly action: 'drop' | 'end' | 'skip';
  /** Closing tokens for the action `skip`. The skipped text ends with the first closing token in the answer. */
  readonly closingTokens?: readonly string[];
}

/**
 * Returns the control tokens to filter from an answer. Excludes tokens that the surrounding document contains, because
 * they can be valid code in this document.
 */
export function selectFimTokens(surroundingText: string): ReadonlyMap<string, FimToken> {
  if (!/[<[◁]/u.test(surroundingText)) return tokensByText;
  // In a document with markup elements, `<s>` is an element and not a control token.
  const hasElements = /<\/?[a-z][^<>]*>/iu.test(surroundingText);
  return new Map(
    [...tokensByText].filter(
      ([text]) => !surroundingText.includes(text) && !(hasElements && /^<\/?s>$/u.test(text)),
    ),
  );
}

/** Checks whether a text is the beginning of a control token, but not a complete control token. */
export const isTokenPrefix = (text: string): boolean => tokenPrefixes.has(text);

const createSkipToken = (text: string, ...closingTokens: string[]): FimToken => ({
  text,
  action: 'skip',
  closingTokens,
});
const createDropToken = (text: string): FimToken => ({ text, action: 'drop' });
const createEndToken = (text: string): FimToken => ({ text, action: 'end' });

const middleTokens = ['<|fim_middle|>', '<fim_middle>', '<fim-middle>'];

const fimTokens: readonly FimToken[] = [
  ...thinkingTags.map((tag) => createSkipToken(`<${tag}>`, `</${tag}>`)),
  ...thinkingMarkers.map(([startMarker, endMarker]) => createSkipToken(startMarker, endMarker)),
  createDropToken('</think>'),
  createSkipToken('<|channel|>', 'final<|message|>', 'json<|message|>'),
  createSkipToken('<|start|>', 'final<|message|>', 'assistant<|message|>'),
  createSkipToken('<|start_header_id|>', '<|end_header_id|>'),
  createSkipToken('<|header_start|>', '<|header_end|>'),
  ...turnStartTokens.map(createDropToken),
  createSkipToken('<|fim_prefix|>', ...middleTokens),
  createSkipToken('<fim_prefix>', ...middleTokens),
  createSkipToken('<|fim_suffix|>', ...middleTokens),
  createSkipToken('<fim_suffix>', ...middleTokens),
  ...middleTokens.map(createDropToken),
  ...['<prefix>', '</prefix>', '<PRE>', '<MID>', '[PREFIX]', '[MIDDLE]'].map(createDropToken),
  ...['<completion>', '<COMPLETION>', '<answer>', '<missing>', '<insert>', '<fill>'].map(
    createDropToken,
  ),
  ...['<cursor>', '<CURSOR>', '<cursor/>', '<cursor />', '<|cursor|>', '<｜fim▁hole｜>'].map(
    createDropToken,
  ),
  ...['<｜fim▁begin｜>', '<hole>', '<hole/>', '<|middle|>'].map(createDropToken),
  ...['<suffix>', '</suffix>', '<SUF>', '[SUFFIX]', '<｜fim▁end｜>'].map(createEndToken),
  ...['</completion>', '</COMPLETION>', '</answer>', '</missing>', '</insert>', '</fill>'].map(
    createEndToken,
  ),
  ...['</cursor>', '</hole>', '<|fim_pad|>', '<|file_sep|>', '<file_sep>', '<|repo_name|>'].map(
    createEndToken,
  ),
  ...[...turnEndTokens, '</s>'].map(createEndToken),
];
const tokensByText: ReadonlyMap<string, FimToken> = new Map(
  fimTokens.map((token) => [token.text, token]),
);
const tokenPrefixes: ReadonlySet<string> = new Set(
  fimTokens.flatMap(({ text }) =>
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
  #delayedText = '';
  #closingTokens: readonly string[] = [];
  /** Last characters of the skipped text. They are sufficient to detect a closing token. */
  #skippedTail = '';
  #isAfterCarriageReturn = false;
  hasEnded = false;

  /** @param surroundingText document text around the cursor */
  constructor(
    surroundingText: string,
    callbacks: { readonly emit: (character: string) => void; readonly hasContent: () => boolean },
  ) {
    this.#tokens = selectFimTokens(surroundingText);
    this.#emit = callbacks.emit;
    this.#hasContent = callbacks.hasContent;
  }

  push(rawCharacter: string): void {
    if (this.hasEnded) return;
    const isSecondOfPair = rawCharacter === '\n' && this.#isAfterCarriageReturn;
    this.#isAfterCarriageReturn = rawCharacter === '\r';
    if (isSecondOfPair) return;
    const character = rawCharacter === '\r' ? '\n' : rawCharacter;
    if (this.#closingTokens.length > 0) this.#skipCharacter(character);
    else this.#handleCharacter(character);
  }

  /** Emits the delayed characters at the end of the stream. */
  end(): void {
    const delayedText = this.#delayedText;
    this.#delayedText = '';
    for (const character of delayedText) this.#emit(character);
  }

  #handleCharacter(character: string): void {
    if (this.#delayedText === '' && !/[<[◁]/u.test(character)) return this.#emit(character);
    const delayedText = this.#delayedText + character;
    this.#delayedText = '';
    const token = this.#tokens.get(delayedText);
    if (token !== undefined) return this.#applyToken(token);
    if (isTokenPrefix(delayedText)) this.#delayedText = delayedText;
    else this.#releaseText(delayedText);
  }

  /**
   * Emits the first delayed character, and processes the other delayed characters again, because a token may begin at
   * any of these characters.
   */
  #releaseText(delayedText: string): void {
    this.#emit(delayedText[0] ?? '');
    for (let index = 1; index < delayedText.length && !this.hasEnded; index += 1)
      this.#handleCharacter(delayedText[index] ?? '');
  }

  #applyToken({ action, closingTokens }: FimToken): void {
    // After the first completion text, any control token ends the answer.
    if (action === 'end' || this.#hasContent()) this.hasEnded = true;
    else if (action === 'skip') this.#closingTokens = closingTokens ?? [];
  }

  #skipCharacter(character: string): void {
    this.#skippedTail = (this.#skippedTail + character).slice(-maxClosingTokenLength);
    if (
      !/[>\]▷]/u.test(character) ||
      !this.#closingTokens.some((closingToken) => this.#skippedTail.endsWith(closingToken))
    )
      return;
    this.#closingTokens = [];
    this.#skippedTail = '';
  }
}

const maxClosingTokenLength = 20;
