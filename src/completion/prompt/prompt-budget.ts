import type { CompletionScope } from '../answer/scope.ts';
import type { Model } from '../../service/model-types.ts';

/** How much may be sent and said, in tokens. */
export interface PromptBudget {
  readonly prefix: number;
  readonly suffix: number;
  /** Together with what the others leave. */
  readonly context: number;
  readonly answer: number;
}

/** What one request holds at most: every token of it is paid for each time. */
const wholePrompt = 2_000;

/** For the system's words, the language, the path and the marks. */
const overhead = 150;

/** The text before the cursor says most, what stands behind it mostly where to stop. */
const shares = { prefix: 0.55, suffix: 0.2, context: 0.25 } as const;

const answers: Readonly<Record<CompletionScope, number>> = { line: 64, block: 256 };

/** Less would be no question at all, whatever a model says that it holds. */
const leastShared = 100;

/** Fits models whose context is short, too: half of it is for the prompt, since the count of tokens is a guess. */
export function promptBudget(model: Model, wanted: CompletionScope): PromptBudget {
  const { contextTokens = wholePrompt * 4, maxCompletionTokens = contextTokens } = model;
  const answer = Math.min(answers[wanted], maxCompletionTokens, Math.ceil(contextTokens / 4));
  const room = Math.min(wholePrompt, contextTokens / 2);
  const shared = Math.max(leastShared, room - overhead);
  return {
    prefix: Math.floor(shared * shares.prefix),
    suffix: Math.floor(shared * shares.suffix),
    context: Math.floor(shared * shares.context),
    answer,
  };
}

/**
 * The end of `prefix`, at most `most` characters. Begins at a line whose number in the document is a multiple of 16
 * where it can, so that the beginning stays the same while a person types and the service need not read it anew; else
 * at any line, and within one only when it alone is too long.
 * @param line The number of the last line, from 0.
 */
export function trimPrefix(prefix: string, most: number, line: number): string {
  const lowest = prefix.length - most;
  if (lowest <= 0) return prefix;
  const starts = lineStartsFrom(prefix, lowest);
  const onGrid = starts.findIndex((_, index) => isOnGrid(line - (starts.length - 1 - index)));
  // A grid line far down would throw too much away.
  const [first, aligned] = [starts[0], starts[onGrid]];
  if (aligned !== undefined && prefix.length - aligned >= most / 2) return prefix.slice(aligned);
  return prefix.slice(first ?? afterPair(prefix, lowest));
}

/** The beginning of `suffix`, at most `most` characters: whole lines, or a part of the first when it alone is too long. */
export function trimSuffix(suffix: string, most: number): string {
  if (suffix.length <= most) return suffix;
  // With its line end, but never only that: nothing behind the cursor would look like the end of the document.
  const end = most <= 0 ? 0 : suffix.lastIndexOf('\n', most - 1) + 1;
  return suffix.slice(0, end > 0 ? end : beforePair(suffix, most));
}

const isOnGrid = (line: number): boolean => line % 16 === 0;

/** Where lines begin, from `from` on, in order. */
function lineStartsFrom(text: string, from: number): number[] {
  const starts: number[] = [];
  for (
    let at = text.indexOf('\n', Math.max(0, from - 1));
    at >= 0;
    at = text.indexOf('\n', at + 1)
  ) {
    starts.push(at + 1);
  }
  return starts;
}

const afterPair = (text: string, at: number): number => (splitsPair(text, at) ? at + 1 : at);
const beforePair = (text: string, at: number): number =>
  splitsPair(text, Math.max(0, at)) ? at - 1 : Math.max(0, at);

/** Whether `at` is between the two halves of one character. */
const splitsPair = (text: string, at: number): boolean =>
  at > 0 &&
  (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 &&
  (text.charCodeAt(at) & 0xfc00) === 0xdc00;

/**
 * About how many characters of a text make a token: 3.2 of code in Latin letters, 1.2 of other scripts. Looks at about
 * a thousand of them at most, so that a huge text costs no more than a long one.
 */
export function charactersPerToken(text: string): number {
  // Odd, or else a text that alternates would be taken for half of it.
  const step = Math.floor(text.length / 512) | 1;
  let [seen, wide] = [0, 0];
  for (let at = 0; at < text.length; at += step) {
    seen += 1;
    if (text.charCodeAt(at) > lastOfLatin) wide += 1;
  }
  const wideShare = seen === 0 ? 0 : wide / seen;
  return 1 / ((1 - wideShare) / 3.2 + wideShare / 1.2);
}

/** About how many tokens a text is. */
export const estimateTokens = (text: string): number =>
  Math.ceil(text.length / charactersPerToken(text));

const lastOfLatin = 0x2ff;
