import { expect, test } from 'vitest';
import { MintError } from '../../../service/web3-key.ts';
import { formatMintFailure, describeOmissionEffect } from './mint-messages.ts';

test.each([
  ['api-key.limitPeriod', /spending limit applies to everything/u],
  ['api-key.modelPrivacy', /Models: All models/u],
  ['api-key.expiresAt', /does not expire/u],
  ['api-key.consumptionLimit', /created without it/u],
  ['api-key.consumptionLimit.vcu', /created without it/u],
  ['api-key.description', /created without it/u],
])(
  'describeOmissionEffect describes a key that lacks the refused field %s',
  (refusedField, detail) => {
    const failure = { code: 'unsupported-option', message: 'Refused.', refusedField } as const;
    expect(describeOmissionEffect(new MintError('invalid-options', failure))).toMatch(detail);
  },
);

test('formatMintFailure names the option that the service rejects', () => {
  const failure = {
    code: 'unsupported-option',
    message: 'This service does not support this option: Key expires.',
    refusedField: 'api-key.expiresAt',
  } as const;
  expect(formatMintFailure(new MintError('invalid-options', failure))).toBe(
    'No key was created. This service does not support this option: Key expires.',
  );
});
