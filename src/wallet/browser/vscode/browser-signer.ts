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
  /** Id of the chain that the wallet used when it was connected. On another chain, the signer rejects all requests. */
  readonly chainId: number;
  /** Client for the configured chain. Without a client, the signer can sign but cannot send transactions. */
  readonly client?: ChainClient | undefined;
  readonly clock: Clock;
}

/** Signer for an account in a browser wallet. Verifies every result that the page reports. */
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
    const request = {
      kind: 'sign',
      text,
      review: toPageReview(review),
      ...this.#getAccountAndChain(),
    } as const;
    const result = await session.requestFromPage(request, signal);
    this.#requireSameWallet(result);
    const signature = result.signature as Hex;
    await checkSignature({ client, address: this.address, text, signature });
    return signature;
  }

  async sendTransaction(transaction: TransactionToSend, signal: AbortSignal): Promise<Hash> {
    const { session, client, clock } = this.#options;
    const { to, data, value, review, chainId } = transaction;
    if (client === undefined) throw new WalletError('no-chain', 'No chain is set.');
    if (chainId !== this.#options.chainId)
      throw new WalletError('wrong-chain', 'The transaction is for another chain.');
    const hexValue = `0x${value.toString(16)}`;
    const request = {
      to,
      data,
      value: hexValue,
      review: toPageReview(review),
      ...this.#getAccountAndChain(),
    };
    const result = await session.requestFromPage({ kind: 'send' as const, ...request }, signal);
    const hash = result.hash as Hash;
    this.#requireSameWallet(result, hash);
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

  #getAccountAndChain(): { readonly address: Address; readonly chainId: number } {
    return { address: this.address, chainId: this.#options.chainId };
  }

  /**
   * Checks that the wallet still uses the account and chain of this signer.
   * @throws WalletError `account-changed` or `wrong-chain`; the error contains `transactionHash`
   */
  #requireSameWallet(
    connectedAccount: { readonly address: string; readonly chainId: number },
    transactionHash?: Hash,
  ): void {
    if (checkAddress(connectedAccount.address) !== this.address)
      throw new WalletError(
        'account-changed',
        'The wallet is on another account.',
        transactionHash,
      );
    if (connectedAccount.chainId !== this.#options.chainId)
      throw new WalletError('wrong-chain', 'The wallet is on another chain.', transactionHash);
  }
}

/** Converts the facts that the user reviews before signing to the format of the page protocol. */
const toPageReview = ({ rows, warnings, ...texts }: MessageToSign['review']) => ({
  ...texts,
  rows: rows.map((row) => ({ ...row })),
  warnings: [...warnings],
});

/**
 * Builds the parameter of `wallet_addEthereumChain` (EIP-3085). All values come from the chain setting, none from the
 * service.
 */
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

/**
 * Builds the initial state of the wallet page. Every flow begins by connecting an account. If a chain is required, the
 * flow then switches the wallet to this chain.
 */
export const createInitialPageState = ({
  purpose,
  chain,
  steps,
}: ConnectOptions): Omit<WalletPageState, 'number'> => ({
  purpose,
  chain: chain === undefined ? null : { id: chain.id, name: chain.name },
  account: null,
  steps: [...new Set([...listFirstSteps(chain), ...steps])].map((step) => ({
    step,
    state: 'waiting',
  })),
  ended: null,
});

const listFirstSteps = (chain: Chain | undefined): readonly WalletStep[] =>
  chain === undefined ? ['connect'] : ['connect', 'network'];

/** Updates the state of a step on the page. Ignores a step that is not in the page's list. */
export function showStep(
  session: PageSession,
  step: WalletStep,
  state: 'current' | 'done' | 'skipped',
): void {
  const steps = session.state.steps.map((stepState) =>
    stepState.step === step ? { step, state } : stepState,
  );
  session.updateState({ steps });
}

/** Account of a connected browser wallet, and the id of the chain that the wallet uses. */
export interface BrowserAccount {
  readonly address: Address;
  readonly chainId: number;
}

/**
 * Connects an account of the wallet and returns the account with its checksummed address. If a chain is required, waits
 * until the wallet reports this chain.
 * @throws WalletError if the account cannot be connected, or the wallet does not switch to the chain
 */
export async function connectBrowserAccount(
  session: PageSession,
  options: ConnectOptions,
): Promise<BrowserAccount> {
  const account = await requestAccount(session, options);
  session.updateState({ account: account.address });
  const { chain, signal } = options;
  if (chain === undefined) return account;
  await switchToChain(session, chain, signal);
  return { ...account, chainId: chain.id };
}

async function requestAccount(
  session: PageSession,
  { address: requiredAddress, signal }: ConnectOptions,
): Promise<BrowserAccount> {
  showStep(session, 'connect', 'current');
  const connectedAccount = await session.requestFromPage(
    { kind: 'connect', address: requiredAddress ?? null },
    signal,
  );
  const address = checkAddress(connectedAccount.address);
  if (requiredAddress !== undefined && address !== checkAddress(requiredAddress))
    throw new WalletError('account-changed', `The wallet gave ${address}, not ${requiredAddress}.`);
  showStep(session, 'connect', 'done');
  return { address, chainId: connectedAccount.chainId };
}

async function switchToChain(
  session: PageSession,
  chain: Chain,
  signal: AbortSignal,
): Promise<void> {
  showStep(session, 'network', 'current');
  const { chainId } = await session.requestFromPage(
    { kind: 'network', chain: toAddChainParameter(chain) },
    signal,
  );
  if (chainId !== chain.id)
    throw new WalletError('wrong-chain', `The wallet is on chain ${chainId}, not ${chain.id}.`);
  showStep(session, 'network', 'done');
}
