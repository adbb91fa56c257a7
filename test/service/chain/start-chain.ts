import { type AnvilOptions, startAnvil } from './anvil.ts';
import type { ChainFacts } from './chain-facts.ts';
import { compileContracts } from './compile.ts';
import { deployContracts } from './deploy.ts';
import { toQuantity, type Rpc, createRpc } from './rpc.ts';

export type ChainOptions = Partial<AnvilOptions> & {
  /** What {@link ChainFacts.confirmations} says; 1. */
  readonly confirmations?: number;
};

/** A chain with the contracts that the service needs. Each transaction makes a block. */
export interface RunningChain extends AsyncDisposable {
  readonly facts: ChainFacts;
  readonly rpcUrl: string;
  readonly request: Rpc;
  /** Adds empty blocks, one by default. */
  mine(blocks?: number): Promise<void>;
  /** The next block has this time, in seconds since the Unix epoch; later than that of the last one. */
  setNextBlockTime(seconds: number): Promise<void>;
  /** All of the chain as it is now; good for one {@link revert}. */
  snapshot(): Promise<string>;
  /** @throws Error when the snapshot was used, or is newer than one that was. */
  revert(snapshot: string): Promise<void>;
  /** Ends the node. */
  readonly stop: () => Promise<void>;
}

/** Takes about half a second when the contracts are compiled already. */
export async function startChain(options: ChainOptions = {}): Promise<RunningChain> {
  const { confirmations = 1, chainId = 31_337, ...rest } = options;
  const [contracts, anvil] = await Promise.all([
    compileContracts(),
    startAnvil({ chainId, ...rest }),
  ]);
  const { rpcUrl, stop } = anvil;
  const request = createRpc(rpcUrl);
  // The last account is only paid to, so nobody is told its key.
  const accounts = anvil.accounts.slice(0, -1);
  const addresses = accounts.map(({ address }) => address);
  try {
    const deployed = await deployContracts({ rpc: request, contracts, accounts: addresses });
    const facts: ChainFacts = {
      chainId,
      name: 'Local Chain',
      rpcUrl,
      currency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      ...deployed,
      payTo: anvil.accounts.at(-1)!.address,
      confirmations,
      accounts,
    };
    return { facts, rpcUrl, request, ...commands(request), stop, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function commands(
  request: Rpc,
): Pick<RunningChain, 'mine' | 'setNextBlockTime' | 'snapshot' | 'revert'> {
  return {
    mine: async (blocks = 1) => {
      await request('anvil_mine', [toQuantity(blocks)]);
    },
    setNextBlockTime: async (seconds) => {
      await request('evm_setNextBlockTimestamp', [seconds]);
    },
    snapshot: async () => String(await request('evm_snapshot')),
    revert: async (snapshot) => {
      if ((await request('evm_revert', [snapshot])) !== true) {
        throw new Error(`There is no snapshot ${snapshot} any more`);
      }
    },
  };
}
