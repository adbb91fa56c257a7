import { expect, test } from 'vitest';
import { stateText } from './status-rows.ts';

test('the state of inline suggestions that are off for a language differs from the state of suggestions that are off', () => {
  const suggestions = { activity: {}, isLanguageOn: false, state: 'on' };
  expect(stateText(suggestions as never)).toBe('off for this language');
  expect(stateText({ ...suggestions, state: 'signed-out' } as never)).toBe('Off');
});
