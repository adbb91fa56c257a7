import type { JsonRecord } from '../../base/json.ts';
import { visibleSegments } from '../../base/visible-text.ts';

/** A part of a token as people see it: one line, nothing hidden in it, and never long. */
export interface Claim {
  readonly name: string;
  readonly value: string;
}

const mostClaims = 12;
const longestName = 40;
const longestValue = 120;
/** Shown as times of their own. */
const times: ReadonlySet<string> = new Set(['exp', 'iat', 'nbf']);

/** What a token claims, who issued it and for whom first. A last entry `…` says how many more there are. */
export function shownClaims(payload: JsonRecord): readonly Claim[] {
  const names = Object.keys(payload).filter((name) => !times.has(name));
  const ordered = names.toSorted((a, b) => rank(a) - rank(b));
  const shown = ordered.slice(0, mostClaims).map((name) => ({
    name: oneLine(name, longestName),
    value: oneLine(valueText(payload[name]), longestValue),
  }));
  const more = ordered.length - shown.length;
  return more > 0 ? [...shown, { name: '…', value: `+${more}` }] : shown;
}

function rank(name: string): number {
  const place = ['iss', 'aud', 'sub'].indexOf(name);
  return place === -1 ? 3 : place;
}

const valueText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

/** What could hide is named in its place. */
function oneLine(text: string, longest: number): string {
  const line = visibleSegments(text.slice(0, longest * 4).replaceAll(/\r?\n/gu, '\u2028'))
    .map((segment) => (segment.label === '' ? segment.text : `[${segment.label}]`))
    .join('');
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}
