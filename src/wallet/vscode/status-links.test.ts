import { expect, test, vi } from 'vitest';
import type { Host } from '../../host.ts';
import { walletLinks } from './status-links.ts';

vi.mock('../../platform/settings.ts', () => ({ setting: () => undefined }));

const linksOf = (kind: string, accounts: readonly unknown[]): readonly string[] =>
  walletLinks({
    account: { key: { kind }, profileId: 'default' },
    context: { globalState: { get: () => accounts } },
  } as unknown as Host).map(({ command }) => command);

test.each([
  ['a connected account', 'usable', [{}], ['inferenceService.wallet.show']],
  [
    'a wallet that pays',
    'wallet',
    [],
    ['inferenceService.wallet.show', 'inferenceService.wallet.topUp'],
  ],
  ['no wallet', 'usable', [], []],
] as const)('shows the links for %s without a chain', (_case, kind, accounts, commands) => {
  expect(linksOf(kind, accounts)).toEqual(commands);
});
