import { expect, test, vi } from 'vitest';
import type * as vscode from 'vscode';
import type { ServiceFailure } from '../../service/http/failure.ts';
import { allowUnencrypted, UnencryptedOrigins, userConfirmation } from './unencrypted-origins.ts';

function createMemento(initialValue?: unknown): vscode.Memento {
  let storedValue = initialValue;
  const memento = {
    keys: () => [],
    get: () => storedValue,
    update: async (_key: string, value: unknown) => void (storedValue = value),
  };
  return memento;
}

test('UnencryptedOrigins stores at most 100 confirmed origins across sessions, and drops the oldest origin', async () => {
  const state = createMemento();
  const origins = new UnencryptedOrigins(state);
  for (let port = 1; port <= 101; port++)
    await origins.storeConfirmedOrigin(`http://192.168.1.5:${port}`);
  const reloadedOrigins = new UnencryptedOrigins(state);
  expect(reloadedOrigins.has('http://192.168.1.5:101')).toBe(true);
  expect(reloadedOrigins.has('http://192.168.1.5:2')).toBe(true);
  expect(reloadedOrigins.has('http://192.168.1.5:1')).toBe(false);
});

test.each([undefined, null, 'http://192.168.1.5', { 0: 'http://192.168.1.5' }, [7, null]])(
  'UnencryptedOrigins treats no origin as confirmed if the stored state is malformed: %j',
  async (storedValue) => {
    const origins = new UnencryptedOrigins(createMemento(storedValue));
    expect(origins.has('http://192.168.1.5')).toBe(false);
    await origins.storeConfirmedOrigin('http://192.168.1.5');
    expect(origins.has('http://192.168.1.5')).toBe(true);
  },
);

const displayedOrigin = 'http://192.168.1.5';

test.each([
  [
    'the address if the user clicked the button of the extension',
    userConfirmation,
    'http://192.168.1.5/v1',
    true,
  ],
  ['no address without an argument', undefined, 'http://192.168.1.5/v1', false],
  ['no address with the argument of another caller', {}, 'http://192.168.1.5/v1', false],
  ['no public address', userConfirmation, 'http://service.example/v1', false],
  ['no cloud metadata address', userConfirmation, 'http://169.254.169.254/v1', false],
])(
  'allowUnencrypted permits unencrypted requests to %s',
  async (_description, confirmation, baseUrl, isConfirmed) => {
    const account = createAccount(baseUrl);
    const showFailure = vi.fn<() => void>();
    await allowUnencrypted(account, {
      confirmation,
      shownOrigin: displayedOrigin,
      showFailure,
    });
    expect(account.unencryptedOrigins.has(new URL(baseUrl).origin)).toBe(isConfirmed);
    expect(showFailure).not.toHaveBeenCalled();
  },
);

test.each([
  ['another host', displayedOrigin],
  ['another port', 'http://192.168.1.6:8080'],
  ['the origin with a path', 'http://192.168.1.6/v1'],
  ['no origin', undefined],
  ['null as origin', null],
])(
  'allowUnencrypted permits no unencrypted requests, and shows the active address, if the user saw %s',
  async (_, shownOrigin) => {
    const account = createAccount('http://192.168.1.6/v1');
    const failures: ServiceFailure[] = [];
    await allowUnencrypted(account, {
      ...{ confirmation: userConfirmation, shownOrigin },
      showFailure: (failure) => failures.push(failure),
    });
    expect(account.unencryptedOrigins.has('http://192.168.1.6')).toBe(false);
    expect(failures).toMatchObject([{ code: 'unencrypted-address', origin: 'http://192.168.1.6' }]);
    expect(failures[0]?.message).toContain('192.168.1.6');
  },
);

function createAccount(baseUrl: string) {
  const origins = new UnencryptedOrigins(createMemento());
  return {
    profile: { id: 'default', baseUrl, vendorPrefix: 'service' },
    unencryptedOrigins: origins,
    allowUnencryptedOrigin: (origin: string) => origins.storeConfirmedOrigin(origin),
  };
}
