import { html, nothing, svg, type TemplateResult } from 'lit';
import type {
  PageReview,
  WalletPageRequest,
  WalletPageState,
  WalletPageLabels,
} from '../../src/wallet/browser/protocol.ts';
import { filled, type PageView } from './page-view.ts';
import { type FoundWallet, legacyId } from './provider.ts';
import type { WalletPage } from './wallet-page.ts';

/** What every part of the page draws with, and what its buttons do. */
export interface ViewContext {
  readonly words: WalletPageLabels;
  readonly page: Pick<WalletPage, 'connect' | 'go' | 'cancel'>;
}

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

const noWallet = (words: WalletPageLabels, cancel: () => void): TemplateResult => html`
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

const nameOf = ({ id, name }: FoundWallet, words: WalletPageLabels): string =>
  name !== '' ? name : id === legacyId ? words.browserWallet : words.unnamedWallet;

const icon = ({ icon: source }: FoundWallet): TemplateResult =>
  source === undefined
    ? html`<span class="no-icon" aria-hidden="true"></span>`
    : html`<img class="wallet-icon" src=${source} alt="" width="24" height="24" />`;

/** What is going on while the wallet is asked for nothing; the person can still cancel where the editor waits for them. */
export function idleCard(view: PageView, { words, page }: ViewContext): TemplateResult {
  const word = idleWord(view);
  if (word !== 'inEditor') return html`<p class="quiet">${words[word]}</p>`;
  return html`
    <p>${words.inEditor}</p>
    <div class="buttons">
      <button type="button" class="secondary" @click=${() => void page.cancel()}>
        ${words.cancel}
      </button>
    </div>
  `;
}

/** Once the account is connected, the editor asks the person before anything else is asked of the wallet. */
export function idleWord({
  state,
  isSent,
}: Pick<PageView, 'state' | 'isSent'>): 'sent' | 'inEditor' | 'working' {
  const steps = state?.steps ?? [];
  const isConnected = steps.every(({ step, state: at }) =>
    step === 'connect' || step === 'network' ? at === 'done' : at === 'waiting',
  );
  if (isConnected && steps.some(({ state: at }) => at === 'waiting')) return 'inEditor';
  return isSent && steps.some(({ state: at }) => at === 'current') ? 'sent' : 'working';
}

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
  words: WalletPageLabels,
): TemplateResult => html`
  <h2 tabindex="-1">${words.switchNetwork}</h2>
  <p dir="auto">${filled(words.networkAsks, `${chain.chainName} (${Number(chain.chainId)})`)}</p>
`;

const review = (
  { purpose, rows, warnings }: PageReview,
  words: WalletPageLabels,
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
function exact(request: Reviewed, words: WalletPageLabels): TemplateResult | typeof nothing {
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

const buttonOf = ({ kind }: Reviewed, words: WalletPageLabels): string =>
  ({ network: words.switchNetwork, sign: words.openToSign, send: words.openToSend })[kind];

type Step = WalletPageState['steps'][number];

/** What is done, what is asked now and what it means, and what comes. */
export const stepList = (
  { state, request }: PageView,
  words: WalletPageLabels,
): TemplateResult => html`
  <ol class="steps" aria-label=${words.steps}>
    ${state?.steps.map((step) => stepItem(step, { words, isAsked: request !== null }))}
  </ol>
`;

const stepItem = (
  { step, state }: Step,
  { words, isAsked }: { words: WalletPageLabels; isAsked: boolean },
): TemplateResult => html`
  <li
    class="step ${state}"
    data-step=${step}
    aria-current=${state === 'current' ? 'step' : nothing}
  >
    <span class="mark" aria-hidden="true">${state === 'done' ? check : nothing}</span>
    <div>
      <span class="step-name">${words[step]}</span>
      <span class=${state === 'skipped' ? 'quiet' : 'visually-hidden'}
        >${stateWords(state, words)}</span
      >
      ${state === 'current' && isAsked ? html`<p class="quiet">${words[`${step}Text`]}</p>` : nothing}
    </div>
  </li>
`;

const stateWords = (state: Step['state'], words: WalletPageLabels): string =>
  ({
    waiting: words.stepWaiting,
    current: words.stepCurrent,
    done: words.stepDone,
    skipped: words.stepSkipped,
  })[state];

const check = html`<svg viewBox="0 0 16 16" width="16" height="16">
  ${svg`<path d="M3.5 8.5 6.5 11.5 12.5 4.5" fill="none" stroke="currentColor" stroke-width="2" />`}
</svg>`;
