import * as vscode from 'vscode';
import { showProgress, showStatusMessage, showWarning } from '../../platform/notifications.ts';
import type { ModelCatalog } from './model-catalog.ts';

/** Runs "Refresh Models", and shows the number of models or the reason for a failure. */
export async function refreshModels({ models }: { readonly models: ModelCatalog }): Promise<void> {
  const options = {
    location: vscode.ProgressLocation.Window,
    title: vscode.l10n.t('Loading models…'),
  };
  await showProgress(options, () => models.refresh({ force: true }));
  if (models.staleReason !== undefined) void showWarning(models.staleReason);
  else showStatusMessage(vscode.l10n.t('{0} models', models.models.length));
}
