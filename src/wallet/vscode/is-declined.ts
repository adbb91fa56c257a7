import type { ServiceError } from '../../service/http/failure.ts';
import { MintError } from '../../service/web3-key.ts';
import type { WalletError } from '../wallet-failure.ts';

/** Whether the person themselves ended it, so that there is nothing to tell them: not when a key may be there. */
export function isDeclined(
  error: Pick<MintError | WalletError | ServiceError, 'failure'>,
): boolean {
  if (error instanceof MintError && error.problem !== 'failed') return false;
  return error.failure.code === 'rejected' || error.failure.code === 'stopped';
}
