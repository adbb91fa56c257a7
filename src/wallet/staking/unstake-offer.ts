import * as l10n from '@vscode/l10n';
import { type ChainClient, stakingAbi } from '../chain-client.ts';
import { WalletError } from '../wallet-failure.ts';
import { chainAnswer, contractAnswer } from './chain-errors.ts';
import { readStaked, type StakingPlace } from './staking-state.ts';

/** How a stake can be taken back. Amounts in the token's smallest unit. */
export interface UnstakeOffer {
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
export async function readUnstakeOffer(
  client: ChainClient,
  place: StakingPlace,
): Promise<UnstakeOffer | undefined> {
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
  { staking, from }: StakingPlace,
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
  const { timestamp } = await chainAnswer(client.getBlock(), 'chain');
  const left = end > timestamp ? end - timestamp : 0n;
  return { waiting, secondsLeft: Number(left < longestWait ? left : longestWait) };
}

/** Ten years, in seconds: what waits longer is never given back. */
const longestWait = 315_360_000n;

/** A contract without the function refuses the call, or answers with nothing. */
async function offered<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await contractAnswer(answer, l10n.t('the staking contract'));
  } catch (error) {
    if (error instanceof WalletError && error.failure.code === 'not-a-contract') return undefined;
    throw error;
  }
}
