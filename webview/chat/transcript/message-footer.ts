import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import {
  formatDecimal,
  formatPercent,
  formatTokens,
  formatUsd,
} from '../../../src/base/amounts.ts';
import type { StatsView } from '../../../src/agent/protocol.ts';
import type { ChatState, MessageView } from '../../../src/chat/protocol/view-state.ts';
import { renderIcon, renderIconButton } from '../../base/controls.ts';
import { formatDuration } from '../../base/format.ts';
import { renderProtectionButton } from '../composer/composer-options.ts';

/**
 * Returns the total usage of a turn's requests, or null if there are no requests. If there are several requests, the
 * speeds in the result are null.
 */
export function sumStats(statsViews: readonly StatsView[]): StatsView | null {
  const [firstStats] = statsViews;
  if (firstStats === undefined || statsViews.length === 1) return firstStats ?? null;
  const sumValues = (readValue: (stats: StatsView) => number | null): number | null =>
    statsViews
      .map(readValue)
      .reduce((total, value) => (total === null ? value : total + (value ?? 0)), null);
  return {
    promptTokens: sumValues(({ promptTokens }) => promptTokens),
    cachedTokens: sumValues(({ cachedTokens }) => cachedTokens),
    completionTokens: sumValues(({ completionTokens }) => completionTokens),
    costUsd: sumValues(({ costUsd }) => costUsd),
    costDiem: sumValues(({ costDiem }) => costDiem),
    costEstimated: statsViews.some(({ costEstimated }) => costEstimated),
    timeToFirstTokenMs: null,
    durationMs: sumValues(({ durationMs }) => durationMs),
    tokensPerSecond: null,
  };
}

const nonBreakingSpace = '\u00a0';

/**
 * Formats tokens, cost and duration: `1.2k → 380 tokens · 75% cached · $0.0021 · 2.1 s`. Omits missing values. Lines
 * can break only after the separator `·`.
 */
export function formatUsage(stats: StatsView): string {
  return [
    formatTokenFlow(stats),
    formatCacheRate(stats),
    formatCost(stats),
    stats.durationMs === null ? '' : formatDuration(stats.durationMs),
  ]
    .filter(Boolean)
    .map(preventLineBreaks)
    .join(`${nonBreakingSpace}· `);
}

/**
 * Formats the percentage of prompt tokens that the service read from its cache, such as `75% cached`. Returns an empty
 * string if no tokens were read from the cache.
 */
const formatCacheRate = ({ promptTokens, cachedTokens }: StatsView): string =>
  cachedTokens && promptTokens
    ? l10n.t('{0} cached', formatPercent(cachedTokens, promptTokens))
    : '';

/** Formats the statistics that {@link formatUsage} omits: latency, speed, cached tokens, and notes about the cost. */
export function formatUsageDetail(stats: StatsView): string {
  const { timeToFirstTokenMs, tokensPerSecond: rate } = stats;
  return [
    timeToFirstTokenMs === null
      ? ''
      : l10n.t('First token after {0}', preventLineBreaks(formatDuration(timeToFirstTokenMs))),
    rate === null
      ? ''
      : preventLineBreaks(
          l10n.t(
            '{0} tokens per second',
            formatDecimal(Number(rate.toPrecision(rate < 10 ? 2 : 3)), 2),
          ),
        ),
    stats.cachedTokens
      ? preventLineBreaks(l10n.t('{0} cached', formatTokens(stats.cachedTokens)))
      : '',
    stats.costEstimated && formatCost(stats) !== ''
      ? l10n.t('Cost estimated from the prices of the model')
      : '',
    stats.costDiem ? preventLineBreaks(l10n.t('{0} paid in DIEM', formatUsd(stats.costDiem))) : '',
  ]
    .filter(Boolean)
    .join(' · ');
}

const preventLineBreaks = (text: string): string => text.replaceAll(' ', nonBreakingSpace);

function formatTokenFlow({ promptTokens, completionTokens }: StatsView): string {
  if (promptTokens === null && completionTokens === null) return '';
  const [promptCount, completionCount] = [promptTokens, completionTokens].map((count) =>
    count === null ? '?' : formatTokens(count),
  );
  return l10n.t('{0} → {1} tokens', promptCount ?? '?', completionCount ?? '?');
}

/**
 * Formats the total cost in dollars. Amounts in DIEM are included, because one DIEM has the value of one dollar. {@link
 * formatUsageDetail} shows the amount in DIEM separately.
 */
function formatCost({ costUsd, costDiem, costEstimated }: StatsView): string {
  if (costUsd === null && costDiem === null) return '';
  const text = formatUsd((costUsd ?? 0) + (costDiem ?? 0));
  return costEstimated ? `≈ ${text}` : text;
}

interface Footer {
  readonly message: MessageView;
  /** Statistics of each request of the turn, in order. */
  readonly stats: readonly StatsView[];
  /** True for the only message in the transcript whose buttons are in the tab order. */
  readonly isCurrent: boolean;
  /** True while the usage details are visible. */
  readonly isExpanded: boolean;
  readonly copyMessage: () => void;
  /**
   * Starts reading the answer aloud, or stops reading while {@link isBeingRead} is true. Absent if the service has no
   * speech model.
   */
  readonly readAloud?: () => void;
  readonly isBeingRead: boolean;
  readonly editMessage?: () => void;
  /** Restores the files and the chat to the state before the message. Set for user messages only. */
  readonly restoreState?: () => void;
  readonly retryAnswer?: () => void;
  readonly retryWithModel?: () => void;
  readonly selectBranch: (branch: number) => void;
  readonly toggleDetails: () => void;
  readonly showAttestation: () => void;
}

/**
 * Renders a warning that content is missing because the stored file is damaged. Renders nothing for complete messages.
 */
export const renderDamageNote = ({ isIncomplete }: MessageView): TemplateResult | typeof nothing =>
  isIncomplete
    ? html`<p class="note damage">
        ${renderIcon('warning')} ${l10n.t('Something is missing here. The stored file is damaged.')}
      </p>`
    : nothing;

/** Renders the row below a message: its actions, the switch between the versions of the message, and the cost. */
export function renderMessageFooter(footer: Footer): TemplateResult {
  const { isCurrent, isExpanded, editMessage, retryAnswer, retryWithModel, restoreState } = footer;
  const tabIndex = isCurrent ? 0 : -1;
  return html`<div class="footer">
      ${editMessage ? renderIconButton({ icon: 'edit', label: l10n.t('Edit'), onClick: editMessage, tabIndex, className: 'idle' }) : nothing}
      ${restoreState ? renderIconButton({ icon: 'discard', label: l10n.t('Restore to here'), onClick: restoreState, tabIndex, className: 'idle' }) : nothing}
      ${renderIconButton({ icon: 'copy', label: l10n.t('Copy'), onClick: footer.copyMessage, tabIndex })}
      ${createReadAloudButton(footer, tabIndex)}
      ${retryAnswer ? renderIconButton({ icon: 'refresh', label: l10n.t('Retry'), onClick: retryAnswer, tabIndex, className: 'idle' }) : nothing}
      ${retryWithModel ? renderIconButton({ icon: 'chevron-down', label: l10n.t('Retry with another model'), onClick: retryWithModel, tabIndex, className: 'retry-with idle' }) : nothing}
      ${renderBranchSwitch(footer, tabIndex)}
      ${renderProtectionButton({ protection: footer.message.protection, tabIndex, showProtection: footer.showAttestation })}
      ${renderUsageButton(footer, tabIndex)}
    </div>
    ${isExpanded ? renderUsageDetail(footer) : nothing}`;
}

function createReadAloudButton(
  { readAloud, isBeingRead }: Footer,
  tabIndex: number,
): TemplateResult | typeof nothing {
  if (readAloud === undefined) return nothing;
  return renderIconButton({
    icon: isBeingRead ? 'debug-stop' : 'unmute',
    label: isBeingRead ? l10n.t('Stop') : l10n.t('Read Aloud'),
    isPressed: isBeingRead,
    onClick: readAloud,
    tabIndex,
    className: isBeingRead ? 'read' : 'read idle',
  });
}

function renderBranchSwitch(
  { message, selectBranch }: Footer,
  tabIndex: number,
): TemplateResult | typeof nothing {
  const { index, count } = message.branch;
  if (count < 2) return nothing;
  const renderStepButton = (label: string, name: string, branchIndex: number): TemplateResult =>
    renderIconButton({
      icon: name,
      label,
      onClick: () => selectBranch(branchIndex),
      tabIndex,
      isDisabled: branchIndex < 0 || branchIndex >= count,
    });
  return html`<span class="branches idle" role="group" aria-label=${l10n.t('Versions')}>
    ${renderStepButton(l10n.t('Previous'), 'chevron-left', index - 1)}
    <span>${index + 1} / ${count}</span>
    ${renderStepButton(l10n.t('Next'), 'chevron-right', index + 1)}
  </span>`;
}

function renderUsageButton(footer: Footer, tabIndex: number): TemplateResult | typeof nothing {
  const { message, stats, isExpanded, toggleDetails } = footer;
  const sum = sumStats(stats);
  const usageText = sum && formatUsage(sum);
  if (!usageText) return nothing;
  // Versions of an answer can come from different models.
  const model = message.branch.count > 1 ? message.model : null;
  const text = model === null ? usageText : `${model}${nonBreakingSpace}· ${usageText}`;
  return html`<button
    type="button"
    class="usage"
    tabindex=${tabIndex}
    aria-expanded=${isExpanded ? 'true' : 'false'}
    title=${formatDetail(footer)}
    @click=${toggleDetails}
  >
    ${text}
  </button>`;
}

const renderUsageDetail = (footer: Footer): TemplateResult =>
  html`<p class="usage-detail">${formatDetail(footer)}</p>`;

function formatDetail({ message, stats }: Footer): string {
  const sum = sumStats(stats);
  const parts = [
    message.model ?? '',
    stats.length > 1 ? l10n.t('{0} requests', stats.length) : '',
    sum === null ? '' : formatUsageDetail(sum),
  ];
  return parts.filter(Boolean).join(' · ');
}

/** Renders the usage of the requests of a running turn: `3 of 25 requests · 12k tokens · $0.01`. */
export function renderTurnUseLine({
  streaming,
  turnUse,
}: ChatState): TemplateResult | typeof nothing {
  if (streaming === null || turnUse === null || turnUse.requests === 0) return nothing;
  const { requests, maxRequests, tokens, costUsd, costDiem } = turnUse;
  const parts = [
    maxRequests === 0
      ? l10n.t('{0} requests', requests)
      : l10n.t('{0} of {1} requests', requests, maxRequests),
    ...(tokens === 0 ? [] : [l10n.t('{0} tokens', formatTokens(tokens))]),
    ...(costUsd === null && costDiem === null ? [] : [formatUsd((costUsd ?? 0) + (costDiem ?? 0))]),
  ];
  const diemNote = costDiem ? ` ${l10n.t('{0} paid in DIEM', formatUsd(costDiem))}.` : '';
  return html`<p
    class="note turn-use"
    title=${l10n.t('What this turn has used. When it reaches its limits it asks whether to continue.') + diemNote}
  >
    ${parts.join(' · ')}
  </p>`;
}
