import * as l10n from '@vscode/l10n';
import type { TransactionSerializable } from 'viem';
import { type ChainClient, readChain } from '../chain-client.ts';
import type { Address } from '../chain.ts';
import type { TransactionToSend } from '../signer.ts';
import { WalletError } from '../wallet-failure.ts';

/** A node that asks for more than this lies, or the moment is bad: gas, and the smallest unit per gas. */
const limits = { gas: 1_000_000n, feePerGas: 200n * 10n ** 9n } as const;

/**
 * The transaction with the account's next nonce, its gas and its fee, ready to sign. Nothing is signed or sent.
 * @throws WalletError `wrong-chain`, `unsafe-request`, `chain-unreachable`, `insufficient-funds`, `reverted`, `stopped`
 */
export async function prepareTransaction(
  client: ChainClient,
  { from, transaction }: { from: Address; transaction: TransactionToSend },
  signal: AbortSignal,
): Promise<TransactionSerializable> {
  const { to, data, value, chainId, mostFee } = transaction;
  if (chainId !== client.chain?.id) {
    throw new WalletError('wrong-chain', 'The transaction is for another chain.');
  }
  if (value !== 0n) throw unsafe(l10n.t('it would send away currency'));
  const call = { account: from, to, data, value };
  const ask = <T>(read: () => Promise<T>): Promise<T> =>
    readChain(l10n.t('the cost of the transaction'), signal, read);
  const [nonce, estimate, fees, balance] = await Promise.all([
    ask(() => client.getTransactionCount({ address: from, blockTag: 'pending' })),
    ask(() => client.estimateGas(call)),
    ask(() => feesOf(client)),
    ask(() => client.getBalance({ address: from })),
  ]);
  // What a contract needs can change a little until the block.
  const gas = (estimate * 6n) / 5n;
  checkFee({ gas, price: priceOf(fees), balance, mostFee });
  return { chainId, to, data, value, nonce, gas, ...fees };
}

type Fees =
  | {
      readonly type: 'eip1559';
      readonly maxFeePerGas: bigint;
      readonly maxPriorityFeePerGas: bigint;
    }
  | { readonly type: 'legacy'; readonly gasPrice: bigint };

/** Chains from before EIP-1559 have no base fee. */
async function feesOf(client: ChainClient): Promise<Fees> {
  const { baseFeePerGas } = await client.getBlock();
  if (baseFeePerGas === null) return { type: 'legacy', gasPrice: await client.getGasPrice() };
  const { maxFeePerGas, maxPriorityFeePerGas } = await client.estimateFeesPerGas();
  return { type: 'eip1559', maxFeePerGas, maxPriorityFeePerGas };
}

/** At most so much per gas. */
const priceOf = (fees: Fees): bigint =>
  fees.type === 'legacy' ? fees.gasPrice : fees.maxFeePerGas;

interface Fee {
  readonly gas: bigint;
  readonly price: bigint;
  readonly balance: bigint;
  readonly mostFee: bigint | undefined;
}

function checkFee({ gas, price, balance, mostFee }: Fee): void {
  if (gas > limits.gas || price > limits.feePerGas) {
    throw unsafe(l10n.t('the node asks for a fee that cannot be right'));
  }
  if (mostFee !== undefined && gas * price > mostFee) {
    throw unsafe(l10n.t('the node asks for a far higher fee than the one that was shown'));
  }
  if (gas * price > balance) {
    throw new WalletError('insufficient-funds', l10n.t('The fee is more than the account holds.'));
  }
}

const unsafe = (reason: string): WalletError =>
  new WalletError('unsafe-request', l10n.t('The transaction was not signed: {0}.', reason));
