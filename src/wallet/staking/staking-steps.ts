import { encodeFunctionData } from 'viem';
import { type ChainClient, stakeAbi, stakeForAbi, stakingAbi, tokenAbi } from '../chain-client.ts';
import type { Address, Hex } from '../chain.ts';
import {
  readAllowance,
  readCooldown,
  readStakedBalance,
  type StakingAccount,
} from './staking-state.ts';
import type { StakeSignature, StakingStep } from './stake-journal.ts';

/** Target and call data of a transaction. */
export interface StepCall {
  readonly to: Address;
  readonly data: Hex;
}

/** Account, contracts and amount of a step. */
export interface StepParameters extends StakingAccount {
  /** Amount in the token's smallest unit. */
  readonly amount: bigint;
  /** Solidity signature of `stake`; defaults to `stake(uint256)`. */
  readonly form?: StakeSignature;
}

/** Returns the Solidity signature of the function that a step calls. */
export function getStepSignature(step: StakingStep, form: StakeSignature = 'amount'): string {
  switch (step) {
    case 'reset':
    case 'approve':
    case 'revoke':
      return 'approve(address,uint256)';
    case 'stake':
      return form === 'amount' ? 'stake(uint256)' : 'stake(address,uint256)';
    case 'unstake':
      return 'initiateUnstake(uint256)';
    case 'withdraw':
      return 'finalizeUnstake()';
  }
}

/** Encodes the call of a step. An approval is for exactly the amount. */
export function encodeStepCall(
  step: StakingStep,
  { token, staking, from, amount, form }: StepParameters,
): StepCall {
  switch (step) {
    case 'reset':
    case 'revoke':
      return { to: token, data: encodeApproval(staking, 0n) };
    case 'approve':
      return { to: token, data: encodeApproval(staking, amount) };
    case 'stake':
      return { to: staking, data: encodeStake({ from, amount, form: form ?? 'amount' }) };
    case 'unstake':
      return {
        to: staking,
        data: encodeFunctionData({
          abi: stakingAbi,
          functionName: 'initiateUnstake',
          args: [amount],
        }),
      };
    case 'withdraw':
      return {
        to: staking,
        data: encodeFunctionData({ abi: stakingAbi, functionName: 'finalizeUnstake' }),
      };
  }
}

/**
 * Reads the value that a step changes: the allowance, the staked balance or the pending withdrawal, in the token's
 * smallest unit.
 */
export async function readStepValue(
  client: ChainClient,
  step: StakingStep,
  account: StakingAccount,
): Promise<bigint> {
  switch (step) {
    case 'reset':
    case 'approve':
    case 'revoke':
      return readAllowance(client, account);
    case 'stake':
      return readStakedBalance(client, account);
    case 'unstake':
    case 'withdraw':
      return (await readCooldown(client, account))?.pendingAmount ?? 0n;
  }
}

/**
 * Checks whether the value that {@link readStepValue} returns has changed as intended by the step. A transaction
 * receipt alone does not prove the effect.
 */
export function hasStepEffect(
  step: StakingStep,
  {
    amount,
    valueBefore,
    currentValue,
  }: { amount: bigint; valueBefore: bigint; currentValue: bigint },
): boolean {
  switch (step) {
    case 'reset':
    case 'revoke':
    case 'withdraw':
      return currentValue === 0n;
    case 'approve':
      return currentValue === amount;
    case 'stake':
    case 'unstake':
      return currentValue - valueBefore >= amount;
  }
}

const encodeApproval = (spender: Address, amount: bigint): Hex =>
  encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args: [spender, amount] });

const encodeStake = ({
  from,
  amount,
  form,
}: Required<Omit<StepParameters, 'token' | 'staking'>>): Hex =>
  form === 'amount'
    ? encodeFunctionData({ abi: stakeAbi, functionName: 'stake', args: [amount] })
    : encodeFunctionData({ abi: stakeForAbi, functionName: 'stake', args: [from, amount] });
