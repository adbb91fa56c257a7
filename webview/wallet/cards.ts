import { html, nothing, type TemplateResult } from 'lit';
import type { WalletPageRequest } from '../../src/wallet/browser/protocol.ts';
import type { WalletWords } from '../../src/wallet/browser/wallet-page-words.ts';
import { type FoundWallet, legacyId } from './discovery.ts';
import { filled } from './page-words.ts';
import type { PageView } from './page-view.ts';
import type { ViewContext } from './view-context.ts';

/** The wallets of this browser to choose from, or what to do when there is none. */
export function connectCard(
  { wallets, isSearching, waitsFor, otherAccount }: PageView,
  { address }: Extract<WalletPageRequest, { kind: 'connect' }>,
  { words, page }: ViewContext,
): TemplateResult {
  if (wallets.length === 0 && isSearching) return html`<p class="quiet">${words.searching}</p>`;
  if (wallets.length === 0) return noWallet(words, () => void page.cancel());
  const isBusy = waitsFor === 'wallet';
  const only = address === null ? nothing : exactly(words.onlyAccount, address);
  const title = otherAccount === null ? words.chooseWallet : words.otherAccountTitle;
  return html`
    <div class="card">
      <h2 tabindex="-1">${title}</h2>
      ${only} ${otherAccount === null ? nothing : exactly(words.otherAccount, otherAccount)}
      <ul class="wallets">
        ${wallets.map(
          (wallet) =>
            html`<li>
              <button
                type="button"
                class="wallet"
                ?disabled=${isBusy}
                @click=${() => void page.connect(wallet)}
              >
                ${icon(wallet)} <bdi>${filled(words.connectWith, nameOf(wallet, words))}</bdi>
              </button>
            </li>`,
        )}
      </ul>
      ${isBusy ? html`<p class="quiet">${words.inWallet}</p>` : nothing}
      <div class="buttons">
        <button type="button" class="secondary" @click=${() => void page.cancel()}>
          ${words.cancel}
        </button>
      </div>
    </div>
  `;
}

const noWallet = (words: WalletWords, cancel: () => void): TemplateResult => html`
  <div class="card">
    <h2 tabindex="-1">${words.noWalletTitle}</h2>
    <p>${words.noWalletText}</p>
    <ul class="ways">
      <li>${words.noWalletInstall}</li>
      <li>${words.noWalletOther}</li>
      <li>${words.noWalletLocal}</li>
    </ul>
    <div class="buttons">
      <button type="button" @click=${() => location.reload()}>${words.reload}</button>
      <button type="button" class="secondary" @click=${cancel}>${words.cancel}</button>
    </div>
  </div>
`;

/** A sentence with an account in it, which is shown in full. */
function exactly(text: string, account: string): TemplateResult {
  const [before = '', after = ''] = text.split('{0}');
  return html`<p>${before}<bdi class="exact">${account}</bdi>${after}</p>`;
}

const nameOf = ({ id, name }: FoundWallet, words: WalletWords): string =>
  name !== '' ? name : id === legacyId ? words.browserWallet : words.unnamedWallet;

const icon = ({ icon: source }: FoundWallet): TemplateResult =>
  source === undefined
    ? html`<span class="no-icon" aria-hidden="true"></span>`
    : html`<img class="wallet-icon" src=${source} alt="" width="24" height="24" />`;
