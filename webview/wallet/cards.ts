import { html, nothing, svg, type TemplateResult } from 'lit';
import type {
  PageReview,
  WalletPageRequest,
  WalletPageState,
  WalletPageLabels,
} from '../../src/wallet/browser/protocol.ts';
import { fillPlaceholder, type PageView } from './page-view.ts';
import type { FoundWallet } from './provider.ts';
import type { WalletPage } from './wallet-page.ts';

/** Texts and button handlers that all cards use. */
export interface ViewContext {
  readonly labels: WalletPageLabels;
  readonly page: Pick<WalletPage, 'connectWallet' | 'sendRequest' | 'cancelFlow'>;
}

/** Renders the available wallets. Renders help if none exist. */
export function renderConnectCard(
  { wallets, isSearching, waitsFor, otherAccount }: PageView,
  { address }: Extract<WalletPageRequest, { kind: 'connect' }>,
  { labels, page }: ViewContext,
): TemplateResult {
  if (wallets.length === 0 && isSearching) return html`<p class="quiet">${labels.searching}</p>`;
  if (wallets.length === 0) return renderNoWalletCard(labels, () => void page.cancelFlow());
  const isBusy = waitsFor === 'wallet';
  const accountNote =
    address === null ? nothing : renderAccountSentence(labels.onlyAccount, address);
  return html`
    <div class="card">
      <h2 tabindex="-1">${labels.chooseWallet}</h2>
      ${accountNote}
      ${otherAccount === null ? nothing : renderAccountSentence(labels.otherAccount, otherAccount)}
      <ul class="wallets">
        ${wallets.map(
          (wallet) =>
            html`<li>
              <button
                type="button"
                class="wallet"
                ?disabled=${isBusy}
                @click=${() => void page.connectWallet(wallet)}
              >
                ${renderIcon(wallet)}
                <bdi>${fillPlaceholder(labels.connectWith, getWalletName(wallet, labels))}</bdi>
              </button>
            </li>`,
        )}
      </ul>
      ${isBusy ? html`<p class="quiet">${labels.inWallet}</p>` : nothing}
      <div class="buttons">
        <button type="button" class="secondary" @click=${() => void page.cancelFlow()}>
          ${labels.cancel}
        </button>
      </div>
    </div>
  `;
}

const renderNoWalletCard = (labels: WalletPageLabels, cancel: () => void): TemplateResult => html`
  <div class="card">
    <h2 tabindex="-1">${labels.noWalletTitle}</h2>
    <p>${labels.noWalletText}</p>
    <div class="buttons">
      <button type="button" @click=${() => location.reload()}>${labels.reload}</button>
      <button type="button" class="secondary" @click=${cancel}>${labels.cancel}</button>
    </div>
  </div>
`;

/** Renders a sentence in which `{0}` is replaced with the full account address. */
function renderAccountSentence(text: string, account: string): TemplateResult {
  const [textBefore = '', textAfter = ''] = text.split('{0}');
  return html`<p>${textBefore}<bdi class="exact">${account}</bdi>${textAfter}</p>`;
}

const getWalletName = ({ name }: FoundWallet, labels: WalletPageLabels): string =>
  name !== '' ? name : labels.browserWallet;

const renderIcon = ({ icon: source }: FoundWallet): TemplateResult =>
  source === undefined
    ? html`<span class="no-icon" aria-hidden="true"></span>`
    : html`<img class="wallet-icon" src=${source} alt="" width="24" height="24" />`;

/** Renders the status while no wallet request is pending. Includes a Cancel button while VS Code waits for the user. */
export function renderIdleCard(view: PageView, { labels, page }: ViewContext): TemplateResult {
  const status = getIdleStatus(view);
  if (status !== 'inEditor') return html`<p class="quiet">${labels[status]}</p>`;
  return html`
    <p>${labels.inEditor}</p>
    <div class="buttons">
      <button type="button" class="secondary" @click=${() => void page.cancelFlow()}>
        ${labels.cancel}
      </button>
    </div>
  `;
}

/**
 * Returns the key of the text that describes the current status. Returns `inEditor` directly after the wallet is
 * connected, because VS Code then prompts the user before it sends its first wallet request.
 */
export function getIdleStatus({
  state,
  isSent,
}: Pick<PageView, 'state' | 'isSent'>): 'sent' | 'inEditor' | 'working' {
  const steps = state?.steps ?? [];
  const isConnected = steps.every(({ step, state: stepState }) =>
    step === 'connect' || step === 'network' ? stepState === 'done' : stepState === 'waiting',
  );
  if (isConnected && steps.some(({ state: stepState }) => stepState === 'waiting'))
    return 'inEditor';
  return isSent && steps.some(({ state: stepState }) => stepState === 'current')
    ? 'sent'
    : 'working';
}

type ReviewableRequest = Exclude<WalletPageRequest, { kind: 'connect' }>;

/**
 * Renders a pending request with the details that VS Code also shows, and a button that sends the request to the
 * wallet.
 */
export function renderReviewCard(
  { waitsFor }: PageView,
  request: ReviewableRequest,
  { labels, page }: ViewContext,
): TemplateResult {
  const isBusy = waitsFor === 'wallet';
  return html`
    <div class="card">
      ${request.kind === 'network' ? renderNetworkDetails(request, labels) : renderReviewDetails(request.review, labels)}
      ${renderExactContent(request, labels)}
      ${isBusy ? html`<p class="in-wallet">${labels.inWallet}</p>` : nothing}
      <div class="buttons">
        <button type="button" ?disabled=${isBusy} @click=${() => void page.sendRequest()}>
          ${getButtonLabel(request, labels)}
        </button>
        <button type="button" class="secondary" @click=${() => void page.cancelFlow()}>
          ${labels.cancel}
        </button>
      </div>
    </div>
  `;
}

const renderNetworkDetails = (
  { chain }: Extract<ReviewableRequest, { kind: 'network' }>,
  labels: WalletPageLabels,
): TemplateResult => html`
  <h2 tabindex="-1">${labels.switchNetwork}</h2>
  <p dir="auto">
    ${fillPlaceholder(labels.networkAsks, `${chain.chainName} (${Number(chain.chainId)})`)}
  </p>
`;

const renderReviewDetails = (
  { purpose, explanation, rows, warnings }: PageReview,
  labels: WalletPageLabels,
): TemplateResult => html`
  <h2 tabindex="-1" dir="auto">${purpose}</h2>
  ${explanation === undefined ? nothing : html`<p dir="auto">${explanation}</p>`}
  ${renderRowList(rows.filter(({ isDetail }) => isDetail === undefined))}
  ${warnings.map(
    (text) => html`<p class="warning" dir="auto"><strong>${labels.warning}:</strong> ${text}</p>`,
  )}
`;

const renderRowList = (rows: PageReview['rows']): TemplateResult | typeof nothing =>
  rows.length === 0
    ? nothing
    : html`<dl class="rows">
        ${rows.map(
          ({ name, value }) =>
            html`<dt dir="auto">${name}</dt>
              <dd dir="auto">${value}</dd>`,
        )}
      </dl>`;

/**
 * Renders collapsed details: rows with labels, and the exact text or data of the request. The user can compare these
 * details with the wallet's display.
 */
function renderExactContent(
  request: ReviewableRequest,
  labels: WalletPageLabels,
): TemplateResult | typeof nothing {
  if (request.kind === 'network') return nothing;
  const text = request.kind === 'sign' ? request.text : request.data;
  return html`<details>
    <summary>${labels.details}</summary>
    ${renderRowList(request.review.rows.filter(({ isDetail }) => isDetail === true))}
    ${
      request.kind === 'send'
        ? html`<p>${labels.contract}: <bdi class="exact">${request.to}</bdi></p>`
        : nothing
    }
    <pre class="exact" tabindex="0">${text}</pre>
  </details>`;
}

const getButtonLabel = ({ kind }: ReviewableRequest, labels: WalletPageLabels): string =>
  ({ network: labels.switchNetwork, sign: labels.openWallet, send: labels.openWallet })[kind];

type WalletStepView = WalletPageState['steps'][number];

/** Renders the list of steps with their states. Explains the current step. */
export const renderStepList = (
  { state, request }: PageView,
  labels: WalletPageLabels,
): TemplateResult => html`
  <ol class="steps" aria-label=${labels.steps}>
    ${state?.steps.map((step) => renderStepItem(step, { labels, isPending: request !== null }))}
  </ol>
`;

const renderStepItem = (
  { step, state }: WalletStepView,
  { labels, isPending }: { labels: WalletPageLabels; isPending: boolean },
): TemplateResult => html`
  <li
    class="step ${state}"
    data-step=${step}
    aria-current=${state === 'current' ? 'step' : nothing}
  >
    <span class="mark" aria-hidden="true">${state === 'done' ? checkIcon : nothing}</span>
    <div>
      <span class="step-name">${labels[step]}</span>
      <span class=${state === 'skipped' ? 'quiet' : 'visually-hidden'}
        >${getStateLabel(state, labels)}</span
      >
      ${state === 'current' && isPending ? html`<p class="quiet">${labels[`${step}Text`]}</p>` : nothing}
    </div>
  </li>
`;

const getStateLabel = (state: WalletStepView['state'], labels: WalletPageLabels): string =>
  ({
    waiting: labels.stepWaiting,
    current: labels.stepCurrent,
    done: labels.stepDone,
    skipped: labels.stepSkipped,
  })[state];

const checkIcon = html`<svg viewBox="0 0 16 16" width="16" height="16">
  ${svg`<path d="M3.5 8.5 6.5 11.5 12.5 4.5" fill="none" stroke="currentColor" stroke-width="2" />`}
</svg>`;
