import { expect, test } from 'vitest';
import { MintError } from '../../../service/web3-key.ts';
import { mintFailureMessage, reducedKeyDetail } from './mint-messages.ts';

test.each([
  ['api-key.limitPeriod', /spending limit applies to everything/u],
  ['api-key.modelPrivacy', /works with all models/u],
  ['api-key.expiresAt', /never expires/u],
  ['api-key.consumptionLimit', /this limit does not apply/u],
  ['api-key.consumptionLimit.vcu', /this limit does not apply/u],
  ['api-key.description', /has no name/u],
])('reducedKeyDetail describes a key that lacks the refused field %s', (refusedField, detail) => {
  const failure = { code: 'unsupported-option', message: 'Refused.', refusedField } as const;
  expect(reducedKeyDetail(new MintError('invalid-options', failure))).toMatch(detail);
});

test('mintFailureMessage names the option that the service refuses, also for programs', () => {
  const failure = {
    code: 'unsupported-option',
    message: 'This service does not support keys that expire.',
    refusedField: 'api-key.expiresAt',
  } as const;
  expect(mintFailureMessage(new MintError('invalid-options', failure))).toBe(
    'No key was created. This service does not support keys that expire.',
  );
});
