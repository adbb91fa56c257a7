import { isRecord } from '../../src/base/json.ts';
import type {
  AddChainParameter,
  WalletPageEvent,
  WalletPageRequest,
  WalletPageResult,
  WalletProblem,
} from '../../src/wallet/browser/protocol.ts';

/** EIP-1193, as much as the page uses. It belongs to an extension of the browser: whatever it returns may be anything. */
export interface Provider {
  request(asked: {
    readonly method: string;
    readonly params?: readonly unknown[];
  }): Promise<unknown>;
  on?(event: string, listener: (payload: unknown) => void): unknown;
  removeListener?(event: string, listener: (payload: unknown) => void): unknown;
}

export const isProvider = (value: unknown): value is Provider =>
  typeof value === 'object' &&
  value !== null &&
  typeof Reflect.get(value, 'request') === 'function';

/** What a wallet has against a request, by the code of its error (EIP-1193, EIP-1474). Its words are not used. */
export function problemOf(error: unknown): WalletProblem {
  return codes.get(codeOf(error) ?? 0) ?? 'other';
}

/** Some wallets put the code that counts into an error within the error. */
export function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) && !isRecord(error)) return undefined;
  const data: unknown = Reflect.get(error, 'data');
  const original: unknown = isRecord(data) ? data['originalError'] : undefined;
  const inner: unknown = isRecord(original) ? original['code'] : undefined;
  const code: unknown = inner ?? Reflect.get(error, 'code');
  return typeof code === 'number' ? code : undefined;
}

/** The wallet does not know the chain (EIP-3326). */
export const unknownChain = 4902;

const codes: ReadonlyMap<number, WalletProblem> = new Map<number, WalletProblem>([
  [4001, 'rejected'],
  [4100, 'unauthorised'],
  [4200, 'unsupported'],
  [4900, 'disconnected'],
  [4901, 'disconnected'],
  [unknownChain, 'wrong-chain'],
  [-32_002, 'busy'],
  [-32_601, 'unsupported'],
]);

/** A wallet that is in the browser. Name and icon are its own words: text, and a picture that can do nothing. */
export interface FoundWallet {
  readonly id: string;
  /** At most 40 characters, none of them invisible; empty when it has none. */
  readonly name: string;
  /** A `data:` address of a picture; absent when it has none of that kind. */
  readonly icon?: string;
  readonly provider: Provider;
}

const mostWallets = 20;
const longestName = 40;
const longestIcon = 128 * 1_024;
/** For wallets that only know `window.ethereum`: the others have announced themselves by then. */
const searchMs = 500;

/**
 * Finds the wallets by EIP-6963, and by `window.ethereum` where none announces itself. Calls `onChange` with all that
 * are known whenever that changes, and once the search is over; more may come later.
 */
export function discoverWallets(
  window: Window & typeof globalThis,
  onChange: (wallets: readonly FoundWallet[], isSearching: boolean) => void,
): void {
  const found = new Map<string, FoundWallet>();
  let isSearching = true;
  window.addEventListener('eip6963:announceProvider', (event) => {
    const wallet = readAnnounced(event);
    if (wallet === undefined || found.has(wallet.id) || found.size >= mostWallets) return;
    found.delete(legacyId);
    found.set(wallet.id, wallet);
    onChange([...found.values()], isSearching);
  });
  window.dispatchEvent(new Event('eip6963:requestProvider'));
  window.setTimeout(() => {
    isSearching = false;
    const legacy: unknown = Reflect.get(window, 'ethereum');
    if (found.size === 0 && isProvider(legacy))
      found.set(legacyId, { id: legacyId, name: '', provider: legacy });
    onChange([...found.values()], isSearching);
  }, searchMs);
}

export const legacyId = 'window.ethereum';

/** Undefined for what announces no wallet. */
export function readAnnounced(event: Event): FoundWallet | undefined {
  try {
    const detail: unknown = Reflect.get(event, 'detail');
    const { info, provider } = isRecord(detail) ? detail : ({} as never);
    if (!isRecord(info) || !isProvider(provider)) return undefined;
    const { uuid, name, icon } = info;
    if (typeof uuid !== 'string' || !/^[\w-]{1,64}$/u.test(uuid)) return undefined;
    const picture = safeIcon(icon);
    return {
      id: uuid,
      name: safeName(name),
      provider,
      ...(picture === undefined ? {} : { icon: picture }),
    };
  } catch {
    // It is not ours, and may throw at any touch.
    return undefined;
  }
}

/** Without what would not be seen or would turn the words around it. */
function safeName(name: unknown): string {
  if (typeof name !== 'string') return '';
  const seen = name
    .slice(0, 1_000)
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, '');
  return Array.from(seen.trim()).slice(0, longestName).join('');
}

const safeIcon = (icon: unknown): string | undefined =>
  typeof icon === 'string' &&
  icon.length <= longestIcon &&
  /^data:image\/(?:png|jpeg|webp|svg\+xml)[;,]/u.test(icon)
    ? icon
    : undefined;

/** Why a request came to nothing. */
export class ProblemError extends Error {
  readonly problem: WalletProblem;

  constructor(problem: WalletProblem) {
    super(problem);
    this.problem = problem;
  }
}

type Of<Kind extends WalletPageRequest['kind']> = Extract<WalletPageRequest, { kind: Kind }>;
type ResultOf<Kind extends WalletPageRequest['kind']> = Extract<WalletPageResult, { kind: Kind }>;

/** The accounts that the wallet lets us see, the chosen one first; asks the person when `asks` is set. */
export async function accountsOf(provider: Provider, asks: boolean): Promise<string[]> {
  const accounts = await call(provider, asks ? 'eth_requestAccounts' : 'eth_accounts');
  if (!Array.isArray(accounts)) throw new ProblemError('other');
  return accounts.filter((each): each is string => /^0x[0-9a-f]{40}$/iu.test(String(each)));
}

/** The chain that the wallet is on (EIP-155). */
export async function chainOf(provider: Provider): Promise<number> {
  const id = readChainId(await call(provider, 'eth_chainId'));
  if (id === undefined) throw new ProblemError('other');
  return id;
}

/** Undefined for what is no number of a chain. */
export function readChainId(value: unknown): number | undefined {
  const id = typeof value === 'string' || typeof value === 'number' ? Number(value) : 0;
  return Number.isSafeInteger(id) && id > 0 ? id : undefined;
}

/** Asks the wallet to be on `chain`, and to add it where it does not know it; says which one it is on then. */
export async function switchChain(
  provider: Provider,
  chain: AddChainParameter,
): Promise<ResultOf<'network'>> {
  try {
    await provider.request({
      method: 'wallet_switchEthereumChain',
      params: [{ chainId: chain.chainId }],
    });
  } catch (error) {
    if (codeOf(error) !== unknownChain) throw new ProblemError(problemOf(error));
    await call(provider, 'wallet_addEthereumChain', [addParameter(chain)]);
  }
  return { kind: 'network', chainId: await chainOf(provider) };
}

/** EIP-191, over the bytes of the text. */
export async function signText(
  provider: Provider,
  { address, chainId, text }: Of<'sign'>,
): Promise<ResultOf<'sign'>> {
  const place = await mustBeOn(provider, { address, chainId });
  const signature = await call(provider, 'personal_sign', [hexOf(text), address]);
  if (!isHex(signature) || signature.length > 40_002) throw new ProblemError('other');
  return { kind: 'sign', ...place, signature };
}

/** @param onAsk Called right before the wallet is asked: from then on the transaction may be sent. */
export async function sendTransaction(
  provider: Provider,
  { address, chainId, to, data, value }: Of<'send'>,
  onAsk: () => Promise<void>,
): Promise<ResultOf<'send'>> {
  const place = await mustBeOn(provider, { address, chainId });
  await onAsk();
  const chain = `0x${chainId.toString(16)}`;
  const hash = await call(provider, 'eth_sendTransaction', [
    { from: address, to, data, value, chainId: chain },
  ]);
  if (!isHex(hash) || hash.length !== 66 || /^0x0+$/u.test(hash)) throw new ProblemError('other');
  return { kind: 'send', ...place, hash };
}

interface Place {
  readonly address: string;
  readonly chainId: number;
}

/** Reads both anew: a wallet need not tell when it changes. */
async function mustBeOn(provider: Provider, { address, chainId }: Place): Promise<Place> {
  const [account = ''] = await accountsOf(provider, false);
  if (account.toLowerCase() !== address.toLowerCase()) throw new ProblemError('account-changed');
  if ((await chainOf(provider)) !== chainId) throw new ProblemError('wrong-chain');
  return { address: account, chainId };
}

async function call(
  provider: Provider,
  method: string,
  params: readonly unknown[] = [],
): Promise<unknown> {
  try {
    return await provider.request({ method, params });
  } catch (error) {
    throw new ProblemError(problemOf(error));
  }
}

/** Wallets refuse empty lists. */
function addParameter({ blockExplorerUrls, ...chain }: AddChainParameter): object {
  return blockExplorerUrls.length > 0 ? { ...chain, blockExplorerUrls } : chain;
}

const isHex = (value: unknown): value is string =>
  typeof value === 'string' && /^0x(?:[0-9a-f]{2})*$/iu.test(value);

const hexOf = (text: string): string =>
  `0x${Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;

interface Watched {
  /** The account that must stay chosen, in lower case. */
  account(): string;
  /** The chain that the wallet must stay on; undefined while any will do. */
  chainId(): number | undefined;
  tell(event: WalletPageEvent): void;
}

/** Tells when the wallet changes by itself to what it must not (EIP-1193). */
export function watchWallet(provider: Provider, watched: Watched): void {
  try {
    provider.on?.('accountsChanged', (accounts) => {
      const [first] = Array.isArray(accounts) ? (accounts as readonly unknown[]) : [];
      if (String(first).toLowerCase() !== watched.account()) watched.tell('account-changed');
    });
    provider.on?.('chainChanged', (id) => {
      const wanted = watched.chainId();
      if (wanted !== undefined && readChainId(id) !== wanted) watched.tell('wrong-chain');
    });
    provider.on?.('disconnect', () => watched.tell('disconnected'));
  } catch {
    // A wallet without events: account and chain are read anew before everything that is asked of it.
  }
}
