import * as l10n from '@vscode/l10n';
import { keccak256, type TransactionSerializable } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { type ChainClient, readChain } from '../chain-client.ts';
import type { Address, Hash, Hex } from '../chain.ts';
import { usePrivateKey } from './private-key.ts';
import type { LocalSigner, TransactionToSend } from '../signer.ts';
import { WalletError } from '../wallet-failure.ts';

/**
 * Maximum plausible gas and fee per unit of gas; `feePerGas` is in the currency's smallest unit. A higher estimate is
 * rejected, because it indicates a dishonest node or extreme congestion.
 */
const limits = { gas: 1_000_000n, feePerGas: 200n * 10n ** 9n } as const;

/**
 * Prepares a transaction with the account's next nonce, gas and fee, ready to sign. Signs and sends
 * nothing.
 * @throws WalletError with one of the codes `wrong-chain`, `unsafe-request`, `chain-unreachable`,
 *   `insufficient-funds`, `reverted` or `stopped`
 */
export async function prepareTransaction(
  client: ChainClient,
  { from, transaction }: { from: Address; transaction: TransactionToSend },
  signal: AbortSignal,
): Promise<TransactionSerializable> {
  const { to, data, value, chainId, maxFee } = transaction;
  if (chainId !== client.chain?.id) {
    throw new WalletError('wrong-chain', 'The transaction is for another chain.');
  }
  if (value !== 0n)
    throw createUnsafeRequestError(l10n.t('The transaction does not match the request.'));
  const call = { account: from, to, data, value };
  const read = <T>(query: () => Promise<T>): Promise<T> => readChain('fee', signal, query);
  const [nonce, gasEstimate, fees, balance] = await Promise.all([
    read(() => client.getTransactionCount({ address: from, blockTag: 'pending' })),
    read(() => client.estimateGas(call)),
    read(() => estimateFees(client)),
    read(() => client.getBalance({ address: from })),
  ]);
  // Adds 20%, because a contract's gas use can change slightly until the transaction is mined.
  const gas = (gasEstimate * 6n) / 5n;
  checkFee({ gas, pricePerGas: getMaxPricePerGas(fees), balance, maxFee });
  return { chainId, to, data, value, nonce, gas, ...fees };
}

type FeeFields =
  | {
      readonly type: 'eip1559';
      readonly maxFeePerGas: bigint;
      readonly maxPriorityFeePerGas: bigint;
    }
  | { readonly type: 'legacy'; readonly gasPrice: bigint };

/**
 * Estimates the fee of a transaction per unit of gas: the maximum fee and the priority fee (EIP-1559), or the gas price
 * if the chain reports no base fee.
 */
async function estimateFees(client: ChainClient): Promise<FeeFields> {
  const { baseFeePerGas } = await client.getBlock();
  if (baseFeePerGas === null) return { type: 'legacy', gasPrice: await client.getGasPrice() };
  const { maxFeePerGas, maxPriorityFeePerGas } = await client.estimateFeesPerGas();
  return { type: 'eip1559', maxFeePerGas, maxPriorityFeePerGas };
}

/** Returns the maximum price per gas unit, in the currency's smallest unit. */
const getMaxPricePerGas = (fees: FeeFields): bigint =>
  fees.type === 'legacy' ? fees.gasPrice : fees.maxFeePerGas;

interface FeeCheck {
  readonly gas: bigint;
  readonly pricePerGas: bigint;
  readonly balance: bigint;
  readonly maxFee: bigint | undefined;
}

function checkFee({ gas, pricePerGas, balance, maxFee }: FeeCheck): void {
  const isShownFeeExceeded = maxFee !== undefined && gas * pricePerGas > maxFee;
  if (gas > limits.gas || pricePerGas > limits.feePerGas || isShownFeeExceeded) {
    throw createUnsafeRequestError(l10n.t('The node asks for a fee that is too high.'));
  }
  if (gas * pricePerGas > balance) {
    throw new WalletError('insufficient-funds', l10n.t('There is not enough to pay the fees.'));
  }
}

const createUnsafeRequestError = (reason: string): WalletError =>
  new WalletError('unsafe-request', reason);

/**
 * Sends a signed transaction and returns its hash. Computes the hash locally, because the node could reply with another
 * hash. Sending cannot be aborted.
 * @throws WalletError `transaction-unknown` with the hash when the node does not confirm that it has the transaction
 */
export async function sendSignedTransaction(
  client: ChainClient,
  signedTransaction: Hex,
): Promise<Hash> {
  const hash = keccak256(signedTransaction);
  const signal = AbortSignal.timeout(sendTimeoutMs);
  try {
    await readChain('the transaction', signal, () =>
      client.sendRawTransaction({ serializedTransaction: signedTransaction }),
    );
  } catch {
    // A node rejects a transaction that it already has, which does not count as a failure.
    if (!(await isKnownTransaction(client, hash))) throw createTransactionUnknownError(hash);
  }
  return hash;
}

const sendTimeoutMs = 60_000;
const lookupTimeoutMs = 15_000;

async function isKnownTransaction(client: ChainClient, hash: Hash): Promise<boolean> {
  const lookupPromise = readChain('the transaction', AbortSignal.timeout(lookupTimeoutMs), () =>
    client.getTransaction({ hash }),
  );
  return lookupPromise.then(
    () => true,
    () => false,
  );
}

const createTransactionUnknownError = (hash: Hash): WalletError =>
  new WalletError(
    'transaction-unknown',
    'The node did not confirm that it received the transaction.',
    hash,
  );

/** A local account and a function that provides its private key. */
export interface LocalSignerKey {
  readonly kind: LocalSigner['kind'];
  readonly address: Address;
  /**
   * Returns the 32-byte private key for one signature. The signer calls this function only after all other
   * preparations, and overwrites the key after use.
   * @throws WalletError with one of the codes `rejected`, `wrong-password`, `invalid-keystore`, `no-wallet` or
   *   `stopped`
   */
  open(signal: AbortSignal): Promise<Uint8Array>;
}

/**
 * Creates a signer for a local key. Sends transactions through `client`, with the fee that the
 * client's node estimates. Without a client, the signer only signs.
 */
export function createLocalSigner(key: LocalSignerKey, client?: ChainClient): LocalSigner {
  const { kind, address } = key;
  const signWithAccount = <T>(
    signal: AbortSignal,
    run: (account: PrivateKeyAccount) => Promise<T>,
  ): Promise<T> => withAccount(key, signal, run);
  return {
    kind,
    address,
    signMessage: ({ text }, signal) =>
      signWithAccount(signal, (account) => account.signMessage({ message: text })),
    signTypedData: (data, signal) =>
      signWithAccount(signal, (account) => account.signTypedData({ ...data })),
    sendTransaction: async (transaction, signal) => {
      if (client === undefined)
        throw new WalletError(
          'no-chain',
          l10n.t('The setting {0} is missing.', 'inferenceService.wallet.chain'),
        );
      const preparedTransaction = await prepareTransaction(
        client,
        { from: address, transaction },
        signal,
      );
      const signedTransaction = await signWithAccount(signal, (account) =>
        account.signTransaction(preparedTransaction),
      );
      return sendSignedTransaction(client, signedTransaction);
    },
  };
}

async function withAccount<T>(
  key: LocalSignerKey,
  signal: AbortSignal,
  run: (account: PrivateKeyAccount) => Promise<T>,
): Promise<T> {
  if (signal.aborted) throw new WalletError('stopped', 'Nothing was signed.');
  return usePrivateKey(await key.open(signal), async (account) => {
    if (signal.aborted) throw new WalletError('stopped', 'Nothing was signed.');
    if (account.address === key.address) return run(account);
    throw new WalletError('invalid-keystore', l10n.t('The key is not that of the account.'));
  });
}
