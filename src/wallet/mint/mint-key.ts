import type { NewKey } from '../../service/key-record.ts';
import { getValidationToken, MintError, type MintProblem } from '../../service/web3-key.ts';
import { WalletError } from '../wallet-failure.ts';
import { checkSignatureCheckSignature as checkSignature } from '../verify.ts';
import { exchangeToken } from './exchange-token.ts';
import type { Mint, SignedToken } from './mint.ts';
import { signWithin } from './sign-within.ts';
import { type CheckedToken, checkValidationToken, lifeLeftMs } from './validation-token.ts';

/** A token with so little left could expire on its way back. */
const shortestLifeMs = 30_000;

/**
 * Mints one key: token, checks, signature, its own check of that, exchange (spec §5.3). A token that the service does
 * not accept any more is replaced by a fresh one once, and signed again at once.
 * @throws MintError, WalletError, ServiceError, and what `keep` throws
 */
export async function mintKey(mint: Mint): Promise<NewKey> {
  const signed = await signToken(mint, await confirmedToken(mint));
  try {
    return await exchangeToken(mint, signed);
  } catch (error) {
    if (!(error instanceof MintError) || !isOfToken(error.problem)) throw error;
  }
  return exchangeToken(mint, await signToken(mint, await freshToken(mint)));
}

/** What another token can put right (spec §7.1). */
const isOfToken = (problem: MintProblem): boolean => problem.startsWith('token-');

async function freshToken({ service, signal, onProgress }: Mint): Promise<CheckedToken> {
  onProgress?.({ step: 'token' });
  return checkValidationToken(await getValidationToken(service, { signal }));
}

/** A token that the person agreed to sign; a fresh one of the same kind when they took long to. */
async function confirmedToken(mint: Mint): Promise<CheckedToken> {
  const { confirm, review, service } = mint;
  const token = await freshToken(mint);
  if (confirm === undefined) return token;
  if (!(await confirm(review(token), token))) {
    throw new WalletError('rejected', 'The person did not want to sign.');
  }
  return lifeLeftMs(token, service.clock.now()) < shortestLifeMs ? freshToken(mint) : token;
}

async function signToken(mint: Mint, token: CheckedToken): Promise<SignedToken> {
  const { signer, signal, service, chain, onProgress } = mint;
  onProgress?.({ step: 'sign', token });
  const message = { text: token.token, review: mint.review(token) };
  const life = { ms: lifeLeftMs(token, service.clock.now()), clock: service.clock, signal };
  const signature = await signWithin(life, (within) => signer.signMessage(message, within));
  onProgress?.({ step: 'verify' });
  await checkSignature({ address: signer.address, message: token.token, signature }, chain);
  return { token, signature };
}
