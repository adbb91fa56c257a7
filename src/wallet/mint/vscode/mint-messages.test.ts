import { expect, test } from 'vitest';
import { MintError } from '../../../service/web3-key.ts';
import { reducedKeyDetail } from './mint-messages.ts';

test.each([
  ['mint.limitPeriod', /spending limit applies to everything/u],
  ['mint.modelPrivacy', /works with all models/u],
])('describes the key without the refused field %s', (refusedField, detail) => {
  const failure = { code: 'unsupported-option', message: 'Refused.', refusedField } as const;
  expect(reducedKeyDetail(new MintError('invalid-options', failure))).toMatch(detail);
});
