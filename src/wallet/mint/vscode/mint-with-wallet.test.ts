import { expect, test, vi } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.ts';
import type { MintRequest } from '../mint.ts';
import { mintWithWallet } from './mint-with-wallet.ts';

const fakeMint = vi.hoisted(() => ({
  run: (_request: MintRequest): unknown => undefined,
  reports: [] as string[],
}));

vi.mock('../mint.ts', () => ({ mintKey: async (request: MintRequest) => fakeMint.run(request) }));
vi.mock('./prepare-mint.ts', () => ({
  prepareMint: ({ account }: { account: { service: unknown } }) => account,
}));
vi.mock('../../vscode/profile-chain.ts', () => ({ getConfiguredChain: () => undefined }));
vi.mock('../../vscode/connect-wallet.ts', () => ({
  connectWallet: async () => ({ signer: {}, showOutcome: async () => {}, dispose: () => {} }),
}));
vi.mock('../../../platform/notifications.ts', () => ({
  showCancellable: (
    _title: string,
    run: (signal: AbortSignal, report: (message: string) => void) => unknown,
  ) => run(new AbortController().signal, (message) => fakeMint.reports.push(message)),
}));

test('mintWithWallet counts down before a request for a token or key is repeated, then shows the step again', async () => {
  const clock = new ManualClock();
  fakeMint.run = async ({ service, onProgress }: MintRequest) => {
    onProgress?.({ step: 'token' });
    const failure = { code: 'overloaded', message: 'The service is busy.' } as const;
    service.onRetryWait?.({ attempt: 2, delayMs: 2_000, failure });
    await clock.advance(1_000);
    await clock.advance(1_000);
    return {};
  };
  const options = { type: 'INFERENCE', description: 'Test' };
  const request = {
    purpose: 'Test',
    profile: { id: 'default' },
    options,
    storeKey: async () => true,
  };
  await mintWithWallet({ account: { service: { clock } } } as never, request as never);
  expect(fakeMint.reports.slice(1)).toEqual([
    'Getting the API key…',
    'The service is busy. Try 2 in 2 s',
    'The service is busy. Try 2 in 1 s',
    'Getting the API key…',
  ]);
});
