import { html, nothing, type TemplateResult } from 'lit';
import type { PageReview, WalletPageRequest } from '../../src/wallet/browser/protocol.ts';
import type { WalletWords } from '../../src/wallet/browser/wallet-page-words.ts';
import { filled } from './page-words.ts';
import type { PageView } from './page-view.ts';
import type { ViewContext } from './view-context.ts';

type Reviewed = Exclude<WalletPageRequest, { kind: 'connect' }>;

/** What the wallet is about to be asked, with the figures that the editor shows, and the button that asks it. */
export function reviewCard(
  { waitsFor }: PageView,
  request: Reviewed,
  { words, page }: ViewContext,
): TemplateResult {
  const isBusy = waitsFor === 'wallet';
  return html`
    <div class="card">
      ${request.kind === 'network' ? network(request, words) : review(request.review, words)}
      ${exact(request, words)}
      ${isBusy ? html`<p class="in-wallet">${words.inWallet}</p>` : nothing}
      <div class="buttons">
        <button type="button" ?disabled=${isBusy} @click=${() => void page.go()}>
          ${buttonOf(request, words)}
        </button>
        <button type="button" class="secondary" @click=${() => void page.cancel()}>
          ${words.cancel}
        </button>
      </div>
    </div>
  `;
}

const network = (
  { chain }: Extract<Reviewed, { kind: 'network' }>,
  words: WalletWords,
): TemplateResult => html`
  <h2 tabindex="-1">${words.switchNetwork}</h2>
  <p dir="auto">${filled(words.networkAsks, `${chain.chainName} (${Number(chain.chainId)})`)}</p>
`;

const review = (
  { purpose, rows, warnings }: PageReview,
  words: WalletWords,
): TemplateResult => html`
  <h2 tabindex="-1" dir="auto">${purpose}</h2>
  <dl class="rows">
    ${rows.map(
      ({ name, value }) =>
        html`<dt dir="auto">${name}</dt>
          <dd dir="auto">${value}</dd>`,
    )}
  </dl>
  ${warnings.map(
    (text) => html`<p class="warning" dir="auto"><strong>${words.warning}:</strong> ${text}</p>`,
  )}
`;

/** To the letter, for who wants to compare it with what the wallet shows. */
function exact(request: Reviewed, words: WalletWords): TemplateResult | typeof nothing {
  if (request.kind === 'network') return nothing;
  const [title, text] =
    request.kind === 'sign' ? [words.exactText, request.text] : [words.exactData, request.data];
  return html`<details>
    <summary>${title}</summary>
    ${
      request.kind === 'send'
        ? html`<p>${words.contract}: <bdi class="exact">${request.to}</bdi></p>`
        : nothing
    }
    <pre class="exact" tabindex="0">${text}</pre>
  </details>`;
}

const buttonOf = ({ kind }: Reviewed, words: WalletWords): string =>
  ({ network: words.switchNetwork, sign: words.openToSign, send: words.openToSend })[kind];
