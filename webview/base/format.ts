import * as l10n from '@vscode/l10n';
import { formatAmount, formatDecimal, formatTokens, formatUsd } from '../../src/base/amounts.ts';
import type { StatsView } from '../../src/chat/protocol/view-state.ts';

const nbsp = '\u00a0';

/** `0.4 s`, `12 s`, `2 min 5 s`. */
export function formatDuration(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 9.95) return `${formatDecimal(seconds, 1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  return l10n.t('{0} min {1} s', Math.floor(whole / 60), whole % 60);
}

/** `1.2k → 380 tokens · $0.0021 · 2.1 s`, of what is known. A line may break after a dot only. */
export function formatUsage(stats: StatsView): string {
  return [
    tokens(stats),
    cost(stats),
    stats.durationMs === null ? '' : formatDuration(stats.durationMs),
  ]
    .filter(Boolean)
    .map(onOneLine)
    .join(`${nbsp}· `);
}

/** What {@link formatUsage} leaves out. */
export function formatUsageDetail(stats: StatsView): string {
  const { timeToFirstTokenMs: first, tokensPerSecond: rate } = stats;
  return [
    first === null ? '' : l10n.t('First token after {0}', onOneLine(formatDuration(first))),
    rate === null
      ? ''
      : onOneLine(
          l10n.t(
            '{0} tokens per second',
            formatDecimal(Number(rate.toPrecision(rate < 10 ? 2 : 3)), 2),
          ),
        ),
    stats.costEstimated && cost(stats) !== ''
      ? l10n.t('Cost estimated from the prices of the model')
      : '',
  ]
    .filter(Boolean)
    .join(' · ');
}

const onOneLine = (text: string): string => text.replaceAll(' ', nbsp);

function tokens({ promptTokens, completionTokens }: StatsView): string {
  if (promptTokens === null && completionTokens === null) return '';
  const [from, to] = [promptTokens, completionTokens].map((count) =>
    count === null ? '?' : formatTokens(count),
  );
  return l10n.t('{0} → {1} tokens', from ?? '?', to ?? '?');
}

function cost({ costUsd, costDiem, costEstimated }: StatsView): string {
  const parts = [];
  // A reply charged in one currency still names the other, as nothing.
  if (costUsd !== null && (costUsd > 0 || !costDiem)) parts.push(formatUsd(costUsd));
  if (costDiem !== null) parts.push(`${formatAmount(costDiem)} DIEM`);
  return parts.length > 0 && costEstimated ? `≈ ${parts.join(' + ')}` : parts.join(' + ');
}

/** What a model can do, what it is best at, or where its text goes, by the service's name for it, as people read it. */
export const modelWord = (name: string): string =>
  words.get(name) ?? name.replaceAll(/[_-]+/gu, ' ').trim();

const words: ReadonlyMap<string, string> = new Map([
  ['code', l10n.t('code')],
  ['reasoning', l10n.t('reasoning')],
  ['vision', l10n.t('vision')],
  ['tools', l10n.t('tools')],
  ['web', l10n.t('web')],
  ['private', l10n.t('private')],
  ['anonymized', l10n.t('anonymized')],
  ['attested', l10n.t('attested')],
  ['encrypted', l10n.t('encrypted')],
  ['default', l10n.t('default')],
  ['default_code', l10n.t('default for code')],
  ['default_reasoning', l10n.t('default for reasoning')],
  ['default_vision', l10n.t('default for vision')],
  ['function_calling_default', l10n.t('default for tools')],
  ['fastest', l10n.t('fastest')],
  ['highest_quality', l10n.t('highest quality')],
  ['most_intelligent', l10n.t('most intelligent')],
  ['most_uncensored', l10n.t('fewest content limits')],
]);
