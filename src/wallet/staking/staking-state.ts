import * as l10n from '@vscode/l10n';
import { isAddressEqual } from 'viem';
import { type ChainClient, stakingAbi, tokenAbi } from '../chain-client.ts';
import type { Address, Chain } from '../chain.ts';
import type { CheckedChain } from '../chain-check.ts';
import { WalletError } from '../wallet-failure.ts';
import { chainAnswer, contractAnswer } from './chain-errors.ts';

/** Whose stake, and where. */
export interface StakingPlace {
  readonly token: Address;
  readonly staking: Address;
  readonly from: Address;
}

/** What an account has of the token; amounts in the token's smallest unit. */
export interface StakingState {
  readonly symbol: string;
  readonly decimals: number;
  readonly balance: bigint;
  readonly staked: bigint;
  readonly allowance: bigint;
  /** What fees are paid from, in the currency's smallest unit. */
  readonly currencyBalance: bigint;
}

/**
 * Reads everything that staking begins with, from the chain.
 * @throws WalletError `chain-mismatch`, `not-a-contract`, `chain-unreachable`
 */
export async function readStakingState(
  { client, chain, token }: CheckedChain,
  from: Address,
): Promise<StakingState> {
  const place = { token: chain.token, staking: chain.staking, from };
  await checkAgain(client, chain);
  const [balance, staked, allowance, currencyBalance] = await Promise.all([
    readBalance(client, place),
    readStaked(client, place),
    readAllowance(client, place),
    chainAnswer(client.getBalance({ address: from }), 'chain'),
  ]);
  const { symbol, decimals } = token;
  return { symbol, decimals, balance, staked, allowance, currencyBalance };
}

export const readBalance = (client: ChainClient, { token, from }: StakingPlace): Promise<bigint> =>
  contractAnswer(
    client.readContract({
      address: token,
      abi: tokenAbi,
      functionName: 'balanceOf',
      args: [from],
    }),
    l10n.t('the token'),
  );

export const readAllowance = (
  client: ChainClient,
  { token, staking, from }: StakingPlace,
): Promise<bigint> =>
  contractAnswer(
    client.readContract({
      address: token,
      abi: tokenAbi,
      functionName: 'allowance',
      args: [from, staking],
    }),
    l10n.t('the token'),
  );

export const readStaked = (client: ChainClient, { staking, from }: StakingPlace): Promise<bigint> =>
  contractAnswer(
    client.readContract({
      address: staking,
      abi: stakingAbi,
      functionName: 'balanceOf',
      args: [from],
    }),
    l10n.t('the staking contract'),
  );

/** The chain was checked some time ago; what answers now may be another one. */
async function checkAgain(client: ChainClient, chain: Chain): Promise<void> {
  const id = await chainAnswer(client.getChainId(), 'chain');
  if (id !== chain.id)
    throw new WalletError(
      'chain-mismatch',
      l10n.t('Chain {0} answers instead of {1}.', id, chain.id),
    );
  if (isAddressEqual(chain.token, chain.staking))
    throw new WalletError(
      'not-a-contract',
      l10n.t('The token and the staking contract are the same.'),
    );
}
