import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { formatTokens, formatUsd } from '../../src/base/amounts.ts';
import type { ModelView } from '../../src/models/protocol.ts';
import { renderIcon } from '../base/controls.ts';
import { getModelTermLabel } from '../base/format.ts';

interface ModelOption {
  readonly model: ModelView;
  readonly index: number;
  readonly isActive: boolean;
  readonly isSelected: boolean;
  /** True if the current chat mode requires a model that supports tool calls. */
  readonly needsTools: boolean;
  readonly onChoose: () => void;
}

/**
 * Renders a model in the list. The first line shows the name, context size and prices; the second, capabilities and
 * traits.
 */
export function renderModelOption({
  model,
  index,
  isActive,
  isSelected,
  needsTools,
  onChoose,
}: ModelOption): TemplateResult {
  return html`<div
    role="option"
    id="model-${index}"
    class="model-option ${isActive ? 'active' : ''} ${model.offline ? 'offline' : ''}"
    aria-selected=${isSelected ? 'true' : 'false'}
    aria-disabled=${model.offline ? 'true' : nothing}
    title=${formatModelTooltip(model)}
    @click=${onChoose}
  >
    <span class="model-check">${isSelected ? renderIcon('check') : nothing}</span>
    <span class="model-title"><bdi>${model.name}</bdi></span>
    <span class="model-figures">${formatModelFigures(model)}</span>
    <span class="model-facts"
      >${formatModelFacts(model)}${needsTools && !canCallTools(model) ? html` · <span class="no-tools">${l10n.t('No tools')}</span>` : nothing}</span
    >
    ${
      model.warning === ''
        ? nothing
        : html`<span class="model-warning">${renderIcon('warning')} ${model.warning}</span>`
    }
  </div>`;
}

const formatModelTooltip = ({ description, id, price }: ModelView): string =>
  [description || id, ...(price?.unit === 'diem' ? ['DIEM'] : [])].join('\n');

const canCallTools = ({ capabilities }: ModelView): boolean => capabilities.includes('tools');

/** Formats context size and prices per million tokens: `131k · $0.15 in, $0.60 out`. */
export function formatModelFigures({ contextTokens, price }: ModelView): string {
  // One DIEM has the value of one dollar.
  const prices = [
    price?.input == null ? '' : l10n.t('{0} in', formatUsd(price.input)),
    price?.output == null ? '' : l10n.t('{0} out', formatUsd(price.output)),
  ].filter(Boolean);
  const contextSize = contextTokens === null ? '' : formatTokens(contextTokens);
  return [contextSize, prices.join(', ')].filter(Boolean).join(' · ');
}

const formatModelFacts = ({ offline, privacy, capabilities, traits }: ModelView): string =>
  [
    offline ? l10n.t('offline') : '',
    ...new Set([privacy, ...capabilities, ...traits].map(getModelTermLabel)),
  ]
    .filter(Boolean)
    .join(' · ');

export interface ModelQuery {
  readonly searchText: string;
  /** Required capabilities. A model must have all of them. */
  readonly capabilities: ReadonlySet<string>;
}

/** Returns the models that match the query. Available models come first; the order is otherwise unchanged. */
export function filterModels(models: readonly ModelView[], query: ModelQuery): ModelView[] {
  const words = query.searchText.toLowerCase().split(/\s+/u).filter(Boolean);
  const foundModels = models.filter((model) => matchesQuery(model, words, query.capabilities));
  return foundModels.toSorted(
    (a, b) => getGroupIndex(a) - getGroupIndex(b) || Number(a.offline) - Number(b.offline),
  );
}

const groups = ['pinned', 'recent', 'recommended', 'all'] as const;

const getGroupIndex = ({ group = 'all' }: ModelView): number => groups.indexOf(group);

/**
 * Returns the title of the model's group if the model at `index` is the first model of this group. Returns `undefined`
 * for other models, and if there is only one group.
 */
export function getGroupTitle(models: readonly ModelView[], index: number): string | undefined {
  const group = models[index]?.group ?? 'all';
  const isFirst = index === 0 || (models[index - 1]?.group ?? 'all') !== group;
  if (!isFirst || models.every((model) => (model.group ?? 'all') === group)) return undefined;
  return {
    pinned: l10n.t('Pinned'),
    recent: l10n.t('Recent'),
    recommended: l10n.t('Recommended'),
    all: l10n.t('All models'),
  }[group];
}

const capabilityOrder = [
  'code',
  'reasoning',
  'vision',
  'tools',
  'web',
  'private',
  'attested',
  'encrypted',
];

/** Returns the capabilities that at least one of the models has, in display order. */
export function listOfferedCapabilities(models: readonly ModelView[]): string[] {
  const availableCapabilities = new Set(models.flatMap(({ capabilities }) => capabilities));
  return capabilityOrder.filter((capability) => availableCapabilities.has(capability));
}

function matchesQuery(
  model: ModelView,
  words: string[],
  requiredCapabilities: ReadonlySet<string>,
): boolean {
  const { name, id, traits, privacy } = model;
  const terms = [...traits, privacy];
  // Matches displayed labels and the service's internal names, because settings and other programs use the latter.
  const text = [name, id, ...terms, ...terms.map(getModelTermLabel)].join(' ').toLowerCase();
  return (
    words.every((word) => text.includes(word)) &&
    [...requiredCapabilities].every((capability) => model.capabilities.includes(capability))
  );
}
