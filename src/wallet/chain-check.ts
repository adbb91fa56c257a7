import * as l10n from '@vscode/l10n';
import { zeroAddress } from 'viem';
import { stripHiddenCharacters } from '../base/hidden-characters.ts';
import { Lazy } from '../base/lazy.ts';
import { hidesSomething } from '../base/visible-text.ts';
import { type ChainClient, openChain, readChain, tokenAbi } from './chain-client.ts';
import type { Address, Chain } from './chain.ts';
import { WalletError } from './wallet-failure.ts';

/** A chain whose RPC address answers as it should, with what its contracts say of themselves. */
export interface CheckedChain {
  readonly chain: Chain;
  readonly client: ChainClient;
  readonly token: TokenFacts;
  readonly staking: TokenFacts;
  readonly usdc?: TokenFacts;
}

export interface TokenFacts {
  readonly address: Address;
  /** As the contract says it, 1 to 12 visible characters without spaces. It proves nothing: anyone can choose it. */
  readonly symbol: string;
  /** At most 36. */
  readonly decimals: number;
}

/** For all answers of one check together. */
const checkTimeoutMs = 30_000;

/** Chains that were checked in this session; each is asked once, for all who want to know. */
export class ChainChecks {
  readonly #open: (chain: Chain) => ChainClient;
  readonly #known = new Map<string, Lazy<CheckedChain>>();

  constructor(open: (chain: Chain) => ChainClient = openChain) {
    this.#open = open;
  }

  /** @throws WalletError as {@link checkChain}; a failure is not kept */
  of(chain: Chain, signal: AbortSignal): Promise<CheckedChain> {
    const name = JSON.stringify(chain);
    const known = this.#known.get(name) ?? new Lazy(() => this.#check(chain));
    this.#known.set(name, known);
    return readChain(l10n.t('the chain'), signal, () => known.get());
  }

  #check(chain: Chain): Promise<CheckedChain> {
    return checkChain(this.#open(chain), chain, AbortSignal.timeout(checkTimeoutMs));
  }
}

/**
 * Checks what the settings say against the chain itself: its number, code at every address, decimals and symbols.
 * @throws WalletError `chain-unreachable`, `chain-mismatch`, `not-a-contract`, `stopped`
 */
export async function checkChain(
  client: ChainClient,
  chain: Chain,
  signal: AbortSignal,
): Promise<CheckedChain> {
  const id = await readChain(l10n.t('the number of the chain'), signal, () => client.getChainId());
  if (id !== chain.id) {
    throw new WalletError(
      'chain-mismatch',
      l10n.t('The settings say chain {0}, chain {1} answers.', chain.id, id),
    );
  }
  const facts = (address: Address, setting: string): Promise<TokenFacts> =>
    tokenFacts({ client, address, setting, signal });
  const [token, staking, usdc] = await Promise.all([
    facts(chain.token, 'token'),
    facts(chain.staking, 'stakingContract'),
    chain.usdc === undefined ? undefined : facts(chain.usdc, 'usdc'),
  ]);
  return { chain, client, token, staking, ...(usdc === undefined ? {} : { usdc }) };
}

interface TokenQuestion {
  readonly client: ChainClient;
  readonly address: Address;
  /** Field of the chain's settings that has the address. */
  readonly setting: string;
  readonly signal: AbortSignal;
}

async function tokenFacts({
  client,
  address,
  setting,
  signal,
}: TokenQuestion): Promise<TokenFacts> {
  const what = l10n.t('the contract of the setting “{0}”', setting);
  const contract = { address, abi: tokenAbi } as const;
  const code = await readChain(what, signal, () => client.getCode({ address }));
  if (code === undefined) {
    throw new WalletError(
      'not-a-contract',
      l10n.t('There is no contract at {0} (“{1}”).', address, setting),
    );
  }
  const [decimals, symbol] = await readChain(what, signal, () =>
    Promise.all([
      client.readContract({ ...contract, functionName: 'decimals' }),
      client.readContract({ ...contract, functionName: 'symbol' }),
      // Some contract with these two may not be a token.
      client.readContract({ ...contract, functionName: 'balanceOf', args: [zeroAddress] }),
    ]),
  );
  if (decimals > 36) {
    throw new WalletError(
      'not-a-contract',
      l10n.t('The token at {0} has {1} decimals.', address, decimals),
    );
  }
  return { address, decimals, symbol: shownSymbol(symbol) };
}

/** A stranger's text, short and without anything that hides or spreads. */
function shownSymbol(symbol: string): string {
  const characters = Array.from(stripHiddenCharacters(symbol.slice(0, 200)).text);
  const visible = characters.filter((each) => /\S/u.test(each) && !hidesSomething(each));
  return visible.slice(0, 12).join('') || '?';
}
