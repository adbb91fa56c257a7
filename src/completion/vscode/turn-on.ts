import * as vscode from 'vscode';
import { confirm, showWithActions, showInformation } from '../../platform/notifications.ts';
import { displayHost } from '../../account/vscode/account-view.ts';
import { failureAction } from '../../account/vscode/failure-actions.ts';
import type { Host } from '../../host.ts';
import {
  configuredModel,
  configuredModelPrice,
  setCompletionEnabled,
} from './completion-settings.ts';
import type { CompletionContext } from './suggestion-state.ts';
import { suggestionCost } from './suggestion-cost.ts';

/**
 * Turns inline suggestions on after a confirmation. The confirmation shows the data that is sent, the service and the
 * price.
 * @returns true if suggestions are on afterwards
 */
export async function turnOn({ host, suggestions }: CompletionContext): Promise<boolean> {
  if (!suggestions.isSignedIn) {
    await showWithActions(
      showInformation,
      vscode.l10n.t('Inline suggestions need an address and an API key.'),
      [failureAction(host.account.profile.baseUrl === '' ? 'set-address' : 'set-key')],
    );
    return false;
  }
  const { profile } = host.account;
  await host.models.refresh();
  const turnOnLabel = vscode.l10n.t('Turn On');
  const question = vscode.l10n.t('Turn on inline suggestions?');
  const detail = detailOf(displayHost(profile), modelText(host));
  const price = configuredModelPrice(host);
  if (
    (await confirm({ question, detail }, turnOnLabel)) !== turnOnLabel ||
    host.account.profile !== profile
  ) {
    return false;
  }
  // Store the consent first, because the changed setting would require consent again.
  await suggestions.consent.add({ ...profile, price });
  await setCompletionEnabled(true);
  await suggestions.updateRuntime();
  if (suggestions.state === 'untrusted') {
    void showInformation(
      vscode.l10n.t(
        'Inline suggestions are on, but not in Restricted Mode: trust the workspace to use them here.',
      ),
    );
  }
  return suggestions.state === 'on';
}

/** Offers to turn inline suggestions on, after the first chat answer. */
export async function offerSuggestions(context: CompletionContext): Promise<void> {
  const turnOnLabel = vscode.l10n.t('Turn On…');
  const answer = await showInformation(
    vscode.l10n.t('The same service can suggest code while you type. Turn on inline suggestions?'),
    turnOnLabel,
    vscode.l10n.t('Not Now'),
  );
  if (answer === turnOnLabel) await turnOn(context);
}

function detailOf(serviceHost: string, model: string): string {
  return [
    vscode.l10n.t(
      'While you type, code is sent to {0}: the text around the cursor, and a few lines of other places that are like it. They come from open files, what you changed lately, definitions of names near the cursor, what imported files export, and cells above in a notebook.',
      serviceHost,
    ),
    vscode.l10n.t(
      'Never sent: files that look like secrets, files that your settings, .gitignore or .inferenceignore leave out, the clipboard, and anything in a folder that you have not trusted.',
    ),
    model,
    vscode.l10n.t(
      'Tab takes a suggestion, Escape puts it away. The command “Inference Service: Inline Suggestions…” turns them off: for good, for a language or for a while.',
    ),
  ].join('\n\n');
}

function modelText(host: Host): string {
  const model = configuredModel(host);
  if (model === undefined) {
    return vscode.l10n.t('The list of models is not known yet: the best one for code is used.');
  }
  const cost = suggestionCost(host, model, 100);
  return cost === undefined
    ? vscode.l10n.t('Model: {0}. The service says no price for it.', model.name)
    : vscode.l10n.t('Model: {0}. 100 suggestions cost about {1}.', model.name, cost);
}
