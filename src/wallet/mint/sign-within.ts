import type { Clock } from '../../base/clock.ts';
import { MintError } from '../../service/web3-key.ts';
import type { Hex } from '../chain.ts';
import { WalletError } from '../wallet-failure.ts';

interface Life {
  /** Of the token that is to be signed. */
  readonly ms: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Waits for a signature no longer than the token lives, whether or not the wallet ever answers.
 * @throws MintError `token-expired`, when the time is over
 * @throws WalletError `stopped`, and what `sign` throws
 */
export async function signWithin(
  { ms, clock, signal }: Life,
  sign: (signal: AbortSignal) => Promise<Hex>,
): Promise<Hex> {
  const end = new AbortController();
  const stop = (): void => end.abort(new WalletError('stopped', 'Stopped.'));
  const cancel = clock.after(ms, () => end.abort(expired()));
  signal.addEventListener('abort', stop, { once: true });
  try {
    if (signal.aborted) stop();
    return await Promise.race([aborted(end.signal), signUnless(end.signal, sign)]);
  } finally {
    cancel();
    signal.removeEventListener('abort', stop);
  }
}

/** Rejects with the reason of the abort. */
const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const fail = (): void => reject(signal.reason as Error);
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });

const signUnless = async (
  signal: AbortSignal,
  sign: (signal: AbortSignal) => Promise<Hex>,
): Promise<Hex> => {
  signal.throwIfAborted();
  return sign(signal);
};

const expired = (): MintError =>
  new MintError('token-expired', {
    code: 'timeout',
    message: 'The wallet was open for longer than what it was to sign is good for.',
  });
