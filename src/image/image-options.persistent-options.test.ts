import { expect, test } from 'vitest';
import { getPersistentOptions } from './image-options.ts';

test('getPersistentOptions drops options that apply to a single image', () => {
  const options = {
    width: 512,
    height: 256,
    format: 'png',
    safeMode: false,
    quality: 'high',
    seed: 7,
    negativePrompt: 'boats',
    stylePreset: 'Anime',
    steps: 3,
    cfgScale: 2,
    webSearch: true,
    enhancePrompt: true,
    variants: 4,
  } as const;
  expect(getPersistentOptions(options)).toStrictEqual({
    width: 512,
    height: 256,
    format: 'png',
    safeMode: false,
    quality: 'high',
  });
});
