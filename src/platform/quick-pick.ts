import * as vscode from 'vscode';

export const refreshButton = (): vscode.QuickInputButton => ({
  iconPath: new vscode.ThemeIcon('refresh'),
  tooltip: vscode.l10n.t('Refresh'),
});
