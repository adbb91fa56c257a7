import { html, nothing, render, type TemplateResult } from 'lit';
import { systemClock } from '../../src/base/clock.ts';
import {
  readPollReply,
  type WalletPageLabels,
  walletPageVersion,
} from '../../src/wallet/browser/protocol.ts';
import { Announcer } from '../base/controls.ts';
import { HostConnection, takeToken } from '../base/host-connection.ts';
import {
  renderConnectCard,
  renderIdleCard,
  getIdleStatus,
  renderReviewCard,
  renderStepList,
  type ViewContext,
} from './cards.ts';
import { type PageView, readLabels } from './page-view.ts';
import { discoverWallets } from './provider.ts';
import { type WalletConnection, WalletPage } from './wallet-page.ts';

interface AppOptions extends ViewContext {
  readonly root: HTMLElement;
}

/** Root of the wallet page. Renders the purpose of the page, the steps, and a card with the next action. */
class WalletApp {
  readonly #options: AppOptions;
  readonly #announcer = new Announcer();
  readonly #mainElement = document.createElement('main');
  #announcedText = '';
  #focusedCardKey = '';

  constructor(options: AppOptions) {
    this.#options = options;
    options.root.append(this.#mainElement, this.#announcer.element);
  }

  render(view: PageView): void {
    const { labels } = this.#options;
    const { state } = view;
    document.title = state === null ? labels.title : `${state.purpose} — ${labels.title}`;
    this.#mainElement.setAttribute('aria-busy', String(view.waitsFor === 'wallet'));
    render(
      html`
        <h1 tabindex="-1" dir="auto">${state?.purpose ?? labels.title}</h1>
        ${state === null ? nothing : [renderFacts(view, labels), renderStepList(view, labels)]}
        <section class="now">${this.#renderCard(view)}</section>
      `,
      this.#mainElement,
    );
    this.#announceView(view);
    this.#focusNewCard(view);
  }

  #renderCard(view: PageView): TemplateResult | typeof nothing {
    const { labels } = this.#options;
    const { state, endReason, request } = view;
    if (state?.ended) {
      const title = state.ended.outcome === 'done' ? labels.doneTitle : labels.failedTitle;
      return renderNotice({
        title,
        texts: [state.ended.message, labels.closeTab],
        kind: state.ended.outcome,
      });
    }
    if (endReason === 'second') return renderNotice({ title: labels.secondTitle, texts: [] });
    if (endReason === 'broken') return renderNotice({ title: labels.brokenTitle, texts: [] });
    if (endReason === 'unreachable') return renderNotice({ title: labels.goneTitle, texts: [] });
    if (view.isOffline) return html`<p class="quiet">${labels.offlineText}</p>`;
    if (state === null) return nothing;
    if (request === null) return renderIdleCard(view, this.#options);
    return request.kind === 'connect'
      ? renderConnectCard(view, request, this.#options)
      : renderReviewCard(view, request, this.#options);
  }

  /** Announces a changed status to screen readers. */
  #announceView(view: PageView): void {
    const text = formatAnnouncement(view, this.#options.labels);
    if (text === this.#announcedText) return;
    this.#announcedText = text;
    this.#announcer.announce(text);
  }

  /**
   * Focuses the heading of a new card, so that a key press cannot activate the card's button by accident. The button is
   * the next tab stop.
   */
  #focusNewCard({ request, endReason, state, otherAccount }: PageView): void {
    const cardKey = `${request?.id ?? ''} ${endReason ?? ''} ${state?.ended?.outcome ?? ''} ${otherAccount ?? ''}`;
    if (cardKey.trim() === '' || cardKey === this.#focusedCardKey) return;
    this.#focusedCardKey = cardKey;
    this.#mainElement.querySelector<HTMLElement>('.now h2')?.focus();
  }
}

interface Notice {
  readonly title: string;
  readonly texts: readonly string[];
  readonly kind?: 'done' | 'failed';
}

const renderNotice = ({ title, texts, kind }: Notice): TemplateResult => html`
  <div class="card ${kind ?? ''}">
    <h2 tabindex="-1">${title}</h2>
    ${texts.map((text) => html`<p dir="auto">${text}</p>`)}
  </div>
`;

const renderFacts = ({ state }: PageView, labels: WalletPageLabels): TemplateResult => html`
  <dl class="rows facts">
    ${
      state?.chain == null
        ? nothing
        : html`<dt>${labels.chain}</dt>
            <dd>${`${state.chain.name} (${state.chain.id})`}</dd>`
    }
    ${
      state?.account === null || state === null
        ? nothing
        : html`<dt>${labels.account}</dt>
            <dd class="exact">${state.account}</dd>`
    }
  </dl>
`;

function formatAnnouncement(view: PageView, labels: WalletPageLabels): string {
  const { state, endReason, isOffline, waitsFor, request } = view;
  if (state?.ended) return `${state.ended.message} ${labels.closeTab}`;
  if (endReason === 'second') return labels.secondTitle;
  if (endReason === 'broken') return labels.brokenTitle;
  if (endReason === 'unreachable') return labels.goneTitle;
  if (isOffline) return labels.offlineText;
  if (waitsFor === 'wallet') return labels.inWallet;
  if (state !== null && request === null) return labels[getIdleStatus(view)];
  const step = state?.steps.find(({ state: stepState }) => stepState === 'current');
  if (step === undefined) return '';
  return `${labels[step.step]}: ${labels[`${step.step}Text`]}`;
}

const root = document.querySelector<HTMLElement>('#app') ?? document.body;
const { token, base } = takeToken();

const connection: WalletConnection = new HostConnection({
  fetch: (...args) => fetch(...args),
  ...{ base, storage: sessionStorage, clock: systemClock },
  ...{ version: walletPageVersion, readReply: readPollReply },
  hasChanges: ({ state, requestId }, previousPoll) =>
    state !== null || requestId !== previousPoll.requestId,
});
const page: WalletPage = new WalletPage({ connection, onChange: (view) => app.render(view) });
const app = new WalletApp({ root, labels: readLabels(root), page });

app.render(page.view);
discoverWallets(globalThis.window, (wallets, isSearching) =>
  page.showWallets(wallets, isSearching),
);
window.addEventListener('pagehide', () => page.reportLeaving());
void page.handleMessagesUntilEnd(token);
