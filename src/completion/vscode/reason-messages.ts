import * as vscode from 'vscode';
import { getDisplayHost } from '../../account/vscode/account-view.ts';
import { createFailureAction, isChatAction } from '../../account/vscode/failure-actions.ts';
import { isRecord } from '../../base/json.ts';
import type { PipelineCause, FilterName, EditorCause, Reason } from '../reason.ts';
import { completionSection } from './completion-settings.ts';
import type { Host } from '../../host.ts';
import type { CommandId } from '../../platform/command-ids.ts';
import type { Action } from '../../platform/notifications.ts';
import { setChoice } from '../../platform/settings.ts';
import { failureTable, type ServiceFailure } from '../../service/http/failure.ts';

/** Message that explains why there is no suggestion, with actions. */
export interface ReasonMessage {
  readonly text: string;
  readonly actions: readonly Action[];
}

export function formatReason(reason: Reason, host: Pick<Host, 'account'>): ReasonMessage {
  switch (reason.kind) {
    case 'rule':
      return formatCause(reason.rule, host);
    case 'filtered':
      return {
        text: formatFilterReason(reason.filter),
        actions: [createTriggerAction(), createChooseModelAction()],
      };
    case 'paused':
      return {
        text: vscode.l10n.t(
          'Too many requests failed, so none is made until {0}. {1}',
          new Date(reason.until).toLocaleTimeString(vscode.env.language),
          reason.failure.message,
        ),
        actions: createFailureActions(reason.failure),
      };
    case 'failed':
      return { text: reason.failure.message, actions: createFailureActions(reason.failure) };
  }
}

const createReasonMessage = (text: string, ...actions: Action[]): ReasonMessage => ({
  text,
  actions,
});

function formatCause(
  cause: EditorCause | PipelineCause,
  { account }: Pick<Host, 'account'>,
): ReasonMessage {
  switch (cause) {
    case 'off':
      return createReasonMessage(
        vscode.l10n.t('Inline suggestions are off.'),
        createCommandAction('turnOn', vscode.l10n.t('Turn On')),
      );
    case 'other-service':
      return createReasonMessage(
        vscode.l10n.t(
          'Inline suggestions are off for {0}: on this machine you have not agreed to have code sent there.',
          getDisplayHost(account.profile),
        ),
        createCommandAction('turnOn', vscode.l10n.t('Turn On')),
      );
    case 'language-off':
      return createReasonMessage(
        vscode.l10n.t('Inline suggestions are off for this language.'),
        createCommandAction('toggleLanguage', vscode.l10n.t('Turn On')),
      );
    case 'snoozed':
      return createReasonMessage(
        vscode.l10n.t('Inline suggestions are snoozed.'),
        createCommandAction('resume', vscode.l10n.t('Resume')),
      );
    case 'untrusted':
      return createReasonMessage(
        vscode.l10n.t('Inline suggestions are off in Restricted Mode.'),
        createAction('workbench.trust.manage', vscode.l10n.t('Manage workspace trust')),
      );
    case 'scheme':
      return createReasonMessage(vscode.l10n.t('There are no suggestions in this kind of editor.'));
    case 'secret-file':
      return createReasonMessage(
        vscode.l10n.t('This file may hold secrets, so nothing of it is sent.'),
      );
    case 'excluded-file':
      return createReasonMessage(
        vscode.l10n.t(
          'This file is excluded by a setting or an ignore file, so nothing of it is sent.',
        ),
        createSettingsAction('', vscode.l10n.t('Open Settings')),
      );
    case 'unchecked-file':
      return createReasonMessage(
        vscode.l10n.t(
          'It could not be checked whether this file is excluded, so nothing of it is sent. Check that it, its links and the ignore files can be read.',
        ),
      );
    case 'signed-out':
      return createReasonMessage(
        account.view.message ?? vscode.l10n.t('Inline suggestions need an address and an API key.'),
        createFailureAction(account.profile.baseUrl === '' ? 'set-address' : 'set-key'),
      );
    case 'no-model':
      return createReasonMessage(
        vscode.l10n.t(
          'The service does not offer the chosen model, or its models are not known yet.',
        ),
        createChooseModelAction(),
      );
    case 'too-expensive':
      return createReasonMessage(
        vscode.l10n.t(
          'The best model for code now costs more than twice what you agreed to, so nothing is requested.',
        ),
        createCommandAction('turnOn', vscode.l10n.t('Turn On')),
        createChooseModelAction(),
      );
    case 'manual':
      return createReasonMessage(
        vscode.l10n.t('By setting, suggestions appear only on request.'),
        createTriggerAction(),
        createSettingsAction('.automatic', vscode.l10n.t('Open Settings')),
      );
    case 'code-after-cursor':
      return createReasonMessage(
        vscode.l10n.t('There is code after the cursor on this line.'),
        createTriggerAction(),
      );
    case 'comment':
      return createReasonMessage(vscode.l10n.t('Inline suggestions are off in comments.'), {
        label: vscode.l10n.t('Turn On'),
        run: () => setChoice('inferenceService.completion.inComments', true),
      });
    case 'deleting':
    case 'low-acceptance':
      return createReasonMessage(
        vscode.l10n.t('No suggestion was requested yet. Pause, or ask now.'),
        createTriggerAction(),
      );
    case 'moved-on':
      return createReasonMessage(
        vscode.l10n.t('The model’s answer came too late.'),
        createTriggerAction(),
      );
    case 'too-slow':
      return createReasonMessage(
        vscode.l10n.t('The model’s answer came too late.'),
        createTriggerAction(),
        createChooseModelAction(),
      );
    case 'already-typed':
      return createReasonMessage(formatRepetitionMessage(), createTriggerAction());
    case 'too-many-requests':
      return createReasonMessage(
        vscode.l10n.t(
          'There were too many requests in the last minute. They continue in a moment.',
        ),
      );
    case 'long-line':
    case 'empty-document':
      return createReasonMessage(
        vscode.l10n.t('There is too little text here, or the line is too long.'),
      );
  }
}

function formatFilterReason(filter: FilterName): string {
  switch (filter) {
    case 'blank':
      return vscode.l10n.t('The model had nothing to add here.');
    case 'prose':
    case 'repeats-itself':
    case 'control-characters':
      return vscode.l10n.t('The model’s answer was not usable code. Choose another model.');
    case 'echo':
    case 'repeats-previous-lines':
    case 'repeats-suffix':
    case 'just-deleted':
      return formatRepetitionMessage();
    case 'unbalanced':
    case 'does-not-fit-line':
      return vscode.l10n.t('The model’s answer did not fit here.');
  }
}

const formatRepetitionMessage = (): string =>
  vscode.l10n.t('The model suggested only code that is here already or that you just removed.');

/** Returns the actions to offer for a failure, except for actions that require a chat. */
function createFailureActions({ code, origin }: ServiceFailure): readonly Action[] {
  const { actions } = failureTable[code];
  return actions.flatMap((action) => {
    if (action === 'choose-model') return [createChooseModelAction()];
    return isChatAction(action) ? [] : [createFailureAction(action, origin)];
  });
}

export const createTriggerAction = (): Action =>
  createCommandAction('trigger', vscode.l10n.t('Ask now'));
const createChooseModelAction = (): Action =>
  createCommandAction('selectModel', vscode.l10n.t('Choose another model'));

const createAction = (id: string, label: string, ...args: unknown[]): Action => ({
  label,
  run: () => vscode.commands.executeCommand(id, ...args),
});

type CompletionCommandName<Id = CommandId> = Id extends `inferenceService.completion.${infer Name}`
  ? Name
  : never;

const createCommandAction = (name: CompletionCommandName, label: string): Action =>
  createAction(`inferenceService.completion.${name}`, label);

const createSettingsAction = (name: string, label: string): Action =>
  createAction('workbench.action.openSettings', label, `${completionSection}${name}`);

/**
 * Returns the display name of a language, such as `TypeScript`. If no extension contributes a name, returns the id in
 * quotes.
 */
export function formatLanguageName(id: string): string {
  const displayName = cachedLanguageNames.get(id) ?? findContributedName(id) ?? `“${id}”`;
  cachedLanguageNames.set(id, displayName);
  return displayName;
}

/** Cached display names by language id. Searching all extensions on every status update would be too slow. */
const cachedLanguageNames = new Map<string, string>();

function findContributedName(id: string): string | undefined {
  for (const { packageJSON } of vscode.extensions.all) {
    const name = findLanguageName(packageJSON, id);
    if (name !== undefined) return name;
  }
  return undefined;
}

function findLanguageName(manifest: unknown, id: string): string | undefined {
  const contributes = isRecord(manifest) ? manifest['contributes'] : undefined;
  const languages = isRecord(contributes) ? contributes['languages'] : undefined;
  if (!Array.isArray(languages)) return undefined;
  for (const language of languages) {
    if (!isRecord(language) || language['id'] !== id || !Array.isArray(language['aliases']))
      continue;
    const name: unknown = language['aliases'][0];
    if (typeof name === 'string' && name !== '') return name;
  }
  return undefined;
}
