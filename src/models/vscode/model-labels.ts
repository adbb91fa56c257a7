import * as vscode from 'vscode';
import { findTermLabel, type ModelTerm } from '../protocol.ts';

/** Returns the translated label of a capability, privacy level or trait. */
export const modelTermLabel = (term: string): string => findTermLabel(getTermLabels(), term);

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
  default: vscode.l10n.t('default'),
  default_code: vscode.l10n.t('default for code'),
  default_reasoning: vscode.l10n.t('default for reasoning'),
  default_vision: vscode.l10n.t('default for vision'),
  function_calling_default: vscode.l10n.t('default for tools'),
  fastest: vscode.l10n.t('fastest'),
  highest_quality: vscode.l10n.t('highest quality'),
  most_intelligent: vscode.l10n.t('most intelligent'),
  most_uncensored: vscode.l10n.t('fewest content limits'),
});
