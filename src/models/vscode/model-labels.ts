import * as vscode from 'vscode';
import { findTermLabel, type ModelTerm } from '../protocol.ts';

/**
 * Returns the translated label of a capability or privacy level. Returns other terms, such as traits, untranslated and
 * with spaces between the words.
 */
export const getModelTermLabel = (term: string): string => findTermLabel(getTermLabels(), term);

const getTermLabels = (): Readonly<Record<ModelTerm, string>> => ({
  code: vscode.l10n.t('code'),
  reasoning: vscode.l10n.t('reasoning'),
  vision: vscode.l10n.t('vision'),
  tools: vscode.l10n.t('tools'),
  web: vscode.l10n.t('web'),
  private: vscode.l10n.t('private'),
  anonymized: vscode.l10n.t('anonymized'),
  attested: vscode.l10n.t('attested'),
  encrypted: vscode.l10n.t('encrypted'),
});
