import { expect, test } from 'vitest';
import { readImagePrompt } from './image-turn.ts';

test.each([
  ['/image a red fox', 'a red fox'],
  ['  /image\n a red\nfox \n', 'a red\nfox'],
  ['/image', ''],
  ['/image  ', ''],
])('readImagePrompt reads from %j the image prompt %j', (text, prompt) => {
  expect(readImagePrompt(text)).toBe(prompt);
});

test.each([
  '/images a red fox',
  '/imagea red fox',
  'make /image a red fox',
  '/Image a red fox',
  '',
])('readImagePrompt finds no image command in %j', (text) => {
  expect(readImagePrompt(text)).toBeUndefined();
});
