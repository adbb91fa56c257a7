import * as vscode from 'vscode';
import type { CheckedChain } from '../chain-check.ts';
import type { LocalAccount } from '../local/known-account.ts';
import { type LocalKey, localSigner } from '../local/local-signer.ts';
import { keyBytes } from '../local/private-key.ts';
import type { ConnectOptions, LocalSigner, WalletConnection } from '../signer.ts';
import type { Host } from '../../host.ts';
import { checkedChain } from './checked-chain.ts';
import { StoredKeys } from './stored-keys.ts';
import { readKeystore, unlockKeystore } from '../local/vscode/unlock-keystore.ts';

/** A connection whose signer has its key on this machine. */
export type LocalConnection = WalletConnection & { readonly signer: LocalSigner };

/**
 * Makes sure that the chain is the right one, and signs with an account of this machine. A keystore file's password is
 * asked for with each signature.
 * @throws WalletError `chain-unreachable`, `chain-mismatch`, `not-a-contract`, `stopped`
 */
export async function connectLocalAccount(
  host: Host,
  account: LocalAccount,
  { chain, purpose, signal }: Pick<ConnectOptions, 'chain' | 'purpose' | 'signal'>,
): Promise<LocalConnection> {
  const { client }: CheckedChain = await checkedChain(host, chain, signal);
  const open: LocalKey['open'] = (stop) => openKey(host, account, { purpose, signal: stop });
  const key: LocalKey = { kind: account.kind, address: account.address, open };
  // No page shows steps here: the flow's own messages do.
  return {
    signer: localSigner(key, client),
    show() {},
    async finish() {},
    dispose() {},
  };
}

async function openKey(
  host: Host,
  account: LocalAccount,
  { purpose, signal }: Pick<ConnectOptions, 'purpose' | 'signal'>,
): Promise<Uint8Array> {
  if (account.kind !== 'keystore') {
    return keyBytes(await new StoredKeys(host.context).read(account.address));
  }
  const file = await readKeystore(vscode.Uri.parse(account.file, true));
  return unlockKeystore({ ...file, address: account.address }, purpose, signal);
}
