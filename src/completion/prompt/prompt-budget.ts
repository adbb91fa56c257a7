import type { Model } from '../../service/model-types.ts';
import type { WantedLines } from '../answer/scope.ts';

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

const answers: Readonly<Record<WantedLines, number>> = { line: 64, block: 256 };

/** Less would be no question at all, whatever a model says that it holds. */
const leastShared = 100;

/** Fits models whose context is short, too: half of it is for the prompt, since the count of tokens is a guess. */
export function promptBudget(model: Model, wanted: WantedLines): PromptBudget {
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
