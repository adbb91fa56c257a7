import * as vscode from 'vscode';
import { showProgress, showStatusMessage, showWarning } from '../../platform/notifications.ts';
import type { ModelCatalogue } from './model-catalogue.ts';

/** "Refresh models": says how many there are, or why the list could not be had. */
export async function refreshModels({
  models,
}: {
  readonly models: ModelCatalogue;
}): Promise<void> {
  const options = {
    location: vscode.ProgressLocation.Window,
    title: vscode.l10n.t('Loading models…'),
  };
  await showProgress(options, () => models.refresh({ force: true }));
  if (models.stale !== undefined) void showWarning(models.stale);
  else showStatusMessage(vscode.l10n.t('{0} models', models.models.length));
}
