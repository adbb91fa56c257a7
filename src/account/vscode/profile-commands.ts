import * as vscode from 'vscode';
import { defaultProfileId, type Profile, findProfileNameProblem } from '../profile.ts';
import { findBaseUrlFailure } from '../../service/http/endpoint.ts';
import { confirm, showCancellable } from '../../platform/notifications.ts';
import type { Account } from './account.ts';
import { getDisplayHost } from './account-view.ts';
import { getActionLabel } from './failure-actions.ts';
import {
  activateProfile,
  readAllProfiles,
  deleteProfile,
  saveProfile,
} from './profile-settings.ts';
import { stripEllipsis } from '../../base/amounts.ts';

/**
 * Runs "Set Service Address" for the active profile. The input starts with the address from the connect form. Returns
 * false if canceled. The user must enter the key again if the origin changes.
 */
export async function setBaseUrl(account: Account): Promise<boolean> {
  const { profile } = account;
  const baseUrl = await promptForBaseUrl(account, account.typedAddress || profile.baseUrl);
  if (baseUrl === undefined) return false;
  await saveProfile({ ...profile, baseUrl });
  return true;
}

/** Prompts for a base URL if the active profile has no valid base URL. Returns false if canceled. */
export async function ensureBaseUrl(account: Account): Promise<boolean> {
  const { profile, unencryptedOrigins } = account;
  return (
    findBaseUrlFailure(profile.baseUrl, unencryptedOrigins) === undefined || setBaseUrl(account)
  );
}

/**
 * Runs "Add Connection": prompts for name and base URL, then activates the profile. Returns false if canceled.
 * @param suggestedUrl Initial value of the base URL input.
 */
export async function addProfile(account: Account, suggestedUrl = ''): Promise<boolean> {
  const id = await promptForProfileId();
  if (id === undefined) return false;
  const baseUrl = await promptForBaseUrl(account, suggestedUrl);
  if (baseUrl === undefined) return false;
  await saveProfile({ id, baseUrl });
  await activateProfile(id);
  return true;
}

/**
 * Runs "Remove Connection": deletes a profile and its keys after a confirmation. The default profile
 * cannot be removed.
 */
export async function removeProfile(account: Account): Promise<void> {
  const profile = await pickProfile(account, {
    profiles: readAllProfiles().filter(({ id }) => id !== defaultProfileId),
    title: stripEllipsis(vscode.l10n.t('Remove Connection…')),
    placeHolder: vscode.l10n.t('No results'),
  });
  if (profile === undefined) return;
  const removeLabel = vscode.l10n.t('Remove');
  const question = vscode.l10n.t(
    'Remove the connection “{0}” and its API keys from this machine?',
    profile.id,
  );
  const chosenButton = await confirm({ question }, removeLabel);
  if (chosenButton !== removeLabel) return;
  await account.removeKeys(profile.id);
  await deleteProfile(profile.id);
}

/**
 * Runs "Switch Connection": prompts for a connection and activates it. The list also has entries that add or remove a
 * connection.
 */
export async function switchProfile(account: Account): Promise<void> {
  const profiles = readAllProfiles();
  const addItem = { label: `$(add) ${vscode.l10n.t('Add Connection…')}` };
  const removeItem = { label: `$(trash) ${stripEllipsis(vscode.l10n.t('Remove Connection…'))}` };
  const profileItems = profiles.map((profile) => createProfileItem(account, profile));
  const actionItems = profiles.length > 1 ? [addItem, removeItem] : [addItem];
  const separator = { label: '', kind: vscode.QuickPickItemKind.Separator };
  const chosenItem = await vscode.window.showQuickPick<vscode.QuickPickItem>(
    [...profileItems, separator, ...actionItems],
    { title: stripEllipsis(vscode.l10n.t('Switch Connection…')) },
  );
  const index = profileItems.findIndex((item) => item === chosenItem);
  if (chosenItem === addItem) await vscode.commands.executeCommand('inferenceService.addProfile');
  else if (chosenItem === removeItem) await removeProfile(account);
  else if (index !== -1) await activateProfile(profileItems[index]!.profile.id);
}

const createProfileItem = (account: Account, profile: Profile) => ({
  label: profile.id,
  description: getDisplayHost(profile),
  iconPath: new vscode.ThemeIcon(profile.id === account.profileId ? 'check' : 'blank'),
  profile,
});

interface ProfilePickOptions {
  readonly profiles: readonly Profile[];
  readonly title: string;
  readonly placeHolder: string;
}

async function pickProfile(
  account: Account,
  { profiles, title, placeHolder }: ProfilePickOptions,
): Promise<Profile | undefined> {
  const items = profiles.map((profile) => createProfileItem(account, profile));
  return (await vscode.window.showQuickPick(items, { title, placeHolder }))?.profile;
}

/** Prompts until the user enters a usable base URL. Returns `undefined` if canceled. */
async function promptForBaseUrl(account: Account, value: string): Promise<string | undefined> {
  const title = stripEllipsis(vscode.l10n.t('Set Service Address…'));
  for (let inputText = value; ;) {
    const text = await vscode.window.showInputBox({
      title,
      prompt: vscode.l10n.t(
        'Usually ends in /api/v1 or /v1. Only https, or http on this machine, at private IP addresses and at .local names.',
      ),
      placeHolder: 'api.example.com',
      value: inputText,
      ignoreFocusOut: true,
      validateInput: (text) => findAddressProblem(account, text),
    });
    const typedAddress = text?.trim() ?? '';
    if (typedAddress === '') return undefined;
    inputText = typedAddress;
    if (!(await confirmUnencryptedAddress(account, { typedAddress, title }))) continue;
    const baseUrl = await findServiceAddress(account, { typedAddress, title });
    if (baseUrl !== undefined) return baseUrl;
  }
}

/** Maximum time in milliseconds in which a service must answer. Without an answer, the address is used as typed. */
const probeTimeoutMs = 5_000;

/**
 * Searches for a service at the base URLs that a typed address may mean. If only corrected addresses are found, lets
 * the user choose between them and the typed address. Returns `undefined` if the user chooses none or cancels the
 * search.
 */
async function findServiceAddress(
  account: Account,
  { typedAddress, title }: { readonly typedAddress: string; readonly title: string },
): Promise<string | undefined> {
  const { completeAddress } = await loadConnectModule();
  const completedAddress = await showCancellable(title, async (signal, report) => {
    report(vscode.l10n.t('Connecting…'));
    const limitedSignal = AbortSignal.any([signal, AbortSignal.timeout(probeTimeoutMs)]);
    const address = await completeAddress(account, typedAddress, limitedSignal);
    return signal.aborted ? undefined : address;
  });
  if (completedAddress === undefined) return undefined;
  const { address, fixes } = completedAddress;
  if (fixes.length === 0) return address;
  return vscode.window.showQuickPick([...fixes, address], { title, ignoreFocusOut: true });
}

/** Loads the module of the connect form on first use. */
const loadConnectModule = () => import('./connect.ts');

async function findAddressProblem(
  account: Account,
  text: string,
): Promise<vscode.InputBoxValidationMessage | undefined> {
  const { findTypedAddressFailure } = await loadConnectModule();
  const failure = text.trim() === '' ? undefined : findTypedAddressFailure(account, text);
  if (failure === undefined) return undefined;
  const { Warning, Error } = vscode.InputBoxValidationSeverity;
  // The user can confirm an unencrypted address in the next step.
  const severity = failure.code === 'unencrypted-address' ? Warning : Error;
  return { message: failure.message, severity };
}

/**
 * Lets the user permit unencrypted requests to an address in the local network. Returns true if the address needs no
 * confirmation, or if the user confirmed it.
 */
async function confirmUnencryptedAddress(
  account: Account,
  { typedAddress, title }: { readonly typedAddress: string; readonly title: string },
): Promise<boolean> {
  const { findTypedAddressFailure } = await loadConnectModule();
  const failure = findTypedAddressFailure(account, typedAddress);
  if (failure?.code !== 'unencrypted-address') return true;
  const changeItem = { label: vscode.l10n.t('Change the address') };
  const allowItem = { label: getActionLabel('allow-unencrypted') };
  const chosenItem = await vscode.window.showQuickPick([changeItem, allowItem], {
    title,
    placeHolder: failure.message,
    ignoreFocusOut: true,
  });
  if (chosenItem !== allowItem) return false;
  await account.allowUnencryptedOrigin(failure.origin ?? '');
  return true;
}

function promptForProfileId(): Thenable<string | undefined> {
  const profiles = readAllProfiles();
  return vscode.window.showInputBox({
    title: vscode.l10n.t('Name'),
    ignoreFocusOut: true,
    validateInput: (name) => {
      switch (findProfileNameProblem(name, profiles)) {
        case 'pattern':
          return vscode.l10n.t(
            'Letters, digits, “-” and “_”, at most 40, starting with a letter or digit.',
          );
        case 'taken':
          return vscode.l10n.t('There is already a connection with this name.');
        case undefined:
          return undefined;
      }
    },
  });
}
