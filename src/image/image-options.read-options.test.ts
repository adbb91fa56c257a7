import { fc } from '../../test/support/property.ts';
import { expect, test } from 'vitest';
import { type ImageOptions, readImageOptions } from './image-options.ts';

const allOptions: Required<ImageOptions> = {
  negativePrompt: 'dogs',
  width: 256,
  height: 128,
  aspectRatio: '16:9',
  resolution: '2K',
  quality: 'high',
  steps: 8,
  cfgScale: 7.5,
  seed: -7,
  stylePreset: 'Anime',
  format: 'webp',
  safeMode: false,
  webSearch: true,
  enhancePrompt: false,
  hideWatermark: true,
  embedExifMetadata: false,
  variants: 3,
};

test('readImageOptions reads stored options unchanged', () => {
  expect(readImageOptions(JSON.parse(JSON.stringify(allOptions)))).toStrictEqual(allOptions);
});

test.each([undefined, null, 1, 'options', true, [], [allOptions], () => allOptions])(
  'readImageOptions reads no options from %j',
  (value) => {
    expect(readImageOptions(value)).toStrictEqual({});
  },
);

test.each<[string, unknown[]]>([
  ...(['negativePrompt', 'aspectRatio', 'resolution', 'quality', 'stylePreset'] as const).map(
    (name): [string, unknown[]] => [name, [null, 1, true, [], {}, ['x']]],
  ),
  ...(['width', 'height', 'steps', 'cfgScale', 'seed'] as const).map(
    (name): [string, unknown[]] => [
      name,
      [null, '1', true, [], [1], Number.NaN, Number.POSITIVE_INFINITY, 1n],
    ],
  ),
  ...(
    ['safeMode', 'webSearch', 'enhancePrompt', 'hideWatermark', 'embedExifMetadata'] as const
  ).map((name): [string, unknown[]] => [name, [null, 'true', 1, 0, [], {}]]),
  ['format', [null, 'gif', 'PNG', 'image/png', 'constructor', ['png'], 0]],
  ['variants', [null, 0, 5, 1.5, '2', -1, [2], Number.NaN]],
])('readImageOptions drops an invalid %s and keeps the other options', (name, values) => {
  const { [name as keyof ImageOptions]: _, ...otherOptions } = allOptions;
  for (const value of values) {
    expect(readImageOptions({ ...allOptions, [name]: value })).toStrictEqual(otherOptions);
  }
});

test('readImageOptions drops unknown options', () => {
  const unknownOptions = {
    model: 'm',
    prompt: 'p',
    styleReferences: [{ image: 'x' }],
    toString: 'x',
  };
  const inheritedNames = JSON.parse('{"__proto__":{"width":9},"constructor":{"x":1},"height":128}');
  expect(readImageOptions({ ...allOptions, ...unknownOptions })).toStrictEqual(allOptions);
  expect(readImageOptions(inheritedNames)).toStrictEqual({ height: 128 });
});

test('readImageOptions returns only known options for any input, and returns these options unchanged when read again', () => {
  const anyValue = fc.anything();
  const mostlyValid = fc.record(
    Object.fromEntries(
      Object.entries(allOptions).map(([name, value]) => [
        name,
        fc.oneof(fc.constant(value), anyValue),
      ]),
    ),
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof({ arbitrary: mostlyValid, weight: 9 }, anyValue), (value) => {
      const options = readImageOptions(value);
      expect(Object.keys(allOptions)).toEqual(expect.arrayContaining(Object.keys(options)));
      for (const [name, optionValue] of Object.entries(options)) {
        expect(typeof optionValue).toBe(typeof allOptions[name as keyof ImageOptions]);
      }
      expect(readImageOptions(options)).toStrictEqual(options);
    }),
    { numRuns: 500 },
  );
});
