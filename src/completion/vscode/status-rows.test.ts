import { expect, test } from 'vitest';
import { stateText } from './status-rows.ts';

test('stateText distinguishes suggestions that are off for the current language from suggestions that are off everywhere', () => {
  const suggestions = { activity: {}, isLanguageOn: false, state: 'on' };
  expect(stateText(suggestions as never)).toBe('off for this language');
  expect(stateText({ ...suggestions, state: 'signed-out' } as never)).toBe('Off');
});

test.each([
  ['off', 'Off'],
  ['signed-out', 'Off'],
  ['other-service', 'Off'],
  ['too-expensive', 'off, since the model now costs more than twice as much'],
  ['untrusted', 'off in Restricted Mode'],
  ['snoozed', 'On'],
  ['on', 'On'],
])('stateText describes the state %s as “%s”', (state, expected) => {
  expect(stateText({ activity: {}, isLanguageOn: true, state } as never)).toBe(expected);
});
