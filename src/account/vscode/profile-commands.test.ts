import { expect, test, vi } from 'vitest';
import { EnvironmentKey } from './key-store.ts';
import { addProfile, ensureBaseUrl } from './profile-commands.ts';
import { readActiveProfile } from './profile-settings.ts';

const settings = vi.hoisted(() => new Map<string, unknown>());
vi.mock('../../platform/settings.ts', () => ({
  getSetting: (name: string) => settings.get(name),
  getUndeclaredSetting: () => undefined,
  setSetting: (name: string, value: unknown) => Promise.resolve(settings.set(name, value)),
}));
vi.mock('vscode', async () => ({
  ...(await import('../../../test/support/vscode-stub.ts')),
  ProgressLocation: { Notification: 15 },
  window: {
    withProgress: (_options: unknown, run: (report: unknown, token: unknown) => unknown) =>
      run({ report: () => {} }, { onCancellationRequested: () => {} }),
    showInputBox: ({ value }: { value?: string }) => Promise.resolve(value ?? 'linked'),
  },
}));

test('addProfile creates a profile with the suggested address, and the environment key is not used for this profile', async () => {
  const baseUrl = 'https://service.example/v1';
  settings.set('inferenceService.baseUrl', baseUrl);
  const log = { warn: () => {} } as never;
  const environment = { INFERENCE_SERVICE_API_KEY: 'sk-environment-key' };
  const getBoundKey = () =>
    new EnvironmentKey(environment, log).getBoundKey(
      readActiveProfile(),
      new URL(readActiveProfile().baseUrl).origin,
    );
  expect(getBoundKey()?.origin).toBe('https://service.example');
  const account = { unencryptedOrigins: new Set() } as never;
  expect(await addProfile(account, 'https://link.example/v1')).toBe(true);
  expect(readActiveProfile()).toMatchObject({
    id: 'linked',
    baseUrl: 'https://link.example/v1',
  });
  expect(getBoundKey()).toBeUndefined();
  expect(settings.get('inferenceService.baseUrl')).toBe(baseUrl);
});

test('ensureBaseUrl suggests the address that the user typed into the connect form', async () => {
  settings.clear();
  const account = {
    profile: readActiveProfile(),
    typedAddress: 'https://typed.example/v1',
    unencryptedOrigins: new Set(),
  } as never;
  expect(await ensureBaseUrl(account)).toBe(true);
  expect(readActiveProfile().baseUrl).toBe('https://typed.example/v1');
});
