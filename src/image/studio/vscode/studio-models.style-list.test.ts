import { expect, test, vi } from 'vitest';
import { scriptedService } from '../../../../test/support/scripted-transport.ts';
import { ServiceError, type ServiceFailure } from '../../../service/http/failure.ts';
import { StyleList } from './studio-models.ts';

test('reports a failure of the style list to the account, and shows its message', async () => {
  const failure: ServiceFailure = { code: 'tls', message: 'The certificate is not trusted.' };
  const { context: service } = scriptedService();
  const failing = { ...service, endpoint: () => Promise.reject(new ServiceError(failure)) };
  const report = vi.fn<() => void>();
  const profile = { id: 'default' };
  const styles = new StyleList({ service: failing, account: { profile, report } } as never);
  await styles.load();
  expect(styles.view).toEqual({ status: 'failed', names: [], problem: failure.message });
  expect(report).toHaveBeenCalledExactlyOnceWith(failure, profile);
});
