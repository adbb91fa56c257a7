import * as vscode from 'vscode';
import { confirm, showWithActions, showInformation } from '../../platform/notifications.ts';
import { getDisplayHost } from '../../account/vscode/account-view.ts';
import { createFailureAction } from '../../account/vscode/failure-actions.ts';
import type { Host } from '../../host.ts';
import {
  getConfiguredModel,
  getConfiguredModelPrice,
  setCompletionEnabled,
} from './completion-settings.ts';
import type { CompletionContext } from './suggestion-state.ts';
import type { RequestTokens } from '../model-choice.ts';
import { formatSuggestionCost } from './suggestion-cost.ts';

/**
 * Turns inline suggestions on after the user confirms a dialog. The dialog has at most 40 words, and shows the data
 * that is sent, the service and the price.
 * @returns true if suggestions are on afterwards
 */
export async function turnOnSuggestions({
  host,
  suggestions,
}: CompletionContext): Promise<boolean> {
  if (!suggestions.isSignedIn) {
    await showWithActions(
      showInformation,
      vscode.l10n.t('Inline suggestions need an address and an API key.'),
      [createFailureAction(host.account.profile.baseUrl === '' ? 'set-address' : 'set-key')],
    );
    return false;
  }
  const { profile } = host.account;
  await host.models.refresh();
  const turnOnLabel = vscode.l10n.t('Turn On');
  const learnMoreLabel = vscode.l10n.t('Learn More');
  const question = vscode.l10n.t('Turn on inline suggestions?');
  const detail = formatConsentDetail(getDisplayHost(profile), formatModelAndPrice(host));
  const price = getConfiguredModelPrice(host);
  const confirmation = { question, detail, severity: 'information' } as const;
  const answer = await confirm(confirmation, turnOnLabel, learnMoreLabel);
  if (answer === learnMoreLabel) await showGuide(host);
  if (answer !== turnOnLabel || host.account.profile !== profile) return false;
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

const formatConsentDetail = (serviceHost: string, model: string): string =>
  [
    vscode.l10n.t(
      'While you type, code around the cursor and related snippets go to {0}. Secret and ignored files do not.',
      serviceHost,
    ),
    model,
  ].join('\n\n');

/** Opens the packaged guide at the section that lists the data in requests for suggestions. */
async function showGuide({ context }: Host): Promise<void> {
  const pageUri = vscode.Uri.joinPath(context.extensionUri, 'docs', 'inline-suggestions.md');
  const guideUri = pageUri.with({ fragment: 'what-is-sent' });
  await vscode.commands.executeCommand('markdown.showPreview', guideUri);
}

/**
 * Formats the name of the model and the price of 100 requests. By default, these are requests for inline suggestions.
 */
export function formatModelAndPrice(host: Host, tokens?: RequestTokens): string {
  const model = getConfiguredModel(host);
  if (model === undefined) {
    return vscode.l10n.t('The list of models is not known yet: the best one for code is used.');
  }
  const cost = formatSuggestionCost(host, model, { count: 100, tokens });
  return cost === undefined
    ? vscode.l10n.t('Model: {0}. The service states no price for it.', model.name)
    : vscode.l10n.t('Model: {0}. 100 suggestions cost about {1}.', model.name, cost);
}
