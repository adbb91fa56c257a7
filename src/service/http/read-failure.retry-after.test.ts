import { expect, test } from 'vitest';
import { computeBackoffMs } from '../../base/clock.ts';
import { readRetryDelayMs } from './read-failure.ts';

const nowMs = Date.UTC(2026, 9, 21, 7, 28, 0);

test.each([
  [{ 'retry-after': '2' }, 2_000],
  [{ 'retry-after': ' 1.5 ' }, 1_500],
  [{ 'retry-after': '99999' }, 99_999_000],
  [{ 'retry-after': 'Wed, 21 Oct 2026 07:28:10 GMT' }, 10_000],
  [{ 'x-ratelimit-reset-requests': '7' }, 7_000],
  [{ 'x-ratelimit-reset-requests': String(nowMs / 1_000 + 7) }, 7_000],
  [{ 'x-ratelimit-reset-requests': String(nowMs + 7_000) }, 7_000],
  [{ 'retry-after': '3', 'x-ratelimit-reset-requests': '7' }, 3_000],
  [{ 'retry-after': 'soon', 'x-ratelimit-reset-requests': '7' }, 7_000],
  [{ 'retry-after': '0', 'x-ratelimit-reset-requests': '7' }, 7_000],
  [{ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '55' }, 55_000],
  [{ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '50' }, 50_000],
  [{ 'x-ratelimit-reset-requests': '7', 'x-ratelimit-reset-tokens': '50' }, 50_000],
  [
    {
      'x-ratelimit-remaining-requests': '400',
      'x-ratelimit-reset-requests': '50',
      'x-ratelimit-remaining-tokens': '0',
      'x-ratelimit-reset-tokens': '2',
    },
    2_000,
  ],
])('readRetryDelayMs reads the headers %j as a retry delay of %j ms', (headers, expected) => {
  expect(readRetryDelayMs(headers as Record<string, string>, nowMs)).toBe(expected);
});

test.each([
  { 'retry-after': '0' },
  { 'retry-after': '-5' },
  { 'retry-after': 'Wed, 21 Oct 2026 07:27:00 GMT' },
  { 'retry-after': 'soon' },
  { 'retry-after': '' },
  { 'retry-after': '1e9' },
  {},
  { 'x-ratelimit-reset-requests': String(nowMs - 7_000) },
  { 'x-ratelimit-reset-requests': 'never' },
  { 'x-ratelimit-remaining-requests': '499', 'x-ratelimit-reset-requests': '55' },
  { 'x-ratelimit-remaining-tokens': '9000', 'x-ratelimit-reset-tokens': '50' },
])('readRetryDelayMs returns undefined for the headers %j', (headers) => {
  expect(readRetryDelayMs(headers as Record<string, string>, nowMs)).toBeUndefined();
});

test('readRetryDelayMs computes the retry delay relative to the Date header of the service', () => {
  const headers = {
    date: 'Wed, 21 Oct 2026 09:28:00 GMT',
    'retry-after': 'Wed, 21 Oct 2026 09:28:04 GMT',
  };
  expect(readRetryDelayMs(headers, nowMs)).toBe(4_000);
});

test.each([
  ['one hour behind', -3_600_000],
  ['one hour ahead', 3_600_000],
])(
  'readRetryDelayMs computes the time until a reset with the Date header if the clock of the service is %s',
  (_difference, differenceMs) => {
    const serverTime = nowMs + differenceMs;
    const headers = {
      date: new Date(serverTime).toUTCString(),
      'x-ratelimit-reset-requests': String(serverTime + 30_000),
    };
    expect(readRetryDelayMs(headers, nowMs)).toBe(30_000);
  },
);

test('readRetryDelayMs computes the retry delay relative to the local clock if the Date header is invalid', () => {
  const headers = { date: 'today', 'retry-after': 'Wed, 21 Oct 2026 07:28:04 GMT' };
  expect(readRetryDelayMs(headers, nowMs)).toBe(4_000);
});

test('computeBackoffMs returns a random delay below a limit that doubles with each attempt up to 8 s', () => {
  const maxDelays = [1, 2, 3, 4, 5, 50].map((attempt) => computeBackoffMs(attempt, 0.999_999));
  expect(maxDelays).toEqual([999, 1_999, 3_999, 7_999, 7_999, 7_999]);
  expect(computeBackoffMs(3, 0)).toBe(0);
});
