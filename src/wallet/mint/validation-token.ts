import * as l10n from '@vscode/l10n';
import { isRecord, type JsonRecord, numberOr, parseJson } from '../../base/json.ts';
import { revealHiddenCharacters } from '../../base/visible-text.ts';
import type { ValidationToken } from '../../service/web3-key.ts';
import { WalletError } from '../wallet-failure.ts';

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
export function formatClaims(payload: JsonRecord): readonly Claim[] {
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
  const line = revealHiddenCharacters(text.slice(0, longest * 4).replaceAll(/\r?\n/gu, '\u2028'));
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}

/** A token that may be signed, and what it says. Times are milliseconds since the Unix epoch. */
export interface CheckedToken {
  readonly token: string;
  /** By the service's clock. */
  readonly expiresAt: number;
  /** How much the service's clock is ahead of ours; 0 when it does not tell its time. */
  readonly clockAheadMs: number;
  /** For people: everything that the token claims but the times. */
  readonly claims: readonly Claim[];
}

const longestToken = 4 * 1024;
const second = 1_000;
const minute = 60 * second;
/** The specification says 15 minutes. */
const longestLife = 20 * minute;
/** Between the service's clock and those of its own that made the token. */
const tolerance = minute;
/** Further apart, one of the clocks is broken, and nothing can be said about the life of a token. */
const furthestClock = 24 * 60 * minute;

const compactJws = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

/**
 * Makes sure that `validation` is a signed token within its life (RFC 7515, RFC 7519), and nothing else that a
 * signature could be used for: no text to sign in with elsewhere, no hash, no typed data, no transaction.
 * @throws WalletError `unsafe-request`, without any part of the token
 */
export function checkValidationToken({
  token,
  receivedAt,
  serverTime = receivedAt,
}: ValidationToken): CheckedToken {
  if (token.length > longestToken) throw unsafe(l10n.t('it is longer than 4 KiB'));
  // `$` alone would let a newline at the end pass.
  if (!compactJws.test(token) || token.includes('\n')) {
    throw unsafe(l10n.t('it is not a signed token'));
  }
  const [header, payload] = token.split('.').slice(0, 2).map(decodePart);
  if (header === undefined || payload === undefined) {
    throw unsafe(l10n.t('it is not a signed token'));
  }
  checkHeader(header);
  const clockAheadMs = serverTime - receivedAt;
  if (Math.abs(clockAheadMs) > furthestClock) {
    throw unsafe(l10n.t("this machine's clock and the service's are more than a day apart"));
  }
  const expiresAt = checkTimes(payload, serverTime);
  return { token, expiresAt, clockAheadMs, claims: formatClaims(payload) };
}

/** Milliseconds until the token expires, by our clock corrected to the service's; never negative. */
export const remainingLifetimeMs = (
  { expiresAt, clockAheadMs }: CheckedToken,
  now: number,
): number => Math.max(0, expiresAt - clockAheadMs - now);

function checkHeader(header: JsonRecord): void {
  const { alg, b64 } = header;
  if (typeof alg !== 'string' || !/^(?!none$)[A-Z][A-Z0-9-]{1,15}$/i.test(alg)) {
    throw unsafe(l10n.t('its header names no algorithm, so it is not signed'));
  }
  // What is signed could then be something else than it looks like (RFC 7797).
  if ('crit' in header || (b64 !== undefined && b64 !== true)) {
    throw unsafe(l10n.t('its header asks for extensions that are not known here'));
  }
}

/** When the token expires. */
function checkTimes(payload: JsonRecord, now: number): number {
  const { exp, iat, nbf } = payload;
  const expiresAt = instant(exp);
  if (expiresAt === undefined) throw unsafe(l10n.t('it does not say when it expires'));
  if (expiresAt <= now) throw unsafe(l10n.t('it has expired already'));
  if (expiresAt > now + longestLife) throw unsafe(l10n.t('it is good for more than 20 minutes'));
  for (const begin of [iat, nbf]) {
    if (begin !== undefined && !isPast(instant(begin), now)) {
      throw unsafe(l10n.t('it was issued in the future, or at no time'));
    }
  }
  const issuedAt = instant(iat);
  if (issuedAt !== undefined && issuedAt < now - longestLife) {
    throw unsafe(l10n.t('it was issued too long ago'));
  }
  return expiresAt;
}

/** JWT counts in seconds. */
function instant(value: unknown): number | undefined {
  const seconds = numberOr(value, undefined);
  return seconds === undefined || seconds < 0 ? undefined : seconds * second;
}

const isPast = (at: number | undefined, now: number): boolean =>
  at !== undefined && at <= now + tolerance;

/** A JSON object in base64url; absent when it is anything else. */
function decodePart(part: string): JsonRecord | undefined {
  try {
    const binary = atob(part.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const json = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return isRecord(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

const unsafe = (why: string): WalletError =>
  new WalletError('unsafe-request', l10n.t('What the service wants signed is refused: {0}.', why));
