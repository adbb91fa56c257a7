import * as l10n from '@vscode/l10n';
import { estimateTokens } from '../../../src/base/token-estimate.ts';
import type { ChatState } from '../../../src/chat/protocol/view-state.ts';
import { addStyle, element } from '../../base/element.ts';

interface Formatters {
  readonly tokens: (count: number) => string;
  readonly usd: (amount: number) => string;
}

/** Price of one web search in US dollars (service facts §1.7). */
const searchPrice = 0.01;

/** Shows the tokens and the cost of the next message. Loaded when the user first types. */
export class SendEstimate {
  readonly element = element('span', { class: 'send-estimate', hidden: '' });
  readonly #format: Formatters;

  constructor(formatters: Formatters) {
    this.#format = formatters;
    addStyle(style);
  }

  /** Updates the estimate. Hides the estimate for an empty draft. */
  update(chat: ChatState, draft: string): void {
    // A first message consists mainly of the prompt and the tools, so an estimate needs their tokens.
    this.element.hidden = draft === '' || draft.startsWith('/image') || chat.baseTokens === null;
    if (this.element.hidden) return;
    const { tokens, usd } = estimate(chat, draft);
    const size = l10n.t('~{0} tokens', this.#format.tokens(tokens.total));
    const price = usd === null ? '' : this.#price(usd, chat.options.webSearch === 'auto');
    this.element.replaceChildren(
      element('span', { class: 'send-tokens' }, price === '' ? size : `${size} · `),
      price,
    );
    this.element.title = this.#explanation(chat, tokens);
  }

  #price(usd: number, maySearch: boolean): string {
    const minPrice = this.#format.usd(usd);
    return maySearch
      ? l10n.t('about {0} to {1}', minPrice, this.#format.usd(usd + searchPrice))
      : l10n.t('about {0}', minPrice);
  }

  /**
   * Describes the tokens that precede the draft. The service's count for an earlier turn includes instructions and
   * tools.
   */
  #priorTokensText({ conversation, base }: Tokens): string {
    const count = this.#format.tokens;
    if (conversation > 0 && conversation >= base)
      return l10n.t('{0} are what was said before.', count(conversation));
    return base > 0
      ? l10n.t('{0} are what the model is told: its instructions and tools.', count(base))
      : '';
  }

  #explanation({ model, options }: ChatState, tokens: Tokens): string {
    const count = this.#format.tokens;
    const lines = [
      l10n.t('About {0} tokens are sent with this message, by an estimate.', count(tokens.total)),
      this.#priorTokensText(tokens),
      tokens.attached > 0 ? l10n.t('{0} are attached.', count(tokens.attached)) : '',
      options.webSearch === 'on'
        ? l10n.t('The web search costs {0}.', this.#format.usd(searchPrice))
        : '',
      options.webSearch === 'auto'
        ? l10n.t('A web search would cost {0} more.', this.#format.usd(searchPrice))
        : '',
      model?.outputUsd == null
        ? l10n.t('The answer comes on top.')
        : l10n.t(
            'The answer comes on top, for {0} per million tokens.',
            this.#format.usd(model.outputUsd),
          ),
    ];
    return lines.filter((line) => line !== '').join('\n');
  }
}

interface Tokens {
  /** Tokens of the last request, as reported by the service. */
  readonly conversation: number;
  readonly base: number;
  readonly attached: number;
  readonly total: number;
}

/**
 * Returns the estimated tokens and cost of a request that contains the draft. The cost is in US dollars, or null if the
 * model has no USD price.
 */
export function estimate(
  { context, baseTokens, attachments, model, options }: ChatState,
  draft: string,
): { readonly tokens: Tokens; readonly usd: number | null } {
  const conversation = context?.usedTokens ?? 0;
  const base = baseTokens ?? 0;
  const attached = attachments.reduce((total, { tokens }) => total + tokens, 0);
  // The service's count includes the prompt and the tools. Both may be larger now, for example after a change of mode.
  const totalTokens = Math.max(conversation, base) + attached + estimateTokens(draft);
  const search = options.webSearch === 'on' ? searchPrice : 0;
  const price = model?.inputUsd ?? null;
  const usd = price === null ? null : (totalTokens * price) / 1_000_000 + search;
  return { tokens: { conversation, base, attached, total: totalTokens }, usd };
}

const style = `
.send-estimate {
  flex: none;
  color: var(--muted);
  font-size: 0.92em;
  white-space: nowrap;
}
@container composer (width < 600px) {
  .send-tokens {
    display: none;
  }
}
@container composer (width < 320px) {
  .send-estimate {
    display: none;
  }
}
`;
