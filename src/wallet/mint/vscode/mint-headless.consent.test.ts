import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.ts';
import type { Host } from '../../../host.ts';
import { Access } from '../../../api/access.ts';
import { MintError } from '../../../service/web3-key.ts';
import { mintForExtension } from './mint-headless.ts';

const variableName = 'INFERENCE_SERVICE_ALLOW_MINT';
const dialog = vi.hoisted(() => ({
  questions: [] as string[],
  details: [] as string[],
  isAllowed: false,
}));
const openedCollections = vi.hoisted(() => ({ environments: [] as unknown[] }));

vi.mock('vscode', () => ({
  l10n: {
    t: (text: string, ...values: unknown[]) =>
      text.replaceAll(/\{(\d)\}/gu, (_, index) => String(values[Number(index)])),
  },
  workspace: {},
  extensions: { getExtension: () => undefined },
  window: {
    showWarningMessage: (question: string, { detail }: { detail: string }, button: string) => {
      dialog.questions.push(question);
      dialog.details.push(detail);
      return Promise.resolve(dialog.isAllowed ? button : undefined);
    },
  },
}));
vi.mock('../../vscode/profile-chain.ts', () => ({ getConfiguredChain: () => ({}) }));
vi.mock('../../../account/vscode/account-view.ts', () => ({
  getDisplayHost: () => 'api.example.test',
}));
// Ends each allowed request before it reaches a wallet.
vi.mock('./environment-account.ts', () => ({
  openEnvironmentAccount: ({ environment }: { readonly environment: unknown }) => {
    openedCollections.environments.push(environment);
    const failure = { code: 'internal-error', message: 'No account.' } as const;
    return Promise.reject(new MintError('wrong-signature', failure));
  },
}));

const environment = { INFERENCE_SERVICE_PRIVATE_KEY_FILE: '/run/secrets/key' };
let clock: ManualClock;

const createHost = (isMintPreapproved: boolean): Host =>
  ({
    account: { profile: { id: 'default' } },
    context: { globalState: { get: () => undefined } },
    log: { warn: () => {} },
    service: { clock },
    isMintPreapproved,
    accountEnvironment: environment,
  }) as unknown as Host;

const mintWithConsent = async (host: Host, options = {}): Promise<string> => {
  const result = await mintForExtension(host, options);
  return 'problem' in result ? result.problem : 'minted';
};

beforeEach(() => {
  clock = new ManualClock();
  Object.assign(dialog, { questions: [], details: [], isAllowed: false });
  openedCollections.environments = [];
});
afterEach(() => vi.unstubAllEnvs());

test('mintForExtension asks the user each time, even if another extension sets the environment variable later', async () => {
  const host = createHost(false);
  vi.stubEnv(variableName, '1');
  expect(await mintWithConsent(host)).toBe('not-allowed');
  await clock.advance(30_000);
  dialog.isAllowed = true;
  expect(await mintWithConsent(host)).toBe('wrong-signature');
  expect(dialog.questions).toHaveLength(2);
});

test('mintForExtension shows no dialog if the environment variable was set at the start, even if the variable is removed later', async () => {
  vi.stubEnv(variableName, undefined);
  expect(await mintWithConsent(createHost(true))).toBe('wrong-signature');
  expect(dialog.questions).toEqual([]);
});

test('mintForExtension shows one dialog at a time for an account', async () => {
  const host = createHost(false);
  expect(await Promise.all([mintWithConsent(host), mintWithConsent(host)])).toEqual([
    'not-allowed',
    'not-allowed',
  ]);
  expect(dialog.questions).toHaveLength(1);
});

test('mintForExtension rejects all calls without a dialog for 30 seconds after the user denied consent', async () => {
  const host = createHost(false);
  await mintWithConsent(host);
  await clock.advance(29_999);
  expect(await mintWithConsent(host)).toBe('not-allowed');
  expect(await new Access(host).promptForGrant('a.b', ['models'])).toBeUndefined();
  expect(dialog.questions).toHaveLength(1);
  await clock.advance(1);
  await mintWithConsent(host);
  expect(dialog.questions).toHaveLength(2);
});

test('mintForExtension shows in the dialog the caller’s keystore and the models that the key can use', async () => {
  await mintWithConsent(createHost(false), {
    keystore: '/tmp/a.json',
    modelPrivacy: 'PRIVATE_ONLY',
  });
  expect(dialog.questions[0]).toMatch(/^Another extension wants to create an API key of /u);
  expect(dialog.details[0]).toContain('Keystore file: /tmp/a.json\n');
  expect(dialog.details[0]).toContain('Models: Private models only\n');
});

test('mintForExtension shows that the account comes from the environment and that the key can use all models if the caller sets no options', async () => {
  await mintWithConsent(createHost(false));
  expect(dialog.details[0]).toContain('Account: From the environment\n');
  expect(dialog.details[0]).not.toContain('Keystore file');
  expect(dialog.details[0]).toContain('Models: All models\n');
});

test('mintForExtension shows a path with line breaks and hidden characters on one line', async () => {
  const keystore = `/tmp/\u202Ea\nLimit: $1 per month\u2028${'x'.repeat(1_000)}/b.json`;
  await mintWithConsent(createHost(false), { keystore, consumptionLimit: null });
  const [line = ''] = /^Keystore file:.*$/mu.exec(dialog.details[0] ?? '') ?? [];
  expect(line).toMatch(/^Keystore file: \/tmp\/a Limit: \$1 per monthx+…x+\/b\.json$/u);
  expect(line.length).toBeLessThan(250);
});

test('mintForExtension rejects invalid options without a dialog', async () => {
  expect(await mintWithConsent(createHost(false), { type: 'ROOT' })).toBe('invalid-type');
  expect(dialog.questions).toEqual([]);
});

test('mintForExtension uses the values that the environment variables had at the start', async () => {
  vi.stubEnv('INFERENCE_SERVICE_PRIVATE_KEY_FILE', '/tmp/other');
  const host = createHost(false);
  dialog.isAllowed = true;
  await mintWithConsent(host);
  expect(openedCollections.environments).toEqual([environment]);
});

const circularRecord: Record<string, unknown> = {};
circularRecord['type'] = circularRecord;

test.each<[string, object, string]>([
  ['a cycle', circularRecord, 'invalid-unknown-field'],
  ['a BigInt', { consumptionLimit: { usd: 1n } }, 'invalid-unknown-field'],
  [
    'a getter that throws',
    Object.defineProperty({}, 'type', {
      enumerable: true,
      get: () => {
        throw new Error('No.');
      },
    }),
    'invalid-unknown-field',
  ],
  ['a revoked proxy in a field', { type: createRevokedProxy() }, 'invalid-unknown-field'],
  ['a replaced copy', { toJSON: () => ({ type: 'ROOT' }) }, 'invalid-type'],
  ['a list as a copy', { toJSON: () => [] }, 'invalid-unknown-field'],
  ['an own prototype', JSON.parse('{"__proto__":{"type":"ADMIN"}}'), 'invalid-unknown-field'],
  ['a constructor', { constructor: { name: 'x' } }, 'invalid-unknown-field'],
  ['a type in a list', { type: ['ADMIN'] }, 'invalid-type'],
  ['a type with a blank', { type: 'INFERENCE ' }, 'invalid-type'],
  ['a description with a line break', { description: 'a\nLimit: $1' }, 'invalid-description'],
  ['a long description', { description: 'x'.repeat(65) }, 'invalid-description'],
  ['a negative limit', { consumptionLimit: { usd: -1 } }, 'invalid-limit'],
  ['an infinite limit', { consumptionLimit: { usd: Infinity } }, 'invalid-unknown-field'],
  ['a limit as text', { consumptionLimit: { usd: '1' } }, 'invalid-limit'],
  ['an unknown currency', { consumptionLimit: { eur: 1 } }, 'invalid-limit'],
  ['a past date', { expiresAt: '2020-01-01' }, 'invalid-expiry-past'],
  ['a date with a line break', { expiresAt: '2099-01-01\nx' }, 'invalid-expiry-format'],
  ['an unknown privacy', { modelPrivacy: 'NONE' }, 'invalid-privacy'],
  ['an unknown period', { limitPeriod: 'DAY' }, 'invalid-period'],
])('mintForExtension opens no dialog, and rejects options with %s', async (_, options, problem) => {
  expect(await mintWithConsent(createHost(false), options)).toBe(problem);
  expect(dialog.questions).toEqual([]);
});

function createRevokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
