import { html, type TemplateResult } from 'lit';
import type { PageView } from './page-view.ts';
import type { ViewContext } from './view-context.ts';

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
