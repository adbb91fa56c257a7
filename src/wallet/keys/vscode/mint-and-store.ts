import type { Profile } from '../../../account/profile.ts';
import type { KeyOptions, NewKey } from '../../../service/key-record.ts';
import { isDeclined } from '../../vscode/wallet-messages.ts';
import { WalletError } from '../../wallet-failure.ts';
import type { Host } from '../../../host.ts';
import { isMintFailure, showMintFailure } from '../../mint/vscode/mint-messages.ts';
import { mintWithWallet } from '../../mint/vscode/mint-with-wallet.ts';

export interface MintAndStoreRequest {
  /** Purpose of the key, shown to the user. */
  readonly purpose: string;
  /** Target profile, as it was when the user started the command. */
  readonly profile: Profile;
  readonly options: KeyOptions;
  /** Stores the key. If the promise rejects, a message shows the key to the user. */
  readonly storeKey: (key: NewKey) => Promise<void>;
  /** Restarts the command from its first prompt. */
  readonly retry: () => unknown;
}

/**
 * Connects a wallet, shows the text to sign, and mints. Reports failures to the user.
 * @returns true when a new key was stored
 */
export async function mintAndStore(
  host: Host,
  { storeKey, retry, ...request }: MintAndStoreRequest,
): Promise<boolean> {
  // The error is dropped, because its text may contain the key.
  const tryStoreKey = (key: NewKey): Promise<boolean> =>
    storeKey(key).then(
      () => true,
      () => false,
    );
  try {
    return (await mintWithWallet(host, { ...request, storeKey: tryStoreKey })) !== undefined;
  } catch (error) {
    if (!isMintFailure(error)) throw error;
    if (isDeclined(error)) return false;
    if (!(error instanceof WalletError)) host.account.report(error.failure, request.profile);
    void showMintFailure(error, { retry, changeOptions: retry });
    return false;
  }
}
