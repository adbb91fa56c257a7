import * as l10n from '@vscode/l10n';
import { isAddressEqual } from 'viem';
import { type ChainClient, type CheckedChain, stakingAbi, tokenAbi } from '../chain-client.ts';
import type { Address, Chain } from '../chain.ts';
import { awaitChainCall, awaitContractRead } from './chain-errors.ts';
import { WalletError } from '../wallet-failure.ts';

/** Whose stake, and where. */
export interface StakingAccount {
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
    awaitChainCall(client.getBalance({ address: from }), 'chain'),
  ]);
  const { symbol, decimals } = token;
  return { symbol, decimals, balance, staked, allowance, currencyBalance };
}

export const readBalance = (
  client: ChainClient,
  { token, from }: StakingAccount,
): Promise<bigint> =>
  awaitContractRead(
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
  { token, staking, from }: StakingAccount,
): Promise<bigint> =>
  awaitContractRead(
    client.readContract({
      address: token,
      abi: tokenAbi,
      functionName: 'allowance',
      args: [from, staking],
    }),
    l10n.t('the token'),
  );

export const readStaked = (
  client: ChainClient,
  { staking, from }: StakingAccount,
): Promise<bigint> =>
  awaitContractRead(
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
  const id = await awaitChainCall(client.getChainId(), 'chain');
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

/** How a stake can be taken back. Amounts in the token's smallest unit. */
export interface UnstakeTerms {
  /** Seconds between asking for the stake back and getting it. */
  readonly waitingSeconds: number;
  readonly staked: bigint;
  readonly cooldown: Cooldown;
}

/** What was asked back before. */
export interface Cooldown {
  /** 0 when nothing waits. */
  readonly waiting: bigint;
  /** Seconds until it can be withdrawn, by the chain's time; 0 when it can be now. */
  readonly secondsLeft: number;
}

/** `undefined` when the contract does not offer it. @throws WalletError `chain-unreachable` */
export async function readUnstakeTerms(
  client: ChainClient,
  place: StakingAccount,
): Promise<UnstakeTerms | undefined> {
  const waiting = await offered(
    client.readContract({
      address: place.staking,
      abi: stakingAbi,
      functionName: 'cooldownDuration',
    }),
  );
  const cooldown = await readCooldown(client, place);
  if (waiting === undefined || waiting > longestWait || cooldown === undefined) return undefined;
  const staked = await readStaked(client, place);
  return { waitingSeconds: Number(waiting), staked, cooldown };
}

/** `undefined` when the contract keeps no such record. @throws WalletError `chain-unreachable` */
export async function readCooldown(
  client: ChainClient,
  { staking, from }: StakingAccount,
): Promise<Cooldown | undefined> {
  const stake = await offered(
    client.readContract({
      address: staking,
      abi: stakingAbi,
      functionName: 'stakes',
      args: [from],
    }),
  );
  if (stake === undefined) return undefined;
  const [, end, waiting] = stake;
  const { timestamp } = await awaitChainCall(client.getBlock(), 'chain');
  const left = end > timestamp ? end - timestamp : 0n;
  return { waiting, secondsLeft: Number(left < longestWait ? left : longestWait) };
}

/** Ten years, in seconds: what waits longer is never given back. */
const longestWait = 315_360_000n;

/** A contract without the function refuses the call, or answers with nothing. */
async function offered<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await awaitContractRead(answer, l10n.t('the staking contract'));
  } catch (error) {
    if (error instanceof WalletError && error.failure.code === 'not-a-contract') return undefined;
    throw error;
  }
}
