import * as vscode from 'vscode';
import { systemClock } from '../../../base/clock.ts';
import { defined } from '../../../base/json.ts';
import { listApiKeys, type ManagedKey } from '../../../service/api-keys.ts';
import type { KeyOptions, KeyRecord } from '../../../service/key-record.ts';
import { expiryAfter, recommendedOptions } from '../../mint/mint-options.ts';
import { keptKey } from '../../../account/vscode/key-store.ts';
import { showCancellable } from '../../../platform/notifications.ts';
import { isSameKey, type OwnKey } from './own-keys.ts';
import type { RotationRun } from './rotation-run.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const usualDays = 90;

/** What a key must be to take the place of another: the same, for as long as that one was meant to last. */
export async function replaceOptions(
  { host, management, profile, place }: RotationRun,
  own: OwnKey,
): Promise<KeyOptions> {
  const now = systemClock.now();
  // As it is now: somebody may have changed its limit.
  const listed = await showCancellable(vscode.l10n.t('Reading the limits of the key…'), (signal) =>
    listApiKeys(management.service, { signal }).catch(() => []),
  ).then((keys) => keys.find((each) => isSameKey(own, each)));
  const kept = keptKey(host.account.state, profile.id, place);
  const old: (KeyRecord & Pick<ManagedKey, 'createdAt'>) | undefined =
    listed ?? (kept?.last6 === own.last6 ? kept : undefined);
  if (old === undefined) return recommendedOptions(now, vscode.env.appName.slice(0, 64));
  const { type, description, consumptionLimit, limitPeriod, modelPrivacy } = old;
  const expiresAt = old.expiresAt && expiryAfter(daysOf(old), now);
  return defined({
    ...{ type, consumptionLimit, limitPeriod, modelPrivacy, expiresAt },
    description: description?.slice(0, 64),
  });
}

function daysOf({ createdAt = '', expiresAt = '' }: KeyRecord & Pick<ManagedKey, 'createdAt'>) {
  const ms = Date.parse(expiresAt) - Date.parse(createdAt);
  // Keys end as a day begins: without rounding up, each would be meant to last a day less than the one before.
  const days = Math.ceil((ms - hourMs) / dayMs);
  return days >= 1 ? days : usualDays;
}
