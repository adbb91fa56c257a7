import { join } from 'node:path';
import * as vscode from 'vscode';
import { lastSix } from '../../../account/key-state.ts';
import type { Profile } from '../../../account/profile.ts';
import { keyVariable } from '../../../account/vscode/account-view.ts';
import { readStoredKeyInfo, saveStoredKeyInfo } from '../../../account/vscode/key-store.ts';
import { systemClock } from '../../../base/clock.ts';
import { omitUndefined } from '../../../base/json.ts';
import type { Host } from '../../../host.ts';
import {
  confirm,
  showCancellable,
  showInformation,
  showStatusMessage,
} from '../../../platform/notifications.ts';
import { getRateLimits, listApiKeys, type ManagedKey } from '../../../service/api-keys.ts';
import { parseBaseUrl } from '../../../service/http/endpoint.ts';
import type { KeyOptions, KeyRecord } from '../../../service/key-record.ts';
import type { KeyRotation } from '../key-rotation.ts';
import { keyName } from './key-labels.ts';
import { createKeyManagement, tryWithProgress, withApiKey } from './management.ts';
import { mintAndStore } from './mint-and-store.ts';
import { isSameApiKey, type LocalApiKey, listLocalApiKeys } from './local-api-keys.ts';
import { revokeReplacedKey } from './revoke-key.ts';
import { readRotation, type RotationRun, saveRotation } from './rotation-state.ts';
import { expiryDate, recommendedOptions } from '../../mint/mint-options.ts';
import { acquireWindowLock } from '../../vscode/window-lock.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const usualDays = 90;

/** What a key must be to take the place of another: the same, for as long as that one was meant to last. */
export async function readReplacementOptions(
  { host, management, profile, place }: RotationRun,
  own: LocalApiKey,
): Promise<KeyOptions> {
  const now = systemClock.now();
  // As it is now: somebody may have changed its limit.
  const listed = await showCancellable(vscode.l10n.t('Reading the limits of the key…'), (signal) =>
    listApiKeys(management.service, { signal }).catch(() => []),
  ).then((keys) => keys.find((each) => isSameApiKey(own, each)));
  const kept = readStoredKeyInfo(host.account.state, profile.id, place);
  const old: (KeyRecord & Pick<ManagedKey, 'createdAt'>) | undefined =
    listed ?? (kept?.last6 === own.last6 ? kept : undefined);
  if (old === undefined) return recommendedOptions(now, vscode.env.appName.slice(0, 64));
  const { type, description, consumptionLimit, limitPeriod, modelPrivacy } = old;
  const expiresAt = old.expiresAt && expiryDate(daysOf(old), now);
  return omitUndefined({
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

/** "Rotate API key": the one in use, or what was begun with it. */
export async function rotateKeyCommand(host: Host): Promise<void> {
  const { account } = host;
  const { profile } = account;
  const own = await listLocalApiKeys(account, profile);
  const used = own.find(({ isInUse }) => isInUse);
  if (used === undefined) {
    void showInformation(vscode.l10n.t('No API key is in use that could be replaced.'));
  } else await rotateApiKey(host, { own: used, profile });
}

interface ToRotate {
  readonly own: LocalApiKey;
  /** That the key belongs to. */
  readonly profile: Profile;
}

/**
 * Replaces a key by a new one with the same limits: minted, kept beside the old one, tried, put in its place, and only
 * then the old one is revoked. Goes on from where it was left.
 */
export async function rotateApiKey(host: Host, { own, profile }: ToRotate): Promise<void> {
  const { place } = own;
  if (place === 'environment') {
    const text = vscode.l10n.t(
      'The API key comes from the environment variable {0}: replace it there.',
      keyVariable,
    );
    void showInformation(text);
    return;
  }
  if (place !== 'profile' && !(typeof place === 'object' && 'workspace' in place)) return;
  // Two windows would mint two keys, and keep one.
  using lock = await acquireWindowLock(join(host.context.globalStorageUri.fsPath, 'key-rotation'));
  if (lock === undefined) {
    const text = vscode.l10n.t('An API key is being replaced already, here or in another window.');
    void showInformation(text);
    return;
  }
  const management = createKeyManagement(host.account, profile);
  const run: RotationRun = { host, management, profile, place };
  const rotation = readRotation(host.account.state, at(run)) ?? (await beginOnce(run, own));
  if (rotation !== undefined) await goOn(run, rotation);
}

const at = ({ profile, place }: RotationRun) => ({ profileId: profile.id, place });

/** Another window may have done it since the key was looked at. */
async function beginOnce(run: RotationRun, own: LocalApiKey): Promise<KeyRotation | undefined> {
  const key = await run.host.account.readStoredKey(run.profile, run.place);
  if (key === undefined || lastSix(key) === own.last6) return begin(run, own);
  void showInformation(vscode.l10n.t('The API key (…{0}) was replaced already.', own.last6));
  return undefined;
}

/** Mints the new key and keeps it beside the old one; undefined when there is none. */
async function begin(run: RotationRun, own: LocalApiKey): Promise<KeyRotation | undefined> {
  const { host, profile, place } = run;
  const { account } = host;
  const kept = readStoredKeyInfo(account.state, profile.id, place);
  const known = kept?.last6 === own.last6 ? kept : undefined;
  const button = vscode.l10n.t('Rotate');
  const question = vscode.l10n.t(
    'Replace the key “{0}” by a new one with the same limits?',
    keyName({ ...known, last6: own.last6 }),
  );
  const detail = vscode.l10n.t(
    'A wallet signs for the new key. The old one stays in use until the new one is proved to work, and is revoked then.',
  );
  if ((await confirm({ question, detail }, button)) !== button) return undefined;
  const options = await readReplacementOptions(run, own);
  let rotation: KeyRotation | undefined;
  const isKept = await mintAndStore(host, {
    purpose: vscode.l10n.t('Replace an API key'),
    profile,
    options,
    retry: () => rotateApiKey(host, { own, profile }),
    storeKey: async ({ apiKey, record }) => {
      await account.storeKey(profile, apiKey, { next: place });
      const { origin } = parseBaseUrl(profile.baseUrl);
      const workspace = known?.workspace;
      const next = { ...record, last6: lastSix(apiKey), origin, ...omitUndefined({ workspace }) };
      const old = { last6: own.last6, ...omitUndefined({ id: own.id }) };
      rotation = { next, old, isSwitched: false };
      await saveRotation(account.state, at(run), rotation);
    },
  });
  return isKept ? rotation : undefined;
}

async function goOn(run: RotationRun, rotation: KeyRotation): Promise<void> {
  const { account } = run.host;
  if (!rotation.isSwitched) {
    const key = await account.readStoredKey(run.profile, { next: run.place });
    if (key === undefined) return lost(run, rotation);
    if (!(await works(run, key))) return offerToDiscard(run, rotation);
    await switchTo(run, rotation, key);
  }
  const isRevoked = await revokeReplacedKey(run, rotation.old);
  if (isRevoked) await saveRotation(account.state, at(run), undefined);
  if (isRevoked) showStatusMessage(vscode.l10n.t('The API key was replaced.'));
}

/** Says why when it does not. */
const works = ({ management }: RotationRun, key: string): Promise<boolean> =>
  tryWithProgress(vscode.l10n.t('Testing the new API key…'), async (signal) => {
    await getRateLimits(withApiKey(management.service, key), { signal });
  });

async function switchTo(run: RotationRun, rotation: KeyRotation, key: string): Promise<void> {
  const { host, profile, place } = run;
  const { account } = host;
  await account.storeKey(profile, key, place);
  await saveStoredKeyInfo(account.state, { profileId: profile.id, place }, rotation.next);
  await saveRotation(account.state, at(run), { ...rotation, isSwitched: true });
  await account.removeKey(profile.id, { next: place });
}

/** The new key does not work, or not yet: the old one stays in use. */
async function offerToDiscard(run: RotationRun, { next }: KeyRotation): Promise<void> {
  const discard = vscode.l10n.t('Discard the new key');
  const chosen = await showInformation(
    vscode.l10n.t(
      'The old API key stays in use. Rotate again to try the new one (…{0}) once more.',
      next.last6,
    ),
    discard,
  );
  if (chosen === discard) await forget(run);
}

async function lost(run: RotationRun, { next }: KeyRotation): Promise<void> {
  await forget(run);
  void showInformation(
    vscode.l10n.t(
      'The new API key (…{0}) was not kept by the editor, so the old one stays in use. Revoke the new one in the list of keys, and rotate again.',
      next.last6,
    ),
  );
}

async function forget(run: RotationRun): Promise<void> {
  const { account } = run.host;
  await account.removeKey(run.profile.id, { next: run.place });
  await saveRotation(account.state, at(run), undefined);
}
