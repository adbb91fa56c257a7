import * as l10n from '@vscode/l10n';
import { html, nothing, svg, type TemplateResult } from 'lit';
import {
  type UsagePageMessage,
  type UsagePeriod,
  usagePeriods,
  type UsageView,
} from '../../src/account/usage-protocol.ts';
import { formatPercent, formatTokens, formatUsd } from '../../src/base/amounts.ts';
import { formatDay, type UsageState, type UsageTable, renderUsageTable } from './usage-table.ts';

const chartHeight = 72;
const barPitchPx = 12;
const barWidth = 8;

/** Renders the chart with one bar per day. The table by day contains the same data in accessible form. */
export function renderDayChart({ byDay, total, isIncomplete }: UsageView): TemplateResult {
  const maxUsd = Math.max(...byDay.map(({ usd }) => usd), Number.MIN_VALUE);
  const [firstDay] = byDay;
  const lastDay = byDay.at(-1);
  return html`<figure class="chart">
    <svg
      viewBox="0 0 ${byDay.length * barPitchPx} ${chartHeight}"
      preserveAspectRatio="none"
      role="img"
      aria-label=${l10n.t('Cost by day, {0} in all', formatMinimum(total.usd, isIncomplete ?? total.isIncomplete))}
    >
      ${byDay.map(({ day, usd }, index) => {
        const barHeight = usd === 0 ? 1 : Math.max(2, (usd / maxUsd) * chartHeight);
        return svg`<rect x=${index * barPitchPx + (barPitchPx - barWidth) / 2} y=${chartHeight - barHeight} width=${barWidth} height=${barHeight}
          class=${usd === 0 ? 'none' : 'spent'}><title>${formatDay(day)}: ${formatUsd(usd)}</title></rect>`;
      })}
    </svg>
    <figcaption>
      <span>${firstDay && formatDay(firstDay.day)}</span
      ><span>${lastDay && formatDay(lastDay.day)}</span>
    </figcaption>
  </figure>`;
}

export interface UsageActions {
  readonly post: (message: UsagePageMessage) => void;
  readonly showTable: (table: UsageTable) => void;
  readonly setPeriod: (days: UsagePeriod) => void;
}

/** Renders the usage page: the total cost, the chart by day, the budgets and one table. */
export function renderUsagePage(state: UsageState, actions: UsageActions): TemplateResult {
  const { usage, problem } = state;
  return html`<main class="usage">
    <header>
      <h1>${l10n.t('Usage and cost')}</h1>
      ${renderChoice(l10n.t('Period'), usagePeriods, state.days, formatPeriod, actions.setPeriod)}
    </header>
    ${problem === '' ? nothing : html`<p class="problem" role="alert">${problem}</p>`}
    ${usage === null ? (problem === '' ? renderLoading() : nothing) : renderContent(usage, state, actions)}
  </main>`;
}

const formatMinimum = (usd: number, isIncomplete: true | undefined): string =>
  isIncomplete ? l10n.t('at least {0}', formatUsd(usd)) : formatUsd(usd);

const renderLoading = (): TemplateResult =>
  html`<p class="muted late" role="status">${l10n.t('Loading…')}</p>`;

function renderContent(
  usage: UsageView,
  { table }: UsageState,
  actions: UsageActions,
): TemplateResult {
  const { total, isIncomplete } = usage;
  return html`<p class="total" role="status">
      <strong>${formatMinimum(total.usd, isIncomplete ?? total.isIncomplete)}</strong>
      <span class="muted"
        >${total.requests === 1 ? l10n.t('1 request') : l10n.t('{0} requests', total.requests)} ·
        ${formatTokenTotals(total)}</span
      >
    </p>
    ${
      isIncomplete
        ? html`<p class="problem" role="status">
            ${l10n.t('Some recorded spending can’t be read, so all sums are minimums.')}
          </p>`
        : nothing
    }
    ${
      total.isIncomplete
        ? html`<p class="muted">
            ${l10n.t('Some prices are unknown, so sums that contain them are minimums.')}
          </p>`
        : nothing
    }
    ${total.requests === 0 ? nothing : renderDayChart(usage)} ${renderBudgets(usage, actions)}
    ${renderChoice(l10n.t('Show by'), usageTables, table, getTableLabel, actions.showTable)}
    ${
      isTableEmpty(usage, table)
        ? html`<p class="muted">
            ${usage.isIncomplete ? nothing : l10n.t('Nothing was spent in this time.')}
          </p>`
        : renderUsageTable(usage, table, actions.post)
    }
    <p class="muted foot">
      ${l10n.t('In dollars; one DIEM counts as one dollar. What this editor counted: the service has the last word.')}
      <button type="button" class="link" @click=${() => actions.post({ type: 'usage-export' })}>
        ${l10n.t('Export as CSV')}
      </button>
    </p>`;
}

function formatTokenTotals(total: UsageView['total']): string {
  const { promptTokens, cachedTokens, completionTokens } = total;
  const tokensText = l10n.t(
    '{0} → {1} tokens',
    formatTokens(promptTokens),
    formatTokens(completionTokens),
  );
  return cachedTokens === 0
    ? tokensText
    : `${tokensText} · ${l10n.t('{0} cached', formatPercent(cachedTokens, promptTokens))}`;
}

const usageTables = ['model', 'feature', 'conversation', 'day'] as const;

function isTableEmpty(usage: UsageView, table: UsageTable): boolean {
  return table === 'conversation' ? usage.byConversation.length === 0 : usage.total.requests === 0;
}

function renderBudgets({ budgets: limits }: UsageView, { post }: UsageActions): TemplateResult {
  return html`<section class="budgets" aria-label=${l10n.t('Budget')}>
    ${limits.map(
      ({ period, usd, limitUsd, isIncomplete }) =>
        html`<label
          >${
            period === 'daily'
              ? l10n.t('{0} of {1} today', formatMinimum(usd, isIncomplete), formatUsd(limitUsd))
              : l10n.t(
                  '{0} of {1} this month',
                  formatMinimum(usd, isIncomplete),
                  formatUsd(limitUsd),
                )
          } <progress max=${limitUsd} value=${Math.min(usd, limitUsd)}></progress
        ></label>`,
    )}
    <button type="button" class="link" @click=${() => post({ type: 'budget-set' })}>
      ${l10n.t('Set Budget…')}
    </button>
  </section>`;
}

/** Renders a group of toggle buttons, one per option. */
const renderChoice = <T extends string | number>(
  label: string,
  options: readonly T[],
  selectedOption: T,
  getText: (option: T) => string,
  choose: (option: T) => void,
): TemplateResult =>
  html`<div class="choice" role="group" aria-label=${label}>
    ${options.map(
      (option) =>
        html`<button
          type="button"
          aria-pressed=${option === selectedOption ? 'true' : 'false'}
          @click=${() => choose(option)}
        >
          ${getText(option)}
        </button>`,
    )}
  </div>`;

const formatPeriod = (days: UsagePeriod): string => l10n.t('{0} days', days);

const getTableLabel = (table: UsageTable): string => tableLabels[table];

const tableLabels: Readonly<Record<UsageTable, string>> = {
  model: l10n.t('Model'),
  feature: l10n.t('Feature'),
  conversation: l10n.t('Conversation'),
  day: l10n.t('Day'),
};
