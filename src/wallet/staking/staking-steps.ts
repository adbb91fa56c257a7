import { encodeFunctionData } from 'viem';
import { type ChainClient, stakeAbi, stakeForAbi, stakingAbi, tokenAbi } from '../chain-client.ts';
import type { Address, Hex } from '../chain.ts';
import { readAllowance, readCooldown, readStaked, type StakingAccount } from './staking-state.ts';
import type { StakeForm, StakingStep } from './stake-journal.ts';

/** What a transaction does, to whom. */
export interface StepCall {
  readonly to: Address;
  readonly data: Hex;
}

/** Whose step it is, and with how much. */
export interface StepParameters extends StakingAccount {
  /** In the token's smallest unit. */
  readonly amount: bigint;
  /** For `stake`; as the specification has it when it is absent. */
  readonly form?: StakeForm;
}

/** The function that a step calls, as people know it. */
export function stepFunction(step: StakingStep, form: StakeForm = 'amount'): string {
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

/** The transaction of a step. An approval is for exactly the amount, never for more. */
export function encodeStepCall(
  step: StakingStep,
  { token, staking, from, amount, form }: StepParameters,
): StepCall {
  switch (step) {
    case 'reset':
    case 'revoke':
      return { to: token, data: approval(staking, 0n) };
    case 'approve':
      return { to: token, data: approval(staking, amount) };
    case 'stake':
      return { to: staking, data: stakeData({ from, amount, form: form ?? 'amount' }) };
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

/** What a step changes: the allowance, the staked balance, or what waits to be withdrawn. */
export async function readStepValue(
  client: ChainClient,
  step: StakingStep,
  place: StakingAccount,
): Promise<bigint> {
  switch (step) {
    case 'reset':
    case 'approve':
    case 'revoke':
      return readAllowance(client, place);
    case 'stake':
      return readStaked(client, place);
    case 'unstake':
    case 'withdraw':
      return (await readCooldown(client, place))?.waiting ?? 0n;
  }
}

/** Whether what a step changes has changed as it should; a receipt alone says less. */
export function isStepProven(
  step: StakingStep,
  { amount, before, now }: { amount: bigint; before: bigint; now: bigint },
): boolean {
  switch (step) {
    case 'reset':
    case 'revoke':
    case 'withdraw':
      return now === 0n;
    case 'approve':
      return now === amount;
    case 'stake':
    case 'unstake':
      return now - before >= amount;
  }
}

const approval = (spender: Address, amount: bigint): Hex =>
  encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args: [spender, amount] });

const stakeData = ({
  from,
  amount,
  form,
}: Required<Omit<StepParameters, 'token' | 'staking'>>): Hex =>
  form === 'amount'
    ? encodeFunctionData({ abi: stakeAbi, functionName: 'stake', args: [amount] })
    : encodeFunctionData({ abi: stakeForAbi, functionName: 'stake', args: [from, amount] });
