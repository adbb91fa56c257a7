import type { NewKey } from '../../../service/key-record.ts';
import { mintKey } from '../mint.ts';
import type { Host } from '../../../host.ts';
import { prepareMint, type ToPrepare } from './prepare-mint.ts';

export interface MintWith extends ToPrepare {
  /**
   * Puts the key where it belongs. Until it has returned, the key counts as one that may have been lost; absent when
   * the caller cannot lose it.
   */
  readonly keep?: (key: NewKey) => Promise<void>;
}

/**
 * Mints a key with `signer` at the profile's address, without asking or telling anybody: for scripts and other extensions.
 * @throws MintError, WalletError, ServiceError, and what `keep` throws
 */
export async function mintWith(
  host: Pick<Host, 'account'>,
  { keep, ...request }: MintWith,
): Promise<NewKey> {
  const mint = prepareMint(host, request);
  return mintKey(keep === undefined ? mint : { ...mint, keep });
}
