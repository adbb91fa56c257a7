import * as vscode from 'vscode';
import { formatPricing } from '../../service/pricing.ts';
import type { Event } from '../../base/event.ts';
import type { StatusLink, StatusRow, SuggestionStatus } from '../../account/vscode/status-bar.ts';
import type { Host } from '../../host.ts';
import { getConfiguredModel } from './completion-settings.ts';
import type { CompletionContext, SuggestionsState } from './suggestion-state.ts';
import { formatLanguageName } from './reason-messages.ts';
import { formatUsage } from './suggestion-cost.ts';

interface StatusContext extends CompletionContext {
  readonly suggestions: SuggestionsState & { readonly onDidChange: Event<void> };
}

/** Creates the part of the status bar item that describes inline suggestions. */
export const getCompletionStatus = (context: StatusContext): SuggestionStatus => {
  const { suggestions } = context;
  return {
    onDidChange: (listener) => suggestions.onDidChange(listener),
    getIcon: () => getCompletionIcon(suggestions),
    getState: () => (suggestions.state === 'off' ? undefined : formatState(suggestions)),
    getCommand: () =>
      getCompletionIcon(suggestions) === 'warning'
        ? 'inferenceService.completion.explain'
        : undefined,
  };
};

/** Returns the rows about inline suggestions in the quick pick of the status bar, as pairs of name and value. */
export function createCompletionRows({
  host,
  suggestions,
}: CompletionContext): readonly StatusRow[] {
  const { activity, ledger, state } = suggestions;
  const rows: StatusRow[] = [[vscode.l10n.t('Inline suggestions'), formatState(suggestions)]];
  if (state === 'off') return rows;
  rows.push([vscode.l10n.t('Model for suggestions'), formatModelWithPrice(host)]);
  if (activity.latencyMs !== undefined) {
    const latency = vscode.l10n.t('{0} ms to the first text', Math.round(activity.latencyMs));
    rows.push([vscode.l10n.t('Last answer'), latency]);
  }
  rows.push([vscode.l10n.t('This session'), formatUsage(ledger.session)]);
  rows.push([vscode.l10n.t('Today'), formatUsage(ledger.today)]);
  return rows;
}

/** Returns the commands for inline suggestions in the quick pick of the status bar. */
export function createCompletionLinks(suggestions: SuggestionsState): readonly StatusLink[] {
  const { state } = suggestions;
  if (state === 'off' || state === 'other-service' || state === 'too-expensive') {
    return [
      {
        label: vscode.l10n.t('Turn On Inline Suggestions'),
        command: 'inferenceService.completion.turnOn',
      },
    ];
  }
  return [
    ...(state === 'snoozed' ? [createResumeLink()] : createSnoozeLinks()),
    ...createLanguageLinks(suggestions),
    {
      label: vscode.l10n.t('Model for suggestions'),
      command: 'inferenceService.completion.selectModel',
    },
    {
      label: vscode.l10n.t('Why no suggestion here?'),
      command: 'inferenceService.completion.explain',
    },
    {
      label: vscode.l10n.t('Turn Off Inline Suggestions'),
      command: 'inferenceService.completion.turnOff',
    },
  ];
}

/** Returns the name of the status bar icon; undefined if suggestions have no icon. */
export function getCompletionIcon(suggestions: SuggestionsState): string | undefined {
  const { activity, isLanguageOn, state } = suggestions;
  if (state === 'snoozed') return 'debug-pause';
  if (state !== 'on') return undefined;
  if (activity.pausedBy !== undefined) return 'warning';
  if (activity.isSlow) return 'loading~spin';
  return isLanguageOn === false ? 'circle-slash' : 'sparkle';
}

/** Returns a short description of the state of inline suggestions, such as `Off`. */
export function formatState({
  activity,
  isLanguageOn,
  state,
  snoozedUntil,
}: SuggestionsState): string {
  switch (state) {
    case 'too-expensive':
      return vscode.l10n.t('off, since the model now costs more than twice as much');
    case 'untrusted':
      return vscode.l10n.t('off in Restricted Mode');
    case 'off':
    case 'other-service':
    case 'signed-out':
      return vscode.l10n.t('Off');
    case 'snoozed':
      // The snooze may have ended since the state was read.
      return snoozedUntil === undefined
        ? vscode.l10n.t('On')
        : vscode.l10n.t('snoozed until {0}', formatTime(snoozedUntil));
    case 'on':
      if (isLanguageOn === false) return vscode.l10n.t('off for this language');
      return activity.pausedBy === undefined
        ? vscode.l10n.t('On')
        : vscode.l10n.t('paused. {0}', activity.pausedBy.message);
  }
}

const formatTime = (timestamp: number): string =>
  new Date(timestamp).toLocaleTimeString(vscode.env.language, {
    hour: 'numeric',
    minute: '2-digit',
  });

function formatModelWithPrice(host: Host): string {
  const model = getConfiguredModel(host);
  if (model === undefined) return vscode.l10n.t('None');
  const price = formatPricing(model.pricing);
  return price === '' ? model.name : `${model.name} (${price})`;
}

const createResumeLink = (): StatusLink => ({
  label: vscode.l10n.t('Resume'),
  command: 'inferenceService.completion.resume',
});

const createSnoozeLinks = (): readonly StatusLink[] =>
  [5, 30].map((minutes) => ({
    label: `${vscode.l10n.t('Snooze')}: ${vscode.l10n.t('{0} minutes', minutes)}`,
    command: 'inferenceService.completion.snooze',
    args: [minutes],
  }));

function createLanguageLinks({ isLanguageOn }: SuggestionsState): readonly StatusLink[] {
  const command = 'inferenceService.completion.toggleLanguage';
  const languageId = vscode.window.activeTextEditor?.document.languageId;
  if (languageId === undefined) return [];
  const label = isLanguageOn
    ? vscode.l10n.t('Turn off for {0}', formatLanguageName(languageId))
    : vscode.l10n.t('Turn on for {0}', formatLanguageName(languageId));
  return [{ label, command }];
}
