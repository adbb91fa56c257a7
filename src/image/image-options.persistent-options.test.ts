import { expect, test } from 'vitest';
import { persistentOptions } from './image-options.ts';

test('persistentOptions drops options that apply to a single image', () => {
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
  expect(persistentOptions(options)).toStrictEqual({
    width: 512,
    height: 256,
    format: 'png',
    safeMode: false,
    quality: 'high',
  });
});
