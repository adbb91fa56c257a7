import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { UsagePageMessage, UsagePeriod, UsageView } from '../../src/account/usage-protocol.ts';
import { formatPercent, formatTokens, formatUsdColumn } from '../../src/base/amounts.ts';
import { language } from '../base/translations.ts';

const dayFormat = new Intl.DateTimeFormat(language, {
  day: 'numeric',
  month: 'short',
  weekday: 'short',
  timeZone: 'UTC',
});

/** Formats a UTC date in the display language. `2026-11-20` becomes `Fri, Nov 20`. */
export const formatDay = (day: string): string => dayFormat.format(new Date(`${day}T00:00:00Z`));

/** Property by which the table groups the usage. */
export type UsageTable = 'model' | 'feature' | 'conversation' | 'day';

/** View state of the usage page. */
export interface UsageState {
  /** Usage data. Null until the host sends the data. */
  readonly usage: UsageView | null;
  readonly problem: string;
  readonly days: UsagePeriod;
  readonly table: UsageTable;
}

export const initialUsageState: UsageState = { usage: null, problem: '', days: 7, table: 'model' };

interface UsageRow {
  readonly name: string | TemplateResult;
  readonly requests: number;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly completionTokens: number;
  readonly usd: number;
  /** True if the actual cost may be higher, because some requests have no known cost. Absent if the cost is exact. */
  readonly isIncomplete?: true;
}

/**
 * Renders the usage as a table with one row per group. Days are sorted newest first, other groups by descending cost.
 */
export function renderUsageTable(
  usage: UsageView,
  table: UsageTable,
  post: (message: UsagePageMessage) => void,
): TemplateResult {
  const rows = buildRows(usage, table, post);
  const hasCache = usage.total.cachedTokens > 0;
  const costs = formatUsdColumn(rows.map(({ usd }) => usd));
  return html`<div class="table-scroll" tabindex="0" role="region" aria-label=${headings[table]}>
    <table>
      <thead>
        <tr>
          <th scope="col">${headings[table]}</th>
          <th scope="col" class="figure">${l10n.t('Requests')}</th>
          <th scope="col" class="figure">${l10n.t('Tokens in')}</th>
          ${hasCache ? html`<th scope="col" class="figure">${l10n.t('From cache')}</th>` : nothing}
          <th scope="col" class="figure">${l10n.t('Tokens out')}</th>
          <th scope="col" class="figure">${l10n.t('Cost')}</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ({ name, requests, completionTokens, ...row }, index) =>
            html`<tr>
              <th scope="row"><bdi>${name}</bdi></th>
              <td class="figure">${requests}</td>
              <td class="figure">${formatTokens(row.promptTokens)}</td>
              ${hasCache ? html`<td class="figure">${formatCachedTokens(row)}</td>` : nothing}
              <td class="figure">${formatTokens(completionTokens)}</td>
              <td class="figure">${formatRowCost(row, costs[index] ?? '')}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** Formats the cost of a row: `$0.04`, `at least $0.04`, or `unknown` if no request of the row has a known cost. */
function formatRowCost(
  { isIncomplete, usd }: Pick<UsageRow, 'isIncomplete' | 'usd'>,
  cost: string,
): string {
  if (!isIncomplete) return cost;
  return usd === 0 ? l10n.t('unknown') : l10n.t('at least {0}', cost);
}

/** Formats the number of cached tokens and their percentage of the prompt tokens: `9.4k (75%)`. */
const formatCachedTokens = ({
  promptTokens,
  cachedTokens,
}: Pick<UsageRow, 'promptTokens' | 'cachedTokens'>): string =>
  `${formatTokens(cachedTokens)} (${formatPercent(cachedTokens, promptTokens)})`;

function buildRows(
  { byModel, byFeature, byConversation, byDay }: UsageView,
  table: UsageTable,
  post: (message: UsagePageMessage) => void,
): readonly UsageRow[] {
  switch (table) {
    case 'model':
      return byModel.map((row) => ({ ...row, name: row.model || l10n.t('unknown') }));
    case 'feature':
      return byFeature.map((row) => ({
        ...row,
        name: featureLabels.get(row.feature) ?? l10n.t('Other'),
      }));
    case 'day':
      return byDay.toReversed().map((row) => ({ ...row, name: formatDay(row.day) }));
    case 'conversation':
      return byConversation.map(({ id, title, ...row }) => ({
        ...row,
        name: html`<button
          type="button"
          class="link"
          @click=${() => post({ type: 'conversation-open', id })}
        >
          ${title || l10n.t('Chat')}
        </button>`,
      }));
  }
}

const headings: Readonly<Record<UsageTable, string>> = {
  model: l10n.t('Model'),
  feature: l10n.t('Feature'),
  conversation: l10n.t('Conversation'),
  day: l10n.t('Day'),
};

/** Labels of the features that cause costs, by name. Each budget applies to one of these features. */
const featureLabels: ReadonlyMap<string, string> = new Map([
  ['chat', l10n.t('Chat')],
  ['completion', l10n.t('Inline suggestions')],
  ['image', l10n.t('Images')],
  ['web', l10n.t('Web search')],
  ['speech', l10n.t('Speech')],
  ['transcription', l10n.t('Dictation')],
]);
