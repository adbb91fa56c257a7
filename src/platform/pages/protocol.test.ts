import { expect, test } from 'vitest';
import { readClaim, readClaimReply } from './protocol.ts';

const secret = 'a'.repeat(43);

test.each([
  ['claim', readClaim, { version: 1 }],
  ['claim reply', readClaimReply, { version: 1, secret }],
])('the pairing protocol decodes a valid %s', (_name, read, message) => {
  expect(read(structuredClone(message))).toEqual(message);
});

test.each([
  undefined,
  null,
  'text',
  0,
  Number.NaN,
  [],
  {},
  { version: '1' },
  { version: 0.5 },
  { version: 1, more: true },
  { version: 1, secret: 'a'.repeat(42) },
  { version: 1, secret: `${'a'.repeat(43)}\n` },
  { version: 1, secret: `${'a'.repeat(42)}=` },
  { version: 1, secret, more: true },
  JSON.parse('{"__proto__":{"version":1}}'),
])('the pairing protocol rejects %j as a claim and as a claim reply', (value) => {
  for (const read of [readClaim, readClaimReply]) expect(read(value)).toBeUndefined();
});
