import * as vscode from 'vscode';
import type { Profile } from '../../../account/profile.ts';
import { systemClock } from '../../../base/clock.ts';
import { isRecord, type JsonRecord, parseJson } from '../../../base/json.ts';
import { hostOf } from '../../../account/vscode/account-view.ts';
import type { Host } from '../../../host.ts';
import { ask } from '../../../platform/notifications.ts';
import { isAllowedByEnvironment } from './environment-account.ts';
import { mintHeadless } from './mint-headless.ts';
import type { MintResult } from './mint-result.ts';
import { expiryWords, limitWords, typeWords } from './option-labels.ts';
import { readAsked } from './read-asked.ts';

/** Hosts whose person is being asked: a program must not pile up dialogs. */
const asking = new WeakSet<object>();

/** Mints for another extension, when the person or the environment allows it. Which one asks cannot be known. */
export async function mintForExtension(host: Host, asked: JsonRecord): Promise<MintResult> {
  const environment = process.env;
  const { profile } = host.account;
  // A copy: what the person agrees to must not change while they read it.
  const options = copyOf(asked);
  const isFree = isAllowedByEnvironment(environment);
  if (!isFree && !(await isAllowedByPerson(host, { profile, options }))) {
    const message = 'The person did not allow it, or is being asked about another key.';
    return { stored: false, problem: 'not-allowed', message };
  }
  // Who agreed that a key is kept did not agree that it is given away when that fails.
  const mayReturn = isFree || options['store'] === false;
  return mintHeadless(host, { profile, options, mayReturn, environment });
}

/** Of what is data in it; the rest is of no use here. */
function copyOf(options: JsonRecord): JsonRecord {
  const copy = parseJson(JSON.stringify(options));
  return isRecord(copy) ? copy : {};
}

async function isAllowedByPerson(
  { account }: Host,
  { profile, options }: { readonly profile: Profile; readonly options: JsonRecord },
): Promise<boolean> {
  if (asking.has(account)) return false;
  asking.add(account);
  try {
    const allow = vscode.l10n.t('Create a key');
    const question = vscode.l10n.t(
      'Another extension wants to create an API key of {0} with the account of the editor’s environment',
      hostOf(profile),
    );
    return (await ask({ question, detail: detailOf(options) }, allow)) === allow;
  } finally {
    asking.delete(account);
  }
}

function detailOf(asked: JsonRecord): string {
  const { read, stores } = readAsked(asked, systemClock.now());
  const kept = stores
    ? vscode.l10n.t('The key is kept in the editor, in place of the one that is in use.')
    : vscode.l10n.t('The other extension gets the key.');
  if (!read.ok) return kept;
  const { options } = read;
  return [
    vscode.l10n.t('Key type: {0}', typeWords(options.type)),
    vscode.l10n.t('Key expires: {0}', expiryWords(options)),
    vscode.l10n.t('Limit: {0}', limitWords(options)),
    kept,
  ].join('\n');
}
