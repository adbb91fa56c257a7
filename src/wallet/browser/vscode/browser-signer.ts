import type { Clock } from '../../../base/clock.ts';
import type { AddChainParameter, WalletPageState } from '../protocol.ts';
import type { PageSession } from './page-session.ts';
import type { ChainClient } from '../../chain-client.ts';
import type { Address, Chain, Hash, Hex } from '../../chain.ts';
import type {
  ConnectOptions,
  MessageToSign,
  Signer,
  TransactionToSend,
  WalletStep,
} from '../../signer.ts';
import { checkAddress, checkSentTransaction, checkSignature } from '../../verify.ts';
import { WalletError } from '../../wallet-failure.ts';

interface SignerOptions {
  readonly session: PageSession;
  readonly address: Address;
  readonly chain: Chain;
  readonly client: ChainClient;
  readonly clock: Clock;
}

/** The account of a wallet in the browser. Nothing that the page says of it is believed before it is checked here. */
export class BrowserSigner implements Signer {
  readonly kind = 'browser';
  readonly address: Address;
  readonly #options: SignerOptions;

  constructor(options: SignerOptions) {
    this.#options = options;
    this.address = options.address;
  }

  async signMessage({ text, review }: MessageToSign, signal: AbortSignal): Promise<Hex> {
    const { session, client } = this.#options;
    const asked = { kind: 'sign', text, review: pageReview(review), ...this.#place() } as const;
    const signed = await session.ask(asked, signal);
    this.#mustBeHere(signed);
    const signature = signed.signature as Hex;
    await checkSignature({ client, address: this.address, text, signature });
    return signature;
  }

  async sendTransaction(transaction: TransactionToSend, signal: AbortSignal): Promise<Hash> {
    const { session, client, chain, clock } = this.#options;
    const { to, data, value, review, chainId } = transaction;
    if (chainId !== chain.id)
      throw new WalletError('wrong-chain', 'The transaction is for another chain.');
    const quantity = `0x${value.toString(16)}`;
    const asked = { to, data, value: quantity, review: pageReview(review), ...this.#place() };
    const sent = await session.ask({ kind: 'send' as const, ...asked }, signal);
    const hash = sent.hash as Hash;
    this.#mustBeHere(sent, hash);
    await checkSentTransaction({
      client,
      hash,
      from: this.address,
      chainId,
      to,
      data,
      value,
      clock,
      signal,
    });
    return hash;
  }

  #place(): { readonly address: Address; readonly chainId: number } {
    return { address: this.address, chainId: this.#options.chain.id };
  }

  /** What the wallet was on right before it was asked. */
  #mustBeHere(said: { readonly address: string; readonly chainId: number }, hash?: Hash): void {
    if (checkAddress(said.address) !== this.address)
      throw new WalletError('account-changed', 'The wallet is on another account.', hash);
    if (said.chainId !== this.#options.chain.id)
      throw new WalletError('wrong-chain', 'The wallet is on another chain.', hash);
  }
}

/** A copy that can be sent; nothing of it is left out. */
const pageReview = ({ purpose, rows, warnings }: MessageToSign['review']) => ({
  purpose,
  rows: rows.map(({ name, value }) => ({ name, value })),
  warnings: [...warnings],
});

/** The chain of the settings as a wallet adds it (EIP-3085); nothing in it is from the service. */
export const toAddChainParameter = ({
  id,
  name,
  currency,
  rpcUrl,
  explorerUrl,
}: Chain): AddChainParameter => ({
  chainId: `0x${id.toString(16)}`,
  chainName: name,
  nativeCurrency: { ...currency },
  rpcUrls: [rpcUrl],
  blockExplorerUrls: explorerUrl === undefined ? [] : [explorerUrl],
});

/** What the page shows at first: every flow begins with an account on the right chain. */
export const initialPageState = ({
  purpose,
  chain,
  steps,
}: ConnectOptions): Omit<WalletPageState, 'number'> => ({
  purpose,
  chain: { id: chain.id, name: chain.name },
  account: null,
  steps: [...new Set<WalletStep>(['connect', 'network', ...steps])].map((step) => ({
    step,
    state: 'waiting',
  })),
  ended: null,
});

/** Shows how far a step is; one that the flow does not have is not shown. */
export function showStep(
  session: PageSession,
  step: WalletStep,
  state: 'current' | 'done' | 'skipped',
): void {
  const steps = session.state.steps.map((each) => (each.step === step ? { step, state } : each));
  session.change({ steps });
}

/**
 * The wallet's account, with its checksum, once the wallet says that it is on the chain.
 * @throws WalletError
 */
export async function connectBrowserAccount(
  session: PageSession,
  options: ConnectOptions,
): Promise<Address> {
  const address = await askAddress(session, options);
  session.change({ account: address });
  await askNetwork(session, options);
  return address;
}

async function askAddress(
  session: PageSession,
  { address: only, signal }: ConnectOptions,
): Promise<Address> {
  showStep(session, 'connect', 'current');
  const said = await session.ask({ kind: 'connect', address: only ?? null }, signal);
  const address = checkAddress(said.address);
  if (only !== undefined && address !== checkAddress(only))
    throw new WalletError('account-changed', `The wallet gave ${address}, not ${only}.`);
  showStep(session, 'connect', 'done');
  return address;
}

async function askNetwork(session: PageSession, { chain, signal }: ConnectOptions): Promise<void> {
  showStep(session, 'network', 'current');
  const { chainId } = await session.ask(
    { kind: 'network', chain: toAddChainParameter(chain) },
    signal,
  );
  if (chainId !== chain.id)
    throw new WalletError('wrong-chain', `The wallet is on chain ${chainId}, not ${chain.id}.`);
  showStep(session, 'network', 'done');
}
