import * as vscode from 'vscode';
import { getActionLabel } from '../../../account/vscode/failure-actions.ts';
import { systemClock } from '../../../base/clock.ts';
import { convertNanoToNumber, parseNano } from '../../../base/nano-amount.ts';
import { confirm } from '../../../platform/notifications.ts';
import { type KeyChange, type ManagedKey, updateApiKey } from '../../../service/api-keys.ts';
import type { ServiceContext } from '../../../service/http/client.ts';
import { ServiceError, type ServiceFailure } from '../../../service/http/failure.ts';
import {
  type KeyOptionPath,
  type LimitPeriod,
  limitPeriods,
  findRefusedKeyOption,
} from '../../../service/key-record.ts';
import { formatLimitPeriod } from '../../mint/vscode/option-labels.ts';
import { formatExpiry, formatKeyName, formatLimit } from './key-labels.ts';
import { type KeyManagement, tryWithProgress } from './management.ts';

const dayMs = 86_400_000;

/**
 * Prompts the user for a new limit, expiry or name of a key, and changes the key at the service.
 */
export async function editKey(management: KeyManagement, key: ManagedKey): Promise<void> {
  const change = await promptForChange(key);
  if (change !== undefined) await changeKey(management, key, change);
}

async function changeKey(
  management: KeyManagement,
  key: ManagedKey,
  change: KeyChange,
): Promise<void> {
  await tryWithProgress({
    ...management,
    title: `${vscode.l10n.t('Edit')}: ${formatKeyName(key)}`,
    run: ({ signal, withCountdown }) =>
      updateKeyOrConfirm(withCountdown(management.service), { ...change, id: key.id }, signal),
    retry: () => changeKey(management, key, change),
  });
}

/**
 * Changes a key at the service. If the service refuses an option, prompts the user to send the change without this
 * option.
 * @throws ServiceError if the change fails
 */
export async function updateKeyOrConfirm(
  service: ServiceContext,
  change: KeyChange & { readonly id: string },
  signal: AbortSignal,
): Promise<void> {
  for (const omittedOptions: KeyOptionPath[] = []; ;) {
    try {
      return await updateApiKey(service, change, { signal, omittedOptions });
    } catch (error) {
      const option =
        error instanceof ServiceError ? findRefusedKeyOption(error.failure) : undefined;
      if (!(error instanceof ServiceError) || option === undefined) throw error;
      if (omittedOptions.includes(option) || !(await confirmOmission(error.failure))) throw error;
      omittedOptions.push(option);
    }
  }
}

async function confirmOmission({ message }: ServiceFailure): Promise<boolean> {
  const label = getActionLabel('send-without');
  const detail = vscode.l10n.t('Without it, this part of the key stays as it is.');
  return (await confirm({ question: message, detail }, label)) === label;
}

async function promptForChange(key: ManagedKey): Promise<KeyChange | undefined> {
  const title = formatKeyName(key);
  const items = [
    {
      label: vscode.l10n.t('Limit'),
      description: formatLimit(key) || vscode.l10n.t('No limit'),
      prompt: () => promptForLimit(title),
    },
    {
      label: vscode.l10n.t('Key expires'),
      description: formatExpiry(key.expiresAt, systemClock.now()) || vscode.l10n.t('Never'),
      prompt: () => promptForExpiry(title),
    },
    {
      label: vscode.l10n.t('Name'),
      description: key.description ?? '',
      prompt: () => promptForName(title, key.description ?? ''),
    },
  ];
  return (await vscode.window.showQuickPick(items, { title }))?.prompt();
}

/**
 * Prompts for a spending limit and its period, for an existing or a new key. An empty limit means
 * no limit.
 */
export async function promptForLimit(title: string): Promise<KeyChange | undefined> {
  const units = [
    { label: vscode.l10n.t('In US dollars'), unit: 'usd' as const },
    { label: vscode.l10n.t('In DIEM'), unit: 'diem' as const },
    { label: vscode.l10n.t('No limit'), unit: undefined },
  ];
  const chosenUnit = await vscode.window.showQuickPick(units, { title });
  if (chosenUnit === undefined) return undefined;
  if (chosenUnit.unit === undefined) return { consumptionLimit: {} };
  const amount = await promptForAmount(title);
  const limitPeriod = amount === undefined ? undefined : await promptForPeriod(title);
  if (amount === undefined || limitPeriod === undefined) return undefined;
  return { consumptionLimit: { [chosenUnit.unit]: amount }, limitPeriod };
}

async function promptForAmount(title: string): Promise<number | undefined> {
  const text = await vscode.window.showInputBox({
    title,
    ignoreFocusOut: true,
    validateInput: (text) =>
      parseNano(text.trim()) === undefined
        ? vscode.l10n.t('Enter an amount such as 5 or 2.50.')
        : undefined,
  });
  const amount = parseNano(text?.trim());
  return amount === undefined ? undefined : convertNanoToNumber(amount);
}

async function promptForPeriod(title: string): Promise<LimitPeriod | undefined> {
  const items = limitPeriods.map((period) => ({ label: formatLimitPeriod(period), period }));
  return (await vscode.window.showQuickPick(items, { title }))?.period;
}

/**
 * Prompts for a new expiry date. An empty `expiresAt` in the result means that the key never
 * expires.
 */
async function promptForExpiry(title: string): Promise<KeyChange | undefined> {
  const expiryItems = [30, 90, 365].map((count) => ({
    label: vscode.l10n.t('In {0} days', count),
    expiresAt: new Date(systemClock.now() + count * dayMs).toISOString(),
  }));
  const items = [...expiryItems, { label: vscode.l10n.t('Never'), expiresAt: '' }];
  const chosenItem = await vscode.window.showQuickPick(items, { title });
  return chosenItem && { expiresAt: chosenItem.expiresAt };
}

async function promptForName(title: string, value: string): Promise<KeyChange | undefined> {
  const text = await vscode.window.showInputBox({
    title,
    value,
    ignoreFocusOut: true,
    validateInput: (text) => {
      if (text.trim() === '') return vscode.l10n.t('Enter a name.');
      return text.trim().length > 64
        ? vscode.l10n.t('A description has at most 64 characters on one line.')
        : undefined;
    },
  });
  return text === undefined ? undefined : { description: text.trim() };
}
