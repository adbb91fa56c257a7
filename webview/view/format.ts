import type { StatsView } from '../../src/protocol/view-state.ts';

const nbsp = '\u00a0';

/** `380`, `1.2k`, `131k`, `1.5M`. */
export function formatTokens(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 999_500) return scaled(count / 1_000, 'k');
  return scaled(count / 1_000_000, 'M');
}

/** `0.4 s`, `12 s`, `2 min 5 s`; a figure and its unit stay on one line. */
export function formatDuration(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 9.95) return `${Number(seconds.toFixed(1))}${nbsp}s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole}${nbsp}s`;
  return `${Math.floor(whole / 60)}${nbsp}min ${whole % 60}${nbsp}s`;
}

/** Dollars; small amounts with two significant digits: `$1.25`, `$0.04`, `$0.0021`. */
export function formatUsd(amount: number): string {
  return `$${formatAmount(amount)}`;
}

/** `1.2k → 380 tokens · $0.0021 · 2.1 s`, of what is known. A line may break after a dot only. */
export function formatUsage(stats: StatsView): string {
  return [
    tokens(stats),
    cost(stats),
    stats.durationMs === null ? '' : formatDuration(stats.durationMs),
  ]
    .filter(Boolean)
    .map((part) => part.replaceAll(' ', nbsp))
    .join(`${nbsp}· `);
}

/** What {@link formatUsage} leaves out. */
export function formatUsageDetail(stats: StatsView): string {
  const { timeToFirstTokenMs: first, tokensPerSecond: rate } = stats;
  return [
    first === null ? '' : `First token after ${formatDuration(first)}`,
    rate === null ? '' : `${Number(rate.toPrecision(rate < 10 ? 2 : 3))}${nbsp}tokens per second`,
    stats.costEstimated && cost(stats) !== '' ? "Cost estimated from the model's prices" : '',
  ]
    .filter(Boolean)
    .join(' · ');
}

function tokens({ promptTokens, completionTokens }: StatsView): string {
  if (promptTokens === null && completionTokens === null) return '';
  const [from, to] = [promptTokens, completionTokens].map((count) =>
    count === null ? '?' : formatTokens(count),
  );
  return `${from} → ${to} tokens`;
}

function cost({ costUsd, costDiem, costEstimated }: StatsView): string {
  const parts = [];
  // A reply charged in one currency still names the other, as nothing.
  if (costUsd !== null && (costUsd > 0 || !costDiem)) parts.push(formatUsd(costUsd));
  if (costDiem !== null) parts.push(`${formatAmount(costDiem)} DIEM`);
  return parts.length > 0 && costEstimated ? `≈ ${parts.join(' + ')}` : parts.join(' + ');
}

function formatAmount(amount: number): string {
  if (amount === 0) return '0';
  if (amount >= 0.01) return amount.toFixed(2);
  return amount.toFixed(Math.min(12, 1 - Math.floor(Math.log10(amount)))).replace(/0+$/u, '');
}

function scaled(value: number, unit: string): string {
  return `${value < 9.95 ? Number(value.toFixed(1)) : Math.round(value)}${unit}`;
}
