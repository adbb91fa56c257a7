import * as vscode from 'vscode';
import { formatUsd } from '../../base/amounts.ts';
import { suggestionPrice } from '../../completion/model-choice.ts';
import type { Model } from '../../service/model-types.ts';
import { offer } from '../account/action.ts';
import { hostOf } from '../account/account-words.ts';
import { failureAction } from '../failure-action.ts';
import { ask, tellInformation } from '../tell.ts';
import { chosenModel } from './chosen-model.ts';
import type { CompletionParts } from './completion-parts.ts';
import { setCompletionEnabled } from './completion-settings.ts';

/**
 * Turns inline suggestions on, after a question that says what is sent, where, and what it costs.
 * @returns whether they are on now
 */
export async function turnOn({ host, suggestions }: CompletionParts): Promise<boolean> {
  if (!suggestions.isSignedIn) {
    await offer(
      tellInformation,
      vscode.l10n.t('Inline suggestions need an address and an API key.'),
      [failureAction(host.account.profile.baseUrl === '' ? 'set-address' : 'set-key')],
    );
    return false;
  }
  const { profile } = host.account;
  await host.models.refresh();
  const yes = vscode.l10n.t('Turn On');
  const question = vscode.l10n.t('Turn on inline suggestions?');
  const detail = detailOf(hostOf(profile), chosenModel(host));
  if ((await ask({ question, detail }, yes)) !== yes || host.account.profile !== profile) {
    return false;
  }
  await suggestions.agreement.add(profile);
  await setCompletionEnabled(true);
  await suggestions.follow();
  if (suggestions.state === 'untrusted') {
    void tellInformation(
      vscode.l10n.t(
        'Inline suggestions are on, but not in Restricted Mode: trust the workspace to use them here.',
      ),
    );
  }
  return suggestions.state === 'on';
}

/** Made when the first answer of a chat has shown that all works. */
export async function offerSuggestions(parts: CompletionParts): Promise<void> {
  const yes = vscode.l10n.t('Turn On…');
  const answer = await tellInformation(
    vscode.l10n.t('The same service can suggest code while you type. Turn on inline suggestions?'),
    yes,
    vscode.l10n.t('Not Now'),
  );
  if (answer === yes) await turnOn(parts);
}

function detailOf(address: string, model: Model | undefined): string {
  return [
    vscode.l10n.t(
      'While you type, the code around the cursor and pieces of open and imported files are sent to {0}. Files that look secret or are excluded are never sent.',
      address,
    ),
    modelText(model),
    vscode.l10n.t(
      'To turn them off, for good, for a language or for a while, use Inference Service in the status bar.',
    ),
  ].join('\n\n');
}

function modelText(model: Model | undefined): string {
  if (model === undefined) {
    return vscode.l10n.t('The list of models is not known yet: the best one for code is used.');
  }
  const price = suggestionPrice(model);
  return price === undefined
    ? vscode.l10n.t('Model: {0}. The service says no price for it.', model.name)
    : vscode.l10n.t(
        'Model: {0}. 100 suggestions cost about {1}.',
        model.name,
        formatUsd(price * 100),
      );
}
