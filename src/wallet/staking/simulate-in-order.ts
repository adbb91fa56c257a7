import { type Abi, BaseError, HttpRequestError, TimeoutError } from 'viem';
import type { ChainClient } from '../chain-client.ts';
import type { Address } from '../chain.ts';
import { chainError, revertReason } from './chain-errors.ts';
import type { StepCall } from './staking-steps.ts';

export interface OrderedCalls {
  readonly from: Address;
  readonly calls: readonly StepCall[];
  /** A number that is read after them. */
  readonly read: {
    readonly address: Address;
    readonly abi: Abi;
    readonly functionName: string;
    readonly args: readonly unknown[];
  };
}

/**
 * Runs calls one after the other on top of the newest block (`eth_simulateV1`), without sending any: a stake needs an
 * allowance that is not there yet.
 * @returns what is read afterwards and the gas that the calls took; why one of them failed; or that the node has no
 * such simulation
 * @throws WalletError `chain-unreachable`
 */
export async function simulateInOrder(
  client: ChainClient,
  { from, calls, read }: OrderedCalls,
): Promise<{ value: bigint; gas: bigint } | { reason: string } | 'unsupported'> {
  const { address: to, ...reading } = read;
  try {
    const [block] = await client.simulateBlocks({
      blocks: [
        { calls: [...calls.map((call) => ({ account: from, ...call })), { to, ...reading }] },
      ],
    });
    const results = block?.calls ?? [];
    const failed = results.find(({ status }) => status !== 'success');
    if (failed !== undefined) return { reason: revertReason(failed.error) ?? '' };
    const value = results.at(-1)?.result;
    if (results.length !== calls.length + 1 || typeof value !== 'bigint') return 'unsupported';
    return { value, gas: results.slice(0, -1).reduce((sum, { gasUsed }) => sum + gasUsed, 0n) };
  } catch (error) {
    if (isMissing(error)) return 'unsupported';
    throw chainError(error, 'chain');
  }
}

/** Nodes say in several ways that they do not have a method; a node that does not answer at all is something else. */
const isMissing = (error: unknown): boolean =>
  !(error instanceof BaseError) || error.walk((each) => isSilence(each)) === null;

const isSilence = (error: unknown): boolean =>
  error instanceof TimeoutError ||
  (error instanceof HttpRequestError && error.status === undefined);
