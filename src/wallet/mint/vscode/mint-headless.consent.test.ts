import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Host } from '../../../host.ts';
import { MintError } from '../../../service/web3-key.ts';
import { mintForExtension } from './mint-headless.ts';

const variable = 'INFERENCE_SERVICE_ALLOW_MINT';
const dialog = vi.hoisted(() => ({ questions: [] as string[], answer: undefined as unknown }));

vi.mock('vscode', () => ({ l10n: { t: (text: string) => text }, workspace: {} }));
vi.mock('../../../platform/notifications.ts', () => ({
  confirm: ({ question }: { readonly question: string }, button: string) => {
    dialog.questions.push(question);
    return Promise.resolve(dialog.answer === 'allow' ? button : undefined);
  },
}));
vi.mock('../../vscode/profile-chain.ts', () => ({ configuredChain: () => ({}) }));
vi.mock('../../../account/vscode/account-view.ts', () => ({
  displayHost: () => 'api.example.test',
}));
// Ends each allowed request before it reaches a wallet.
vi.mock('./environment-account.ts', () => ({
  openEnvironmentAccount: () => {
    const failure = { code: 'internal-error', message: 'No account.' } as const;
    return Promise.reject(new MintError('wrong-signature', failure));
  },
}));

const createHost = (isMintPreapproved: boolean): Host =>
  ({
    account: { profile: { id: 'default' } },
    log: { warn: () => {} },
    isMintPreapproved,
  }) as unknown as Host;

const mint = async (host: Host): Promise<string> => {
  const result = await mintForExtension(host, {});
  return 'problem' in result ? result.problem : 'minted';
};

beforeEach(() => {
  dialog.questions = [];
  dialog.answer = undefined;
});
afterEach(() => vi.unstubAllEnvs());

test('asks the user each time, although another extension sets the variable later', async () => {
  const host = createHost(false);
  vi.stubEnv(variable, '1');
  expect(await mint(host)).toBe('not-allowed');
  dialog.answer = 'allow';
  expect(await mint(host)).toBe('wrong-signature');
  expect(dialog.questions).toHaveLength(2);
});

test('asks nothing if the variable was set at the start, although it is removed later', async () => {
  vi.stubEnv(variable, undefined);
  expect(await mint(createHost(true))).toBe('wrong-signature');
  expect(dialog.questions).toEqual([]);
});

test('shows one dialog at a time for an account', async () => {
  const host = createHost(false);
  expect(await Promise.all([mint(host), mint(host)])).toEqual(['not-allowed', 'not-allowed']);
  expect(dialog.questions).toHaveLength(1);
});
