import * as vscode from 'vscode';
import { showProgress, showStatusMessage, showWarning } from '../../platform/notifications.ts';
import type { Account } from '../../account/vscode/account.ts';
import type { ModelCatalog } from './model-catalog.ts';

interface RefreshHost {
  readonly account: Pick<Account, 'forgetRefusedFields'>;
  readonly models: Pick<ModelCatalog, 'refresh' | 'staleReason' | 'models'>;
}

/**
 * Runs "Refresh Models", and shows the number of models or the reason for a failure. Later requests also try the fields
 * again that services have refused.
 */
export async function refreshModels({ account, models }: RefreshHost): Promise<void> {
  account.forgetRefusedFields();
  const options = {
    location: vscode.ProgressLocation.Window,
    title: vscode.l10n.t('Loading models…'),
  };
  await showProgress(options, () => models.refresh({ force: true }));
  if (models.staleReason !== undefined) void showWarning(models.staleReason);
  else showStatusMessage(vscode.l10n.t('{0} models', models.models.length));
}
