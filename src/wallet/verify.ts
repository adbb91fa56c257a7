import * as l10n from '@vscode/l10n';
import { getAddress, isAddress, TransactionNotFoundError, verifyMessage } from 'viem';
import { type Clock, wait } from '../base/clock.ts';
import type { ChainClient } from './chain-client.ts';
import type { Address, Hash, Hex } from './chain.ts';
import { WalletError } from './wallet-failure.ts';

/** Gets the checksum of EIP-55. @throws WalletError `wallet-lied` for what is no address, or has a wrong checksum */
export function checkAddress(address: string): Address {
  const isMixed = address !== address.toLowerCase();
  if (!isAddress(address, { strict: isMixed }))
    throw new WalletError(
      'wallet-lied',
      l10n.t('What the wallet gave as its account is no address.'),
    );
  return getAddress(address);
}

interface Signed {
  readonly address: Address;
  readonly text: string;
  readonly signature: Hex;
  /** Asked about signatures of contracts; without it only the signature of a key is accepted. */
  readonly client?: ChainClient | undefined;
}

/** In characters. A wrapped signature of a contract that is not deployed yet (ERC-6492) has a few kilobytes. */
const maxSignatureLength = 32 * 1024;

/**
 * Checks that `signature` is by `address` over exactly `text` (EIP-191): recovered here for accounts with a key, asked
 * of the chain for contracts (EIP-1271, ERC-6492).
 * @throws WalletError `wallet-lied`, `chain-unreachable`
 */
export async function checkSignature(signed: Signed): Promise<void> {
  const { address, signature } = signed;
  const isHex = signature.length <= maxSignatureLength && /^0x(?:[0-9a-f]{2})+$/i.test(signature);
  if (isHex && ((await isByKey(signed)) || (await isByContract(signed)))) return;
  throw new WalletError(
    'wallet-lied',
    l10n.t('The signature is not by {0}, or is over something else.', address),
  );
}

/** Throws for what is no signature of a key, such as that of a contract. */
const isByKey = ({ address, text, signature }: Signed): Promise<boolean> =>
  verifyMessage({ address, message: text, signature }).catch(() => false);

/** ERC-6492: a signature of a contract that is not deployed yet ends with this. */
const notDeployedYet = '6492'.repeat(16);

async function isByContract({ client, address, text, signature }: Signed): Promise<boolean> {
  if (client === undefined) return false;
  // Asked even where the signature tells: viem reports a chain that does not answer as a wrong signature.
  const code = await client.getCode({ address }).catch(failUnreachable);
  const isContract = (code ?? '0x') !== '0x' || signature.toLowerCase().endsWith(notDeployedYet);
  return (
    isContract && client.verifyMessage({ address, message: text, signature }).catch(failUnreachable)
  );
}

/** Quotes nothing of the error, which can hold the signature and the RPC address. */
function failUnreachable(): never {
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

/** A transaction may reach our node of the chain later than the wallet's. */
const propagationMs = 30_000;
const lookEveryMs = 500;

/**
 * That the chain knows a transaction of this hash with exactly these fields, asked of the configured node for half a
 * minute at most.
 * @throws WalletError `wallet-lied`, `chain-unreachable`, both with the hash: something may have been sent; or
 * `transaction-unknown` when `signal` aborts before it is known
 */
export async function checkSentTransaction(sent: SentTransaction): Promise<void> {
  const { client, hash, from, to, data, value, chainId } = sent;
  const found = await findTransaction(sent);
  if (found === undefined)
    throw new WalletError('wallet-lied', l10n.t('The chain does not know this transaction.'), hash);
  // Transactions of the first kind need not name their chain.
  const onChain = found.chainId ?? (await client.getChainId().catch(failUnreachable));
  const same =
    found.hash.toLowerCase() === hash.toLowerCase() &&
    isSameAddress(found.from, from) &&
    isSameAddress(found.to, to) &&
    found.input.toLowerCase() === data.toLowerCase() &&
    found.value === value &&
    onChain === chainId;
  if (!same)
    throw new WalletError(
      'wallet-lied',
      l10n.t('The transaction is not the one that was asked for.'),
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
  const end = clock.now() + propagationMs;
  for (;;) {
    const found = await client.getTransaction({ hash }).catch((error: unknown) => {
      if (error instanceof TransactionNotFoundError) return undefined;
      throw new WalletError('chain-unreachable', 'The chain did not answer.', hash);
    });
    if (found !== undefined || clock.now() >= end) return found;
    await wait(lookEveryMs, { clock, signal }).catch(() => {
      throw new WalletError('transaction-unknown', 'Stopped before the chain knew of it.', hash);
    });
  }
}

const isSameAddress = (one: string | null, other: string): boolean =>
  one?.toLowerCase() === other.toLowerCase();
