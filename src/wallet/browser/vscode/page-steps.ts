import type { WalletPageState } from '../protocol.ts';
import type { Address } from '../../chain.ts';
import { checkAddress } from '../../verify.ts';
import type { ConnectOptions, WalletStep } from '../../signer.ts';
import { WalletError } from '../../wallet-failure.ts';
import { addedChain } from './added-chain.ts';
import type { PageSession } from './page-session.ts';

/** What the page shows at first: every flow begins with an account on the right chain. */
export const firstState = ({
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
export async function connectAccount(
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
  const { chainId } = await session.ask({ kind: 'network', chain: addedChain(chain) }, signal);
  if (chainId !== chain.id)
    throw new WalletError('wrong-chain', `The wallet is on chain ${chainId}, not ${chain.id}.`);
  showStep(session, 'network', 'done');
}
