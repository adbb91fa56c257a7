import type { AnswerResult } from '../chat/conversation.ts';

/** What one turn may use before the person is asked; 0 or less is no limit. */
export interface TurnLimits {
  /** Requests to the model. */
  readonly requests: number;
  /** Tool calls. */
  readonly calls: number;
  /** Tokens in and out, as the service counted them. */
  readonly tokens: number;
  readonly usd: number;
}

/** What a turn has used, and how many requests it may make before it asks; 0 for any number. */
export interface TurnUse extends TurnLimits {
  readonly maxRequests: number;
}

/** Counts what a turn uses. */
export class TurnBudget {
  readonly #limits: TurnLimits;
  readonly #used = { requests: 0, calls: 0, tokens: 0, usd: 0 };
  /** How often the person let it go on: each time allows as much again. */
  #extended = 1;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  countAnswer({ usage, cost, toolCalls = [] }: AnswerResult): void {
    this.#used.requests += 1;
    this.#used.calls += toolCalls.length;
    this.#used.tokens += usage?.totalTokens ?? 0;
    this.#used.usd += cost?.usd ?? cost?.diem ?? 0;
  }

  get use(): TurnUse {
    return { ...this.#used, maxRequests: Math.max(0, this.#limits.requests) * this.#extended };
  }

  extend(): void {
    this.#extended += 1;
  }

  /** Why the turn should not go on by itself, for the person; undefined while it may. */
  get exhausted(): string | undefined {
    const { requests, calls, tokens, usd } = this.#limits;
    const reached = [
      this.#reached('requests', requests) && `${this.#used.requests} requests`,
      this.#reached('calls', calls) && `${this.#used.calls} tool calls`,
      this.#reached('tokens', tokens) && `${this.#used.tokens.toLocaleString('en')} tokens`,
      this.#reached('usd', usd) && `$${this.#used.usd.toFixed(2)}`,
    ].filter((each) => each !== false);
    return reached.length === 0 ? undefined : `This turn has used ${reached.join(', ')}.`;
  }

  #reached(what: keyof TurnLimits, limit: number): boolean {
    return limit > 0 && this.#used[what] >= limit * this.#extended;
  }
}
