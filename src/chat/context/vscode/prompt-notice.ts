import * as vscode from 'vscode';
import type { Followed } from './follow-prompt.ts';

/**
 * What the person is told of a prompt that is in the composer.
 * @param name With its slash.
 * @param unfilled The variables that it has no value for.
 */
export function promptNotice(
  name: string,
  { changed, wantsAgent, weaker }: Followed,
  unfilled: readonly string[],
): string {
  const sentences = [
    ...(weaker === undefined ? [] : [keptModel(name, weaker)]),
    ...(wantsAgent ? [keptMode(name)] : []),
    ...(unfilled.length === 0 ? [] : [toFillIn(unfilled)]),
    changed.length === 0
      ? vscode.l10n.t('Read the prompt, then send it.')
      : vscode.l10n.t(
          'Switched to {0}, as {1} asks. Read the prompt, then send it.',
          changed.join(', '),
          name,
        ),
  ];
  return sentences.join(' ');
}

const keptModel = (name: string, { wanted, stays }: NonNullable<Followed['weaker']>): string =>
  vscode.l10n.t(
    '{0} asks for {1}, which protects less: {2} stays until you choose another model.',
    name,
    wanted,
    stays,
  );

const keptMode = (name: string): string =>
  vscode.l10n.t('{0} is for Agent mode, which only you switch to.', name);

const toFillIn = (unfilled: readonly string[]): string =>
  vscode.l10n.t('Not filled in: {0}.', unfilled.map((key) => `\${${key}}`).join(', '));
