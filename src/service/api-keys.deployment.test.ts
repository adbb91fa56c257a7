import { expect, test } from 'vitest';
import { startStrictDeployment } from '../../test/support/deployment-context.ts';
import { testApiKey } from './api-keys.ts';
import { toServiceError } from './http/network-failure.ts';

const { signal } = new AbortController();

test('testApiKey tests a key by requesting the model list if the deployment has no route for limits', async () => {
  await using connection = await startStrictDeployment({ shape: 'minimal' });
  const { keys } = connection.deployment;
  expect(await testApiKey(connection.connect(keys.inference), signal)).toEqual({});
  const error = await testApiKey(connection.connect(keys.expired), signal).catch(toServiceError);
  expect(error).toMatchObject({ failure: { code: 'unauthorized' } });
});

test('testApiKey tests a key by requesting its limits if the deployment reports limits', async () => {
  await using connection = await startStrictDeployment({ shape: 'full' });
  const context = connection.connect(connection.deployment.keys.inference);
  const { limits } = await testApiKey(context, signal);
  expect(limits).toMatchObject({ isAccessPermitted: true, balances: { diem: 25.5 } });
});
