import * as l10n from '@vscode/l10n';
import { isRecord, type JsonRecord, readNumberOr, parseJson } from '../../base/json.ts';
import { revealHiddenCharacters } from '../../base/visible-text.ts';
import type { ValidationToken } from '../../service/web3-key.ts';
import { WalletError } from '../wallet-failure.ts';

/** Claim of a token for display, on one short line without hidden characters. */
export interface Claim {
  readonly name: string;
  readonly value: string;
}

const maxClaims = 12;
const maxNameLength = 40;
const maxValueLength = 120;
/** Names of the claims that are times. They are displayed separately. */
const timeClaims: ReadonlySet<string> = new Set(['exp', 'iat', 'nbf']);

/**
 * Formats the claims of a token for display, issuer and audience first. If claims are omitted, the
 * last entry is named `…` and contains their number.
 */
export function formatClaims(payload: JsonRecord): readonly Claim[] {
  const names = Object.keys(payload).filter((name) => !timeClaims.has(name));
  const sortedNames = names.toSorted((a, b) => rankClaim(a) - rankClaim(b));
  const displayedClaims = sortedNames.slice(0, maxClaims).map((name) => ({
    name: toOneLine(name, maxNameLength),
    value: toOneLine(formatValue(payload[name]), maxValueLength),
  }));
  const omittedCount = sortedNames.length - displayedClaims.length;
  return omittedCount > 0
    ? [...displayedClaims, { name: '…', value: `+${omittedCount}` }]
    : displayedClaims;
}

function rankClaim(name: string): number {
  const index = ['iss', 'aud', 'sub'].indexOf(name);
  return index === -1 ? 3 : index;
}

const formatValue = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

/** Replaces hidden characters with their codes, and shortens the text to `maxLength` characters. */
function toOneLine(text: string, maxLength: number): string {
  const line = revealHiddenCharacters(text.slice(0, maxLength * 4).replaceAll(/\r?\n/gu, '\u2028'));
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line;
}

/** A token that passed the checks. Times are milliseconds since the Unix epoch. */
export interface CheckedToken {
  readonly token: string;
  /** Expiry in milliseconds since the Unix epoch, by the service's clock. */
  readonly expiresAt: number;
  /**
   * Milliseconds by which the service's clock is ahead of the local clock; 0 if the service does
   * not report its time.
   */
  readonly clockAheadMs: number;
  /** Every claim except the times, for display. */
  readonly claims: readonly Claim[];
}

const maxTokenLength = 4 * 1024;
const secondMs = 1_000;
const minuteMs = 60 * secondMs;
/** Maximum accepted token lifetime in milliseconds. The specification allows 15 minutes. */
const maxLifetimeMs = 20 * minuteMs;
/** Assumed lifetime in milliseconds of a token without an expiry time (spec §3). */
const defaultLifetimeMs = 15 * minuteMs;
/** Tolerated clock difference between the service and its token issuer, in milliseconds. */
const clockToleranceMs = minuteMs;
/**
 * Maximum difference between the service's clock and the local clock, in milliseconds. With a
 * larger difference, the token's lifetime is uncertain.
 */
const maxClockSkewMs = 24 * 60 * minuteMs;

const compactJwsPattern = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

/**
 * Checks that the text is a JSON Web Token within its lifetime (RFC 7515, RFC 7519). Rejects other texts, because a
 * signature of such a text could authorize something else: a sign-in to another site, typed data or a transaction.
 * @throws WalletError `unsafe-request` for such a text; the error contains no part of the token
 */
export function checkValidationToken({
  token,
  receivedAt,
  serverTime = receivedAt,
}: ValidationToken): CheckedToken {
  if (token.length > maxTokenLength)
    throw createUnsafeTokenError(l10n.t('It is not a signed token.'));
  // The pattern `$` also matches before a trailing newline.
  if (!compactJwsPattern.test(token) || token.includes('\n')) {
    throw createUnsafeTokenError(l10n.t('It is not a signed token.'));
  }
  const [header, payload] = token.split('.').slice(0, 2).map(decodeTokenPart);
  if (header === undefined || payload === undefined) {
    throw createUnsafeTokenError(l10n.t('It is not a signed token.'));
  }
  checkHeader(header);
  const clockAheadMs = serverTime - receivedAt;
  if (Math.abs(clockAheadMs) > maxClockSkewMs) {
    throw createUnsafeTokenError(
      l10n.t('The clocks of this machine and of the service differ too much.'),
    );
  }
  const expiresAt = checkTimeClaims(payload, serverTime);
  return { token, expiresAt, clockAheadMs, claims: formatClaims(payload) };
}

/** Returns the milliseconds until the token expires by the service's clock. Never negative. */
export const computeRemainingLifetimeMs = (
  { expiresAt, clockAheadMs }: CheckedToken,
  now: number,
): number => Math.max(0, expiresAt - clockAheadMs - now);

function checkHeader(header: JsonRecord): void {
  const { alg, b64 } = header;
  if (typeof alg !== 'string' || !/^(?!none$)[A-Z][A-Z0-9-]{1,15}$/i.test(alg)) {
    throw createUnsafeTokenError(l10n.t('It is not a signed token.'));
  }
  // With these extensions, the signed content could differ from what is shown (RFC 7797).
  if ('crit' in header || (b64 !== undefined && b64 !== true)) {
    throw createUnsafeTokenError(l10n.t('Its field “{0}” cannot be used.', 'crit'));
  }
}

/** Checks the time claims and returns the expiry in milliseconds since the Unix epoch. */
function checkTimeClaims(payload: JsonRecord, now: number): number {
  const { exp, iat, nbf } = payload;
  const expiresAt = exp === undefined ? computeDefaultExpiry(iat, now) : toMilliseconds(exp);
  if (expiresAt === undefined)
    throw createUnsafeTokenError(l10n.t('Its field “{0}” cannot be used.', 'exp'));
  if (expiresAt <= now) throw createUnsafeTokenError(l10n.t('It has expired.'));
  if (expiresAt > now + maxLifetimeMs)
    throw createUnsafeTokenError(l10n.t('Its field “{0}” cannot be used.', 'exp'));
  for (const startTime of [iat, nbf]) {
    if (startTime !== undefined && !isPast(toMilliseconds(startTime), now)) {
      throw createUnsafeTokenError(l10n.t('Its field “{0}” cannot be used.', 'iat'));
    }
  }
  const issuedAt = toMilliseconds(iat);
  if (issuedAt !== undefined && issuedAt < now - maxLifetimeMs) {
    throw createUnsafeTokenError(l10n.t('It has expired.'));
  }
  return expiresAt;
}

/** Returns the expiry of a token without an expiry claim: 15 minutes after its issue, at most 15 minutes from now. */
const computeDefaultExpiry = (iat: unknown, now: number): number =>
  Math.min(toMilliseconds(iat) ?? now, now) + defaultLifetimeMs;

/** Converts a JWT time in seconds to milliseconds. Returns `undefined` for an invalid time. */
function toMilliseconds(value: unknown): number | undefined {
  const seconds = readNumberOr(value, undefined);
  return seconds === undefined || seconds < 0 ? undefined : seconds * secondMs;
}

const isPast = (time: number | undefined, now: number): boolean =>
  time !== undefined && time <= now + clockToleranceMs;

/**
 * Decodes one part of a JSON Web Token: a base64url string that contains a JSON object. Returns `undefined` for any
 * other string.
 */
function decodeTokenPart(part: string): JsonRecord | undefined {
  try {
    const binary = atob(part.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const json = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return isRecord(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

const createUnsafeTokenError = (reason: string): WalletError =>
  new WalletError('unsafe-request', reason);
