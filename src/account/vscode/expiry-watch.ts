import * as vscode from 'vscode';
import { countDaysLeft, getNextWarning, urgentDays } from '../key-expiry.ts';
import {
  matchesKey,
  type StoredKey,
  getLastSixCharacters,
  getSlotId,
  type ActiveKeySlot,
} from '../key-state.ts';
import type { Account } from './account.ts';
import { readStoredKeyInfo, saveStoredKeyInfo } from './key-store.ts';
import type { Clock } from '../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { isRecord, readNumberOr } from '../../base/json.ts';
import type { CommandId } from '../../platform/command-ids.ts';
import { showWithActions, showWarning } from '../../platform/notifications.ts';
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
  const stored = readStoredKeyInfo(state, profileId, slot);
  const last6 = getLastSixCharacters(key.key);
  return stored !== undefined && matchesKey(stored, key.key)
    ? { last6, slot, storedKey: stored }
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
  const current = getKeyInUse(account);
  const { id, baseUrl } = account.profile;
  if (current === undefined || !Number.isFinite(Date.parse(expiresAt ?? ''))) return;
  if (findBaseUrlFailure(baseUrl, account.unencryptedOrigins) !== undefined) return;
  const { last6, slot, storedKey } = current;
  const { origin } = parseBaseUrl(baseUrl, account.unencryptedOrigins);
  const previous = storedKey ?? { type: 'INFERENCE', last6, origin };
  const key = { ...previous, expiresAt: new Date(expiresAt ?? '').toISOString() };
  await saveStoredKeyInfo(account.state, { profileId: id, slot }, key);
}

/** Interval between expiry checks in milliseconds. Warnings count days, so one hour is short enough. */
const checkIntervalMs = 3_600_000;

/** Warns before the key in use expires. Shows each warning once across all windows. */
export class ExpiryWatch implements Disposable {
  readonly #account: Account;
  readonly #clock: Clock;
  readonly #owned = new DisposableStore();
  #cancel = (): void => {};

  constructor(account: Account, clock: Clock) {
    this.#account = account;
    this.#clock = clock;
    this.#owned.add(account.onDidChange(() => this.#check()));
    this.#checkRepeatedly();
  }

  /** Expiration of the key in use, as an ISO 8601 date and time; undefined if unknown or none. */
  get expiresAt(): string | undefined {
    return getKeyInUse(this.#account)?.storedKey?.expiresAt;
  }

  dispose(): void {
    this.#cancel();
    this.#owned.dispose();
  }

  #checkRepeatedly(): void {
    this.#check();
    this.#cancel = this.#clock.after(checkIntervalMs, () => this.#checkRepeatedly());
  }

  #check(): void {
    const current = getKeyInUse(this.#account);
    const days = countDaysLeft(current?.storedKey?.expiresAt, this.#clock.now());
    if (current === undefined || days === undefined) return;
    const warning = getNextWarning(days, this.#getLastWarningDays(current));
    if (warning === undefined) return;
    // Records the warning before showing it, because other windows check at the same time.
    void this.#account.state.update(this.#name(current), { last6: current.last6, days: warning });
    // Shows a notification only for urgent warnings, because the status bar always shows the
    // expiration.
    if (warning <= urgentDays) void showWarningFor(current, days);
  }

  /** Returns the threshold of the last warning shown for this key; undefined for a new key. */
  #getLastWarningDays(keyInUse: KeyInUse): number | undefined {
    const lastShown = this.#account.state.get<unknown>(this.#name(keyInUse));
    return isRecord(lastShown) && lastShown['last6'] === keyInUse.last6
      ? readNumberOr(lastShown['days'], undefined)
      : undefined;
  }

  #name({ slot }: KeyInUse): string {
    return `keyExpiryTold.${getSlotId(this.#account.profileId, slot)}`;
  }
}

async function showWarningFor({ last6, storedKey }: KeyInUse, days: number): Promise<void> {
  await showWithActions(showWarning, formatExpiryMessage(last6, storedKey?.expiresAt ?? '', days), [
    createCommandAction('inferenceService.keys.rotate', vscode.l10n.t('Rotate')),
    createCommandAction('inferenceService.keys.show', vscode.l10n.t('Show API Keys')),
  ]);
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

const createCommandAction = (command: CommandId, label: string) => ({
  label,
  run: () => vscode.commands.executeCommand(command),
});
