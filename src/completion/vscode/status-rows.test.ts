import { expect, test } from 'vitest';
import { formatState } from './status-rows.ts';

test('formatState distinguishes suggestions that are off for the current language from suggestions that are off everywhere', () => {
  const suggestions = { activity: {}, isLanguageOn: false, state: 'on' };
  expect(formatState(suggestions as never)).toBe('off for this language');
  expect(formatState({ ...suggestions, state: 'signed-out' } as never)).toBe('Off');
});

test.each([
  ['off', 'Off'],
  ['signed-out', 'Off'],
  ['other-service', 'Off'],
  ['too-expensive', 'off, since the model now costs more than twice as much'],
  ['untrusted', 'off in Restricted Mode'],
  ['snoozed', 'On'],
  ['on', 'On'],
])('formatState describes the state %s as “%s”', (state, expected) => {
  expect(formatState({ activity: {}, isLanguageOn: true, state } as never)).toBe(expected);
});
