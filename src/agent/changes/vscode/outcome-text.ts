import * as vscode from 'vscode';
import { visibleSegments } from '../../../base/visible-text.ts';
import type { LabelledConflict, UndoOutcome } from './undo-turn.ts';

/** What the person should know of an undo, a redo or a rejection; undefined when all of it was done and is harmless. */
export function outcomeText({ conflicts, sensitive }: UndoOutcome): string | undefined {
  const sentences = Object.entries(sentencesFor).flatMap(([reason, sentence]) => {
    const labels = conflicts.filter((each) => each.reason === reason).map(({ label }) => label);
    return labels.length === 0 ? [] : [sentence(labels.length, namesOf(labels))];
  });
  if (sensitive.length > 0) {
    sentences.push(
      vscode.l10n.t(
        'Other programs act on files that were changed back: {0}. Look at them before you go on.',
        namesOf(sensitive),
      ),
    );
  }
  return sentences.length === 0 ? undefined : sentences.join(' ');
}

/** Why nothing is decided in a workspace that the person does not trust. */
export const untrustedText = (): string =>
  vscode.l10n.t('Changes cannot be decided until you trust this workspace.');

const sentencesFor: Readonly<
  Record<LabelledConflict['reason'], (count: number, names: string) => string>
> = {
  changed: (count, names) =>
    count === 1
      ? vscode.l10n.t(
          '{0} was left as it is, because it was changed in the same places since. Open it from the list of changes to compare.',
          names,
        )
      : vscode.l10n.t(
          '{0} files were left as they are, because they were changed in the same places since: {1}. Open them from the list of changes to compare.',
          count,
          names,
        ),
  'not-kept': (count, names) =>
    count === 1
      ? vscode.l10n.t('{0} was left as it is, because its other state is no longer kept.', names)
      : vscode.l10n.t(
          '{0} files were left as they are, because their other state is no longer kept: {1}.',
          count,
          names,
        ),
  outside: (count, names) =>
    count === 1
      ? vscode.l10n.t('{0} was left as it is, because it is not in this workspace.', names)
      : vscode.l10n.t(
          '{0} places were left as they are, because they are not in this workspace: {1}.',
          count,
          names,
        ),
  'other-workspace': (count, names) =>
    count === 1
      ? vscode.l10n.t('{0} was left as it is, because it belongs to another workspace.', names)
      : vscode.l10n.t(
          '{0} places were left as they are, because each belongs to another workspace: {1}.',
          count,
          names,
        ),
  unplaced: (count, names) =>
    count === 1
      ? vscode.l10n.t('{0} was left as it is, because its real place was not recorded.', names)
      : vscode.l10n.t(
          '{0} files were left as they are, because their real places were not recorded: {1}.',
          count,
          names,
        ),
};

const namesOf = (labels: readonly string[]): string => labels.slice(0, 5).map(shown).join(', ');

/** Names come from files and journals: what nobody could see in them, or what reorders the text, is written out. */
const shown = (label: string): string =>
  visibleSegments(label)
    .map((segment) => (segment.label === '' ? segment.text : `[${segment.label}]`))
    .join('');
