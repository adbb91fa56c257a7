import { html, nothing, svg, type TemplateResult } from 'lit';
import type { WalletPageState } from '../../src/wallet/browser/protocol.ts';
import type { WalletWords } from '../../src/wallet/browser/wallet-page-words.ts';
import type { PageView } from './page-view.ts';

type Step = WalletPageState['steps'][number];

/** What is done, what is asked now and what it means, and what comes. */
export const stepList = ({ state, request }: PageView, words: WalletWords): TemplateResult => html`
  <ol class="steps" aria-label=${words.steps}>
    ${state?.steps.map((step) => stepItem(step, { words, isAsked: request !== null }))}
  </ol>
`;

const stepItem = (
  { step, state }: Step,
  { words, isAsked }: { words: WalletWords; isAsked: boolean },
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

const stateWords = (state: Step['state'], words: WalletWords): string =>
  ({
    waiting: words.stepWaiting,
    current: words.stepCurrent,
    done: words.stepDone,
    skipped: words.stepSkipped,
  })[state];

const check = html`<svg viewBox="0 0 16 16" width="16" height="16">
  ${svg`<path d="M3.5 8.5 6.5 11.5 12.5 4.5" fill="none" stroke="currentColor" stroke-width="2" />`}
</svg>`;
