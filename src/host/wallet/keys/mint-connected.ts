import * as vscode from 'vscode';
import type { KeyOptions, NewKey } from '../../../service/key-types.ts';
import { mintKey } from '../../../wallet/mint/mint-key.ts';
import type { Host } from '../../host.ts';
import { tellError } from '../../tell.ts';
import { chainOf } from '../chain-settings.ts';
import { confirmReview } from '../confirm-review.ts';
import { connectWallet } from '../connect-wallet.ts';
import { showUnkeptKey } from '../mint/keep-minted-key.ts';
import { isMintFailure, mintFailureWords } from '../mint/mint-words.ts';
import { prepareMint } from '../mint/prepare-mint.ts';
import { withCancel } from './tell-key-failure.ts';

export interface MintConnected {
  /** For people: what the key is for. */
  readonly purpose: string;
  readonly options: KeyOptions;
  /** Puts the key where it belongs. A key that is not kept is shown once. */
  readonly keep: (key: NewKey) => Promise<void>;
}

/**
 * Connects a wallet, shows what is signed, and mints. Says why when it fails.
 * @returns whether there is a new key, and it is kept
 */
export function mintConnected(host: Host, request: MintConnected): Promise<boolean> {
  return withCancel(request.purpose, async (signal) => {
    try {
      return await connectAndMint(host, request, signal);
    } catch (error) {
      if (!isMintFailure(error)) throw error;
      const { code } = error.failure;
      if (code !== 'stopped' && code !== 'rejected') void tellError(mintFailureWords(error));
      return false;
    }
  });
}

async function connectAndMint(
  host: Host,
  { purpose, options, keep }: MintConnected,
  signal: AbortSignal,
): Promise<boolean> {
  const chain = chainOf(host.account);
  const steps = ['connect', 'network', 'sign'] as const;
  const connection = await connectWallet(host, { chain, purpose, steps, signal });
  let isKept = true;
  try {
    const mint = await prepareMint(host, { signer: connection.signer, options, signal });
    connection.show('sign', 'current');
    await mintKey({
      ...mint,
      confirm: (review) => confirmReview(review, vscode.l10n.t('Sign')),
      keep: async (key) => {
        // The reason is dropped: it may quote the key.
        isKept = await keep(key).then(
          () => true,
          () => false,
        );
        if (!isKept) await showUnkeptKey(key);
      },
    });
    connection.show('sign', 'done');
    await connection.finish('done', vscode.l10n.t('The API key is in the editor.'));
    return isKept;
  } catch (error) {
    const words = isMintFailure(error) ? mintFailureWords(error) : '';
    await connection.finish('failed', words).catch(() => {});
    throw error;
  } finally {
    connection.dispose();
  }
}
