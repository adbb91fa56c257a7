import { keccak256, stringToHex } from 'viem';
import { computeBackoffMs, type Clock, wait } from '../../base/clock.ts';
import type { ServiceContext } from '../../service/http/client.ts';
import { type KeyOptions, type NewKey, removeKeyOption } from '../../service/key-record.ts';
import {
  getValidationToken,
  MintError,
  type MintProblem,
  mintWeb3Key,
  findRefusedOption,
} from '../../service/web3-key.ts';
import type { ChainClient } from '../chain-client.ts';
import type { Address, Hash, Hex } from '../chain.ts';
import {
  type CheckedToken,
  checkValidationToken,
  computeRemainingLifetimeMs,
} from './validation-token.ts';
import type { Review, Signer } from '../signer.ts';
import { checkSignature } from '../verify.ts';
import { WalletError } from '../wallet-failure.ts';

/** Journal entry of a key request that was sent or is about to be sent. Contains no secrets. */
export interface MintEntry {
  readonly address: Address;
  /** Hash of the validation token. Identifies the request. */
  readonly tokenHash: Hash;
  /** Time of the request in milliseconds since the Unix epoch. */
  readonly time: number;
}

/**
 * Journal of key requests, to detect keys that were lost because VS Code crashed after the request and before the key
 * was stored.
 */
export interface MintJournal {
  /** Stores the entry. Resolves when the entry would survive a crash. */
  storeEntry(entry: MintEntry): Promise<void>;
  /** Removes the entry after the key was stored, or if no key was created. */
  removeEntry(entry: MintEntry): Promise<void>;
}

export const hashToken = (token: string): Hash => keccak256(stringToHex(token));

/** Inputs for minting one key. */
export interface MintRequest {
  readonly signer: Signer;
  readonly options: KeyOptions;
  readonly signal: AbortSignal;
  /** Service context with a fixed base URL, because a token may only be sent to the service that issued the token. */
  readonly service: ServiceContext;
  /**
   * Client that verifies signatures of contract accounts. Without a client, only accounts with a
   * private key can mint.
   */
  readonly chainClient?: ChainClient;
  readonly journal: MintJournal;
  /** Builds the review of a token: the facts that the user sees before signing the token. Called for every token. */
  readonly createReview: (token: CheckedToken) => Review;
  /**
   * Confirms the mint with the user before the first signature. Resolves to false when the user declines. Omit this
   * function to sign without a confirmation.
   */
  readonly confirm?: (review: Review, token: CheckedToken) => Promise<boolean>;
  /**
   * Asks the user whether to mint the key without an option that the service refuses. Omit this function to let the
   * mint fail instead.
   */
  readonly confirmOmission?: (error: MintError) => Promise<boolean>;
  /**
   * Stores the key. If the promise rejects, the journal keeps the entry, so that the extension later reports a possibly
   * lost key.
   */
  readonly storeKey?: (key: NewKey) => Promise<void>;
  readonly onProgress?: (progress: MintProgress) => void;
}

export type MintProgress =
  | { readonly step: 'token' }
  /** The wallet shows the signature request. */
  | { readonly step: 'sign'; readonly token: CheckedToken }
  | { readonly step: 'verify' }
  | { readonly step: 'exchange' }
  /** The service could not verify the signature; the next attempt starts in `delayMs` milliseconds. */
  | { readonly step: 'wait'; readonly delayMs: number };

/** A validation token with its signature. */
export interface SignedToken {
  readonly token: CheckedToken;
  readonly signature: Hex;
}

/**
 * Mints one key: requests a token, prompts the wallet to sign it, verifies the signature, and exchanges the token for a
 * key (spec §5.3). If the service rejects the token, repeats these steps once with a new token.
 * @throws MintError, WalletError or ServiceError if no key was minted; the error of `storeKey` if the key was not
 *   stored
 */
export async function mintKey(request: MintRequest): Promise<NewKey> {
  let { options } = request;
  const confirmOmission = async (error: MintError): Promise<boolean> => {
    const isConfirmed = (await request.confirmOmission?.(error)) === true;
    if (isConfirmed) options = removeRefusedOption(options, error);
    return isConfirmed;
  };
  const mint = { ...request, confirmOmission };
  const signedToken = await signToken(mint, await requestConfirmedToken(mint));
  try {
    return await exchangeToken(mint, signedToken);
  } catch (error) {
    if (!(error instanceof MintError) || !isTokenProblem(error.problem)) throw error;
  }
  const freshSignedToken = await signToken(mint, await requestFreshToken(mint));
  // The second exchange leaves out the options that the user agreed to leave out of the first one.
  return exchangeToken({ ...mint, options }, freshSignedToken);
}

/** Checks whether the problem can be solved by requesting a new token (spec §7.1). */
const isTokenProblem = (problem: MintProblem): boolean => problem.startsWith('token-');

async function requestFreshToken({
  service,
  signal,
  onProgress,
}: MintRequest): Promise<CheckedToken> {
  onProgress?.({ step: 'token' });
  return checkValidationToken(await getValidationToken(service, { signal }));
}

/**
 * Requests a token and confirms the mint with the user. If the token is about to expire when the user confirms, returns
 * a new token.
 */
async function requestConfirmedToken(mint: MintRequest): Promise<CheckedToken> {
  const { confirm, createReview, service } = mint;
  const token = await requestFreshToken(mint);
  if (confirm === undefined) return token;
  if (!(await confirm(createReview(token), token))) {
    throw new WalletError('rejected', 'The user declined to sign.');
  }
  return computeRemainingLifetimeMs(token, service.clock.now()) < minLifetimeMs
    ? requestFreshToken(mint)
    : token;
}

async function signToken(mint: MintRequest, token: CheckedToken): Promise<SignedToken> {
  const { signer, signal, service, chainClient, onProgress } = mint;
  onProgress?.({ step: 'sign', token });
  const message = { text: token.token, review: mint.createReview(token) };
  const lifetime = {
    lifetimeMs: computeRemainingLifetimeMs(token, service.clock.now()),
    clock: service.clock,
    signal,
  };
  const signature = await signWithinLifetime(lifetime, (expirySignal) =>
    signer.signMessage(message, expirySignal),
  );
  onProgress?.({ step: 'verify' });
  await checkSignature({
    client: chainClient,
    address: signer.address,
    text: token.token,
    signature,
  });
  return { token, signature };
}

/**
 * Minimum remaining lifetime of a token in milliseconds. With less time, the token could expire before the service
 * receives it.
 */
const minLifetimeMs = 30_000;
const maxAttempts = 5;
/**
 * Milliseconds added to every retry delay. The random part of the first delay can be zero, which would leave the
 * service no time to recover.
 */
const minDelayMs = 250;

/**
 * Sends a signed token until the service returns a key or a final error. Resends the token only if the service could
 * not verify its signature, and only within the token's lifetime (spec §7.1).
 * @throws MintError if no key was minted; WalletError `stopped` if the user canceled; the error of `storeKey` if the
 *   key was not stored
 */
export async function exchangeToken(mint: MintRequest, signedToken: SignedToken): Promise<NewKey> {
  const { journal, service, signer } = mint;
  const entry = {
    address: signer.address,
    tokenHash: hashToken(signedToken.token.token),
    time: service.clock.now(),
  };
  await journal.storeEntry(entry);
  const key = await sendUntilFinalReply(mint, signedToken).catch(async (error: unknown) => {
    if (!(error instanceof MintError) || error.problem !== 'maybe-minted')
      await journal.removeEntry(entry);
    throw error;
  });
  await mint.storeKey?.(key);
  await journal.removeEntry(entry);
  return key;
}

async function sendUntilFinalReply(
  request: MintRequest,
  signedToken: SignedToken,
): Promise<NewKey> {
  let mint = request;
  for (let attempt = 1; ; attempt++) {
    try {
      return await sendRequestOnce(mint, signedToken);
    } catch (error) {
      const reducedMint = await omitOptionIfConfirmed(mint, error);
      if (reducedMint !== undefined) {
        mint = reducedMint;
        continue;
      }
      const delayMs = minDelayMs + computeBackoffMs(attempt, mint.service.random());
      if (!shouldRetry(mint, signedToken, { error, attempt, delayMs })) throw error;
      mint.onProgress?.({ step: 'wait', delayMs });
      await waitUnlessStopped(mint, delayMs);
    }
  }
}

/**
 * Asks the user whether to omit the option that the service refused. Returns the request without this option;
 * `undefined` if the user declines or the service refused no option.
 */
async function omitOptionIfConfirmed(
  mint: MintRequest,
  error: unknown,
): Promise<MintRequest | undefined> {
  const option = error instanceof MintError ? findRefusedOption(error) : undefined;
  if (!(error instanceof MintError) || option === undefined) return undefined;
  if (!(await mint.confirmOmission?.(error))) return undefined;
  return { ...mint, options: removeRefusedOption(mint.options, error) };
}

function removeRefusedOption(options: KeyOptions, error: MintError): KeyOptions {
  const option = findRefusedOption(error);
  return option === undefined
    ? options
    : { ...removeKeyOption(options, option), type: options.type };
}

function sendRequestOnce(
  { service, signer, options, signal, onProgress }: MintRequest,
  { token, signature }: SignedToken,
): Promise<NewKey> {
  onProgress?.({ step: 'exchange' });
  const request = { address: signer.address, signature, token: token.token, options };
  return mintWeb3Key(service, request, { signal });
}

function shouldRetry(
  { service }: MintRequest,
  { token }: SignedToken,
  { error, attempt, delayMs }: { error: unknown; attempt: number; delayMs: number },
): boolean {
  const isTransient = error instanceof MintError && error.problem === 'signature-unverified';
  return (
    isTransient &&
    attempt < maxAttempts &&
    delayMs < computeRemainingLifetimeMs(token, service.clock.now())
  );
}

async function waitUnlessStopped({ service, signal }: MintRequest, delayMs: number): Promise<void> {
  await wait(delayMs, { clock: service.clock, signal }).catch(() => {
    throw new WalletError('stopped', 'Stopped.');
  });
}

interface TokenLifetime {
  /** Remaining lifetime of the token in milliseconds, when the wallet is asked to sign. */
  readonly lifetimeMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Waits for a signature until the token expires, even if the wallet never answers.
 * @throws MintError `token-expired` when the token expires first
 * @throws WalletError `stopped` if the signal aborts, or the error of `sign` if signing fails
 */
export async function signWithinLifetime(
  { lifetimeMs, clock, signal }: TokenLifetime,
  sign: (signal: AbortSignal) => Promise<Hex>,
): Promise<Hex> {
  const expiryController = new AbortController();
  const stop = (): void => expiryController.abort(new WalletError('stopped', 'Stopped.'));
  const cancel = clock.after(lifetimeMs, () => expiryController.abort(createTokenExpiredError()));
  signal.addEventListener('abort', stop, { once: true });
  try {
    if (signal.aborted) stop();
    return await Promise.race([
      rejectOnAbort(expiryController.signal),
      signUnlessAborted(expiryController.signal, sign),
    ]);
  } finally {
    cancel();
    signal.removeEventListener('abort', stop);
  }
}

/** Returns a promise that rejects with the abort reason when the signal aborts. */
const rejectOnAbort = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const rejectWithReason = (): void => reject(signal.reason as Error);
    if (signal.aborted) rejectWithReason();
    else signal.addEventListener('abort', rejectWithReason, { once: true });
  });

const signUnlessAborted = async (
  signal: AbortSignal,
  sign: (signal: AbortSignal) => Promise<Hex>,
): Promise<Hex> => {
  signal.throwIfAborted();
  return sign(signal);
};

const createTokenExpiredError = (): MintError =>
  new MintError('token-expired', {
    code: 'timeout',
    message: 'The token expired while the wallet was open.',
  });
