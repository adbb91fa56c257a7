import { html, nothing, render, type TemplateResult } from 'lit';
import type { WalletPageLabels } from '../../src/wallet/browser/protocol.ts';
import { Announcer } from '../base/controls.ts';
import type { PageView } from './page-view.ts';
import {
  connectCard,
  idleCard,
  idleWord,
  reviewCard,
  stepList,
  type ViewContext,
} from './cards.ts';

interface AppOptions extends ViewContext {
  readonly root: HTMLElement;
}

/** The whole page: what it is about, the steps, and one card with what is to be done now. */
export class WalletApp {
  readonly #options: AppOptions;
  readonly #announcer = new Announcer();
  readonly #main = document.createElement('main');
  #said = '';
  #focused = '';

  constructor(options: AppOptions) {
    this.#options = options;
    options.root.append(this.#main, this.#announcer.element);
  }

  paint(view: PageView): void {
    const { words } = this.#options;
    const { state } = view;
    document.title = state === null ? words.title : `${state.purpose} — ${words.title}`;
    this.#main.setAttribute('aria-busy', String(view.waitsFor === 'wallet'));
    render(
      html`
        <h1 tabindex="-1" dir="auto">${state?.purpose ?? words.title}</h1>
        ${state === null ? nothing : [facts(view, words), stepList(view, words)]}
        <section class="now">${this.#card(view)}</section>
      `,
      this.#main,
    );
    this.#say(view);
    this.#focus(view);
  }

  #card(view: PageView): TemplateResult | typeof nothing {
    const { words } = this.#options;
    const { state, end, request } = view;
    if (state?.ended) {
      const title = state.ended.outcome === 'done' ? words.doneTitle : words.failedTitle;
      return notice({
        title,
        texts: [state.ended.message, words.closeTab],
        kind: state.ended.outcome,
      });
    }
    if (end === 'second') return notice({ title: words.secondTitle, texts: [words.secondText] });
    if (end === 'broken') return notice({ title: words.brokenTitle, texts: [words.brokenText] });
    if (end === 'gone')
      return notice({ title: words.goneTitle, texts: [words.goneText, words.closeTab] });
    if (view.isOffline) return html`<p class="quiet">${words.offlineText}</p>`;
    if (state === null) return nothing;
    if (request === null) return idleCard(view, this.#options);
    return request.kind === 'connect'
      ? connectCard(view, request, this.#options)
      : reviewCard(view, request, this.#options);
  }

  /** What changed, in a few words. */
  #say(view: PageView): void {
    const text = spoken(view, this.#options.words);
    if (text === this.#said) return;
    this.#said = text;
    this.#announcer.announce(text);
  }

  /** The heading of a new card takes the focus: its button is one key away, and none is pressed by accident. */
  #focus({ request, end, state, otherAccount }: PageView): void {
    const card = `${request?.id ?? ''} ${end ?? ''} ${state?.ended?.outcome ?? ''} ${otherAccount ?? ''}`;
    if (card.trim() === '' || card === this.#focused) return;
    this.#focused = card;
    this.#main.querySelector<HTMLElement>('.now h2')?.focus();
  }
}

interface Notice {
  readonly title: string;
  readonly texts: readonly string[];
  readonly kind?: 'done' | 'failed';
}

const notice = ({ title, texts, kind }: Notice): TemplateResult => html`
  <div class="card ${kind ?? ''}">
    <h2 tabindex="-1">${title}</h2>
    ${texts.map((text) => html`<p dir="auto">${text}</p>`)}
  </div>
`;

const facts = ({ state }: PageView, words: WalletPageLabels): TemplateResult => html`
  <dl class="rows facts">
    <dt>${words.chain}</dt>
    <dd>${state === null ? '' : `${state.chain.name} (${state.chain.id})`}</dd>
    ${
      state?.account === null || state === null
        ? nothing
        : html`<dt>${words.account}</dt>
            <dd class="exact">${state.account}</dd>`
    }
  </dl>
`;

function spoken(view: PageView, words: WalletPageLabels): string {
  const { state, end, isOffline, waitsFor, request } = view;
  if (state?.ended) return `${state.ended.message} ${words.closeTab}`;
  if (end === 'second') return words.secondTitle;
  if (end === 'broken') return words.brokenTitle;
  if (end === 'gone') return words.goneTitle;
  if (isOffline) return words.offlineText;
  if (waitsFor === 'wallet') return words.inWallet;
  if (state !== null && request === null) return words[idleWord(view)];
  const step = state?.steps.find((each) => each.state === 'current');
  if (step === undefined) return '';
  return `${words[step.step]}: ${words[`${step.step}Text`]}`;
}
