import { isId } from '../../src/base/ids.ts';
import { isRecord } from '../../src/base/json.ts';
import type {
  AddChainParameter,
  WalletPageEvent,
  WalletPageRequest,
  WalletPageResult,
  WalletProblem,
} from '../../src/wallet/browser/protocol.ts';

/**
 * Part of the EIP-1193 interface that the page uses. A browser extension provides the object, so its results are
 * untrusted.
 */
export interface Provider {
  request(request: {
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

/** Maps a wallet error to a problem by the error's code (EIP-1193, EIP-1474). Ignores the error's text. */
export function toWalletProblem(error: unknown): WalletProblem {
  return problemsByCode.get(getErrorCode(error) ?? 0) ?? 'other';
}

/**
 * Returns the code of a wallet error. Prefers the code of a nested error, because some wallets wrap the original error.
 */
export function getErrorCode(error: unknown): number | undefined {
  if (!(error instanceof Error) && !isRecord(error)) return undefined;
  const data: unknown = Reflect.get(error, 'data');
  const originalError: unknown = isRecord(data) ? data['originalError'] : undefined;
  const innerCode: unknown = isRecord(originalError) ? originalError['code'] : undefined;
  const code: unknown = innerCode ?? Reflect.get(error, 'code');
  return typeof code === 'number' ? code : undefined;
}

/** Error code for a chain that the wallet does not know (EIP-3326). */
export const unknownChainCode = 4902;

const problemsByCode: ReadonlyMap<number, WalletProblem> = new Map<number, WalletProblem>([
  [4001, 'rejected'],
  [4100, 'unauthorised'],
  [4200, 'unsupported'],
  [4900, 'disconnected'],
  [4901, 'disconnected'],
  [unknownChainCode, 'wrong-chain'],
  [-32_002, 'busy'],
  [-32_601, 'unsupported'],
]);

/**
 * A wallet found in the browser. Its name and icon are untrusted, so the name is plain text and the icon cannot run
 * code.
 */
export interface FoundWallet {
  readonly id: string;
  /** Name with at most 40 visible characters. Empty if the wallet has no name. */
  readonly name: string;
  /** `data:` URL of an image. Absent if the wallet has no valid icon. */
  readonly icon?: string;
  readonly provider: Provider;
}

const maxWallets = 20;
const maxNameLength = 40;
const maxIconLength = 128 * 1_024;
/** Time in milliseconds to wait for wallet announcements before the page uses `window.ethereum`. */
const searchMs = 500;

/**
 * Finds wallets by EIP-6963. If no wallet announces itself in time, uses `window.ethereum`. Calls `onChange` with all
 * known wallets after each change and at the end of the search. Wallets that announce themselves later are also
 * reported.
 */
export function discoverWallets(
  window: Window & typeof globalThis,
  onChange: (wallets: readonly FoundWallet[], isSearching: boolean) => void,
): void {
  const wallets = new Map<string, FoundWallet>();
  let isSearching = true;
  window.addEventListener('eip6963:announceProvider', (event) => {
    const wallet = readAnnouncedWallet(event);
    if (wallet === undefined || wallets.has(wallet.id) || wallets.size >= maxWallets) return;
    wallets.delete(legacyId);
    wallets.set(wallet.id, wallet);
    onChange([...wallets.values()], isSearching);
  });
  window.dispatchEvent(new Event('eip6963:requestProvider'));
  window.setTimeout(() => {
    isSearching = false;
    const legacyProvider: unknown = Reflect.get(window, 'ethereum');
    if (wallets.size === 0 && isProvider(legacyProvider))
      wallets.set(legacyId, { id: legacyId, name: '', provider: legacyProvider });
    onChange([...wallets.values()], isSearching);
  }, searchMs);
}

export const legacyId = 'window.ethereum';

/** Decodes a wallet's announcement. Returns `undefined` if the announcement is invalid. */
export function readAnnouncedWallet(event: Event): FoundWallet | undefined {
  try {
    const detail: unknown = Reflect.get(event, 'detail');
    const { info, provider } = isRecord(detail) ? detail : ({} as never);
    if (!isRecord(info) || !isProvider(provider)) return undefined;
    const { uuid, name, icon } = info;
    if (!isId(uuid)) return undefined;
    const safeIcon = toSafeIcon(icon);
    return {
      id: uuid,
      name: toSafeName(name),
      provider,
      ...(safeIcon === undefined ? {} : { icon: safeIcon }),
    };
  } catch {
    // The object belongs to a browser extension and may throw on any access.
    return undefined;
  }
}

/** Removes invisible and reordering characters from the name of a wallet. Truncates a long name. */
function toSafeName(name: unknown): string {
  if (typeof name !== 'string') return '';
  const visibleName = name
    .slice(0, 1_000)
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, '');
  return Array.from(visibleName.trim()).slice(0, maxNameLength).join('');
}

const toSafeIcon = (icon: unknown): string | undefined =>
  typeof icon === 'string' &&
  icon.length <= maxIconLength &&
  /^data:image\/(?:png|jpeg|webp|svg\+xml)[;,]/u.test(icon)
    ? icon
    : undefined;

/** Error of a failed wallet request. Contains the problem to report to VS Code. */
export class ProblemError extends Error {
  readonly problem: WalletProblem;

  constructor(problem: WalletProblem) {
    super(problem);
    this.problem = problem;
  }
}

type RequestOf<Kind extends WalletPageRequest['kind']> = Extract<WalletPageRequest, { kind: Kind }>;
type ResultRequestOf<Kind extends WalletPageRequest['kind']> = Extract<
  WalletPageResult,
  { kind: Kind }
>;

/**
 * Returns the accounts that the wallet exposes, with the selected account first. If `shouldPrompt` is true, the wallet
 * prompts the user for access.
 */
export async function readAccounts(provider: Provider, shouldPrompt: boolean): Promise<string[]> {
  const accounts = await callProvider(
    provider,
    shouldPrompt ? 'eth_requestAccounts' : 'eth_accounts',
  );
  if (!Array.isArray(accounts)) throw new ProblemError('other');
  return accounts.filter((account): account is string =>
    /^0x[0-9a-f]{40}$/iu.test(String(account)),
  );
}

/** Returns the id of the wallet's current chain (EIP-155). */
export async function requestChainId(provider: Provider): Promise<number> {
  const id = decodeChainId(await callProvider(provider, 'eth_chainId'));
  if (id === undefined) throw new ProblemError('other');
  return id;
}

/** Decodes a chain id. Returns `undefined` if the value is invalid. */
export function decodeChainId(value: unknown): number | undefined {
  const id = typeof value === 'string' || typeof value === 'number' ? Number(value) : 0;
  return Number.isSafeInteger(id) && id > 0 ? id : undefined;
}

/**
 * Switches the wallet to `chain`, and adds the chain if the wallet does not know it. Returns the id of the chain that
 * the wallet uses afterwards, which can differ from `chain`.
 */
export async function switchChain(
  provider: Provider,
  chain: AddChainParameter,
): Promise<ResultRequestOf<'network'>> {
  try {
    await provider.request({
      method: 'wallet_switchEthereumChain',
      params: [{ chainId: chain.chainId }],
    });
  } catch (error) {
    if (getErrorCode(error) !== unknownChainCode) throw new ProblemError(toWalletProblem(error));
    await callProvider(provider, 'wallet_addEthereumChain', [createAddChainParameter(chain)]);
  }
  return { kind: 'network', chainId: await requestChainId(provider) };
}

/** Signs the UTF-8 bytes of a text with the wallet (EIP-191). */
export async function signText(
  provider: Provider,
  { address, chainId, text }: RequestOf<'sign'>,
): Promise<ResultRequestOf<'sign'>> {
  const accountAndChain = await requireAccountAndChain(provider, { address, chainId });
  const signature = await callProvider(provider, 'personal_sign', [toHex(text), address]);
  if (!isHex(signature) || signature.length > 40_002) throw new ProblemError('other');
  return { kind: 'sign', ...accountAndChain, signature };
}

/**
 * Sends a transaction through the wallet.
 * @param onRequest called immediately before the request to the wallet. From then on, the wallet may send the
 * transaction, even if the page closes.
 */
export async function sendTransaction(
  provider: Provider,
  { address, chainId, to, data, value }: RequestOf<'send'>,
  onRequest: () => Promise<void>,
): Promise<ResultRequestOf<'send'>> {
  const accountAndChain = await requireAccountAndChain(provider, { address, chainId });
  await onRequest();
  const chain = `0x${chainId.toString(16)}`;
  const hash = await callProvider(provider, 'eth_sendTransaction', [
    { from: address, to, data, value, chainId: chain },
  ]);
  if (!isHex(hash) || hash.length !== 66 || /^0x0+$/u.test(hash)) throw new ProblemError('other');
  return { kind: 'send', ...accountAndChain, hash };
}

interface AccountAndChain {
  readonly address: string;
  readonly chainId: number;
}

/**
 * Checks that the wallet still uses the account and the chain of the request, because not every wallet reports changes.
 * @throws ProblemError if the account or the chain differs
 */
async function requireAccountAndChain(
  provider: Provider,
  { address, chainId }: AccountAndChain,
): Promise<AccountAndChain> {
  const [account = ''] = await readAccounts(provider, false);
  if (account.toLowerCase() !== address.toLowerCase()) throw new ProblemError('account-changed');
  if ((await requestChainId(provider)) !== chainId) throw new ProblemError('wrong-chain');
  return { address: account, chainId };
}

async function callProvider(
  provider: Provider,
  method: string,
  params: readonly unknown[] = [],
): Promise<unknown> {
  try {
    return await provider.request({ method, params });
  } catch (error) {
    throw new ProblemError(toWalletProblem(error));
  }
}

/**
 * Builds the parameter of the request that adds a chain to the wallet (EIP-3085). Omits an empty list of block
 * explorers, because wallets reject it.
 */
function createAddChainParameter({ blockExplorerUrls, ...chain }: AddChainParameter): object {
  return blockExplorerUrls.length > 0 ? { ...chain, blockExplorerUrls } : chain;
}

const isHex = (value: unknown): value is string =>
  typeof value === 'string' && /^0x(?:[0-9a-f]{2})*$/iu.test(value);

const toHex = (text: string): string =>
  `0x${Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;

interface WalletListeners {
  /** Returns the account that must stay selected in the wallet, in lowercase. */
  getRequiredAccount(): string;
  /** Returns the id of the chain that the wallet must stay on, or `undefined` while any chain is allowed. */
  getRequiredChainId(): number | undefined;
  onEvent(event: WalletPageEvent): void;
}

/**
 * Observes the wallet's events (EIP-1193), and reports the changes that end the connection flow: another account than
 * required, another chain than required, or a disconnection.
 */
export function watchWallet(provider: Provider, listeners: WalletListeners): void {
  try {
    provider.on?.('accountsChanged', (accounts) => {
      const [firstAccount] = Array.isArray(accounts) ? (accounts as readonly unknown[]) : [];
      if (String(firstAccount).toLowerCase() !== listeners.getRequiredAccount())
        listeners.onEvent('account-changed');
    });
    provider.on?.('chainChanged', (id) => {
      const requiredChainId = listeners.getRequiredChainId();
      if (requiredChainId !== undefined && decodeChainId(id) !== requiredChainId)
        listeners.onEvent('wrong-chain');
    });
    provider.on?.('disconnect', () => listeners.onEvent('disconnected'));
  } catch {
    // Some wallets have no events. The page reads account and chain again before every request.
  }
}
