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
  zeroAddress,
} from 'viem';
import { stripHiddenCharacters } from '../base/hidden-characters.ts';
import { omitUndefined } from '../base/json.ts';
import { Lazy } from '../base/lazy.ts';
import { hasHiddenCharacters } from '../base/visible-text.ts';
import type { Address, Chain, StakingChain } from './chain.ts';
import { formatShortAmount } from './staking/amount.ts';
import { WalletError } from './wallet-failure.ts';

/** Client for the JSON-RPC endpoint of a chain. Used only inside `src/wallet`. */
export type ChainClient = PublicClient;

/**
 * Creates a client without opening a connection. The client follows no redirects and caches no
 * replies.
 * @param pollingMs Polling interval for transactions, in milliseconds.
 */
export function createChainClient(
  chain: Pick<Chain, 'id' | 'name' | 'rpcUrl' | 'currency'>,
  { pollingMs = 2_000 } = {},
): ChainClient {
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

/** ERC-20 functions that staking calls on the token contract. */
export const tokenAbi = parseAbi([
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function balanceOf(address owner) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function approve(address spender, uint256 amount) returns (bool)',
]);

/**
 * Most common form of the contract function `stake`. Some contracts have the form {@link stakeForAbi} instead. A
 * simulation determines which form a contract has.
 */
export const stakeAbi = parseAbi(['function stake(uint256 amount)']);
export const stakeForAbi = parseAbi(['function stake(address recipient, uint256 amount)']);

/**
 * Functions of the staking contract. `balanceOf` returns the staked balance of an account. The service mints API keys
 * only for accounts with a staked balance.
 */
export const stakingAbi = parseAbi([
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function balanceOf(address owner) view returns (uint256)',
  'function cooldownDuration() view returns (uint256)',
  'function stakes(address owner) view returns (uint256 rewardDebt, uint256 cooldownEnd, uint256 cooldownAmount)',
  'function initiateUnstake(uint256 amount)',
  'function finalizeUnstake()',
]);

/** Functions of the USDC contract that top-ups need (EIP-3009). */
export const usdcAbi = parseAbi([
  'function name() view returns (string)',
  'function version() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function balanceOf(address owner) view returns (uint256)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
]);

/**
 * Runs `read`, which reads from a chain, and maps its errors to wallet failures. Rejects as soon as the signal aborts.
 * @param subject Translated subject of the error message, such as `the staked token`.
 * @throws WalletError with one of the codes `chain-unreachable`, `not-a-contract`, `insufficient-funds`, `reverted`
 *   or `stopped`
 */
export async function readChain<T>(
  subject: string,
  signal: AbortSignal,
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await runUntilAborted(signal, read);
  } catch (error) {
    throw error instanceof WalletError ? error : toReadError(subject, error);
  }
}

/**
 * Converts a read error to a failure. Omits the text of the error, which contains the RPC URL and
 * possibly a key.
 */
function toReadError(subject: string, error: unknown): WalletError {
  if (isWrongContract(error)) {
    return new WalletError('not-a-contract', l10n.t('{0} is not the expected contract.', subject));
  }
  if (hasCause(error, InsufficientFundsError)) {
    return new WalletError('insufficient-funds', l10n.t('There is not enough to pay the fees.'));
  }
  if (hasCause(error, ExecutionRevertedError)) {
    return new WalletError('reverted', l10n.t('The contract gave no reason.'));
  }
  return new WalletError('chain-unreachable', `${subject}: ${formatNetworkReason(error)}.`);
}

const wrongContractErrors = [
  ContractFunctionZeroDataError,
  ContractFunctionRevertedError,
  AbiDecodingZeroDataError,
  AbiDecodingDataSizeTooSmallError,
];

const isWrongContract = (error: unknown): boolean =>
  wrongContractErrors.some((errorClass) => hasCause(error, errorClass));

const hasCause = (error: unknown, errorClass: abstract new (...args: never[]) => Error): boolean =>
  error instanceof BaseError && error.walk((cause) => cause instanceof errorClass) !== null;

function formatNetworkReason(error: unknown): string {
  if (!(error instanceof BaseError)) return l10n.t('no usable answer');
  if (hasCause(error, TimeoutError)) return l10n.t('no answer in time');
  const httpError = error.walk((cause) => cause instanceof HttpRequestError);
  if (!(httpError instanceof HttpRequestError)) return l10n.t('no usable answer');
  return httpError.status === undefined ? l10n.t('no connection') : `HTTP ${httpError.status}`;
}

async function runUntilAborted<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const rejectOnAbort = (): void => reject(createAbortError(signal));
  if (signal.aborted) throw createAbortError(signal);
  signal.addEventListener('abort', rejectOnAbort, { once: true });
  try {
    return await Promise.race([run(), promise]);
  } finally {
    signal.removeEventListener('abort', rejectOnAbort);
  }
}

const createAbortError = ({ reason }: AbortSignal): WalletError =>
  reason instanceof Error && reason.name === 'TimeoutError'
    ? new WalletError('chain-unreachable', 'The chain did not answer in time.')
    : new WalletError('stopped', 'The chain was not asked any further.');

/**
 * A chain whose RPC endpoint and contracts passed {@link checkChain}, with the properties that the contracts report.
 */
export interface CheckedChain {
  readonly chain: Chain;
  readonly client: ChainClient;
  readonly token?: TokenInfo;
  readonly staking?: TokenInfo;
  readonly usdc?: TokenInfo;
}

/** A checked chain for which the user has configured a token and a staking contract. */
export type CheckedStakingChain = CheckedChain &
  Required<Pick<CheckedChain, 'token' | 'staking'>> & { readonly chain: StakingChain };

/**
 * Narrows a chain to one with a token and a staking contract.
 * @throws WalletError `no-chain` if they are not configured
 */
export function requireStakingChain(checkedChain: CheckedChain): CheckedStakingChain {
  const { chain, token, staking } = checkedChain;
  if (token === undefined || staking === undefined) throw createMissingContractsError();
  const addresses = { token: token.address, staking: staking.address };
  return { ...checkedChain, token, staking, chain: { ...chain, ...addresses } };
}

const createMissingContractsError = (): WalletError =>
  new WalletError('no-chain', l10n.t('The setting {0} is missing.', 'token, stakingContract'));

export interface TokenInfo {
  readonly address: Address;
  /**
   * Symbol that the contract reports: 1 to 12 visible characters without spaces. Any contract can report any symbol, so
   * the symbol does not identify a token.
   */
  readonly symbol: string;
  /** Number of decimals, at most 36. */
  readonly decimals: number;
}

/** Timeout in milliseconds for all requests of one chain check. */
const checkTimeoutMs = 30_000;

/**
 * Cache of the chains that were checked in this session. Concurrent callers share one check per
 * chain.
 */
export class CheckedChainCache {
  readonly #openClient: (chain: Chain) => ChainClient;
  readonly #checkedChains = new Map<string, Lazy<CheckedChain>>();

  constructor(openClient: (chain: Chain) => ChainClient = createChainClient) {
    this.#openClient = openClient;
  }

  /**
   * Returns the checked chain. A failed check is not cached.
   * @throws WalletError under the same conditions as {@link checkChain}
   */
  get(chain: Chain, signal: AbortSignal): Promise<CheckedChain> {
    const cacheKey = JSON.stringify(chain);
    const cachedChain =
      this.#checkedChains.get(cacheKey) ?? new Lazy(() => this.#checkChain(chain));
    this.#checkedChains.set(cacheKey, cachedChain);
    return readChain('chain', signal, () => cachedChain.get());
  }

  #checkChain(chain: Chain): Promise<CheckedChain> {
    return checkChain(this.#openClient(chain), chain, AbortSignal.timeout(checkTimeoutMs));
  }
}

/**
 * Checks that the chain has the configured chain id, and that every configured address is a
 * contract of the expected kind.
 * @throws WalletError with one of the codes `chain-unreachable`, `chain-mismatch`, `not-a-contract` or `stopped`
 */
export async function checkChain(
  client: ChainClient,
  chain: Chain,
  signal: AbortSignal,
): Promise<CheckedChain> {
  const id = await readChain('chainId', signal, () => client.getChainId());
  if (id !== chain.id) {
    throw new WalletError(
      'chain-mismatch',
      l10n.t('{0} answers instead of {1}.', l10n.t('Chain {0}', id), chain.id),
    );
  }
  const readOptionalTokenInfo = async (address: Address | undefined, setting: string) =>
    address === undefined ? undefined : readTokenInfo({ client, address, setting, signal });
  const [token, staking, usdc] = await Promise.all([
    readOptionalTokenInfo(chain.token, 'token'),
    readOptionalTokenInfo(chain.staking, 'stakingContract'),
    readOptionalTokenInfo(chain.usdc, 'usdc'),
  ]);
  return { chain, client, ...omitUndefined({ token, staking, usdc }) };
}

/** Timeout in milliseconds for the check of an RPC URL that the user typed. */
const rpcTimeoutMs = 20_000;

/**
 * Returns a message that describes why a node cannot be used for a chain; `undefined` if the node reports the chain's
 * id.
 */
export async function findRpcProblem(
  { id, rpcUrl }: Pick<Chain, 'id' | 'rpcUrl'>,
  outerSignal: AbortSignal,
): Promise<string | undefined> {
  const currency = { name: 'Ether', symbol: 'ETH', decimals: 18 };
  const client = createChainClient({ id, name: String(id), rpcUrl, currency });
  const signal = AbortSignal.any([outerSignal, AbortSignal.timeout(rpcTimeoutMs)]);
  try {
    const servedChainId = await readChain('chainId', signal, () => client.getChainId());
    if (servedChainId === id) return undefined;
    return l10n.t('{0} answers instead of {1}.', l10n.t('Chain {0}', servedChainId), id);
  } catch (error) {
    if (!(error instanceof WalletError)) throw error;
    return l10n.t('The node could not be checked. {0}', error.failure.detail);
  }
}

interface TokenQuery {
  readonly client: ChainClient;
  readonly address: Address;
  /** Name of the setting that contains the contract's address, for error messages. */
  readonly setting: string;
  readonly signal: AbortSignal;
}

async function readTokenInfo({ client, address, setting, signal }: TokenQuery): Promise<TokenInfo> {
  const contract = { address, abi: tokenAbi } as const;
  const code = await readChain(setting, signal, () => client.getCode({ address }));
  if (code === undefined) {
    throw new WalletError(
      'not-a-contract',
      l10n.t('{0} is not the expected contract.', `${setting} (${address})`),
    );
  }
  const [decimals, symbol] = await readChain(setting, signal, () =>
    Promise.all([
      client.readContract({ ...contract, functionName: 'decimals' }),
      client.readContract({ ...contract, functionName: 'symbol' }),
      // A contract that has only `decimals` and `symbol` is not necessarily a token.
      client.readContract({ ...contract, functionName: 'balanceOf', args: [zeroAddress] }),
    ]),
  );
  if (decimals > 36) {
    throw new WalletError(
      'not-a-contract',
      l10n.t('{0} is not the expected contract.', `${address} (decimals: ${decimals})`),
    );
  }
  return { address, decimals, symbol: formatSymbol(symbol) };
}

/** Shortens the untrusted symbol of a contract to 12 characters, and removes hidden and combining characters. */
function formatSymbol(symbol: string): string {
  const characters = Array.from(stripHiddenCharacters(symbol.slice(0, 200)).text);
  const visibleCharacters = characters.filter(
    (character) => /\S/u.test(character) && !hasHiddenCharacters(character),
  );
  return visibleCharacters.slice(0, 12).join('') || '?';
}

/** Balances of one account for display. */
export interface Balances {
  /** Balance of the currency that pays transaction fees. */
  readonly nativeCurrency: Balance;
  /** Balance of the token that the user can stake; absent if the chain setting contains no token. */
  readonly token?: Balance;
  /** Staked balance; absent if the chain setting contains no staking contract. */
  readonly stakedToken?: Balance;
  /** USDC balance; absent if the chain setting contains no USDC address. */
  readonly usdc?: Balance;
}

export interface Balance {
  readonly symbol: string;
  readonly decimals: number;
  /** Amount in the smallest unit of its currency; `undefined` when it could not be read. */
  readonly value: bigint | undefined;
}

/**
 * Reads all balances in parallel. If one balance cannot be read, its value is `undefined`, and the other balances are
 * returned.
 * @throws WalletError `chain-unreachable` if no balance can be read; `stopped` if the signal aborts before a balance
 *   is read
 */
export async function readBalances(
  checkedChain: CheckedChain,
  owner: Address,
  signal: AbortSignal,
): Promise<Balances> {
  const { chain, client, token, staking, usdc } = checkedChain;
  const read = (get: () => Promise<bigint>): Promise<bigint> => readChain('balance', signal, get);
  const contracts = Object.entries(omitUndefined({ token, stakedToken: staking, usdc }));
  const results = await Promise.allSettled([
    read(() => client.getBalance({ address: owner })),
    ...contracts.map(([, { address }]) =>
      read(() =>
        client.readContract({ address, abi: tokenAbi, functionName: 'balanceOf', args: [owner] }),
      ),
    ),
  ]);
  if (results.every(({ status }) => status === 'rejected')) throw findFirstRejectionReason(results);
  const [nativeAmount, ...amounts] = results.map((result) =>
    result.status === 'fulfilled' ? result.value : undefined,
  );
  return {
    nativeCurrency: { ...chain.currency, value: nativeAmount },
    ...Object.fromEntries(
      contracts.map(([name, info], index) => [name, { ...info, value: amounts[index] }]),
    ),
  };
}

/**
 * Formats a balance with at most four decimals and its symbol, such as `1234.5 USDC`. Returns `undefined` for
 * an unknown balance.
 */
export const formatBalance = ({ value, decimals, symbol }: Balance): string | undefined =>
  value === undefined ? undefined : `${formatShortAmount(value, decimals)} ${symbol}`;

const findFirstRejectionReason = (results: readonly PromiseSettledResult<unknown>[]): unknown =>
  results.find((result) => result.status === 'rejected')?.reason;
