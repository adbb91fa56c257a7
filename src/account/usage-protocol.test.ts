import { expect, test } from 'vitest';
import { readUsageHostMessage, readUsagePageMessage } from './usage-protocol.ts';

test.each([
  [{ type: 'ready', version: 1, days: 7 }, true],
  [{ type: 'period-set', days: 30 }, true],
  [{ type: 'period-set', days: 100_000 }, false],
  [{ type: 'conversation-open', id: 'abc' }, true],
  [{ type: 'conversation-open', id: '../abc' }, false],
  [{ type: 'usage-export', path: '/etc/passwd' }, false],
  ['ready', false],
])('readUsagePageMessage checks whether the page message %j is valid: %s', (value, isMessage) => {
  expect(readUsagePageMessage(value) !== undefined).toBe(isMessage);
});

test('readUsageHostMessage accepts a valid host message and rejects a message with invalid usage', () => {
  expect(readUsageHostMessage({ type: 'usage-set', version: 1, usage: {} })).toBeUndefined();
  expect(readUsageHostMessage({ type: 'usage-fail', message: 'x' })).toBeDefined();
});
