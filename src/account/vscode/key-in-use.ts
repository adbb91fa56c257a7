import * as vscode from 'vscode';
import { countDaysLeft, maxWarningDays, maxNoticeDays } from '../key-expiry.ts';
import {
  matchesKey,
  type StoredKey,
  getLastSixCharacters,
  type ActiveKeySlot,
} from '../key-state.ts';
import type { Account } from './account.ts';
import { readStoredKeyInfo, saveStoredKeyInfo } from './key-store.ts';
import { getWorkspaceId } from '../../platform/window.ts';
import { findBaseUrlFailure, parseBaseUrl } from '../../service/http/endpoint.ts';

/** The stored key that requests currently use, and the stored information about this key. */
export interface KeyInUse {
  readonly last6: string;
  readonly slot: ActiveKeySlot;
  readonly storedKey?: StoredKey;
}

/**
 * Returns the stored key that requests currently use. Returns undefined for a key from the
 * environment.
 */
export function getKeyInUse({ key, profileId, state }: Account): KeyInUse | undefined {
  if (key.kind !== 'usable' || key.source === 'environment') return undefined;
  const slot = key.source === 'workspace' ? { workspace: getWorkspaceId() } : 'profile';
  const storedKey = readStoredKeyInfo(state, profileId, slot);
  const last6 = getLastSixCharacters(key.key);
  return storedKey !== undefined && matchesKey(storedKey, key.key)
    ? { last6, slot, storedKey }
    : { last6, slot };
}

/**
 * Stores the expiration of the key in use, as reported by the service.
 * @param expiresAt ISO 8601 date and time; ignored if missing or invalid.
 */
export async function storeKeyExpiry(
  account: Account,
  expiresAt: string | undefined,
): Promise<void> {
  const keyInUse = getKeyInUse(account);
  const { id, baseUrl } = account.profile;
  if (keyInUse === undefined || !Number.isFinite(Date.parse(expiresAt ?? ''))) return;
  if (findBaseUrlFailure(baseUrl, account.unencryptedOrigins) !== undefined) return;
  const { last6, slot, storedKey } = keyInUse;
  const { origin } = parseBaseUrl(baseUrl, account.unencryptedOrigins);
  const previousKey = storedKey ?? { type: 'INFERENCE', last6, origin };
  const key = { ...previousKey, expiresAt: new Date(expiresAt ?? '').toISOString() };
  await saveStoredKeyInfo(account.state, { profileId: id, slot }, key);
}

/** Expiration of the key in use. */
export interface KeyExpiry {
  readonly message: string;
  readonly isUrgent: boolean;
}

/** Returns the expiration of the key in use; undefined if it is unknown or more than two weeks away. */
export function findKeyExpiry(account: Account, now: number): KeyExpiry | undefined {
  const keyInUse = getKeyInUse(account);
  const { expiresAt = '' } = keyInUse?.storedKey ?? {};
  const daysLeft = countDaysLeft(expiresAt, now);
  if (keyInUse === undefined || daysLeft === undefined || daysLeft > maxNoticeDays)
    return undefined;
  const { last6 } = keyInUse;
  return {
    message: formatExpiryMessage(last6, expiresAt, daysLeft),
    isUrgent: daysLeft <= maxWarningDays,
  };
}

function formatExpiryMessage(last6: string, expiresAt: string, days: number): string {
  if (days === 0) return vscode.l10n.t('The API key in use (…{0}) has expired. Replace it.', last6);
  const time = new Date(expiresAt).toLocaleString(vscode.env.language, {
    dateStyle: 'medium',
    timeStyle: 'short',
  });
  return vscode.l10n.t(
    'The API key in use (…{0}) expires on {1}. Replace it before then.',
    last6,
    time,
  );
}
