import * as vscode from 'vscode';
import type { Address, Chain } from '../../chain.ts';
import { openChain } from '../../chain-client.ts';
import type { StoredAccount } from '../../local/known-account.ts';
import { localSigner } from '../../local/local-signer.ts';
import { keyBytes } from '../../local/private-key.ts';
import type { LocalSigner } from '../../signer.ts';
import { WalletError } from '../../wallet-failure.ts';
import { KnownAccounts, StoredKeys } from '../../vscode/known-accounts.ts';

/**
 * The account that signs requests without asking. Its key is read for each signature: once the account is disconnected,
 * nothing more is signed.
 * @throws WalletError `no-wallet`
 */
export function payingSigner(
  context: Pick<vscode.ExtensionContext, 'secrets' | 'globalState'>,
  { address, chain }: { address: Address; chain: Chain },
): LocalSigner {
  const account = storedAccounts(context).find((each) => each.address === address);
  if (account === undefined) {
    throw new WalletError(
      'no-wallet',
      vscode.l10n.t('{0} is not an account of this editor any more.', address),
    );
  }
  const keys = new StoredKeys(context);
  const open = async (): Promise<Uint8Array> => keyBytes(await keys.read(address));
  return localSigner({ kind: account.kind, address, open }, openChain(chain));
}

/** The accounts whose keys the editor holds: a keystore file would ask for its password each time. */
export const storedAccounts = ({
  globalState,
}: Pick<vscode.ExtensionContext, 'globalState'>): readonly StoredAccount[] =>
  new KnownAccounts({ globalState }).all.filter(
    (account): account is StoredAccount =>
      account.kind === 'private-key' || account.kind === 'mnemonic',
  );
