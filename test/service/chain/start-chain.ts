import { type AnvilOptions, startAnvil } from './anvil.ts';
import { type ChainFacts, defaultChainId } from './chain-facts.ts';
import { compileContracts } from './compile-contracts.ts';
import { deployContracts } from './deploy-contracts.ts';
import { toQuantity, type Rpc, createRpc } from './rpc.ts';

export type ChainOptions = Partial<AnvilOptions> & {
  /**
   * Number of confirmations for which clients must wait, as reported in {@link ChainFacts.confirmations}. Default: 1.
   */
  readonly confirmations?: number;
};

/** Running chain with the service's contracts. Its node mines one block per transaction. */
export interface RunningChain extends AsyncDisposable {
  readonly facts: ChainFacts;
  readonly rpcUrl: string;
  readonly request: Rpc;
  /** Mines empty blocks, one by default. */
  mineBlocks(blockCount?: number): Promise<void>;
  /**
   * Sets the timestamp of the next block, in seconds since the Unix epoch. It must be later than the timestamp of the
   * last block.
   */
  setNextBlockTime(seconds: number): Promise<void>;
  /** Takes a snapshot of the chain and returns its id, which is valid for one call of {@link revertToSnapshot}. */
  takeSnapshot(): Promise<string>;
  /**
   * Restores the chain to a snapshot.
   * @throws Error if this snapshot, or an older one, was already restored
   */
  revertToSnapshot(snapshot: string): Promise<void>;
  /** Stops the node. */
  readonly stop: () => Promise<void>;
}

/** Starts a chain and deploys the contracts. Takes about half a second if the compiled contracts are in the cache. */
export async function startChain(options: ChainOptions = {}): Promise<RunningChain> {
  const { confirmations = 1, chainId = defaultChainId, ...rest } = options;
  const [contracts, anvil] = await Promise.all([
    compileContracts(),
    startAnvil({ chainId, ...rest }),
  ]);
  const { rpcUrl, stop } = anvil;
  const request = createRpc(rpcUrl);
  // The last account only receives payments, so its key is not part of the facts.
  const accounts = anvil.accounts.slice(0, -1);
  const addresses = accounts.map(({ address }) => address);
  try {
    const deployedContracts = await deployContracts({
      callRpc: request,
      contracts,
      accounts: addresses,
    });
    const facts: ChainFacts = {
      chainId,
      name: 'Local Chain',
      rpcUrl,
      currency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      ...deployedContracts,
      payTo: anvil.accounts.at(-1)!.address,
      confirmations,
      accounts,
    };
    return {
      facts,
      rpcUrl,
      request,
      ...createCommands(request),
      stop,
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function createCommands(
  request: Rpc,
): Pick<RunningChain, 'mineBlocks' | 'setNextBlockTime' | 'takeSnapshot' | 'revertToSnapshot'> {
  return {
    mineBlocks: async (blockCount = 1) => {
      await request('anvil_mine', [toQuantity(blockCount)]);
    },
    setNextBlockTime: async (seconds) => {
      await request('evm_setNextBlockTimestamp', [seconds]);
    },
    takeSnapshot: async () => String(await request('evm_snapshot')),
    revertToSnapshot: async (snapshotId) => {
      if ((await request('evm_revert', [snapshotId])) !== true) {
        throw new Error(`There is no snapshot ${snapshotId} any more`);
      }
    },
  };
}
