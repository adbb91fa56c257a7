import { expect, test } from 'vitest';
import { startStrictDeployment } from '../../../test/support/deployment-context.ts';
import type { Account } from '../../account/vscode/account.ts';
import { readFunds } from './funding-view.ts';

test('readFunds reads the balance without encryption from a local-network server that the user confirmed', async () => {
  await using server = await startStrictDeployment({ word: 'zeta', shape: 'full', balance: 'usd' });
  const account = {
    key: { kind: 'usable' },
    service: server.connect(server.deployment.keys.inference),
    profile: { id: 'default', baseUrl: 'http://192.168.1.5/api/v1', vendorPrefix: 'service' },
    unencryptedOrigins: new Set(['http://192.168.1.5']),
    readStoredKey: async () => undefined,
    balance: {},
  };
  const funds = await readFunds(account as unknown as Account, new AbortController().signal);
  expect(funds.usd).toBeGreaterThan(0);
});
