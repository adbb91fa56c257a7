import * as l10n from '@vscode/l10n';
import { formatUnits } from 'viem';
import { type CheckedChain, readChain, tokenAbi, type TokenInfo } from './chain-client.ts';
import type { Address } from './chain.ts';

/** Balances of one account for display. */
export interface Balances {
  /** Balance of the currency that pays transaction fees. */
  readonly native: Balance;
  /** Balance of the token that the user can stake. */
  readonly token: Balance;
  readonly staked: Balance;
  /** USDC balance; absent if the chain setting contains no USDC address. */
  readonly usdc?: Balance;
}

export interface Balance {
  readonly symbol: string;
  readonly decimals: number;
  /** Amount in the smallest unit; `undefined` when it could not be read. */
  readonly value: bigint | undefined;
}

/**
 * Reads all balances in parallel. If one balance cannot be read, its value is `undefined`, and the
 * other balances are returned.
 * @throws WalletError `chain-unreachable` when no balance can be read, `stopped`
 */
export async function readBalances(
  checked: CheckedChain,
  owner: Address,
  signal: AbortSignal,
): Promise<Balances> {
  const { chain, client, token, staking, usdc } = checked;
  const read = (get: () => Promise<bigint>): Promise<bigint> =>
    readChain(l10n.t('a balance'), signal, get);
  const readTokenBalance = ({ address }: TokenInfo): Promise<bigint> =>
    read(() =>
      client.readContract({ address, abi: tokenAbi, functionName: 'balanceOf', args: [owner] }),
    );
  const results = await Promise.allSettled([
    read(() => client.getBalance({ address: owner })),
    readTokenBalance(token),
    readTokenBalance(staking),
    ...(usdc === undefined ? [] : [readTokenBalance(usdc)]),
  ]);
  if (results.every(({ status }) => status === 'rejected')) throw firstReason(results);
  const [native, tokens, staked, usdcs] = results.map((result) =>
    result.status === 'fulfilled' ? result.value : undefined,
  );
  return {
    native: { ...chain.currency, value: native },
    token: { ...token, value: tokens },
    staked: { ...staking, value: staked },
    ...(usdc === undefined ? {} : { usdc: { ...usdc, value: usdcs } }),
  };
}

/**
 * Formats a balance with all digits and its symbol, such as `1234.5 USDC`. Returns `undefined` for
 * an unknown balance.
 */
export const formatBalance = ({ value, decimals, symbol }: Balance): string | undefined =>
  value === undefined ? undefined : `${formatUnits(value, decimals)} ${symbol}`;

const firstReason = (results: readonly PromiseSettledResult<unknown>[]): unknown =>
  results.find((result) => result.status === 'rejected')?.reason;
