import * as l10n from '@vscode/l10n';
import { getAddress, isAddress, TransactionNotFoundError, verifyMessage } from 'viem';
import { type Clock, wait } from '../base/clock.ts';
import type { ChainClient } from './chain-client.ts';
import type { Address, Hash, Hex } from './chain.ts';
import { WalletError } from './wallet-failure.ts';

/**
 * Returns the address with its EIP-55 checksum.
 * @throws WalletError `wallet-lied` for text that is not an address, or has a wrong checksum
 */
export function checkAddress(address: string): Address {
  const isMixedCase = address !== address.toLowerCase();
  if (!isAddress(address, { strict: isMixedCase }))
    throw new WalletError('wallet-lied', l10n.t('Its field “{0}” cannot be used.', 'address'));
  return getAddress(address);
}

interface SignedText {
  readonly address: Address;
  readonly text: string;
  readonly signature: Hex;
  /**
   * Client that verifies signatures of contract accounts. Without a client, only signatures by a
   * private key are accepted.
   */
  readonly client?: ChainClient | undefined;
}

/**
 * Maximum length of a signature in characters. A signature by a contract that is not deployed yet
 * (ERC-6492) has a few kilobytes.
 */
const maxSignatureLength = 32 * 1024;

/**
 * Checks that the account `address` signed exactly `text` (EIP-191). Recovers the signer of key
 * signatures locally, and queries the chain for contract accounts (EIP-1271, ERC-6492).
 * @throws WalletError with the code `wallet-lied` or `chain-unreachable`
 */
export async function checkSignature(signedText: SignedText): Promise<void> {
  const { address, signature } = signedText;
  const isHex = signature.length <= maxSignatureLength && /^0x(?:[0-9a-f]{2})+$/i.test(signature);
  if (isHex && ((await isSignedByKey(signedText)) || (await isSignedByContract(signedText))))
    return;
  throw new WalletError(
    'wallet-lied',
    l10n.t('The signature is not by {0}, or is for another message.', address),
  );
}

/**
 * Checks whether the private key of `address` made the signature. Returns false for a contract's
 * signature and for invalid values.
 */
const isSignedByKey = ({ address, text, signature }: SignedText): Promise<boolean> =>
  verifyMessage({ address, message: text, signature }).catch(() => false);

/** Suffix that marks a signature by a contract that is not deployed yet (ERC-6492). */
const erc6492Suffix = '6492'.repeat(16);

async function isSignedByContract({
  client,
  address,
  text,
  signature,
}: SignedText): Promise<boolean> {
  if (client === undefined) return false;
  // The code is read for every signature, because viem reports an unreachable chain as a wrong
  // signature.
  const code = await client.getCode({ address }).catch(throwUnreachableError);
  const isContract = (code ?? '0x') !== '0x' || signature.toLowerCase().endsWith(erc6492Suffix);
  return (
    isContract &&
    client.verifyMessage({ address, message: text, signature }).catch(throwUnreachableError)
  );
}

/**
 * Throws an error that does not include the original error, because the original error can contain the signature and
 * the RPC URL.
 */
function throwUnreachableError(): never {
  throw new WalletError('chain-unreachable', 'The chain did not answer.');
}

interface SentTransaction {
  readonly client: ChainClient;
  readonly hash: Hash;
  readonly from: Address;
  readonly chainId: number;
  readonly to: Address;
  readonly data: Hex;
  readonly value: bigint;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Maximum time in milliseconds for a transaction to reach the configured node from the wallet's node. */
const maxPropagationMs = 30_000;
const pollIntervalMs = 500;

/**
 * Checks that the chain has a transaction with this hash and exactly these fields. Polls the
 * configured node for at most 30 seconds.
 * @throws WalletError `wallet-lied` or `chain-unreachable`, both with the hash, because a
 *   transaction may have been sent; `transaction-unknown` when `signal` aborts first
 */
export async function checkSentTransaction(sentTransaction: SentTransaction): Promise<void> {
  const { client, hash, from, to, data, value, chainId } = sentTransaction;
  const transaction = await findTransaction(sentTransaction);
  if (transaction === undefined)
    throw new WalletError('wallet-lied', l10n.t('The chain does not know this transaction.'), hash);
  // Legacy transactions may omit their chain id.
  const actualChainId =
    transaction.chainId ?? (await client.getChainId().catch(throwUnreachableError));
  const hasSameFields =
    transaction.hash.toLowerCase() === hash.toLowerCase() &&
    isSameAddress(transaction.from, from) &&
    isSameAddress(transaction.to, to) &&
    transaction.input.toLowerCase() === data.toLowerCase() &&
    transaction.value === value &&
    actualChainId === chainId;
  if (!hasSameFields)
    throw new WalletError(
      'wallet-lied',
      l10n.t('The transaction does not match the request.'),
      hash,
    );
}

type Transaction = Awaited<ReturnType<ChainClient['getTransaction']>>;

async function findTransaction({
  client,
  hash,
  clock,
  signal,
}: SentTransaction): Promise<Transaction | undefined> {
  const deadline = clock.now() + maxPropagationMs;
  for (;;) {
    const transaction = await client.getTransaction({ hash }).catch((error: unknown) => {
      if (error instanceof TransactionNotFoundError) return undefined;
      throw new WalletError('chain-unreachable', 'The chain did not answer.', hash);
    });
    if (transaction !== undefined || clock.now() >= deadline) return transaction;
    await wait(pollIntervalMs, { clock, signal }).catch(() => {
      throw new WalletError('transaction-unknown', 'Stopped before the chain knew of it.', hash);
    });
  }
}

const isSameAddress = (a: string | null, b: string): boolean =>
  a?.toLowerCase() === b.toLowerCase();
