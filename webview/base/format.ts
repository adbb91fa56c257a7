import * as l10n from '@vscode/l10n';
import { formatDecimal } from '../../src/base/amounts.ts';
import { language } from './translations.ts';
import { findTermLabel, type ModelTerm } from '../../src/models/protocol.ts';

/** Formats a duration: `0.4 s`, `12 s`, `2 min 5 s`. */
export function formatDuration(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 9.95) return `${formatDecimal(seconds, 1)} s`;
  const wholeSeconds = Math.round(seconds);
  if (wholeSeconds < 60) return `${wholeSeconds} s`;
  return l10n.t('{0} min {1} s', Math.floor(wholeSeconds / 60), wholeSeconds % 60);
}

const secondsPerHour = 3_600;

/**
 * Formats a remaining time. Times below one hour are formatted like {@link formatDuration}; longer times are rounded up
 * to whole hours, or to whole days from two days on.
 */
export function formatWait(seconds: number): string {
  if (seconds < secondsPerHour) return formatDuration(seconds * 1_000);
  const hours = Math.ceil(seconds / secondsPerHour);
  const [value, unit] = hours < 48 ? [hours, 'hour'] : [Math.ceil(hours / 24), 'day'];
  return new Intl.NumberFormat(language, { style: 'unit', unit }).format(value);
}

/** Returns the translated label of a term in a model's description: a capability, a privacy level or a trait. */
export const getModelTermLabel = (term: string): string => findTermLabel(termLabels, term);

const termLabels: Readonly<Record<ModelTerm, string>> = {
  code: l10n.t('code'),
  reasoning: l10n.t('reasoning'),
  vision: l10n.t('vision'),
  tools: l10n.t('tools'),
  web: l10n.t('web'),
  private: l10n.t('private'),
  anonymized: l10n.t('anonymized'),
  attested: l10n.t('attested'),
  encrypted: l10n.t('encrypted'),
};
