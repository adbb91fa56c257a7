import * as l10n from '@vscode/l10n';
import { formatAmount, formatCount, formatUsd } from '../base/amounts.ts';
import type { Cost, Usage } from '../service/chat/chat-types.ts';

/** What one turn may use before the person is asked; 0 or less is no limit. */
export interface TurnLimits {
  /** Requests to the model. */
  readonly requests: number;
  /** Tool calls. */
  readonly calls: number;
  /** Tokens in and out, as the service counted them. */
  readonly tokens: number;
  /** US dollars and DIEM together, as the service charges them. */
  readonly cost: number;
}

/** What a turn has used, and how many requests it may make before it asks; 0 for any number. */
export interface TurnUsage {
  readonly requests: number;
  readonly maxRequests: number;
  readonly calls: number;
  readonly tokens: number;
  readonly usd: number;
  readonly diem: number;
}

/** Counts what a turn uses. */
export class TurnBudget {
  readonly #limits: TurnLimits;
  readonly #usage = { requests: 0, calls: 0, tokens: 0, usd: 0, diem: 0 };
  /** How often the person let it go on: each time allows as much again. */
  #grantedBudgets = 1;
  /** Whether a call cost something by itself. */
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

  /** What a call cost by itself. */
  countCost({ usd = 0, diem = 0 }: Cost): void {
    this.#usage.usd += usd;
    this.#usage.diem += diem;
    this.#hasChargedCalls ||= usd + diem > 0;
  }

  /** Why the next `count` calls should not simply run; undefined when they may. */
  callsExhausted(count: number): string | undefined {
    const { calls } = this.#limits;
    if (calls > 0 && this.#usage.calls + count > calls * this.#grantedBudgets) {
      return l10n.t(
        'This turn has made {0} tool calls and wants to make {1} more.',
        this.#usage.calls,
        count,
      );
    }
    // Many calls of one answer could cost far more than its requests.
    return this.#hasChargedCalls ? this.exhausted : undefined;
  }

  get usage(): TurnUsage {
    return {
      ...this.#usage,
      maxRequests: Math.max(0, this.#limits.requests) * this.#grantedBudgets,
    };
  }

  extend(): void {
    this.#grantedBudgets += 1;
  }

  /** Why the model should not simply be asked again, for the person; undefined while it may. */
  get exhausted(): string | undefined {
    const { requests, tokens, usd, diem } = this.#usage;
    const reached = [
      this.#isReached('requests', requests) && l10n.t('{0} requests', requests),
      this.#isReached('tokens', tokens) && l10n.t('{0} tokens', formatCount(tokens)),
      this.#isReached('cost', usd + diem) && formatCost(usd, diem),
    ].filter((text) => text !== false);
    return reached.length === 0 ? undefined : l10n.t('This turn has used {0}.', reached.join(', '));
  }

  #isReached(kind: keyof TurnLimits, used: number): boolean {
    return this.#limits[kind] > 0 && used >= this.#limits[kind] * this.#grantedBudgets;
  }
}

function formatCost(usd: number, diem: number): string {
  const [dollars, diems] = [formatUsd(usd), `${formatAmount(diem)} DIEM`];
  if (usd > 0 && diem > 0) return l10n.t('{0} and {1}', dollars, diems);
  return diem > 0 ? diems : dollars;
}
