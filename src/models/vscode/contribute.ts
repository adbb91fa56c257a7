import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import type { Host } from '../../host.ts';
import { registerCommand } from '../../platform/commands.ts';
import { showProgress, tellQuietly, tellWarning } from '../../platform/notifications.ts';

/** "Refresh models": says how many there are, or why the list could not be had. */
export async function refreshModels({ models }: Pick<Host, 'models'>): Promise<void> {
  const options = {
    location: vscode.ProgressLocation.Window,
    title: vscode.l10n.t('Loading models…'),
  };
  await showProgress(options, () => models.refresh({ force: true }));
  if (models.stale !== undefined) void tellWarning(models.stale);
  else tellQuietly(vscode.l10n.t('{0} models', models.models.length));
}

/** The commands for the catalogue of models. */
export function contributeModels(host: Host): Disposable {
  const owned = new DisposableStore();
  owned.add(
    registerCommand('inferenceService.selectModel', host.log, async () => {
      const { selectModel } = await import('./select-model.ts');
      selectModel(host);
    }),
  );
  owned.add(registerCommand('inferenceService.refreshModels', host.log, () => refreshModels(host)));
  return owned;
}
