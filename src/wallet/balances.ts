import * as l10n from '@vscode/l10n';
import { formatUnits } from 'viem';
import { type CheckedChain, readChain, tokenAbi, type TokenInfo } from './chain-client.ts';
import type { Address } from './chain.ts';

/** What an account holds. */
export interface Balances {
  /** What fees are paid in. */
  readonly native: Balance;
  /** The token that can be staked. */
  readonly token: Balance;
  readonly staked: Balance;
  /** Absent where the chain has no USDC in its settings. */
  readonly usdc?: Balance;
}

export interface Balance {
  readonly symbol: string;
  readonly decimals: number;
  /** In the smallest unit; `undefined` when it could not be read. */
  readonly value: bigint | undefined;
}

/**
 * Reads all balances at once. One that cannot be read is left open; the others stand.
 * @throws WalletError `chain-unreachable` when none can be read, `stopped`
 */
export async function readBalances(
  checked: CheckedChain,
  owner: Address,
  signal: AbortSignal,
): Promise<Balances> {
  const { chain, client, token, staking, usdc } = checked;
  const read = (get: () => Promise<bigint>): Promise<bigint> =>
    readChain(l10n.t('a balance'), signal, get);
  const of = ({ address }: TokenInfo): Promise<bigint> =>
    read(() =>
      client.readContract({ address, abi: tokenAbi, functionName: 'balanceOf', args: [owner] }),
    );
  const found = await Promise.allSettled([
    read(() => client.getBalance({ address: owner })),
    of(token),
    of(staking),
    ...(usdc === undefined ? [] : [of(usdc)]),
  ]);
  if (found.every(({ status }) => status === 'rejected')) throw firstReason(found);
  const [native, tokens, staked, usdcs] = found.map((each) =>
    each.status === 'fulfilled' ? each.value : undefined,
  );
  return {
    native: { ...chain.currency, value: native },
    token: { ...token, value: tokens },
    staked: { ...staking, value: staked },
    ...(usdc === undefined ? {} : { usdc: { ...usdc, value: usdcs } }),
  };
}

/** Every digit, and the symbol: `1234.5 USDC`; `undefined` for what could not be read. */
export const formatBalance = ({ value, decimals, symbol }: Balance): string | undefined =>
  value === undefined ? undefined : `${formatUnits(value, decimals)} ${symbol}`;

const firstReason = (results: readonly PromiseSettledResult<unknown>[]): unknown =>
  results.find((each) => each.status === 'rejected')?.reason;
