import type { CompletionScope } from '../answer/scope.ts';
import type { Model } from '../../service/model-types.ts';

/** Token limits for the parts of a request. */
export interface PromptBudget {
  readonly prefixTokens: number;
  readonly suffixTokens: number;
  /**
   * Number of tokens reserved for context snippets. Snippets can also use tokens that the prefix and suffix do not
   * need.
   */
  readonly contextTokens: number;
  readonly answerTokens: number;
}

/** Maximum number of tokens in the prompt. The service charges all prompt tokens of each request. */
const maxPromptTokens = 2_000;

/** Number of tokens reserved for instructions, language, path and prompt tags. */
const overheadTokens = 150;

/** Fraction of the token limit that each part of the prompt may use. The prefix has the most effect on the answer. */
const tokenRatios = { prefix: 0.55, suffix: 0.2, context: 0.25 } as const;

const answerTokens: Readonly<Record<CompletionScope, number>> = { line: 64, block: 256 };

/**
 * Minimum number of tokens for prefix, suffix and context together. Applies to a model that reports a very small
 * context size.
 */
const minSharedTokens = 100;

/**
 * Returns the token limits for a model. The prompt uses at most half of the model's context, because token counts are
 * estimates.
 */
export function computePromptBudget(model: Model, scope: CompletionScope): PromptBudget {
  const { contextTokens = maxPromptTokens * 4, maxCompletionTokens = contextTokens } = model;
  const maxAnswerTokens = Math.min(
    answerTokens[scope],
    maxCompletionTokens,
    Math.ceil(contextTokens / 4),
  );
  const availableTokens = Math.min(maxPromptTokens, contextTokens / 2);
  const sharedTokens = Math.max(minSharedTokens, availableTokens - overheadTokens);
  return {
    prefixTokens: Math.floor(sharedTokens * tokenRatios.prefix),
    suffixTokens: Math.floor(sharedTokens * tokenRatios.suffix),
    contextTokens: Math.floor(sharedTokens * tokenRatios.context),
    answerTokens: maxAnswerTokens,
  };
}

/**
 * Returns the end of `prefix`, at most `maxLength` characters. If possible, starts at a line whose number is a multiple
 * of 16. The start then stays the same while the user types, and the service can reuse its prompt cache. Otherwise
 * starts at any line, or within a line that alone is too long.
 * @param line 0-based number of the last line of `prefix`.
 */
export function trimPrefix(prefix: string, maxLength: number, line: number): string {
  const minStart = prefix.length - maxLength;
  if (minStart <= 0) return prefix;
  const lineStarts = findLineStartsFrom(prefix, minStart);
  const gridIndex = lineStarts.findIndex((_, index) =>
    isMultipleOf16(line - (lineStarts.length - 1 - index)),
  );
  // A line start close to the end would omit too much text.
  const [firstStart, alignedStart] = [lineStarts[0], lineStarts[gridIndex]];
  if (alignedStart !== undefined && prefix.length - alignedStart >= maxLength / 2)
    return prefix.slice(alignedStart);
  return prefix.slice(firstStart ?? moveToPairEnd(prefix, minStart));
}

/**
 * Returns the start of `suffix`, at most `maxLength` characters. Contains whole lines, or a part of the first line if
 * the first line is too long.
 */
export function trimSuffix(suffix: string, maxLength: number): string {
  if (suffix.length <= maxLength) return suffix;
  // Include the line end, because an empty suffix would look like the end of the document.
  const end = maxLength <= 0 ? 0 : suffix.lastIndexOf('\n', maxLength - 1) + 1;
  return suffix.slice(0, end > 0 ? end : moveToPairStart(suffix, maxLength));
}

const isMultipleOf16 = (line: number): boolean => line % 16 === 0;

/** Returns the offsets of the line starts at or after the offset `minOffset`, in ascending order. */
function findLineStartsFrom(text: string, minOffset: number): number[] {
  const starts: number[] = [];
  for (
    let index = text.indexOf('\n', Math.max(0, minOffset - 1));
    index >= 0;
    index = text.indexOf('\n', index + 1)
  ) {
    starts.push(index + 1);
  }
  return starts;
}

/** Returns the offset after a surrogate pair that `index` splits; otherwise `index`. */
const moveToPairEnd = (text: string, index: number): number =>
  splitsSurrogatePair(text, index) ? index + 1 : index;

/** Returns the offset before a surrogate pair that `index` splits; otherwise `index`, at least 0. */
const moveToPairStart = (text: string, index: number): number =>
  splitsSurrogatePair(text, Math.max(0, index)) ? index - 1 : Math.max(0, index);

/** Checks whether an offset is inside a surrogate pair. */
const splitsSurrogatePair = (text: string, index: number): boolean =>
  index > 0 &&
  (text.charCodeAt(index - 1) & 0xfc00) === 0xd800 &&
  (text.charCodeAt(index) & 0xfc00) === 0xdc00;

/**
 * Estimates the number of characters per token: 3.2 for Latin letters and code, 1.2 for other scripts. Examines at most
 * about 1,000 characters.
 */
export function estimateCharactersPerToken(text: string): number {
  // Use an odd step, because an even step could miss one of two alternating scripts.
  const sampleStep = Math.floor(text.length / 512) | 1;
  let [sampledCount, wideCount] = [0, 0];
  for (let index = 0; index < text.length; index += sampleStep) {
    sampledCount += 1;
    if (text.charCodeAt(index) > lastLatinCodeUnit) wideCount += 1;
  }
  const wideRatio = sampledCount === 0 ? 0 : wideCount / sampledCount;
  return 1 / ((1 - wideRatio) / 3.2 + wideRatio / 1.2);
}

/** Estimates the number of tokens in a text. */
export const estimateTokens = (text: string): number =>
  Math.ceil(text.length / estimateCharactersPerToken(text));

const lastLatinCodeUnit = 0x2ff;
