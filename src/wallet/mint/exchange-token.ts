import { backoffMs, wait } from '../../base/clock.ts';
import type { NewKey } from '../../service/key-record.ts';
import { MintError, mintWeb3Key } from '../../service/web3-key.ts';
import { WalletError } from '../wallet-failure.ts';
import type { Mint, SignedToken } from './mint.ts';
import { tokenHash } from './mint-journal.ts';
import { lifeLeftMs } from './validation-token.ts';

const maxTries = 5;
/** The first jitter can come out as nothing, and the service's trouble lasts longer than that. */
const shortestWaitMs = 250;

/**
 * Sends a signed token until there is a key or an answer that is final. Sent again is the same token only when the
 * service could not check its signature, and only within its life (spec §7.1).
 * @throws MintError, WalletError `stopped`, and what `keep` throws
 */
export async function exchangeToken(mint: Mint, signed: SignedToken): Promise<NewKey> {
  const { journal, service, signer } = mint;
  const entry = {
    address: signer.address,
    tokenHash: tokenHash(signed.token.token),
    time: service.clock.now(),
  };
  await journal.begin(entry);
  const key = await sendUntilFinal(mint, signed).catch(async (error: unknown) => {
    if (!(error instanceof MintError) || error.problem !== 'maybe-minted') await journal.end(entry);
    throw error;
  });
  await mint.keep?.(key);
  await journal.end(entry);
  return key;
}

async function sendUntilFinal(mint: Mint, signed: SignedToken): Promise<NewKey> {
  for (let tries = 1; ; tries++) {
    try {
      return await sendOnce(mint, signed);
    } catch (error) {
      const delayMs = shortestWaitMs + backoffMs(tries, mint.service.random());
      if (!mayTryAgain(mint, signed, { error, tries, delayMs })) throw error;
      mint.onProgress?.({ step: 'wait', ms: delayMs });
      await waitOrStop(mint, delayMs);
    }
  }
}

function sendOnce(
  { service, signer, options, signal, onProgress }: Mint,
  { token, signature }: SignedToken,
): Promise<NewKey> {
  onProgress?.({ step: 'exchange' });
  const request = { address: signer.address, signature, token: token.token, options };
  return mintWeb3Key(service, request, { signal });
}

function mayTryAgain(
  { service }: Mint,
  { token }: SignedToken,
  { error, tries, delayMs }: { error: unknown; tries: number; delayMs: number },
): boolean {
  const isTransient = error instanceof MintError && error.problem === 'signature-unverified';
  return isTransient && tries < maxTries && delayMs < lifeLeftMs(token, service.clock.now());
}

async function waitOrStop({ service, signal }: Mint, ms: number): Promise<void> {
  await wait(ms, { clock: service.clock, signal }).catch(() => {
    throw new WalletError('stopped', 'Stopped.');
  });
}
