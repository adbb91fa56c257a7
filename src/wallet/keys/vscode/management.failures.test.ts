import { expect, test, vi } from 'vitest';
import { startStrictDeployment } from '../../../../test/support/deployment-context.ts';
import type { Account } from '../../../account/vscode/account.ts';
import { Connection } from '../../../service/http/connection.ts';
import { getBalance } from '../../../service/billing.ts';
import { createKeyManagement, reportKeyFailure, tryWithProgress } from './management.ts';

vi.mock('../../../platform/notifications.ts', () => ({
  showError: () => {},
  showWithActions: async () => {},
  showCancellable: (_title: string, run: (signal: AbortSignal, report: () => void) => unknown) =>
    run(new AbortController().signal, () => {}),
}));

interface KeySetup {
  readonly keyInUse: 'expired' | 'inference';
  readonly managementKey?: 'expired';
  readonly hasSeparateKey?: true;
}

/**
 * Runs a key operation at a deployment with the given keys. Returns the codes of the failures that the operation
 * records in the account.
 */
async function listReportedCodes({
  keyInUse,
  managementKey,
  hasSeparateKey,
}: KeySetup): Promise<readonly string[]> {
  await using server = await startStrictDeployment({ word: 'acme', shape: 'full' });
  const { baseUrl, keys } = server.deployment;
  const profile = { id: 'default', baseUrl, vendorPrefix: 'service' };
  const codes: string[] = [];
  const account = {
    profile,
    service: server.connect(),
    getConnection: () => new Connection(),
    readKey: async () => ({ kind: 'usable', key: keys[keyInUse] }),
    readStoredKey: async () => managementKey && keys[managementKey],
    reportOutcome: ({ code }: { code: string }) => codes.push(code),
  };
  const { service } = createKeyManagement(account as unknown as Account);
  await tryWithProgress({
    account: account as unknown as Account,
    profile,
    title: 'Changing a key',
    ...(hasSeparateKey && { hasSeparateKey }),
    run: async ({ signal }) => void (await getBalance(service, { signal })),
  });
  return codes;
}

test('tryWithProgress does not change the status of the account if the key in use is rejected, because the key may still permit chats', async () => {
  expect(await listReportedCodes({ keyInUse: 'expired' })).toEqual([]);
});

test('reportKeyFailure records in the account that the key in use has no funds', async () => {
  await using server = await startStrictDeployment();
  const codes: string[] = [];
  const account = {
    service: server.connect(),
    readStoredKey: async () => undefined,
    reportOutcome: ({ code }: { code: string }) => codes.push(code),
  } as unknown as Account;
  const profile = { id: 'default', baseUrl: server.deployment.baseUrl, vendorPrefix: 'service' };
  for (const code of ['out-of-funds', 'unauthorized', 'forbidden', 'no-key'] as const)
    await reportKeyFailure({ account, profile }, { code, message: 'Insufficient permissions' });
  expect(codes).toEqual(['out-of-funds']);
});

test.each([
  ['the stored management key', { keyInUse: 'inference', managementKey: 'expired' }],
  ['a separate key that the operation uses', { keyInUse: 'expired', hasSeparateKey: true }],
  ['a valid key that is not of type ADMIN', { keyInUse: 'inference' }],
] as const)(
  'tryWithProgress does not change the status of the account if the service rejects %s',
  async (_case, keySetup) => {
    expect(await listReportedCodes(keySetup)).toEqual([]);
  },
);
