import * as vscode from 'vscode';
import { countDown, showFailure, toShownFailure } from '../../account/vscode/show-failure.ts';
import { systemClock } from '../../base/clock.ts';
import { showCancellable, showProgress, showStatusMessage } from '../../platform/notifications.ts';
import type { ServiceFailure } from '../../service/http/failure.ts';
import type { ModelCatalog } from './model-catalog.ts';

interface RefreshHost {
  readonly models: Pick<
    ModelCatalog,
    | 'refreshForUser'
    | 'cancelRetry'
    | 'failure'
    | 'retryAt'
    | 'isWaiting'
    | 'onDidChange'
    | 'models'
  >;
}

/**
 * Runs "Refresh Models". Shows the number of models, or the failure with its actions. If the service requires a wait,
 * shows a notification that counts down and can cancel the wait. Also forgets which request fields the service refused,
 * so that later requests contain these fields again.
 */
export async function refreshModels(host: RefreshHost): Promise<void> {
  const { models } = host;
  const endController = new AbortController();
  let isCountdownShown = false;
  let isCanceled = false;
  const offerCancellation = async (failure: ServiceFailure, nextRetryAt: number): Promise<void> => {
    isCountdownShown = true;
    isCanceled =
      (await showCountdown(failure, { retryAt: nextRetryAt, endSignal: endController.signal })) ===
      'canceled';
    isCountdownShown = false;
    if (isCanceled) models.cancelRetry();
  };
  const showCountdownOnce = (): void => {
    const { retryAt, failure, isWaiting } = models;
    if (!isWaiting || isCountdownShown || failure === undefined || retryAt === undefined) return;
    void offerCancellation(failure, retryAt);
  };
  const subscription = models.onDidChange(showCountdownOnce);
  // If a refresh already waits for a retry, this command waits for the same refresh.
  showCountdownOnce();
  const options = {
    location: vscode.ProgressLocation.Window,
    title: vscode.l10n.t('Models'),
  };
  await showProgress(options, (report) => {
    report(vscode.l10n.t('Loading…'));
    return models.refreshForUser();
  });
  subscription.dispose();
  endController.abort();
  const { failure, retryAt } = models;
  if (failure === undefined) showStatusMessage(vscode.l10n.t('{0} models', models.models.length));
  else if (!isCanceled) {
    const shownFailure = { ...toShownFailure(failure), retryAt };
    void showFailure(shownFailure, { retry: () => refreshModels(host) });
  }
}

/**
 * Shows a notification that counts down to the next request for the model list. Closes it when the refresh sends this
 * request or ends.
 */
async function showCountdown(
  { message }: ServiceFailure,
  { retryAt, endSignal }: { readonly retryAt: number; readonly endSignal: AbortSignal },
): Promise<'canceled' | 'over'> {
  return showCancellable(message, async (cancelSignal, report) => {
    await countDown(retryAt, {
      clock: systemClock,
      signal: AbortSignal.any([cancelSignal, endSignal]),
      report: (seconds) =>
        report(vscode.l10n.t('Trying again in {0}', vscode.l10n.t('{0} s', seconds))),
    });
    return cancelSignal.aborted ? 'canceled' : 'over';
  });
}
