import * as l10n from '@vscode/l10n';
import { parseAbiItem } from 'viem';
import { type Clock, wait } from '../../base/clock.ts';
import { omitUndefined } from '../../base/json.ts';
import type { ServiceContext } from '../../service/http/client.ts';
import { ServiceError, type ServiceFailure } from '../../service/http/failure.ts';
import type { X402Headers } from '../../service/payment-requirements.ts';
import {
  sendTopUp,
  type TopUpReceipt,
  type TopUpRefusal,
  topUpRefusal,
} from '../../service/x402.ts';
import { type ChainClient, type CheckedChain, readChain, usdcAbi } from '../chain-client.ts';
import type { Hash } from '../chain.ts';
import type { TopUpJournal, TopUpRecord } from './top-up-record.ts';

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
export async function readPaymentState(
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

/** How a top-up ended, as far as it is known. */
export type TopUpOutcome =
  /** The person did not agree: nothing was signed. */
  { readonly kind: 'declined' } | CreditedTopUp | UncreditedTopUp;

/** The service says that it has credited the payment. */
export interface CreditedTopUp {
  readonly kind: 'credited';
  readonly record: TopUpRecord;
  readonly receipt: TopUpReceipt;
  /** Whether the chain shows it; absent when the chain could not be asked. */
  readonly state?: PaymentState;
}

/** A signed payment that the service did not say to have credited. */
export interface UncreditedTopUp {
  /**
   * `paid`: the chain has carried it out. `void`: it cannot be carried out any more, so nothing was paid. `refused`: the
   * service does not want it, though it could carry it out until its end. `unknown`: none of these is known.
   */
  readonly kind: 'paid' | 'void' | 'refused' | 'unknown';
  readonly record: TopUpRecord;
  readonly hash?: Hash;
  readonly refusal?: TopUpRefusal;
  /** What the last try came to; absent when it was not sent again because it is void. */
  readonly failure?: ServiceFailure;
  /** Sends the same payment again, never another, unless it is void. */
  readonly resend: (signal: AbortSignal) => Promise<TopUpOutcome>;
}

interface SignedTopUpOptions {
  /** Bound to the address that the payment is for. */
  readonly service: ServiceContext;
  readonly headers: X402Headers;
  readonly chain: CheckedChain;
  readonly journal: TopUpJournal;
  readonly clock: Clock;
  readonly record: TopUpRecord;
  /** With the signature. */
  readonly header: string;
}

/** How often the chain is looked at when it must have something to tell, and how long it is waited between. */
const looks = 5;
const betweenLooksMs = 1_000;
const lookTimeoutMs = 15_000;

/** The one payment of one click. Its signature is in here only, for as long as this lives. */
export class SignedTopUp {
  readonly #options: SignedTopUpOptions;

  constructor(options: SignedTopUpOptions) {
    this.#options = options;
  }

  /** Hands it in. Never throws: what is known of it afterwards is the outcome. */
  async send(signal: AbortSignal): Promise<TopUpOutcome> {
    const { service, headers, header, record } = this.#options;
    try {
      const receipt = await sendTopUp(service, { payment: header, headers, signal });
      const state = await this.#look(looks, signal);
      await this.#forget(state);
      return omitUndefined({ kind: 'credited' as const, record, receipt, state });
    } catch (error) {
      const failure = failureOf(error);
      const isRefused = topUpRefusal(failure) !== undefined;
      return this.#uncredited(await this.#look(isRefused ? 1 : looks, signal), failure);
    }
  }

  async #resend(signal: AbortSignal): Promise<TopUpOutcome> {
    const state = await this.#look(1, signal);
    return state?.kind === 'void' ? this.#uncredited(state) : this.send(signal);
  }

  async #uncredited(
    state: PaymentState | undefined,
    failure?: ServiceFailure,
  ): Promise<UncreditedTopUp> {
    await this.#forget(state);
    const refusal = failure === undefined ? undefined : topUpRefusal(failure);
    const open = refusal === undefined ? 'unknown' : 'refused';
    const kind: UncreditedTopUp['kind'] =
      state === undefined || state.kind === 'open' ? open : state.kind;
    return omitUndefined({
      kind,
      record: this.#options.record,
      hash: state?.kind === 'paid' ? state.hash : undefined,
      refusal,
      failure,
      resend: (signal: AbortSignal) => this.#resend(signal),
    });
  }

  /** Until the chain has something certain to tell. Its own time runs on when the person has waited enough. */
  async #look(times: number, signal: AbortSignal): Promise<PaymentState | undefined> {
    const state = await this.#lookOnce();
    if (times <= 1 || state?.kind === 'paid' || state?.kind === 'void') return state;
    try {
      await wait(betweenLooksMs, { clock: this.#options.clock, signal });
    } catch {
      return state;
    }
    return this.#look(times - 1, signal);
  }

  async #lookOnce(): Promise<PaymentState | undefined> {
    const { chain, clock, record } = this.#options;
    const { confirmations } = chain.chain;
    const signal = AbortSignal.timeout(lookTimeoutMs);
    return readPaymentState(chain.client, record, { confirmations, clock, signal }).catch(
      () => undefined,
    );
  }

  /** A journal that does not forget tells it once more later; the outcome stands. */
  async #forget(state: PaymentState | undefined): Promise<void> {
    const { journal, record } = this.#options;
    const isOver = state?.kind === 'paid' || state?.kind === 'void';
    if (isOver) await journal.remove(record).catch(() => {});
  }
}

/** Of what else was thrown only the kind is told: a payment can be in its text. */
const failureOf = (error: unknown): ServiceFailure =>
  error instanceof ServiceError
    ? error.failure
    : {
        code: 'internal-error',
        message: error instanceof Error ? error.name : l10n.t('Unknown error'),
      };

/** A payment of an earlier command, with what the chain says of it now. */
export interface PendingTopUp {
  readonly record: TopUpRecord;
  readonly state: PaymentState;
}

/**
 * Looks up how the payments ended that were left open: by a reload, or by a reply that never came. Those that are paid
 * or void are told once, and forgotten.
 * @throws WalletError `chain-unreachable`, `not-a-contract`, `stopped`
 */
export async function checkPendingTopUps(
  { chain, client }: CheckedChain,
  { journal, clock, signal }: { journal: TopUpJournal; clock: Clock; signal: AbortSignal },
): Promise<readonly PendingTopUp[]> {
  const records = journal.list().filter(({ chainId }) => chainId === chain.id);
  const found: PendingTopUp[] = [];
  for (const record of records) {
    const { confirmations } = chain;
    const state = await readPaymentState(client, record, { confirmations, clock, signal });
    if (state.kind !== 'open') await journal.remove(record);
    found.push({ record, state });
  }
  return found;
}
