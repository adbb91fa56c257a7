import * as vscode from 'vscode';
import { systemClock } from '../../../base/clock.ts';
import type { Chain } from '../../chain.ts';
import { lookUpTopUps } from '../signed-top-up.ts';
import type { Host } from '../../../host.ts';
import { showCancellable, tellInformation, tellWarning } from '../../../platform/notifications.ts';
import { chainOf, checkedChain } from '../../vscode/chain-settings.ts';
import { tellFailure } from './tell-failure.ts';
import { TopUpStore } from './top-up-store.ts';
import { pendingWords } from './payment-messages.ts';

/**
 * Shows how earlier payments ended. True while one of them can still be carried out: no other payment is signed then.
 * A payment that cannot be read counts as open.
 * @throws WalletError
 */
export async function hasOpenTopUp(host: Host, chain: Chain): Promise<boolean> {
  const store = new TopUpStore(host.context.globalState);
  const hasUnreadable = store.hasUnreadable();
  if (hasUnreadable) void tellWarning(newerPaymentMessage());
  return (await hasOpenRecord(host, chain, store)) || hasUnreadable;
}

async function hasOpenRecord(host: Host, chain: Chain, store: TopUpStore): Promise<boolean> {
  if (store.list().length === 0) return false;
  const title = vscode.l10n.t('Looking for the earlier payment…');
  const found = await showCancellable(title, async (signal) =>
    lookUpTopUps(await checkedChain(host, chain, signal), {
      journal: store,
      clock: systemClock,
      signal,
    }),
  );
  for (const each of found) {
    const tell = each.state.kind === 'paid' ? tellInformation : tellWarning;
    void tell(pendingWords(each));
  }
  return found.some(({ state }) => state.kind === 'open');
}

const newerPaymentMessage = (): string =>
  vscode.l10n.t(
    'A newer version of Inference Service noted an earlier payment. Update the extension to finish it.',
  );

/** The same by itself, after a reload. */
export async function tellOpenTopUps(host: Host): Promise<void> {
  try {
    await hasOpenTopUp(host, chainOf(host.account));
  } catch (error) {
    tellFailure(error);
  }
}
