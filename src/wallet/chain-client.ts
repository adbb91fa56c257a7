import * as l10n from '@vscode/l10n';
import {
  AbiDecodingDataSizeTooSmallError,
  AbiDecodingZeroDataError,
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  createPublicClient,
  defineChain,
  ExecutionRevertedError,
  http,
  HttpRequestError,
  InsufficientFundsError,
  parseAbi,
  type PublicClient,
  TimeoutError,
} from 'viem';
import type { Chain } from './chain.ts';
import { WalletError } from './wallet-failure.ts';

/** Reads a chain. Only this folder looks into it. */
export type ChainClient = PublicClient;

/**
 * Opens no connection. Never follows a redirect, and never takes an answer of one call for another's.
 * @param pollingMs How often a transaction is looked for.
 */
export function openChain(chain: Chain, { pollingMs = 2_000 } = {}): ChainClient {
  return createPublicClient({
    chain: defineChain({
      id: chain.id,
      name: chain.name,
      nativeCurrency: chain.currency,
      rpcUrls: { default: { http: [chain.rpcUrl] } },
    }),
    transport: http(chain.rpcUrl, {
      timeout: 15_000,
      retryCount: 2,
      fetchOptions: { redirect: 'error' },
    }),
    pollingInterval: pollingMs,
    cacheTime: 0,
  });
}

/** ERC-20, as much as staking needs. */
export const tokenAbi = parseAbi([
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function balanceOf(address owner) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function approve(address spender, uint256 amount) returns (bool)',
]);

/** Both call forms of `stake` that are deployed; which one a contract has is found by simulation. */
export const stakeAbi = parseAbi(['function stake(uint256 amount)']);
export const stakeForAbi = parseAbi(['function stake(address recipient, uint256 amount)']);

/** The staking contract is the staked token itself: what minting asks for is its `balanceOf` (service facts §8). */
export const stakingAbi = parseAbi([
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function balanceOf(address owner) view returns (uint256)',
  'function cooldownDuration() view returns (uint256)',
  'function stakes(address owner) view returns (uint256 rewardDebt, uint256 cooldownEnd, uint256 cooldownAmount)',
  'function initiateUnstake(uint256 amount)',
  'function finalizeUnstake()',
]);

/** EIP-3009, as much as top-ups need. */
export const usdcAbi = parseAbi([
  'function name() view returns (string)',
  'function version() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function balanceOf(address owner) view returns (uint256)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
]);

/**
 * Asks the chain for something. No answer is waited for longer than until the signal aborts.
 * @param what Whose answer it is, for messages, translated: `the staked token`.
 * @throws WalletError `chain-unreachable`, `not-a-contract`, `insufficient-funds`, `reverted`, `stopped`
 */
export async function readChain<T>(
  what: string,
  signal: AbortSignal,
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await untilAborted(signal, read);
  } catch (error) {
    throw error instanceof WalletError ? error : readingFailure(what, error);
  }
}

/** Quotes nothing of the error: it holds the RPC address, and that may hold a key. */
function readingFailure(what: string, error: unknown): WalletError {
  if (isOfAnotherKind(error)) {
    return new WalletError(
      'not-a-contract',
      l10n.t('What answers for {0} is not such a contract.', what),
    );
  }
  if (hasCause(error, InsufficientFundsError)) {
    return new WalletError('insufficient-funds', l10n.t('The fee is more than the account holds.'));
  }
  if (hasCause(error, ExecutionRevertedError)) {
    return new WalletError('reverted', l10n.t('The contract refuses the transaction.'));
  }
  return new WalletError(
    'chain-unreachable',
    l10n.t('Asked for {0}: {1}.', what, networkReason(error)),
  );
}

const wrongKinds = [
  ContractFunctionZeroDataError,
  ContractFunctionRevertedError,
  AbiDecodingZeroDataError,
  AbiDecodingDataSizeTooSmallError,
];

const isOfAnotherKind = (error: unknown): boolean =>
  wrongKinds.some((kind) => hasCause(error, kind));

const hasCause = (error: unknown, kind: abstract new (...args: never[]) => Error): boolean =>
  error instanceof BaseError && error.walk((cause) => cause instanceof kind) !== null;

function networkReason(error: unknown): string {
  if (!(error instanceof BaseError)) return l10n.t('no answer that makes sense');
  if (hasCause(error, TimeoutError)) return l10n.t('no answer in time');
  const http = error.walk((cause) => cause instanceof HttpRequestError);
  if (!(http instanceof HttpRequestError)) return l10n.t('the node refuses to answer');
  return http.status === undefined
    ? l10n.t('no connection')
    : l10n.t('HTTP status {0}', http.status);
}

async function untilAborted<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(abortFailure(signal));
  if (signal.aborted) throw abortFailure(signal);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([run(), promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

const abortFailure = ({ reason }: AbortSignal): WalletError =>
  reason instanceof Error && reason.name === 'TimeoutError'
    ? new WalletError('chain-unreachable', 'The chain did not answer in time.')
    : new WalletError('stopped', 'The chain was not asked any further.');
