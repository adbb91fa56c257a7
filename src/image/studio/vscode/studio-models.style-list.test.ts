import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test, vi } from 'vitest';
import { createScriptedService } from '../../../../test/support/scripted-transport.ts';
import { createDirectTransport } from '../../../service/http/direct-transport.ts';
import { ServiceError, type ServiceFailure } from '../../../service/http/failure.ts';
import { StyleList } from './studio-models.ts';

test('StyleList shows why the request for styles failed, and reports the failure to the profile’s account', async () => {
  const failure: ServiceFailure = { code: 'tls', message: 'The certificate is not trusted.' };
  const { context: service } = createScriptedService();
  const failingService = {
    ...service,
    getEndpoint: () => Promise.reject(new ServiceError(failure)),
  };
  const report = vi.fn<() => void>();
  const profile = { id: 'default' };
  const styles = new StyleList({
    service: failingService,
    account: { profile, reportOutcome: report },
  } as never);
  await styles.loadStyles();
  expect(styles.view).toEqual({ status: 'failed', names: [], problem: failure.message });
  expect(report).toHaveBeenCalledExactlyOnceWith(failure, profile);
});

test('StyleList shows a timeout message if the styles do not arrive in time', async () => {
  const timeoutCanceller = new AbortController();
  vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(timeoutCanceller.signal);
  // The server delays its response until the time limit has passed.
  const server = createServer(() =>
    timeoutCanceller.abort(new DOMException('The time limit has passed.', 'TimeoutError')),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const transport = createDirectTransport();
  const { context } = createScriptedService();
  const service = {
    ...context,
    getEndpoint: async () => ({
      ...(await context.getEndpoint()),
      baseUrl: new URL(`http://127.0.0.1:${port}/api/v1`),
    }),
    getTransport: async () => transport,
  };
  const report = vi.fn<(failure: ServiceFailure) => void>();
  const styles = new StyleList({
    service,
    account: { profile: {}, reportOutcome: report },
  } as never);
  await styles.loadStyles();
  expect(styles.view).toMatchObject({
    status: 'failed',
    problem: expect.stringMatching(/too long|in time/u),
  });
  expect(report.mock.calls[0]?.[0].code).toBe('timeout');
  await transport.close();
  server.closeAllConnections();
  server.close();
});
