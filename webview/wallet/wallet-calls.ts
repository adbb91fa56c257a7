import type {
  AddedChain,
  WalletPageRequest,
  WalletPageResult,
  WalletProblem,
} from '../../src/wallet/browser/protocol.ts';
import { codeOf, problemOf, type Provider, unknownChain } from './provider.ts';

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
  chain: AddedChain,
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
function addParameter({ blockExplorerUrls, ...chain }: AddedChain): object {
  return blockExplorerUrls.length > 0 ? { ...chain, blockExplorerUrls } : chain;
}

const isHex = (value: unknown): value is string =>
  typeof value === 'string' && /^0x(?:[0-9a-f]{2})*$/iu.test(value);

const hexOf = (text: string): string =>
  `0x${Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
