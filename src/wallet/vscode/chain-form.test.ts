import { beforeEach, expect, test, vi } from 'vitest';
import type { Host } from '../../host.ts';
import { findRpcProblem } from '../chain-client.ts';
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
vi.mock('../chain-client.ts', () => ({ findRpcProblem: vi.fn(), CheckedChainCache: Object }));
vi.mock('../mint/vscode/quick-steps.ts', () => ({ showTextStep: vi.fn() }));
const servedTerms = vi.hoisted(() => ({ value: undefined as object | undefined }));
vi.mock('../x402/vscode/sign-in-chain.ts', () => ({
  formatChainIdPrompt: () => '',
  readPaymentTerms: async () => servedTerms.value,
}));
vi.mock('./chain-settings.ts', () => ({ readChainSetting: vi.fn(), saveChainFields: vi.fn() }));

const chainSetting = 'inferenceService.wallet.chain';
const fakeAccount = { profileId: 'default', profile: { baseUrl: '' } };
const fakeHost = { account: fakeAccount, context: {} } as unknown as Host;

/** Opens the form for a stored setting. The user enters a chain id, then cancels. */
const openForm = (value: unknown): Promise<unknown> => {
  vi.mocked(readChainSetting).mockReturnValue({ name: chainSetting, value });
  return ensureChain(fakeHost, 'top-up');
};

beforeEach(() => {
  servedTerms.value = undefined;
  vi.mocked(findRpcProblem).mockReset();
  vi.mocked(showTextStep).mockReset().mockResolvedValueOnce({ value: '8453' });
});

test.each([
  ['a chain ID that is not a number', 'chainId', { chainId: 'base' }, 'whole number'],
  ['a chain ID that is a text', 'chainId', { chainId: '8453' }, 'whole number'],
  ['an unencrypted RPC URL', 'rpcUrl', { rpcUrl: 'http://node.example' }, 'https://'],
  ['an invalid USDC address', 'usdc', { usdc: 'USDC' }, '40 hexadecimal'],
  ['a token address that is a list', 'token', { chainId: 1, token: [] }, '40 hexadecimal'],
])(
  'ensureChain rejects a stored setting with %s before any prompt',
  async (_problem, field, value, reason) => {
    await expect(openForm(value)).rejects.toMatchObject({
      failure: { code: 'no-chain', detail: expect.stringContaining(`${chainSetting}.${field} `) },
    });
    await expect(openForm(value)).rejects.toThrow(reason);
    expect(showTextStep).not.toHaveBeenCalled();
    expect(findRpcProblem).not.toHaveBeenCalled();
  },
);

test('ensureChain checks whether the stored RPC node serves the entered chain id', async () => {
  expect(await openForm({ rpcUrl: 'https://node.example', usdc: ' ' })).toBeUndefined();
  expect(showTextStep).toHaveBeenCalledTimes(2);
  expect(findRpcProblem).toHaveBeenCalledWith(
    { id: 8453, rpcUrl: 'https://node.example' },
    expect.anything(),
  );
});

const usdcAddressOnBase = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const address = `0x${'1'.repeat(40)}`;

test.each([
  [
    'top-up',
    'USDC',
    'the chain ID and the USDC address',
    usdcAddressOnBase,
    ['8453', '', usdcAddressOnBase],
  ],
  ['top-up', 'an unknown token', 'only the chain ID', address, ['8453', '', '']],
  ['staking', 'USDC', 'only the chain ID', usdcAddressOnBase, ['8453', '', '', '']],
] as const)(
  'ensureChain, for the purpose “%s” and a service that accepts %s, prefills %s',
  async (purpose, _token, _fields, asset, proposals) => {
    const hostileFields = {
      rpcUrl: 'https://evil.example',
      token: address,
      stakingContract: address,
    };
    servedTerms.value = {
      ...hostileFields,
      accepts: [
        { scheme: 'exact', network: 'eip155:8453', asset, payTo: address, ...hostileFields },
      ],
      extra: hostileFields,
    };
    vi.mocked(readChainSetting).mockReturnValue({ name: chainSetting, value: undefined });
    vi.mocked(showTextStep).mockReset();
    const shownValues: (string | undefined)[] = [];
    vi.mocked(showTextStep).mockImplementation(async ({ value }) => {
      shownValues.push(value);
      return {
        value: ['8453', 'https://node.example', address, address][shownValues.length - 1] ?? '',
      };
    });
    await ensureChain(fakeHost, purpose).catch(() => {});
    expect(shownValues.slice(0, proposals.length)).toEqual(proposals);
  },
);

test.each([
  [
    'the payment terms of the service name the address',
    usdcAddressOnBase,
    /^The service claims to take this token\./u,
  ],
  ['the service has no payment terms', undefined, /^Circle publishes this address as USDC/u],
])('ensureChain states the source of the proposed USDC address if %s', async (_, asset, prompt) => {
  const accepts = [{ scheme: 'exact', network: 'eip155:8453', asset, payTo: address }];
  servedTerms.value = asset === undefined ? undefined : { accepts };
  vi.mocked(readChainSetting).mockReturnValue({ name: chainSetting, value: undefined });
  vi.mocked(showTextStep).mockReset();
  const prompts: string[] = [];
  vi.mocked(showTextStep).mockImplementation(async (step) => {
    prompts.push(step.prompt);
    return { value: ['8453', 'https://node.example', address][prompts.length - 1] ?? '' };
  });
  await ensureChain(fakeHost, 'top-up').catch(() => {});
  expect(prompts[2]).toMatch(prompt);
});
