import { describe, expect, test } from 'vitest';
import {
  type DeploymentConnection,
  startStrictDeployment,
} from '../../../../test/support/deployment-context.ts';
import type { Account } from '../../../account/vscode/account.ts';
import { Connection } from '../../../service/http/connection.ts';
import type { ServiceContext } from '../../../service/http/client.ts';
import { testApiKey } from '../../../service/api-keys.ts';
import { getValidationToken } from '../../../service/web3-key.ts';
import { prepareMint } from '../../mint/vscode/prepare-mint.ts';
import { createKeyManagement, withApiKey } from './management.ts';

const { signal } = new AbortController();

/** Creates an account with a stored ADMIN key. The account has not sent a request to the deployment yet. */
function createAccount({ deployment, context }: DeploymentConnection): Account {
  const connection = new Connection();
  const account: Partial<Account> = {
    profile: { id: 'default', baseUrl: deployment.baseUrl, vendorPrefix: 'service' },
    key: { kind: 'none' },
    service: context,
    getConnection: (baseUrl) =>
      baseUrl.href === new URL(deployment.baseUrl).href ? connection : new Connection(),
    readStoredKey: async () => deployment.keys.admin,
  };
  return account as Account;
}

const getVendorPrefix = async (service: ServiceContext): Promise<string> =>
  (await service.getEndpoint()).vendorPrefix;

const vendorPrefixes = ['acme', 'zephyr'] as const;

describe.each(vendorPrefixes)('the vendor prefix "%s" of a deployment', (vendorPrefix) => {
  test('is detected in the first reply to key management, and used for later requests of the account', async () => {
    await using server = await startStrictDeployment({ shape: 'full', word: vendorPrefix });
    const account = createAccount(server);
    const { service } = createKeyManagement(account);
    await testApiKey(service, signal);
    expect(await getVendorPrefix(service)).toBe(vendorPrefix);
    // Later calls of the account use what the management has learned.
    expect(await getVendorPrefix(createKeyManagement(account).service)).toBe(vendorPrefix);
    const otherService = withApiKey(service, server.deployment.keys.inference);
    expect(await otherService.getEndpoint()).toMatchObject({
      vendorPrefix,
      connection: account.getConnection(new URL(server.deployment.baseUrl)),
      apiKey: server.deployment.keys.inference,
    });
  });

  test('is detected in the first reply to a mint', async () => {
    await using server = await startStrictDeployment({ shape: 'full', word: vendorPrefix });
    const account = createAccount(server);
    const { service } = prepareMint(
      { account },
      { profile: account.profile, signer: {} as never, options: { type: 'INFERENCE' }, signal },
    );
    await getValidationToken(service, { signal });
    expect(account.getConnection(new URL(server.deployment.baseUrl)).vendorPrefix).toBe(
      vendorPrefix,
    );
  });
});
