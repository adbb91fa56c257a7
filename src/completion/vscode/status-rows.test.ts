import { expect, test } from 'vitest';
import { stateText } from './status-rows.ts';

test('stateText distinguishes suggestions that are off for the current language from suggestions that are off everywhere', () => {
  const suggestions = { activity: {}, isLanguageOn: false, state: 'on' };
  expect(stateText(suggestions as never)).toBe('off for this language');
  expect(stateText({ ...suggestions, state: 'signed-out' } as never)).toBe('Off');
});
