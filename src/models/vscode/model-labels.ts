import * as vscode from 'vscode';

/** What a model can do, what it is best at, or where its text goes, by the service's name for it, as people read it. */
export function modelTermLabel(name: string): string {
  switch (name) {
    case 'code':
      return vscode.l10n.t('code');
    case 'reasoning':
      return vscode.l10n.t('reasoning');
    case 'vision':
      return vscode.l10n.t('vision');
    case 'tools':
      return vscode.l10n.t('tools');
    case 'web':
      return vscode.l10n.t('web');
    case 'private':
      return vscode.l10n.t('private');
    case 'anonymized':
      return vscode.l10n.t('anonymized');
    case 'attested':
      return vscode.l10n.t('attested');
    case 'encrypted':
      return vscode.l10n.t('encrypted');
    case 'default':
      return vscode.l10n.t('default');
    case 'default_code':
      return vscode.l10n.t('default for code');
    case 'default_reasoning':
      return vscode.l10n.t('default for reasoning');
    case 'default_vision':
      return vscode.l10n.t('default for vision');
    case 'function_calling_default':
      return vscode.l10n.t('default for tools');
    case 'fastest':
      return vscode.l10n.t('fastest');
    case 'highest_quality':
      return vscode.l10n.t('highest quality');
    case 'most_intelligent':
      return vscode.l10n.t('most intelligent');
    case 'most_uncensored':
      return vscode.l10n.t('fewest content limits');
    default:
      return name.replaceAll(/[_-]+/gu, ' ').trim();
  }
}
