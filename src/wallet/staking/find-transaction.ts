import * as l10n from '@vscode/l10n';
import { isAddressEqual, TransactionNotFoundError } from 'viem';
import type { ChainClient } from '../chain-client.ts';
import type { Address, Hash, Hex } from '../chain.ts';
import { WalletError } from '../wallet-failure.ts';

/** What a transaction must be, whoever sent it. */
export interface ExpectedTransaction {
  readonly from: Address;
  readonly to: Address;
  readonly data: Hex;
}

/** Not one that did the same before the wallet was asked. */
export interface ExpectedNewTransaction extends ExpectedTransaction {
  /** The account's first that was free. */
  readonly nonce: number;
  /** The newest block then. */
  readonly block: bigint;
}

/** As the chain's node shows one. */
export interface NodeTransaction {
  readonly hash: Hash;
  readonly from: Address;
  readonly to: Address | null;
  readonly input: Hex;
  readonly value: bigint;
  readonly nonce: number;
  readonly chainId?: number | undefined;
  /** Absent while it waits. */
  readonly blockNumber?: bigint | null;
}

/** `undefined` when the node does not know it. */
export async function findTransaction(
  client: ChainClient,
  hash: Hash,
): Promise<NodeTransaction | undefined> {
  try {
    return await client.getTransaction({ hash });
  } catch (error) {
    if (error instanceof TransactionNotFoundError) return undefined;
    throw error;
  }
}

/**
 * A wallet says that this is what it sent: it must be exactly what it was asked for, and sent since.
 * @throws WalletError `wallet-lied`
 */
export function checkTransaction(
  shown: NodeTransaction,
  expected: ExpectedNewTransaction & { readonly chainId: number },
): void {
  const { hash, chainId = expected.chainId } = shown;
  if (isSame(shown, expected) && chainId === expected.chainId && isNew(shown, expected)) return;
  const detail = l10n.t('The wallet sent another transaction than the one it was asked for.');
  throw new WalletError('wallet-lied', detail, hash);
}

export interface Replacement {
  readonly hash: Hash;
  /** It does the same: only its fee is another. */
  readonly same: boolean;
  /** It does nothing, as wallets cancel. */
  readonly cancels: boolean;
}

/**
 * What took a nonce, from the block in which it did.
 * @returns undefined when the node cannot tell: it may have forgotten old states
 */
export async function findReplacement(
  client: ChainClient,
  sent: ExpectedNewTransaction,
): Promise<Replacement | undefined> {
  const shown = await transactionWithNonce(client, sent).catch(() => undefined);
  if (shown === undefined) return undefined;
  const { hash, from, to, value, input } = shown;
  const cancels =
    to !== null &&
    isAddressEqual(from, to) &&
    value === 0n &&
    (input === '0x' || input === undefined);
  return { hash, same: isSame(shown, sent), cancels };
}

/** The same transaction among those that wait in the node, which not every node shows. */
export async function findPendingTransaction(
  client: ChainClient,
  expected: ExpectedNewTransaction,
): Promise<Hash | undefined> {
  const block = await client
    .getBlock({ blockTag: 'pending', includeTransactions: true })
    .catch(() => undefined);
  return block?.transactions.find((each) => isSame(each, expected) && isNew(each, expected))?.hash;
}

async function transactionWithNonce(
  client: ChainClient,
  { from, nonce, block }: ExpectedNewTransaction,
): Promise<NodeTransaction | undefined> {
  const usedAt = async (blockNumber: bigint): Promise<boolean> =>
    (await client.getTransactionCount({ address: from, blockNumber })) > nonce;
  let last = await client.getBlockNumber();
  let first = block < last ? block : last;
  // Halved each time: a chain of any length takes a few dozen questions.
  while (first < last) {
    const middle = (first + last) / 2n;
    if (await usedAt(middle)) last = middle;
    else first = middle + 1n;
  }
  const { transactions } = await client.getBlock({ blockNumber: last, includeTransactions: true });
  return transactions.find((each) => each.nonce === nonce && isAddressEqual(each.from, from));
}

const isSame = (shown: NodeTransaction, { from, to, data }: ExpectedTransaction): boolean =>
  shown.to !== null &&
  isAddressEqual(shown.from, from) &&
  isAddressEqual(shown.to, to) &&
  shown.input.toLowerCase() === data.toLowerCase() &&
  shown.value === 0n;

const isNew = (
  { nonce, blockNumber }: NodeTransaction,
  asked: Pick<ExpectedNewTransaction, 'nonce' | 'block'>,
): boolean => nonce >= asked.nonce && (blockNumber == null || blockNumber > asked.block);
