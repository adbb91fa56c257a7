import { expect, test, vi } from 'vitest';
import type { KeyState } from '../../account/key-state.ts';
import { createWalletItems } from './wallet-view.ts';

vi.mock('vscode', async () => ({
  ...(await import('../../../test/support/vscode-stub.ts')),
  QuickPickItemKind: {},
  ThemeIcon: Object,
  QuickInputButtons: {},
}));

const address = '0x0000000000000000000000000000000000000001';
const chain = {
  ...{ id: 31_337, name: 'Test', rpcUrls: [], symbol: 'ETH', decimals: 18 },
  ...{ token: address, staking: address, usdc: address },
} as unknown as Parameters<typeof createWalletItems>[0]['chain'];

const listFundingActions = (kind: string): readonly unknown[] =>
  createWalletItems({
    chain,
    account: { kind: 'browser', address },
    key: { kind } as KeyState,
    state: { kind: 'loading' },
  }).flatMap(({ action }) =>
    action === 'inferenceService.wallet.topUp' || action === 'inferenceService.showFunding'
      ? [action.split('.').at(-1)]
      : [],
  );

test.each([
  ['the actions to top up and to show the funding', 'wallet', ['topUp', 'showFunding']],
  ['only the action to show the funding', 'usable', ['showFunding']],
  ['no funding action', 'keyless', []],
  ['no funding action', 'none', []],
] as const)('createWalletItems includes %s for the key state “%s”', (_actions, kind, actions) => {
  expect(listFundingActions(kind)).toEqual(actions);
});
