import { expect, test } from 'vitest';
import {
  computeExpiryDate,
  type OptionProblem,
  parseLimitAmount,
  parseMintOptions,
  parseOptionsWithDefaults,
  getRecommendedOptions,
} from './mint-options.ts';

const nowMs = Date.UTC(2026, 10, 21, 20);
const readOptions = (value: unknown) => parseMintOptions(value, nowMs);

test('getRecommendedOptions recommends an inference key with a spending limit and an expiry after 90 days', () => {
  const options = getRecommendedOptions(nowMs, 'Editor');
  expect(options).toEqual({
    type: 'INFERENCE',
    description: 'Editor',
    expiresAt: '2027-02-19',
    consumptionLimit: { usd: 10 },
    limitPeriod: 'MONTH',
  });
  expect(readOptions(options)).toEqual({ ok: true, options });
});

test.each([
  [{}, { type: 'INFERENCE' }],
  [{ expiresAt: null, consumptionLimit: null }, { type: 'INFERENCE' }],
  [{ expiresAt: '', consumptionLimit: {} }, { type: 'INFERENCE' }],
  [
    { consumptionLimit: { vcu: 2, usd: 1 } },
    { type: 'INFERENCE', consumptionLimit: { usd: 1, vcu: 2 } },
  ],
  [
    { type: 'ADMIN', consumptionLimit: { usd: null, diem: 0.5 }, limitPeriod: 'EPOCH' },
    { type: 'ADMIN', consumptionLimit: { diem: 0.5 }, limitPeriod: 'EPOCH' },
  ],
  [
    { expiresAt: '2026-11-22T00:00:00Z', modelPrivacy: 'PRIVATE_ONLY', description: '' },
    {
      type: 'INFERENCE',
      expiresAt: '2026-11-22T00:00:00Z',
      modelPrivacy: 'PRIVATE_ONLY',
      description: '',
    },
  ],
])('parseMintOptions parses the options %j', (value, options) => {
  expect(readOptions(value)).toEqual({ ok: true, options });
});

test.each<[unknown, OptionProblem]>([
  [undefined, 'unknown-field'],
  ['INFERENCE', 'unknown-field'],
  [[], 'unknown-field'],
  [{ consumptionlimit: { usd: 1 } }, 'unknown-field'],
  [{ type: 'admin' }, 'type'],
  [{ type: null }, 'type'],
  [{ description: 'x'.repeat(65) }, 'description'],
  [{ description: 'two\nlines' }, 'description'],
  [{ description: 7 }, 'description'],
  [{ expiresAt: 'tomorrow' }, 'expiry-format'],
  [{ expiresAt: '2026-13-01' }, 'expiry-format'],
  [{ expiresAt: '2027-02-30' }, 'expiry-format'],
  [{ expiresAt: '2027-02-20T00:00:00+02:00' }, 'expiry-format'],
  [{ expiresAt: 1_800_000_000 }, 'expiry-format'],
  [{ expiresAt: '2026-11-21' }, 'expiry-past'],
  [{ consumptionLimit: { usd: -1 } }, 'limit'],
  [{ consumptionLimit: { usd: '5' } }, 'limit'],
  [{ consumptionLimit: { eur: 5 } }, 'limit'],
  [{ consumptionLimit: { usd: Number.NaN } }, 'limit'],
  [{ consumptionLimit: { usd: 1e10 } }, 'limit'],
  [{ consumptionLimit: 5 }, 'limit'],
  [{ limitPeriod: 'WEEK' }, 'period'],
  [{ modelPrivacy: 'SOME' }, 'privacy'],
])('parseMintOptions rejects the options %j', (value, problem) => {
  expect(readOptions(value)).toEqual({ ok: false, problem });
});

test.each([
  ['5', 5],
  [' 2.50 ', 2.5],
  ['0.01', 0.01],
  ['9999999999', 9_999_999_999],
])('parseLimitAmount parses the amount %j as %s', (text, amount) => {
  expect(parseLimitAmount(text)).toBe(amount);
});

test.each(['0', '0.00', '', '-1', '1e3', '1,5', '1.234', '$5', '99999999999', '٥'])(
  'parseLimitAmount returns undefined for the invalid amount %j',
  (text) => {
    expect(parseLimitAmount(text)).toBeUndefined();
  },
);

test.each([
  [
    'a monthly limit of 10 US dollars',
    'without a limit',
    {},
    { consumptionLimit: { usd: 10 }, limitPeriod: 'MONTH' },
  ],
  [
    'a limit of 10 US dollars without a period',
    'with the period null',
    { limitPeriod: null },
    { consumptionLimit: { usd: 10 } },
  ],
  ['no limit', 'with the limit null', { consumptionLimit: null }, {}],
  [
    'no limit',
    'with the limit null and the period EPOCH',
    { consumptionLimit: null, limitPeriod: 'EPOCH' },
    {},
  ],
  [
    'a limit of 10 US dollars per epoch',
    'with the period EPOCH',
    { limitPeriod: 'EPOCH' },
    { consumptionLimit: { usd: 10 }, limitPeriod: 'EPOCH' },
  ],
])('parseOptionsWithDefaults sets %s for options %s', (_result, _options, fields, limit) => {
  const { type, description, expiresAt } = getRecommendedOptions(nowMs, 'Editor');
  const options = { type, description, expiresAt, ...limit };
  expect(parseOptionsWithDefaults(fields, nowMs)).toEqual({ ok: true, options });
});

test('parseOptionsWithDefaults rejects a misspelled limit period in the options of a program', () => {
  expect(parseOptionsWithDefaults({ limitPeriod: '' }, nowMs)).toEqual({
    ok: false,
    problem: 'period',
  });
});

test('computeExpiryDate returns a date in the next month or year if the current month or year ends before the expiry', () => {
  expect(computeExpiryDate(1, Date.UTC(2026, 11, 31, 23, 59))).toBe('2027-01-01');
});
