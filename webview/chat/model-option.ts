import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { formatTokens, formatUsd } from '../../src/base/amounts.ts';
import type { ModelView } from '../../src/chat/protocol/view-state.ts';
import { icon } from '../base/controls.ts';
import { modelWord } from '../base/format.ts';

interface ModelOption {
  readonly model: ModelView;
  readonly index: number;
  readonly active: boolean;
  readonly selected: boolean;
  /** Whether what the person wants of a model needs tools. */
  readonly wantsTools: boolean;
  readonly choose: () => void;
}

/** One line of the model list: name, then what it costs and holds; below, what it is. */
export function modelOption({
  model,
  index,
  active,
  selected,
  wantsTools,
  choose,
}: ModelOption): TemplateResult {
  return html`<div
    role="option"
    id="model-${index}"
    class="model-option ${active ? 'active' : ''} ${model.offline ? 'offline' : ''}"
    aria-selected=${selected ? 'true' : 'false'}
    aria-disabled=${model.offline ? 'true' : nothing}
    title=${model.description || model.id}
    @click=${choose}
  >
    <span class="model-check">${selected ? icon('check') : nothing}</span>
    <span class="model-title"><bdi>${model.name}</bdi></span>
    <span class="model-figures">${figures(model)}</span>
    <span class="model-facts"
      >${facts(model)}${wantsTools && !callsTools(model) ? html` · <span class="no-tools">${l10n.t('No tools')}</span>` : nothing}</span
    >
    ${
      model.warning === ''
        ? nothing
        : html`<span class="model-warning">${icon('warning')} ${model.warning}</span>`
    }
  </div>`;
}

const callsTools = ({ capabilities }: ModelView): boolean => capabilities.includes('tools');

/** `131k · $0.15 in, $0.60 out`, prices per million tokens. */
export function figures({ contextTokens, inputUsd, outputUsd }: ModelView): string {
  const prices = [
    inputUsd === null ? '' : l10n.t('{0} in', formatUsd(inputUsd)),
    outputUsd === null ? '' : l10n.t('{0} out', formatUsd(outputUsd)),
  ].filter(Boolean);
  const context = contextTokens === null ? '' : formatTokens(contextTokens);
  return [context, prices.join(', ')].filter(Boolean).join(' · ');
}

const facts = ({ offline, privacy, capabilities, traits }: ModelView): string =>
  [
    offline ? l10n.t('offline') : '',
    ...new Set([privacy, ...capabilities, ...traits].map(modelWord)),
  ]
    .filter(Boolean)
    .join(' · ');
