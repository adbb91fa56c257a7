import { getDisplayHost } from '../../../account/vscode/account-view.ts';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { getLastSixCharacters } from '../../../account/key-state.ts';
import type { Profile } from '../../../account/profile.ts';
import { apiKeyVariable } from '../../../account/vscode/account-view.ts';
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
import { listApiKeys, type ManagedKey, testApiKey } from '../../../service/api-keys.ts';
import { parseBaseUrl } from '../../../service/http/endpoint.ts';
import type { KeyOptions, KeyRecord } from '../../../service/key-record.ts';
import { type KeyRotation, readRotation, type RotationRun, saveRotation } from './key-rotation.ts';
import { formatKeyName } from './key-labels.ts';
import { createKeyManagement, tryWithProgress, withApiKey } from './management.ts';
import { mintAndStoreKey } from '../../mint/vscode/mint-with-wallet.ts';
import { isSameApiKey, type LocalApiKey, listLocalApiKeys } from './local-api-keys.ts';
import { revokeReplacedKey } from './revoke-key.ts';
import { computeExpiryDate, getRecommendedOptions } from '../../mint/mint-options.ts';
import { acquireWindowLock } from '../../../platform/window-lock.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const defaultLifetimeDays = 90;

/**
 * Returns the options of the replacement key: those of the old key, with the same lifetime in days. If the options of
 * the old key are unknown, returns the recommended options.
 */
export async function readReplacementOptions(
  { host, management, profile, slot }: RotationRun,
  localKey: LocalApiKey,
): Promise<KeyOptions> {
  const now = systemClock.now();
  // The options are read from the service, because the limit may have changed since the key was
  // stored.
  const managedKey = await showCancellable(vscode.l10n.t('Rotate API Key'), (signal, report) => {
    report(vscode.l10n.t('Loading…'));
    return listApiKeys(management.service, { signal }).catch(() => []);
  }).then((keys) => keys.find((key) => isSameApiKey(localKey, key)));
  const storedKey = readStoredKeyInfo(host.account.state, profile.id, slot);
  const oldKey: (KeyRecord & Pick<ManagedKey, 'createdAt'>) | undefined =
    managedKey ?? (storedKey?.last6 === localKey.last6 ? storedKey : undefined);
  if (oldKey === undefined) return getRecommendedOptions(now, vscode.env.appName.slice(0, 64));
  const { type, description, consumptionLimit, limitPeriod, modelPrivacy } = oldKey;
  const expiresAt = oldKey.expiresAt && computeExpiryDate(computeLifetimeDays(oldKey), now);
  return omitUndefined({
    ...{ type, consumptionLimit, limitPeriod, modelPrivacy, expiresAt },
    description: description?.slice(0, 64),
  });
}

function computeLifetimeDays({
  createdAt = '',
  expiresAt = '',
}: KeyRecord & Pick<ManagedKey, 'createdAt'>) {
  const lifetimeMs = Date.parse(expiresAt) - Date.parse(createdAt);
  // Keys expire at the start of a day. Without rounding up, each replacement would expire a day
  // earlier.
  const lifetimeDays = Math.ceil((lifetimeMs - hourMs) / dayMs);
  return lifetimeDays >= 1 ? lifetimeDays : defaultLifetimeDays;
}

/** Runs "Rotate API Key" for the key in use, or continues its unfinished rotation. */
export async function rotateKeyCommand(host: Host): Promise<void> {
  const { account } = host;
  const { profile } = account;
  const localKeys = await listLocalApiKeys(account, profile);
  const keyInUse = localKeys.find(({ isInUse }) => isInUse);
  if (keyInUse === undefined) {
    void showInformation(vscode.l10n.t('No API key is set for {0}.', getDisplayHost(profile)));
  } else await rotateApiKey(host, { localKey: keyInUse, profile });
}

interface RotateOptions {
  readonly localKey: LocalApiKey;
  readonly profile: Profile;
}

/**
 * Replaces a key with a new key that has the same limits. Mints, stores and tests the new key, then
 * switches requests to it, and finally revokes the old key. Continues an unfinished rotation.
 */
export async function rotateApiKey(
  host: Host,
  { localKey, profile }: RotateOptions,
): Promise<void> {
  const { slot } = localKey;
  if (slot === 'environment') {
    const text = vscode.l10n.t(
      'The API key comes from the environment variable {0}: change it there.',
      apiKeyVariable,
    );
    void showInformation(text);
    return;
  }
  if (slot !== 'profile' && !(typeof slot === 'object' && 'workspace' in slot)) return;
  // Without this lock, two windows would mint two keys, and only one would be stored.
  using lock = await acquireWindowLock(join(host.context.globalStorageUri.fsPath, 'key-rotation'));
  if (lock === undefined) {
    const text = vscode.l10n.t(
      'This is already under way, here or in another window. Finish or stop it there first.',
    );
    void showInformation(text);
    return;
  }
  const management = createKeyManagement(host.account, profile);
  const run: RotationRun = { host, management, profile, slot };
  const rotation =
    readRotation(host.account.state, toRotationTarget(run)) ??
    (await beginRotationUnlessReplaced(run, localKey));
  if (rotation !== undefined) await continueRotation(run, rotation);
}

const toRotationTarget = ({ profile, slot }: RotationRun) => ({ profileId: profile.id, slot });

/**
 * Starts a rotation. If the stored key is no longer the key `localKey`, because another window has rotated it, only
 * notifies the user and returns `undefined`.
 */
async function beginRotationUnlessReplaced(
  run: RotationRun,
  localKey: LocalApiKey,
): Promise<KeyRotation | undefined> {
  const key = await run.host.account.readStoredKey(run.profile, run.slot);
  if (key === undefined || getLastSixCharacters(key) === localKey.last6)
    return startRotation(run, localKey);
  void showInformation(vscode.l10n.t('The API key was replaced.'));
  return undefined;
}

/**
 * Confirms the rotation with the user, mints the new key, and stores it in addition to the old key. Returns `undefined`
 * when no key was stored.
 */
async function startRotation(
  run: RotationRun,
  localKey: LocalApiKey,
): Promise<KeyRotation | undefined> {
  const { host, profile, slot } = run;
  const { account } = host;
  const storedKey = readStoredKeyInfo(account.state, profile.id, slot);
  const keyInfo = storedKey?.last6 === localKey.last6 ? storedKey : undefined;
  const rotateLabel = vscode.l10n.t('Rotate');
  const question = vscode.l10n.t(
    'Replace the key “{0}” by a new one with the same limits?',
    formatKeyName({ ...keyInfo, last6: localKey.last6 }),
  );
  const detail = vscode.l10n.t(
    'A wallet signs for the new key. The old one stays in use until the new one is proved to work, and is revoked then.',
  );
  if ((await confirm({ question, detail }, rotateLabel)) !== rotateLabel) return undefined;
  const options = await readReplacementOptions(run, localKey);
  let rotation: KeyRotation | undefined;
  const isStored = await mintAndStoreKey(host, {
    purpose: vscode.l10n.t('Rotate'),
    profile,
    options,
    restartCommand: () => rotateApiKey(host, { localKey, profile }),
    storeKey: async ({ apiKey, record }) => {
      await account.storeKey(profile, apiKey, { next: slot });
      const { origin } = parseBaseUrl(profile.baseUrl);
      const workspace = keyInfo?.workspace;
      const newKey = {
        ...record,
        last6: getLastSixCharacters(apiKey),
        origin,
        ...omitUndefined({ workspace }),
      };
      const oldKey = { last6: localKey.last6, ...omitUndefined({ id: localKey.id }) };
      rotation = { newKey, oldKey, usesNewKey: false };
      await saveRotation(account.state, toRotationTarget(run), rotation);
    },
  });
  return isStored ? rotation : undefined;
}

async function continueRotation(run: RotationRun, rotation: KeyRotation): Promise<void> {
  const { account } = run.host;
  if (!rotation.usesNewKey) {
    const key = await account.readStoredKey(run.profile, { next: run.slot });
    if (key === undefined) return reportLostKey(run, rotation);
    if (!(await testNewKey(run, key))) return offerToDiscardKey(run, rotation);
    await activateNewKey(run, rotation, key);
  }
  const isRevoked = await revokeReplacedKey(run, rotation.oldKey);
  if (isRevoked) await saveRotation(account.state, toRotationTarget(run), undefined);
  if (isRevoked) showStatusMessage(vscode.l10n.t('The API key was replaced.'));
}

/** Tests the new key with a request. Shows the error if the test fails. */
const testNewKey = ({ management }: RotationRun, key: string): Promise<boolean> =>
  tryWithProgress({
    ...management,
    title: vscode.l10n.t('Rotate API Key'),
    hasSeparateKey: true,
    run: async ({ signal, withCountdown }) => {
      await testApiKey(withCountdown(withApiKey(management.service, key)), signal);
    },
  });

async function activateNewKey(run: RotationRun, rotation: KeyRotation, key: string): Promise<void> {
  const { host, profile, slot } = run;
  const { account } = host;
  await account.storeKey(profile, key, slot);
  await saveStoredKeyInfo(account.state, { profileId: profile.id, slot }, rotation.newKey);
  await saveRotation(account.state, toRotationTarget(run), { ...rotation, usesNewKey: true });
  await account.removeKey(profile.id, { next: slot });
}

/**
 * Asks the user whether to discard the new key, because the service does not accept it yet. Requests use the old key in
 * either case.
 */
async function offerToDiscardKey(run: RotationRun, { newKey }: KeyRotation): Promise<void> {
  const discardLabel = vscode.l10n.t('Discard');
  const choice = await showInformation(
    vscode.l10n.t(
      'The old API key stays in use. Rotate again to try the new one (…{0}) once more.',
      newKey.last6,
    ),
    discardLabel,
  );
  if (choice === discardLabel) await discardNewKey(run);
}

async function reportLostKey(run: RotationRun, { newKey }: KeyRotation): Promise<void> {
  await discardNewKey(run);
  void showInformation(
    vscode.l10n.t(
      'The editor did not store the new API key (…{0}), so the old one stays in use. Revoke the new one in the list of keys, and rotate again.',
      newKey.last6,
    ),
  );
}

async function discardNewKey(run: RotationRun): Promise<void> {
  const { account } = run.host;
  await account.removeKey(run.profile.id, { next: run.slot });
  await saveRotation(account.state, toRotationTarget(run), undefined);
}
