import * as l10n from '@vscode/l10n';
import { isAddressEqual, TransactionNotFoundError } from 'viem';
import type { ChainClient } from '../chain-client.ts';
import type { Address, Hash, Hex } from '../chain.ts';
import { WalletError } from '../wallet-failure.ts';

/** Fields that a transaction must have. */
export interface ExpectedTransaction {
  readonly from: Address;
  readonly to: Address;
  readonly data: Hex;
}

/**
 * Expected fields of a new transaction. Earlier transactions with equal fields do not match, because their nonce is
 * lower or their block is not later than `block`.
 */
export interface ExpectedNewTransaction extends ExpectedTransaction {
  /** First free nonce of the account. */
  readonly nonce: number;
  /** Number of the latest block before the wallet request. */
  readonly block: bigint;
}

/** A transaction as the node returns it. */
export interface NodeTransaction {
  readonly hash: Hash;
  readonly from: Address;
  readonly to: Address | null;
  readonly input: Hex;
  readonly value: bigint;
  readonly nonce: number;
  readonly chainId?: number | undefined;
  /** Number of the block with the transaction; absent while the transaction is pending. */
  readonly blockNumber?: bigint | null;
}

/** Returns the transaction with the given hash; `undefined` if the node does not find it. */
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
 * Checks that the transaction has exactly the expected fields and is newer than the wallet request.
 * @throws WalletError `wallet-lied` if a field differs or the transaction is older
 */
export function checkTransaction(
  transaction: NodeTransaction,
  expected: ExpectedNewTransaction & { readonly chainId: number },
): void {
  const { hash, chainId = expected.chainId } = transaction;
  if (
    hasSameEffect(transaction, expected) &&
    chainId === expected.chainId &&
    isNewTransaction(transaction, expected)
  )
    return;
  const detail = l10n.t('The transaction does not match the request.');
  throw new WalletError('wallet-lied', detail, hash);
}

export interface ReplacementTransaction {
  readonly hash: Hash;
  /**
   * True if the replacement has the same sender, recipient, data and value as the sent transaction, so that only the
   * fee differs.
   */
  readonly hasSameEffect: boolean;
  /**
   * True if the replacement is an empty transfer to the account itself, which cancels the sent
   * transaction.
   */
  readonly isCancellation: boolean;
}

/**
 * Finds the transaction that used the nonce of `sentTransaction`.
 * @returns `undefined` if the node cannot find the transaction, for example because it does not store the states of old
 *   blocks
 */
export async function findReplacement(
  client: ChainClient,
  sentTransaction: ExpectedNewTransaction,
): Promise<ReplacementTransaction | undefined> {
  const transaction = await findTransactionWithNonce(client, sentTransaction).catch(
    () => undefined,
  );
  if (transaction === undefined) return undefined;
  const { hash, from, to, value, input } = transaction;
  const isCancellation =
    to !== null &&
    isAddressEqual(from, to) &&
    value === 0n &&
    (input === '0x' || input === undefined);
  return { hash, hasSameEffect: hasSameEffect(transaction, sentTransaction), isCancellation };
}

/**
 * Finds the expected transaction in the pending block. Returns `undefined` if the block does not contain it, or if the
 * node does not return this block.
 */
export async function findPendingTransaction(
  client: ChainClient,
  expected: ExpectedNewTransaction,
): Promise<Hash | undefined> {
  const block = await client
    .getBlock({ blockTag: 'pending', includeTransactions: true })
    .catch(() => undefined);
  return block?.transactions.find(
    (candidate) => hasSameEffect(candidate, expected) && isNewTransaction(candidate, expected),
  )?.hash;
}

async function findTransactionWithNonce(
  client: ChainClient,
  { from, nonce, block }: ExpectedNewTransaction,
): Promise<NodeTransaction | undefined> {
  const isNonceUsedAt = async (blockNumber: bigint): Promise<boolean> =>
    (await client.getTransactionCount({ address: from, blockNumber })) > nonce;
  let lastBlockNumber = await client.getBlockNumber();
  let firstBlockNumber = block < lastBlockNumber ? block : lastBlockNumber;
  // A binary search needs only a few dozen requests, even for a long chain.
  while (firstBlockNumber < lastBlockNumber) {
    const middleBlockNumber = (firstBlockNumber + lastBlockNumber) / 2n;
    if (await isNonceUsedAt(middleBlockNumber)) lastBlockNumber = middleBlockNumber;
    else firstBlockNumber = middleBlockNumber + 1n;
  }
  const { transactions } = await client.getBlock({
    blockNumber: lastBlockNumber,
    includeTransactions: true,
  });
  return transactions.find(
    (transaction) => transaction.nonce === nonce && isAddressEqual(transaction.from, from),
  );
}

const hasSameEffect = (
  transaction: NodeTransaction,
  { from, to, data }: ExpectedTransaction,
): boolean =>
  transaction.to !== null &&
  isAddressEqual(transaction.from, from) &&
  isAddressEqual(transaction.to, to) &&
  transaction.input.toLowerCase() === data.toLowerCase() &&
  transaction.value === 0n;

const isNewTransaction = (
  { nonce, blockNumber }: NodeTransaction,
  expected: Pick<ExpectedNewTransaction, 'nonce' | 'block'>,
): boolean => nonce >= expected.nonce && (blockNumber == null || blockNumber > expected.block);
