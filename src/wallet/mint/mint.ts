import { keccak256, stringToHex } from 'viem';
import { backoffMs, type Clock, wait } from '../../base/clock.ts';
import type { ServiceContext } from '../../service/http/client.ts';
import type { KeyOptions, NewKey } from '../../service/key-record.ts';
import {
  getValidationToken,
  MintError,
  type MintProblem,
  mintWeb3Key,
} from '../../service/web3-key.ts';
import type { ChainClient } from '../chain-client.ts';
import type { Address, Hash, Hex } from '../chain.ts';
import {
  type CheckedToken,
  checkValidationToken,
  remainingLifetimeMs,
} from './validation-token.ts';
import type { Review, Signer } from '../signer.ts';
import { checkSignature } from '../verify.ts';
import { WalletError } from '../wallet-failure.ts';

/** A request for a key that was sent, or is about to be. Nothing in it is secret. */
export interface MintEntry {
  readonly address: Address;
  /** Of the token; tells tries apart. */
  readonly tokenHash: Hash;
  /** Milliseconds since the Unix epoch. */
  readonly time: number;
}

/** Outlives a crash between the request for a key and the moment when the key is safe. */
export interface MintJournal {
  /** Resolves once the entry is handed to what outlives the crash. */
  begin(entry: MintEntry): Promise<void>;
  /** No key came of it, or the key is safe. */
  end(entry: MintEntry): Promise<void>;
}

export const hashToken = (token: string): Hash => keccak256(stringToHex(token));

/** Everything that minting one key needs. */
export interface MintRequest {
  readonly signer: Signer;
  readonly options: KeyOptions;
  readonly signal: AbortSignal;
  /** Of one address for the whole of it: a token goes back to where it came from. */
  readonly service: ServiceContext;
  /** Asked about signatures of accounts that are contracts; without it only plain accounts can mint. */
  readonly chain?: ChainClient;
  readonly journal: MintJournal;
  /** What people see of what is signed; for every token anew. */
  readonly review: (token: CheckedToken) => Review;
  /** Asks before the first signature; absent when nobody is to be asked. False when the person does not want it. */
  readonly confirm?: (review: Review, token: CheckedToken) => Promise<boolean>;
  /** Puts the key where it belongs. Should it throw, the journal goes on to say that there may be a lost key. */
  readonly keep?: (key: NewKey) => Promise<void>;
  readonly onProgress?: (progress: MintProgress) => void;
}

export type MintProgress =
  | { readonly step: 'token' }
  /** The wallet is open. */
  | { readonly step: 'sign'; readonly token: CheckedToken }
  | { readonly step: 'verify' }
  | { readonly step: 'exchange' }
  /** The service could not check the signature; the next try comes after `ms` milliseconds. */
  | { readonly step: 'wait'; readonly ms: number };

/** A token, and the signature over it. */
export interface SignedToken {
  readonly token: CheckedToken;
  readonly signature: Hex;
}

const maxTries = 5;
/** The first jitter can come out as nothing, and the service's trouble lasts longer than that. */
const shortestWaitMs = 250;

/**
 * Sends a signed token until there is a key or an answer that is final. Sent again is the same token only when the
 * service could not check its signature, and only within its life (spec §7.1).
 * @throws MintError, WalletError `stopped`, and what `keep` throws
 */
export async function exchangeToken(mint: MintRequest, signed: SignedToken): Promise<NewKey> {
  const { journal, service, signer } = mint;
  const entry = {
    address: signer.address,
    tokenHash: hashToken(signed.token.token),
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

async function sendUntilFinal(mint: MintRequest, signed: SignedToken): Promise<NewKey> {
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
  { service, signer, options, signal, onProgress }: MintRequest,
  { token, signature }: SignedToken,
): Promise<NewKey> {
  onProgress?.({ step: 'exchange' });
  const request = { address: signer.address, signature, token: token.token, options };
  return mintWeb3Key(service, request, { signal });
}

function mayTryAgain(
  { service }: MintRequest,
  { token }: SignedToken,
  { error, tries, delayMs }: { error: unknown; tries: number; delayMs: number },
): boolean {
  const isTransient = error instanceof MintError && error.problem === 'signature-unverified';
  return (
    isTransient && tries < maxTries && delayMs < remainingLifetimeMs(token, service.clock.now())
  );
}

async function waitOrStop({ service, signal }: MintRequest, ms: number): Promise<void> {
  await wait(ms, { clock: service.clock, signal }).catch(() => {
    throw new WalletError('stopped', 'Stopped.');
  });
}

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
export async function signWithinLifetime(
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

/** A token with so little left could expire on its way back. */
const shortestLifeMs = 30_000;

/**
 * Mints one key: token, checks, signature, its own check of that, exchange (spec §5.3). A token that the service does
 * not accept any more is replaced by a fresh one once, and signed again at once.
 * @throws MintError, WalletError, ServiceError, and what `keep` throws
 */
export async function mintKey(mint: MintRequest): Promise<NewKey> {
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

async function freshToken({ service, signal, onProgress }: MintRequest): Promise<CheckedToken> {
  onProgress?.({ step: 'token' });
  return checkValidationToken(await getValidationToken(service, { signal }));
}

/** A token that the person agreed to sign; a fresh one of the same kind when they took long to. */
async function confirmedToken(mint: MintRequest): Promise<CheckedToken> {
  const { confirm, review, service } = mint;
  const token = await freshToken(mint);
  if (confirm === undefined) return token;
  if (!(await confirm(review(token), token))) {
    throw new WalletError('rejected', 'The person did not want to sign.');
  }
  return remainingLifetimeMs(token, service.clock.now()) < shortestLifeMs
    ? freshToken(mint)
    : token;
}

async function signToken(mint: MintRequest, token: CheckedToken): Promise<SignedToken> {
  const { signer, signal, service, chain, onProgress } = mint;
  onProgress?.({ step: 'sign', token });
  const message = { text: token.token, review: mint.review(token) };
  const life = {
    ms: remainingLifetimeMs(token, service.clock.now()),
    clock: service.clock,
    signal,
  };
  const signature = await signWithinLifetime(life, (within) => signer.signMessage(message, within));
  onProgress?.({ step: 'verify' });
  await checkSignature({ client: chain, address: signer.address, text: token.token, signature });
  return { token, signature };
}
