import * as l10n from '@vscode/l10n';
import { parseAbiItem } from 'viem';
import type { Clock } from '../../base/clock.ts';
import { type ChainClient, readChain, usdcAbi } from '../chain-client.ts';
import type { Hash } from '../chain.ts';
import type { TopUpRecord } from './top-up-record.ts';

/** What the chain knows of a signed payment. */
export type PaymentState =
  /** It was carried out. The transaction is absent when the node does not name it. */
  | { readonly kind: 'paid'; readonly hash?: Hash }
  /** It was not, and can be until it ends. */
  | { readonly kind: 'open' }
  /** It was not, and never will be. */
  | { readonly kind: 'void' };

const used = parseAbiItem(
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
);

/**
 * Asks the token itself, not the service.
 * @param options.confirmations Blocks that must have come after its end before it counts as void.
 * @param options.clock Must be past its end too: a node can date its blocks as it likes.
 * @throws WalletError `chain-unreachable`, `not-a-contract`, `stopped`
 */
export async function paymentState(
  client: ChainClient,
  record: TopUpRecord,
  { confirmations, clock, signal }: { confirmations: number; clock: Clock; signal: AbortSignal },
): Promise<PaymentState> {
  const ask = <T>(read: () => Promise<T>): Promise<T> =>
    readChain(l10n.t('the payment'), signal, read);
  const newest = await ask(() => client.getBlockNumber());
  const depth = BigInt(Math.max(0, confirmations - 1));
  const block = await ask(() =>
    client.getBlock({ blockNumber: newest > depth ? newest - depth : 0n }),
  );
  // After the block: what was carried out before its time is seen.
  const isUsed = await ask(() =>
    client.readContract({
      address: record.asset,
      abi: usdcAbi,
      functionName: 'authorizationState',
      args: [record.from, record.nonce],
    }),
  );
  if (!isUsed) {
    const now = BigInt(Math.floor(clock.now() / 1_000));
    const isOver = block.timestamp >= record.validBefore && now >= record.validBefore;
    return { kind: isOver ? 'void' : 'open' };
  }
  const hash = await transactionOf(client, record, signal);
  return hash === undefined ? { kind: 'paid' } : { kind: 'paid', hash };
}

/** Only for a link: a node that does not search is no reason to doubt that it was paid. */
async function transactionOf(
  client: ChainClient,
  { asset, from, nonce, block }: TopUpRecord,
  signal: AbortSignal,
): Promise<Hash | undefined> {
  try {
    const [log] = await readChain('the transaction', signal, () =>
      client.getLogs({
        address: asset,
        event: used,
        args: { authorizer: from, nonce },
        fromBlock: block,
        toBlock: 'latest',
      }),
    );
    return log?.transactionHash;
  } catch {
    return undefined;
  }
}
