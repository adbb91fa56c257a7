import { expect, test } from 'vitest';
import { readImagePrompt } from './image-turn.ts';

test.each([
  ['/image a red fox', 'a red fox'],
  ['  /image\n a red\nfox \n', 'a red\nfox'],
  ['/image', ''],
  ['/image  ', ''],
  ['/images a red fox', undefined],
  ['/imagea red fox', undefined],
  ['make /image a red fox', undefined],
  ['/Image a red fox', undefined],
  ['', undefined],
])('readImagePrompt parses %j as the image prompt %j', (text, prompt) => {
  expect(readImagePrompt(text)).toBe(prompt);
});
