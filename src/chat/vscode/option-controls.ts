import * as vscode from 'vscode';
import type { OptionField } from '../protocol/composer.ts';

interface Choice extends Pick<OptionField, 'name' | 'label' | 'help' | 'value'> {
  readonly choices: readonly (readonly [value: string, label: string])[];
}

/** One of a few values. The first choice is what the model or the service does by itself. */
export const choice = ({ choices, ...words }: Choice): OptionField => ({
  ...words,
  kind: 'choice',
  choices: choices.map(([value, label]) => ({ value, label })),
  placeholder: '',
  problem: '',
});

interface TextField extends Pick<OptionField, 'name' | 'label' | 'help' | 'placeholder'> {
  readonly value: string | number | undefined;
}

/** A line of text. */
export const field = ({ value = '', ...words }: TextField): OptionField => ({
  ...words,
  kind: 'text',
  value: String(value),
  choices: [],
  problem: '',
});

export interface FlagWords {
  readonly label: string;
  readonly help: string;
  /** What holds while nothing is chosen. */
  readonly usual: boolean;
}

/** On or off. */
export const flag = (name: string, value: boolean | undefined, words: FlagWords): OptionField =>
  choice({
    name,
    label: words.label,
    help: words.help,
    value: value === undefined || value === words.usual ? '' : String(value),
    choices: [
      ['', words.usual ? vscode.l10n.t('On') : vscode.l10n.t('Off')],
      [String(!words.usual), words.usual ? vscode.l10n.t('Off') : vscode.l10n.t('On')],
    ],
  });
