import type { Profile } from '../../../account/profile.ts';
import type { KeyOptions, NewKey } from '../../../service/key-record.ts';
import { isDeclined } from '../../vscode/wallet-messages.ts';
import { showWithActions, showError } from '../../../platform/notifications.ts';
import type { Host } from '../../../host.ts';
import {
  isMintFailure,
  mintFailureActions,
  mintFailureMessage,
} from '../../mint/vscode/mint-messages.ts';
import { mintWithWallet } from '../../mint/vscode/mint-with-wallet.ts';

export interface MintAndStoreRequest {
  /** For people: what the key is for. */
  readonly purpose: string;
  /** That the key is for, as it was when the person asked. */
  readonly profile: Profile;
  readonly options: KeyOptions;
  /** Puts the key where it belongs. A key that is not kept is shown once. */
  readonly storeKey: (key: NewKey) => Promise<void>;
  /** All of it once more, from the person's question on. */
  readonly retry: () => unknown;
}

/**
 * Connects a wallet, shows what is signed, and mints. Says why when it fails.
 * @returns whether there is a new key, and it is kept
 */
export async function mintAndStore(
  host: Host,
  { storeKey, retry, ...request }: MintAndStoreRequest,
): Promise<boolean> {
  // The reason is dropped: it may quote the key.
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
    void showWithActions(
      showError,
      mintFailureMessage(error),
      mintFailureActions(error, { retry, changeOptions: retry }),
    );
    return false;
  }
}
