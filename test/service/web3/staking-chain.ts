import {
  type Address,
  createPublicClient,
  defineChain,
  getAddress,
  http,
  isAddress,
  isHex,
  parseAbi,
  type PublicClient,
} from 'viem';
import type { ChainFacts } from '../chain/chain-facts.ts';
import type { Micro } from '../money/amounts.ts';
import { timeLimits } from '../../support/time-limits.ts';

const stakingAbi = parseAbi([
  'function balanceOf(address owner) view returns (uint256)',
  'function totalSupply() view returns (uint256)',
  'function decimals() view returns (uint8)',
  'function symbol() view returns (string)',
]);

/** Maximum length of a signature, in hexadecimal digits. */
const maxSignatureLength = 32 * 1024;

/** Thrown if the chain does not answer. */
export class ChainUnreachableError extends Error {}

/** Stake of a wallet in the staking contract. */
export interface Stake {
  /** Stake of the wallet in the smallest unit of the token. Any stake above 0 qualifies for a key (spec §8). */
  readonly balance: bigint;
  /** Total stake of all wallets, in the smallest unit of the token. */
  readonly totalStake: bigint;
  /** Stake of the wallet in millionths of the token, rounded down. */
  readonly microAmount: Micro;
}

/** Read access to the chain. Results are not cached. */
export class StakingChain {
  readonly #facts: ChainFacts;
  readonly #shouldFail: () => boolean;

  /** @param shouldFail called before each call of the chain; if it returns true, the call fails */
  constructor(facts: ChainFacts, shouldFail: () => boolean) {
    this.#facts = facts;
    this.#shouldFail = shouldFail;
  }

  /**
   * Checks that the wallet signed the text (EIP-191): with its private key, as a deployed contract (EIP-1271), or as a
   * contract that is not deployed yet (ERC-6492).
   * @throws ChainUnreachableError if the chain does not answer
   */
  async hasSigned(wallet: Address, message: string, signature: string): Promise<boolean> {
    if (!isHex(signature) || signature.length % 2 === 1 || signature.length > maxSignatureLength) {
      return false;
    }
    return this.#request((client) => client.verifyMessage({ address: wallet, message, signature }));
  }

  /**
   * Reads a wallet's stake.
   * @throws ChainUnreachableError if the chain does not answer
   */
  async readStake(wallet: Address): Promise<Stake> {
    const { stakingContract: address } = this.#facts;
    const contract = { address, abi: stakingAbi } as const;
    const [balance, totalStake, decimals] = await this.#request((client) =>
      Promise.all([
        client.readContract({ ...contract, functionName: 'balanceOf', args: [wallet] }),
        client.readContract({ ...contract, functionName: 'totalSupply' }),
        client.readContract({ ...contract, functionName: 'decimals' }),
      ]),
    );
    return {
      balance,
      totalStake,
      microAmount: Number((balance * 1_000_000n) / 10n ** BigInt(decimals)),
    };
  }

  /**
   * Returns the names of the token and the chain, such as `STK on Local Chain`.
   * @throws ChainUnreachableError if the chain does not answer
   */
  async readDescription(): Promise<string> {
    const { token: address, name } = this.#facts;
    const symbol = await this.#request((client) =>
      client.readContract({ address, abi: stakingAbi, functionName: 'symbol' }),
    );
    return `${symbol} on ${name}`;
  }

  /**
   * Calls the chain client. Detects failed chain calls itself, because the client reports an invalid signature if the
   * chain is unreachable.
   * @throws ChainUnreachableError if the chain does not answer
   */
  async #request<T>(callClient: (client: PublicClient) => Promise<T>): Promise<T> {
    let hasFailed = false;
    const client = this.#createClient(async (...request) => {
      const response = this.#shouldFail()
        ? undefined
        : await fetch(...request).catch(() => undefined);
      hasFailed ||= response?.ok !== true;
      return response ?? Response.error();
    });
    const answer = await callClient(client).catch((error: unknown) => {
      throw hasFailed ? new ChainUnreachableError() : error;
    });
    if (hasFailed) throw new ChainUnreachableError();
    return answer;
  }

  #createClient(fetchFn: typeof fetch): PublicClient {
    const { chainId: id, name, rpcUrl, currency: nativeCurrency } = this.#facts;
    return createPublicClient({
      chain: defineChain({ id, name, nativeCurrency, rpcUrls: { default: { http: [rpcUrl] } } }),
      transport: http(rpcUrl, { retryCount: 0, timeout: timeLimits.condition, fetchFn }),
      cacheTime: 0,
    });
  }
}

/**
 * Returns the address with its checksum, or undefined if it is invalid. An address completely in lowercase or uppercase
 * has no checksum to verify.
 */
export function readAddress(text: string): Address | undefined {
  const normalizedText = /^0x[0-9A-F]{40}$/.test(text) ? text.toLowerCase() : text;
  return isAddress(normalizedText) ? getAddress(normalizedText) : undefined;
}
