import * as l10n from '@vscode/l10n';
import { estimateTokens } from '../../../src/base/token-estimate.ts';
import type { ChatState } from '../../../src/chat/protocol/view-state.ts';

interface Formatters {
  readonly formatTokens: (count: number) => string;
  readonly formatUsd: (amount: number) => string;
  readonly formatAmount: (amount: number) => string;
}

type ModelPrice = NonNullable<NonNullable<ChatState['model']>['price']>;

/**
 * Price of one web search in US dollars. The price in DIEM is the same number. It is constant, because model records do
 * not contain it.
 */
const webSearchPrice = 0.01;

/** Describes the tokens and the cost of the next message. Loaded when the user first types. */
export class SendEstimate {
  readonly #formatters: Formatters;

  constructor(formatters: Formatters) {
    this.#formatters = formatters;
  }

  /** Returns the estimate and its explanation, one sentence per line. Returns an empty string for an empty draft. */
  describeEstimate(chat: ChatState, draft: string): string {
    // A first message consists mainly of the prompt and the tools, so an estimate needs their tokens.
    if (draft === '' || draft.startsWith('/image') || chat.baseTokens === null) return '';
    const { tokens, cost } = estimateMessage(chat, draft);
    const sizeText = `~${l10n.t('{0} tokens', this.#formatters.formatTokens(tokens.totalTokens))}`;
    const priceText =
      cost === null ? '' : this.#formatPrice(cost, chat.options.webSearch === 'auto');
    return [
      priceText === '' ? sizeText : `${sizeText} · ${priceText}`,
      ...this.#formatExplanation(chat, tokens),
    ].join('\n');
  }

  #formatMoney(amount: number, unit: ModelPrice['unit'] | undefined): string {
    return unit === 'diem'
      ? `${this.#formatters.formatAmount(amount)} DIEM`
      : this.#formatters.formatUsd(amount);
  }

  #formatPrice({ amount, unit }: EstimatedCost, maySearch: boolean): string {
    const minPrice = this.#formatMoney(amount, unit);
    return maySearch
      ? l10n.t('about {0} to {1}', minPrice, this.#formatMoney(amount + webSearchPrice, unit))
      : l10n.t('about {0}', minPrice);
  }

  /**
   * Formats the token counts of all parts of the request except the draft. The count of the conversation already
   * includes the instructions.
   */
  #formatRequestParts({ conversationTokens, baseTokens, attachmentTokens }: TokenCounts): string {
    const priorLabel =
      conversationTokens >= baseTokens ? l10n.t('Conversation') : l10n.t('Instructions');
    const parts: readonly (readonly [string, number])[] = [
      [priorLabel, Math.max(conversationTokens, baseTokens)],
      [l10n.t('Attached'), attachmentTokens],
    ];
    return parts
      .filter(([, tokens]) => tokens > 0)
      .map(([label, tokens]) => `${label}: ${this.#formatters.formatTokens(tokens)}`)
      .join(' · ');
  }

  #formatExplanation({ model, options }: ChatState, tokens: TokenCounts): string[] {
    const price = model?.price ?? null;
    const { output: outputPrice = null } =
      price === null ? {} : getRates(tokens.totalTokens, price);
    const searchPrice = this.#formatMoney(webSearchPrice, price?.unit);
    const lines = [
      this.#formatRequestParts(tokens),
      options.webSearch === 'on' || options.webSearch === 'auto'
        ? l10n.t('The web search costs {0}.', searchPrice)
        : '',
      outputPrice === null
        ? ''
        : l10n.t(
            'The answer comes on top, for {0} per million tokens.',
            this.#formatMoney(outputPrice, price?.unit),
          ),
    ];
    return lines.filter((line) => line !== '');
  }
}

interface TokenCounts {
  /** Tokens of the last request, as reported by the service. 0 before the first request. */
  readonly conversationTokens: number;
  readonly baseTokens: number;
  readonly attachmentTokens: number;
  readonly totalTokens: number;
}

interface EstimatedCost {
  readonly amount: number;
  readonly unit: ModelPrice['unit'];
}

/**
 * Returns the token prices for a request of this length: the model's extended prices if the prompt exceeds their token
 * threshold, otherwise its normal prices.
 */
const getRates = (
  promptTokens: number,
  { extended, ...price }: ModelPrice,
): Omit<ModelPrice, 'unit' | 'extended'> =>
  extended !== undefined && promptTokens > extended.threshold ? extended : price;

/**
 * Returns the estimated tokens and cost of a request that contains the draft. The cost is null if the model's price is
 * unknown.
 */
export function estimateMessage(
  { context, baseTokens: fixedTokens, attachments, model, options }: ChatState,
  draft: string,
): { readonly tokens: TokenCounts; readonly cost: EstimatedCost | null } {
  const conversationTokens = context?.usedTokens ?? 0;
  const baseTokens = fixedTokens ?? 0;
  const attachmentTokens = attachments.reduce((total, { tokens }) => total + tokens, 0);
  // The service's count includes the prompt and the tools. Both may be larger now, for example after a change of mode.
  const totalTokens =
    Math.max(conversationTokens, baseTokens) + attachmentTokens + estimateTokens(draft);
  const search = options.webSearch === 'on' ? webSearchPrice : 0;
  const tokens = { conversationTokens, baseTokens, attachmentTokens, totalTokens };
  const price = model?.price ?? null;
  const inputPrice = price === null ? null : getRates(totalTokens, price).input;
  if (price === null || inputPrice === null) return { tokens, cost: null };
  return {
    tokens,
    cost: { amount: (totalTokens * inputPrice) / 1_000_000 + search, unit: price.unit },
  };
}
