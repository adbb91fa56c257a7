import * as vscode from 'vscode';
import {
  defaultProfileId,
  defaultVendorWord,
  isVendorWord,
  type Profile,
  profileNameProblem,
} from '../profile.ts';
import { baseUrlFailure } from '../../service/http/endpoint.ts';
import { confirm } from '../../platform/notifications.ts';
import type { Account } from './account.ts';
import { displayHost } from './account-view.ts';
import { activateProfile, allProfiles, deleteProfile, saveProfile } from './profile-settings.ts';

/**
 * Runs "Set service address" for the active profile. Returns false if canceled. The user must enter
 * the key again if the origin changes.
 */
export async function setBaseUrl(account: Account): Promise<boolean> {
  const { profile } = account;
  const baseUrl = await promptForBaseUrl(profile.baseUrl);
  if (baseUrl === undefined) return false;
  await saveProfile({ ...profile, baseUrl });
  return true;
}

/** Prompts for a base URL if the active profile has no valid one. Returns false if canceled. */
export async function ensureBaseUrl(account: Account): Promise<boolean> {
  return baseUrlFailure(account.profile.baseUrl) === undefined || setBaseUrl(account);
}

/**
 * Runs "Add profile": prompts for name, base URL and vendor word, then activates the profile.
 * Returns false if canceled.
 */
export async function addProfile(): Promise<boolean> {
  const id = await promptForName();
  if (id === undefined) return false;
  const baseUrl = await promptForBaseUrl('');
  if (baseUrl === undefined) return false;
  const vendorWord = await promptForVendorWord();
  if (vendorWord === undefined) return false;
  await saveProfile({ id, baseUrl, vendorWord });
  await activateProfile(id);
  return true;
}

/**
 * Runs "Remove profile": deletes a profile and its keys after a confirmation. The default profile
 * cannot be removed.
 */
export async function removeProfile(account: Account): Promise<void> {
  const profile = await pickProfile(account, {
    profiles: allProfiles().filter(({ id }) => id !== defaultProfileId),
    title: vscode.l10n.t('Remove profile'),
    placeHolder: vscode.l10n.t('There are no profiles to remove'),
  });
  if (profile === undefined) return;
  const remove = vscode.l10n.t('Remove');
  const question = vscode.l10n.t(
    'Remove the profile “{0}” and its API keys from this machine?',
    profile.id,
  );
  const chosen = await confirm({ question }, remove);
  if (chosen !== remove) return;
  await account.removeKeys(profile.id);
  await deleteProfile(profile.id);
}

/** Runs "Switch profile": prompts for a profile and activates it. */
export async function switchProfile(account: Account): Promise<void> {
  const profile = await pickProfile(account, {
    profiles: allProfiles(),
    title: vscode.l10n.t('Switch profile'),
    placeHolder: vscode.l10n.t('Profile to use'),
  });
  if (profile !== undefined) await activateProfile(profile.id);
}

interface ProfileQuestion {
  readonly profiles: readonly Profile[];
  readonly title: string;
  readonly placeHolder: string;
}

async function pickProfile(
  account: Account,
  { profiles, title, placeHolder }: ProfileQuestion,
): Promise<Profile | undefined> {
  const items = profiles.map((profile) => ({
    label: profile.id,
    description: displayHost(profile),
    iconPath: new vscode.ThemeIcon(profile.id === account.profileId ? 'check' : 'blank'),
    profile,
  }));
  return (await vscode.window.showQuickPick(items, { title, placeHolder }))?.profile;
}

async function promptForBaseUrl(value: string): Promise<string | undefined> {
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t('Address of the service'),
    prompt: vscode.l10n.t('Ends in /api/v1. Only https, or http on this machine.'),
    placeHolder: 'https://…/api/v1',
    value,
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === '' ? undefined : baseUrlFailure(text)?.message),
  });
  const baseUrl = text?.trim();
  return baseUrl === '' ? undefined : baseUrl;
}

function promptForName(): Thenable<string | undefined> {
  const profiles = allProfiles();
  return vscode.window.showInputBox({
    title: vscode.l10n.t('Name of the profile'),
    ignoreFocusOut: true,
    validateInput: (name) => {
      switch (profileNameProblem(name, profiles)) {
        case 'pattern':
          return vscode.l10n.t(
            'Letters, digits, “-” and “_”, at most 40, starting with a letter or digit.',
          );
        case 'taken':
          return vscode.l10n.t('There is already a profile of this name.');
        case undefined:
          return undefined;
      }
    },
  });
}

const promptForVendorWord = (): Thenable<string | undefined> =>
  vscode.window.showInputBox({
    title: vscode.l10n.t('Vendor word of the deployment'),
    prompt: vscode.l10n.t('The word in its own field and header names, as in service_parameters.'),
    value: defaultVendorWord,
    ignoreFocusOut: true,
    validateInput: (word) =>
      isVendorWord(word)
        ? undefined
        : vscode.l10n.t('Lower-case letters and digits, starting with a letter.'),
  });
