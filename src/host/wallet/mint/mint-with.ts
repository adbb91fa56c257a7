import type { KeyOptions, NewKey } from '../../../service/key-types.ts';
import { mintKey } from '../../../wallet/mint/mint-key.ts';
import type { Signer } from '../../../wallet/signer.ts';
import type { Host } from '../../host.ts';
import { prepareMint } from './prepare-mint.ts';

export interface MintWith {
  readonly signer: Signer;
  readonly options: KeyOptions;
  readonly signal: AbortSignal;
  /**
   * Puts the key where it belongs. Until it has returned, the key counts as one that may have been lost; absent when
   * the caller cannot lose it.
   */
  readonly keep?: (key: NewKey) => Promise<void>;
}

/**
 * Mints a key with `signer` at the active profile's address, without asking or telling anybody: for rotation, keys of
 * workspaces and scripts.
 * @throws MintError, WalletError, ServiceError, and what `keep` throws
 */
export async function mintWith(
  host: Pick<Host, 'account'>,
  { keep, ...request }: MintWith,
): Promise<NewKey> {
  const mint = await prepareMint(host, request);
  return mintKey(keep === undefined ? mint : { ...mint, keep });
}
