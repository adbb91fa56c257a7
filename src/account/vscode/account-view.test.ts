import { expect, test } from 'vitest';
import type { ServiceFailure } from '../../service/http/failure.ts';
import { createAccountView } from './account-view.ts';

const profile = { id: 'default', baseUrl: 'https://service.test', vendorPrefix: '' };

test('createAccountView omits actions such as Retry, which need a failed chat message', () => {
  const failure: ServiceFailure = { code: 'out-of-funds', message: 'The balance is too low.' };
  const view = createAccountView(profile, {
    status: 'needs-attention',
    reason: { kind: 'failure', failure },
  });
  expect(view.actions.map(({ action }) => action)).toEqual(['add-credits', 'choose-model']);
});
