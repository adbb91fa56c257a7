import * as l10n from '@vscode/l10n';
import { isAddressEqual } from 'viem';
import {
  type ChainClient,
  type CheckedStakingChain,
  stakingAbi,
  tokenAbi,
} from '../chain-client.ts';
import type { Address, StakingChain } from '../chain.ts';
import { awaitChainCall, awaitContractRead } from './chain-errors.ts';
import { WalletError } from '../wallet-failure.ts';

/** An account (`from`), and the addresses of the token contract and the staking contract. */
export interface StakingAccount {
  readonly token: Address;
  readonly staking: Address;
  readonly from: Address;
}

/** Balances and allowance of an account, in the token's smallest unit. */
export interface StakingState {
  readonly symbol: string;
  readonly decimals: number;
  readonly balance: bigint;
  readonly stakedBalance: bigint;
  readonly allowance: bigint;
  /** Balance in native currency for fees, in the currency's smallest unit. */
  readonly currencyBalance: bigint;
}

/**
 * Reads the balances, the stake and the allowance of an account before a flow.
 * @throws WalletError with one of the codes `chain-mismatch`, `not-a-contract` or `chain-unreachable`
 */
export async function readStakingState(
  { client, chain, token }: CheckedStakingChain,
  from: Address,
): Promise<StakingState> {
  const stakingAccount = { token: chain.token, staking: chain.staking, from };
  await recheckChainId(client, chain);
  const [balance, stakedBalance, allowance, currencyBalance] = await Promise.all([
    readBalance(client, stakingAccount),
    readStakedBalance(client, stakingAccount),
    readAllowance(client, stakingAccount),
    awaitChainCall(client.getBalance({ address: from }), 'chain'),
  ]);
  const { symbol, decimals } = token;
  return { symbol, decimals, balance, stakedBalance, allowance, currencyBalance };
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
    'token',
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
    'token',
  );

export const readStakedBalance = (
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
    'stakingContract',
  );

/** Checks the chain id again, because the RPC endpoint may have switched to another chain since the last check. */
async function recheckChainId(client: ChainClient, chain: StakingChain): Promise<void> {
  const id = await awaitChainCall(client.getChainId(), 'chain');
  if (id !== chain.id)
    throw new WalletError(
      'chain-mismatch',
      l10n.t('{0} answers instead of {1}.', l10n.t('Chain {0}', id), chain.id),
    );
  if (isAddressEqual(chain.token, chain.staking))
    throw new WalletError(
      'not-a-contract',
      l10n.t('{0} is not the expected contract.', 'stakingContract'),
    );
}

/** Staked balance and cooldown of an account. Amounts are in the token's smallest unit. */
export interface UnstakeTerms {
  /** Duration of a cooldown in seconds, from the unstaking request until the withdrawal is possible. */
  readonly cooldownSeconds: number;
  readonly stakedBalance: bigint;
  readonly cooldown: Cooldown;
}

/** Cooldown of the withdrawal that an account has requested. The withdrawal is possible when the cooldown has ended. */
export interface Cooldown {
  /** Amount of the requested withdrawal. 0 if no withdrawal was requested. */
  readonly pendingAmount: bigint;
  /** Seconds until the withdrawal is possible, by the chain's time. 0 if it is possible now. */
  readonly secondsLeft: number;
}

/**
 * Reads the unstaking terms. Returns `undefined` if the contract does not support unstaking or has an implausible
 * cooldown.
 * @throws WalletError `chain-unreachable` if the node does not answer
 */
export async function readUnstakeTerms(
  client: ChainClient,
  stakingAccount: StakingAccount,
): Promise<UnstakeTerms | undefined> {
  const cooldownSeconds = await readIfSupported(
    client.readContract({
      address: stakingAccount.staking,
      abi: stakingAbi,
      functionName: 'cooldownDuration',
    }),
  );
  const cooldown = await readCooldown(client, stakingAccount);
  if (
    cooldownSeconds === undefined ||
    cooldownSeconds > maxCooldownSeconds ||
    cooldown === undefined
  )
    return undefined;
  const stakedBalance = await readStakedBalance(client, stakingAccount);
  return { cooldownSeconds: Number(cooldownSeconds), stakedBalance, cooldown };
}

/**
 * Reads the cooldown of an account. Returns `undefined` if the contract has no cooldowns.
 * @throws WalletError `chain-unreachable` if the node does not answer
 */
export async function readCooldown(
  client: ChainClient,
  { staking, from }: StakingAccount,
): Promise<Cooldown | undefined> {
  const stake = await readIfSupported(
    client.readContract({
      address: staking,
      abi: stakingAbi,
      functionName: 'stakes',
      args: [from],
    }),
  );
  if (stake === undefined) return undefined;
  const [, endTime, pendingAmount] = stake;
  const { timestamp } = await awaitChainCall(client.getBlock(), 'chain');
  const remainingSeconds = endTime > timestamp ? endTime - timestamp : 0n;
  return {
    pendingAmount,
    secondsLeft: Number(
      remainingSeconds < maxCooldownSeconds ? remainingSeconds : maxCooldownSeconds,
    ),
  };
}

/**
 * Maximum cooldown in seconds, equal to ten years. A contract with a longer cooldown counts as a contract without
 * unstaking.
 */
const maxCooldownSeconds = 315_360_000n;

/**
 * Awaits a contract read. Returns `undefined` if the contract lacks the function, so that the read
 * reverts or returns nothing.
 */
async function readIfSupported<T>(replyPromise: Promise<T>): Promise<T | undefined> {
  try {
    return await awaitContractRead(replyPromise, 'stakingContract');
  } catch (error) {
    if (error instanceof WalletError && error.failure.code === 'not-a-contract') return undefined;
    throw error;
  }
}
