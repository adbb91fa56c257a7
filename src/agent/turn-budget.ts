import * as l10n from '@vscode/l10n';
import { formatCount, formatUsd } from '../base/amounts.ts';
import type { Cost, Usage } from '../service/chat/chat-types.ts';

/**
 * Limits of one turn. Before a turn exceeds a limit, the extension asks the user whether to continue. A limit of zero
 * or less is ignored.
 */
export interface TurnLimits {
  /** Maximum number of requests to the model. */
  readonly requests: number;
  /** Maximum number of tool calls. */
  readonly calls: number;
  /** Maximum number of input and output tokens, as counted by the service. */
  readonly tokens: number;
  /** Maximum sum of US dollars and DIEM that the service charges. */
  readonly cost: number;
}

/**
 * Usage of a turn so far. After `maxRequests` requests, the user must confirm the next request. If `maxRequests` is 0,
 * there is no limit.
 */
export interface TurnUsage {
  readonly requests: number;
  readonly maxRequests: number;
  readonly calls: number;
  readonly tokens: number;
  readonly usd: number;
  readonly diem: number;
}

/** Counts the usage of one turn and compares it with the limits. */
export class TurnBudget {
  readonly #limits: TurnLimits;
  readonly #usage = { requests: 0, calls: 0, tokens: 0, usd: 0, diem: 0 };
  /** Factor by which the limits are multiplied: 1, plus 1 for each time that the user chose to continue. */
  #limitFactor = 1;
  /** True after the user declined to continue the turn at a limit. */
  isDeclined = false;
  /** True after a tool call had a cost in addition to the model requests. */
  #hasChargedCalls = false;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  countRequest({ usage, cost }: { readonly usage?: Usage; readonly cost?: Cost }): void {
    this.#usage.requests += 1;
    this.#usage.tokens += usage?.totalTokens ?? 0;
    this.#usage.usd += cost?.usd ?? 0;
    this.#usage.diem += cost?.diem ?? 0;
  }

  countCalls(count: number): void {
    this.#usage.calls += count;
  }

  /** Adds the cost of a tool call, such as for a generated image. Model requests are counted separately. */
  countCost({ usd = 0, diem = 0 }: Cost): void {
    this.#usage.usd += usd;
    this.#usage.diem += diem;
    this.#hasChargedCalls ||= usd + diem > 0;
  }

  /**
   * Returns the reason why the next `count` calls need the user's confirmation; undefined if they
   * may run.
   */
  findExhaustedCallsReason(count: number): string | undefined {
    const { calls } = this.#limits;
    if (calls > 0 && this.#usage.calls + count > calls * this.#limitFactor) {
      return l10n.t(
        'This turn has made {0} tool calls and wants to make {1} more.',
        this.#usage.calls,
        count,
      );
    }
    // Checks the cost before the calls, because calls of one answer can cost far more than the
    // requests.
    return this.#hasChargedCalls ? this.exhaustedReason : undefined;
  }

  get usage(): TurnUsage {
    return {
      ...this.#usage,
      maxRequests: Math.max(0, this.#limits.requests) * this.#limitFactor,
    };
  }

  extendLimits(): void {
    this.#limitFactor += 1;
  }

  /** Reason why the user must confirm the next request; undefined if it may be sent. */
  get exhaustedReason(): string | undefined {
    const { requests, tokens, usd, diem } = this.#usage;
    const exceededAmounts = [
      this.#isLimitReached('requests', requests) && l10n.t('{0} requests', requests),
      this.#isLimitReached('tokens', tokens) && l10n.t('{0} tokens', formatCount(tokens)),
      this.#isLimitReached('cost', usd + diem) && formatUsd(usd + diem),
    ].filter((text) => text !== false);
    return exceededAmounts.length === 0
      ? undefined
      : l10n.t('This turn has used {0}.', exceededAmounts.join(', '));
  }

  #isLimitReached(kind: keyof TurnLimits, usedAmount: number): boolean {
    return this.#limits[kind] > 0 && usedAmount >= this.#limits[kind] * this.#limitFactor;
  }
}
