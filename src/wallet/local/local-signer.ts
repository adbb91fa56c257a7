import * as l10n from '@vscode/l10n';
import type { PrivateKeyAccount } from 'viem/accounts';
import type { ChainClient } from '../chain-client.ts';
import type { Address } from '../chain.ts';
import type { LocalSigner } from '../signer.ts';
import { WalletError } from '../wallet-failure.ts';
import { prepareTransaction } from './prepare-transaction.ts';
import { withKey } from './private-key.ts';
import { sendSigned } from './send-signed.ts';

/** An account on this machine, and the way to its key. */
export interface LocalKey {
  readonly kind: LocalSigner['kind'];
  readonly address: Address;
  /**
   * The 32 bytes of the private key, for one signature; the signer overwrites them after it. Called only when all else
   * is ready.
   * @throws WalletError `rejected`, `wrong-password`, `invalid-keystore`, `no-wallet`, `stopped`
   */
  open(signal: AbortSignal): Promise<Uint8Array>;
}

/** Signs with a key of this machine; transactions go out over `client`, with the fee that its node estimates. */
export function localSigner(key: LocalKey, client: ChainClient): LocalSigner {
  const { kind, address } = key;
  const sign = <T>(
    signal: AbortSignal,
    run: (account: PrivateKeyAccount) => Promise<T>,
  ): Promise<T> => withAccount(key, signal, run);
  return {
    kind,
    address,
    signMessage: ({ text }, signal) =>
      sign(signal, (account) => account.signMessage({ message: text })),
    signTypedData: (data, signal) => sign(signal, (account) => account.signTypedData({ ...data })),
    sendTransaction: async (transaction, signal) => {
      const prepared = await prepareTransaction(client, { from: address, transaction }, signal);
      const signed = await sign(signal, (account) => account.signTransaction(prepared));
      return sendSigned(client, signed);
    },
  };
}

async function withAccount<T>(
  key: LocalKey,
  signal: AbortSignal,
  run: (account: PrivateKeyAccount) => Promise<T>,
): Promise<T> {
  if (signal.aborted) throw new WalletError('stopped', 'Nothing was signed.');
  return withKey(await key.open(signal), async (account) => {
    if (signal.aborted) throw new WalletError('stopped', 'Nothing was signed.');
    if (account.address === key.address) return run(account);
    throw new WalletError('invalid-keystore', l10n.t('The key is not that of the account.'));
  });
}
