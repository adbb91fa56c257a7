import { beforeEach, expect, test, vi } from 'vitest';
import type { Host } from '../../host.ts';
import { rpcProblem } from '../chain-client.ts';
import { showTextStep } from '../mint/vscode/quick-steps.ts';
import { ensureChain } from './chain-form.ts';
import { readChainSetting } from './chain-settings.ts';

vi.mock('vscode', async () => ({
  ...(await import('../../../test/support/vscode-stub.ts')),
  QuickInputButtons: {},
}));
vi.mock('../../platform/notifications.ts', () => ({
  showCancellable: (_: string, run: (signal: AbortSignal) => unknown) =>
    run(new AbortController().signal),
}));
vi.mock('../chain-client.ts', () => ({ rpcProblem: vi.fn(), CheckedChainCache: Object }));
vi.mock('../mint/vscode/quick-steps.ts', () => ({ showTextStep: vi.fn() }));
vi.mock('../x402/vscode/sign-in-chain.ts', () => ({
  chainIdPrompt: () => '',
  readPaymentTerms: async () => undefined,
}));
vi.mock('./chain-settings.ts', () => ({ readChainSetting: vi.fn() }));

const setting = 'inferenceService.wallet.chain';
const account = { profileId: 'default', profile: { baseUrl: '' } };
const host = { account, context: {} } as unknown as Host;

/** Opens the form for a stored setting. The user enters a chain id, then cancels. */
const openForm = (value: unknown): Promise<unknown> => {
  vi.mocked(readChainSetting).mockReturnValue({ name: setting, value });
  return ensureChain(host, 'top-up');
};

beforeEach(() => {
  vi.mocked(rpcProblem).mockReset();
  vi.mocked(showTextStep).mockReset().mockResolvedValueOnce({ value: '8453' });
});

test.each([
  ['chainId', { chainId: 'base' }, 'whole number'],
  ['chainId', { chainId: '8453' }, 'whole number'],
  ['rpcUrl', { rpcUrl: 'http://node.example' }, 'https://'],
  ['usdc', { usdc: 'USDC' }, '40 hexadecimal'],
  ['token', { chainId: 1, token: [] }, '40 hexadecimal'],
])('names an invalid %s before it prompts: %j', async (field, value, reason) => {
  await expect(openForm(value)).rejects.toMatchObject({
    failure: { code: 'no-chain', detail: expect.stringContaining(`${setting}.${field} `) },
  });
  await expect(openForm(value)).rejects.toThrow(reason);
  expect(showTextStep).not.toHaveBeenCalled();
  expect(rpcProblem).not.toHaveBeenCalled();
});

test('checks a valid stored node with the entered chain id', async () => {
  expect(await openForm({ rpcUrl: 'https://node.example', usdc: ' ' })).toBeUndefined();
  expect(showTextStep).toHaveBeenCalledTimes(2);
  expect(rpcProblem).toHaveBeenCalledWith(
    { id: 8453, rpcUrl: 'https://node.example' },
    expect.anything(),
  );
});
