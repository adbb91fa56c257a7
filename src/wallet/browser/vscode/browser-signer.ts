import type { Clock } from '../../../base/clock.ts';
import type { Address, Chain, Hash, Hex } from '../../chain.ts';
import type { ChainClient } from '../../chain-client.ts';
import type { MessageToSign, Signer, TransactionToSend } from '../../signer.ts';
import { checkAddress, checkSent, checkSignature } from '../../verify.ts';
import { WalletError } from '../../wallet-failure.ts';
import type { PageSession } from './page-session.ts';

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
    await checkSent({ client, hash, from: this.address, chainId, to, data, value, clock, signal });
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
