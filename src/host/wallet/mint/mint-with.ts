import type { KeyOptions, NewKey } from '../../../service/key-types.ts';
import type { Signer } from '../../../wallet/signer.ts';
import type { Host } from '../../host.ts';

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
export function mintWith(_host: Host, _request: MintWith): Promise<NewKey> {
  return Promise.reject(new Error('Minting is not there yet.'));
}
