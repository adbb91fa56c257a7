import * as vscode from 'vscode';
import type { Chain } from '../../chain.ts';
import type { CheckedChain } from '../../chain-check.ts';
import { WalletError, type WalletFailure } from '../../wallet-failure.ts';
import type { Host } from '../../../host.ts';
import { showCancellable, tellInformation } from '../../../platform/notifications.ts';
import { chainOf, checkedChain } from '../../vscode/chain-settings.ts';
import { tellWalletFailure } from '../../vscode/wallet-messages.ts';
import { takeWindowLock } from '../../vscode/window-lock.ts';
import { stakingFolder } from './staking-folder.ts';

/** What every command about a stake works with, while no other window does. */
export interface StakingSession {
  readonly host: Host;
  readonly chain: Chain;
  readonly checked: CheckedChain;
  readonly folder: string;
  /** Aborts when another window took over. */
  readonly signal: AbortSignal;
}

/**
 * Runs what a command does, and tells what stands in its way; one at a time on this machine.
 * @returns what `run` returns; undefined when it could not
 */
export async function inStakingSession<T>(
  host: Host,
  run: (session: StakingSession) => Promise<T>,
): Promise<T | undefined> {
  const folder = stakingFolder(host);
  using lock = await takeWindowLock(folder);
  if (lock === undefined) {
    void tellInformation(
      vscode.l10n.t(
        'Another window, or another step in this one, is busy with a stake. Finish or stop it there first.',
      ),
    );
    return undefined;
  }
  // A window that is reloaded does not come to the end of this.
  host.context.subscriptions.push({ dispose: () => lock[Symbol.dispose]() });
  try {
    const chain = chainOf(host.account);
    const checked = await withProgress(vscode.l10n.t('Checking the chain'), lock.lost, (signal) =>
      checkedChain(host, chain, signal),
    );
    return await run({ host, chain, checked, folder, signal: lock.lost });
  } catch (error) {
    tellWalletFailure(failureOf(error, host));
    return undefined;
  }
}

/** Runs behind a notification that can be cancelled; `outer` ends it too. */
export function withProgress<T>(
  title: string,
  outer: AbortSignal,
  run: (signal: AbortSignal, report: (message: string) => void) => Promise<T>,
): Promise<T> {
  return showCancellable(title, (cancelled, report) =>
    run(AbortSignal.any([outer, cancelled]), report),
  );
}

/** As data; what is not known to the wallets' code is logged. */
export function failureOf(error: unknown, { log }: Pick<Host, 'log'>): WalletFailure {
  if (!(error instanceof WalletError)) {
    log.error('Staking failed', error);
    return { code: 'internal-error', detail: 'It failed in a way that is not known.' };
  }
  log.info(`Staking ended: ${error.failure.code}: ${error.failure.detail}`);
  return error.failure;
}
