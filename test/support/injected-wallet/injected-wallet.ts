import type { BrowserContext } from 'playwright-core';
import { createWalletClient, defineChain, type Hex, http, isHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { announceWallet, emitWalletEvent, type WalletAnnouncement } from './in-page.ts';

/**
 * Behavior of the wallet for each request:
 * - `approve`: approves the request, as a consenting user does.
 * - `reject` fails with 4001, `busy` with -32002 (another request is pending), `unauthorised` with 4100, `cut-off` with
 *   4900.
 * - `silent`: never replies.
 * - `switch-account`, `switch-chain`: the user switches while a signature or transaction is pending.
 * - Faults: `wrong-address` returns another account; `other-text` signs another text; `wrong-signature` signs with
 *   another key; `bad-signature` returns an invalid signature; `random-hash` and `zero-hash` return a hash without
 *   sending a transaction; `other-transaction` sends another transaction.
 */
export type WalletMode =
  | 'approve'
  | 'reject'
  | 'busy'
  | 'unauthorised'
  | 'cut-off'
  | 'silent'
  | 'switch-account'
  | 'switch-chain'
  | 'wrong-address'
  | 'other-text'
  | 'wrong-signature'
  | 'bad-signature'
  | 'random-hash'
  | 'zero-hash'
  | 'other-transaction';

export interface WalletOptions {
  /** Private key of the account. Stays in the test process: pages receive only signatures. */
  readonly privateKey: Hex;
  /** JSON-RPC URL of the chain. */
  readonly rpcUrl: string;
  /** Chain id (EIP-155) of the chain at `rpcUrl`. */
  readonly chainId: number;
  /**
   * Id of the chain that the wallet initially uses. If it differs from `chainId`, the wallet does not know `chainId`:
   * it rejects a switch with error 4902 until the page adds the chain.
   */
  readonly initialChainId?: number;
  readonly walletMode?: WalletMode;
  readonly name?: string;
  readonly icon?: string;
  /** `legacy` announces the wallet only as `window.ethereum`, the method before EIP-6963. */
  readonly announcementKind?: 'eip-6963' | 'legacy';
}

export interface WalletRequest {
  readonly method: string;
  readonly params: readonly unknown[];
}

/**
 * Simulated wallet that needs no browser extension, connected to a local chain. After its installation in a browser
 * context, the wallet announces an EIP-1193 provider by EIP-6963 in every new page. A changed `walletMode` applies to
 * later requests. A context can have several wallets.
 */
export class InjectedWallet {
  /** Requests that pages have sent, oldest first. */
  readonly requests: WalletRequest[] = [];
  walletMode: WalletMode;
  readonly #context: BrowserContext;
  readonly #options: WalletOptions;
  readonly #announcement: WalletAnnouncement;
  readonly #knownChainIds: Set<number>;
  #chainId: number;
  #account: Hex;
  #isConnected = false;

  static async install(context: BrowserContext, options: WalletOptions): Promise<InjectedWallet> {
    const wallet = new InjectedWallet(context, options);
    await context.exposeBinding(wallet.#announcement.binding, (_source, request: WalletRequest) =>
      wallet.#answer(request),
    );
    await context.addInitScript(announceWallet, wallet.#announcement);
    return wallet;
  }

  private constructor(context: BrowserContext, options: WalletOptions) {
    const { name = 'Test Wallet', icon = plainIcon, announcementKind = 'eip-6963' } = options;
    const uuid = crypto.randomUUID();
    this.#context = context;
    this.#options = options;
    this.#announcement = {
      uuid,
      name,
      icon,
      announcementKind,
      binding: `wallet_${uuid.replaceAll('-', '')}`,
    };
    this.#chainId = options.initialChainId ?? options.chainId;
    this.#knownChainIds = new Set([this.#chainId]);
    this.#account = privateKeyToAccount(options.privateKey).address;
    this.walletMode = options.walletMode ?? 'approve';
  }

  /** Address of the account, with checksum (EIP-55). */
  get address(): Hex {
    return privateKeyToAccount(this.#options.privateKey).address;
  }

  /** Id of the chain that the wallet currently uses. */
  get chainId(): number {
    return this.#chainId;
  }

  /** Returns the number of requests for a method. */
  countRequests(method: string): number {
    return this.requests.filter((request) => request.method === method).length;
  }

  /** Switches to the account with this address and notifies all pages. */
  async switchAccount(address: Hex = otherAccount.address): Promise<void> {
    this.#account = address;
    await this.#emit('accountsChanged', [address]);
  }

  /** Switches to another chain and notifies all pages. */
  async switchChain(chainId: number): Promise<void> {
    this.#knownChainIds.add(chainId);
    this.#chainId = chainId;
    await this.#emit('chainChanged', `0x${chainId.toString(16)}`);
  }

  /** Disconnects the wallet and notifies all pages. */
  async disconnect(): Promise<void> {
    this.#isConnected = false;
    await this.#emit('accountsChanged', []);
  }

  async #emit(event: string, payload: unknown): Promise<void> {
    const { uuid } = this.#announcement;
    await Promise.all(
      this.#context
        .pages()
        .map((page) => page.evaluate(emitWalletEvent, { uuid, event, payload }).catch(() => {})),
    );
  }

  async #answer(request: WalletRequest): Promise<WalletAnswer> {
    this.requests.push(request);
    try {
      return { result: await this.#perform(request) };
    } catch (error) {
      if (error instanceof ProviderError)
        return { error: { code: error.code, message: error.message } };
      return { error: { code: -32_603, message: String(error) } };
    }
  }

  async #perform({ method, params }: WalletRequest): Promise<unknown> {
    if (userPromptMethods.has(method)) await this.#obeyMode(method);
    switch (method) {
      case 'eth_chainId':
        return `0x${this.#chainId.toString(16)}`;
      case 'eth_accounts':
        return this.#isConnected ? [this.#visibleAccount] : [];
      case 'eth_requestAccounts':
        this.#isConnected = true;
        return [this.#visibleAccount];
      case 'wallet_switchEthereumChain':
        return this.#switchToChain(parseChainId(params[0]));
      case 'wallet_addEthereumChain':
        this.#knownChainIds.add(parseChainId(params[0]));
        return this.#switchToChain(parseChainId(params[0]));
      case 'personal_sign':
        return this.#sign(params);
      case 'eth_sendTransaction':
        return this.#send(params[0] as RequestedTransaction);
      default:
        return this.#forward(method, params);
    }
  }

  async #obeyMode(method: string): Promise<void> {
    const isSigning = method === 'personal_sign' || method === 'eth_sendTransaction';
    if (this.walletMode === 'reject') throw new ProviderError(4001, 'User rejected the request.');
    if (this.walletMode === 'busy') throw new ProviderError(-32_002, 'Request already pending.');
    if (this.walletMode === 'unauthorised') throw new ProviderError(4100, 'Not authorised.');
    if (this.walletMode === 'cut-off') throw new ProviderError(4900, 'Disconnected.');
    if (isSigning && this.walletMode === 'switch-account') await this.switchAccount();
    if (isSigning && this.walletMode === 'switch-chain') await this.switchChain(1);
    const shouldHang =
      this.walletMode === 'silent' || (isSigning && this.walletMode.startsWith('switch-'));
    if (shouldHang) await new Promise(() => {});
  }

  get #visibleAccount(): Hex {
    return this.walletMode === 'wrong-address' ? otherAccount.address : this.#account;
  }

  async #switchToChain(chainId: number): Promise<null> {
    if (!this.#knownChainIds.has(chainId)) throw new ProviderError(4902, 'Unrecognised chain.');
    if (chainId !== this.#chainId) await this.switchChain(chainId);
    return null;
  }

  async #sign([message, address]: readonly unknown[]): Promise<Hex> {
    if (!isHex(message)) throw new ProviderError(-32_602, 'The message is not in hexadecimal.');
    this.#assertVisibleAccount(address);
    if (this.walletMode === 'bad-signature') return `0x${'11'.repeat(65)}`;
    const rawMessage: Hex = this.walletMode === 'other-text' ? `${message}21` : message;
    const signer =
      this.walletMode === 'wrong-signature'
        ? otherAccount
        : privateKeyToAccount(this.#options.privateKey);
    return signer.signMessage({ message: { raw: rawMessage } });
  }

  async #send({ from, to, data = '0x', value = '0x0' }: RequestedTransaction): Promise<Hex> {
    this.#assertVisibleAccount(from);
    if (this.walletMode === 'random-hash') return `0x${'5a'.repeat(32)}`;
    if (this.walletMode === 'zero-hash') return `0x${'00'.repeat(32)}`;
    const isOtherTransaction = this.walletMode === 'other-transaction';
    return this.#createClient().sendTransaction({
      to: isOtherTransaction ? otherAccount.address : to,
      data: isOtherTransaction ? '0x' : data,
      value: BigInt(value),
    });
  }

  #assertVisibleAccount(address: unknown): void {
    if (String(address).toLowerCase() === this.#visibleAccount.toLowerCase()) return;
    throw new ProviderError(4100, 'The account is not connected.');
  }

  // oxlint-disable-next-line typescript/explicit-function-return-type -- viem's own type has the chain in it
  #createClient() {
    const { rpcUrl, chainId, privateKey } = this.#options;
    return createWalletClient({
      account: privateKeyToAccount(privateKey),
      chain: defineChain({
        id: chainId,
        name: 'Test',
        nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
        rpcUrls: { default: { http: [rpcUrl] } },
      }),
      transport: http(rpcUrl),
    });
  }

  async #forward(method: string, params: readonly unknown[]): Promise<unknown> {
    if (!method.startsWith('eth_')) throw new ProviderError(4200, 'Not supported.');
    const reply = await fetch(this.#options.rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = (await reply.json()) as WalletAnswer;
    if (error !== undefined) throw new ProviderError(error.code, error.message);
    return result;
  }
}

/** Names and icons of hostile wallets: markup, a script URL and a remote image. */
export const hostileWallets: readonly Pick<WalletOptions, 'name' | 'icon'>[] = [
  { name: '<img src=x onerror="globalThis.harmed=1">', icon: 'https://example.com/tracker.png' },
  { name: 'W'.repeat(5_000), icon: 'javascript:globalThis.harmed=1' },
  {
    name: 'Safe‮tellaW',
    icon: 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" onload="globalThis.harmed=1"><script>globalThis.harmed=1</script></svg>',
  },
  { name: '', icon: `data:image/png;base64,${'A'.repeat(400_000)}` },
  { name: 'Html', icon: 'data:text/html,<script>globalThis.harmed=1</script>' },
];

interface WalletAnswer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

interface RequestedTransaction {
  readonly from: Hex;
  readonly to: Hex;
  readonly data?: Hex;
  readonly value?: Hex;
}

class ProviderError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Account to which the user switches. Its key also creates wrong signatures. */
const otherAccount = privateKeyToAccount(`0x${'42'.repeat(32)}`);

const userPromptMethods = new Set([
  'eth_requestAccounts',
  'personal_sign',
  'eth_sendTransaction',
  'wallet_switchEthereumChain',
  'wallet_addEthereumChain',
]);

const plainIcon =
  'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><circle cx="4" cy="4" r="4" fill="teal"/></svg>';

const parseChainId = (parameter: unknown): number =>
  Number((parameter as { chainId?: unknown } | undefined)?.chainId);
