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
export interface TurnUse {
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
  readonly #used = { requests: 0, calls: 0, tokens: 0, usd: 0, diem: 0 };
  /** How often the person let it go on: each time allows as much again. */
  #extended = 1;
  /** Whether a call cost something by itself. */
  #callsCost = false;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  countRequest({ usage, cost }: { readonly usage?: Usage; readonly cost?: Cost }): void {
    this.#used.requests += 1;
    this.#used.tokens += usage?.totalTokens ?? 0;
    this.#used.usd += cost?.usd ?? 0;
    this.#used.diem += cost?.diem ?? 0;
  }

  countCalls(count: number): void {
    this.#used.calls += count;
  }

  /** What a call cost by itself. */
  countCost({ usd = 0, diem = 0 }: Cost): void {
    this.#used.usd += usd;
    this.#used.diem += diem;
    this.#callsCost ||= usd + diem > 0;
  }

  /** Why the next `count` calls should not simply run; undefined when they may. */
  callsExhausted(count: number): string | undefined {
    const { calls } = this.#limits;
    if (calls > 0 && this.#used.calls + count > calls * this.#extended) {
      return l10n.t(
        'This turn has made {0} tool calls and wants to make {1} more.',
        this.#used.calls,
        count,
      );
    }
    // Many calls of one answer could cost far more than its requests.
    return this.#callsCost ? this.exhausted : undefined;
  }

  get use(): TurnUse {
    return { ...this.#used, maxRequests: Math.max(0, this.#limits.requests) * this.#extended };
  }

  extend(): void {
    this.#extended += 1;
  }

  /** Why the model should not simply be asked again, for the person; undefined while it may. */
  get exhausted(): string | undefined {
    const { requests, tokens, usd, diem } = this.#used;
    const reached = [
      this.#reached('requests', requests) && l10n.t('{0} requests', requests),
      this.#reached('tokens', tokens) && l10n.t('{0} tokens', formatCount(tokens)),
      this.#reached('cost', usd + diem) && costText(usd, diem),
    ].filter((each) => each !== false);
    return reached.length === 0 ? undefined : l10n.t('This turn has used {0}.', reached.join(', '));
  }

  #reached(what: keyof TurnLimits, used: number): boolean {
    return this.#limits[what] > 0 && used >= this.#limits[what] * this.#extended;
  }
}

function costText(usd: number, diem: number): string {
  const [dollars, diems] = [formatUsd(usd), `${formatAmount(diem)} DIEM`];
  if (usd > 0 && diem > 0) return l10n.t('{0} and {1}', dollars, diems);
  return diem > 0 ? diems : dollars;
}
