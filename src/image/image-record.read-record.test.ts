import { fc } from '../../test/support/property.ts';
import { describe, expect, test } from 'vitest';
import { type ImageRecord, readImageRecord } from './image-record.ts';

const baseRecord = {
  id: 'abc_DEF-123',
  createdAt: 1_700_000_000_000,
  format: 'png',
  width: 256,
  height: 128,
  bytes: 1_234,
  moderation: { blurred: false, contentViolation: false, reasons: [] },
  saved: [],
} as const;

const storedGeneration = {
  kind: 'generate',
  request: { model: 'painter', prompt: 'a red fox' },
  variant: 0,
  variants: 1,
} as const;

const generatedRecord = { ...baseRecord, origin: storedGeneration };

/** Reads a record after converting it to JSON and back, like a line of the journal. */
const readFromJson = (value: unknown): ImageRecord | undefined =>
  readImageRecord(JSON.parse(JSON.stringify(value)));

const fileSource = { type: 'file', uri: 'file:///w/logo.png' } as const;
const gallerySource = { type: 'gallery', id: 'abc' } as const;

describe('a stored image record', () => {
  test.each<[string, ImageRecord]>([
    ['an image with only required fields', generatedRecord],
    [
      'an image with all fields',
      {
        ...baseRecord,
        subject: 'a red fox',
        modelName: 'Painter',
        price: { usd: 0.01, diem: 0.01 },
        enhancedPrompt: 'a red fox, detailed',
        durationMs: 1_200,
        moderation: { blurred: true, contentViolation: true, reasons: ['adult-content', 'minor'] },
        saved: ['file:///w/images/fox.png'],
        origin: {
          ...storedGeneration,
          request: {
            model: 'painter',
            prompt: 'a red fox',
            negativePrompt: 'dogs',
            width: 256,
            height: 128,
            aspectRatio: '2:1',
            resolution: '1K',
            quality: 'high',
            format: 'webp',
            safeMode: false,
            seed: -7,
            cfgScale: 7.5,
            steps: 8,
            stylePreset: 'Anime',
            hideWatermark: true,
            embedExifMetadata: true,
            enableWebSearch: false,
            enhancePrompt: true,
            loraStrength: 50,
            styleReferences: [
              { image: 'iVBORw0KGgo=', strength: 0.5 },
              { image: 'data:image/webp;base64,UklGRg==' },
            ],
          },
          variant: 3,
          variants: 4,
        },
      },
    ],
    [
      'an edited image',
      {
        ...baseRecord,
        origin: {
          kind: 'edit',
          model: 'retouch',
          prompt: 'make it red',
          aspectRatio: '1:1',
          resolution: '2K',
          sources: [fileSource],
        },
      },
    ],
    [
      'a combination of images',
      {
        ...baseRecord,
        origin: { kind: 'combine', prompt: 'x', sources: [fileSource, gallerySource] },
      },
    ],
    [
      'an upscaled image',
      { ...baseRecord, origin: { kind: 'upscale', scale: 4, sources: [gallerySource] } },
    ],
    [
      'an image with its background removed',
      { ...baseRecord, origin: { kind: 'remove-background', sources: [fileSource] } },
    ],
  ])('is read back unchanged: %s', (_name, record) => {
    expect(readFromJson(record)).toEqual(record);
  });
});

/** Values of various types, of which none is a valid image source. */
const unexpectedValues = [null, [], {}, '', 'x', 0, -1, 1.5, 1e300, true, [[]], { length: 1 }];

describe('an invalid image record', () => {
  test.each([
    ['undefined', undefined],
    ['null', null],
    ['a number', 1],
    ['a string', 'record'],
    ['a boolean', true],
    ['an empty array', []],
    ['an array with a record', [generatedRecord]],
    ['an empty object', {}],
  ])('that is %s is rejected', (_name, value) => {
    expect(readImageRecord(value)).toBeUndefined();
  });

  test.each<[string, object]>([
    ...['', '../x', 'a/b', 'a\\b', 'a.png', 'x'.repeat(65), 'a b', 'é', 'a\n', 7, null].map(
      (id): [string, object] => [`id ${JSON.stringify(id)}`, { ...generatedRecord, id }],
    ),
    ...['gif', 'svg', 'PNG', 'image/png', '', 'constructor', 1, null, ['png']].map(
      (format): [string, object] => [
        `format ${JSON.stringify(format)}`,
        { ...generatedRecord, format },
      ],
    ),
    ...[0, -1, 1.5, 65_537, 1e300, '256', null, [256]].flatMap((side): [string, object][] => [
      [`width ${JSON.stringify(side)}`, { ...generatedRecord, width: side }],
      [`height ${JSON.stringify(side)}`, { ...generatedRecord, height: side }],
    ]),
    ...[null, 'generate', [], {}, { kind: 'other' }, { kind: '__proto__' }].map(
      (origin): [string, object] => [`origin ${JSON.stringify(origin)}`, { ...baseRecord, origin }],
    ),
    ...[null, 'x', [], {}, { model: 'm' }, { prompt: 'p' }, { model: 1, prompt: 'p' }].map(
      (request): [string, object] => [
        `image request ${JSON.stringify(request)}`,
        { ...baseRecord, origin: { ...storedGeneration, request } },
      ],
    ),
    ...[0, 1, 3, 8, '2', null].map((scale): [string, object] => [
      `upscale factor ${JSON.stringify(scale)}`,
      { ...baseRecord, origin: { kind: 'upscale', scale, sources: [] } },
    ]),
  ])('with the %s is rejected', (_name, value) => {
    expect(readImageRecord(value)).toBeUndefined();
  });

  test.each(['id', 'format', 'width', 'height', 'origin'] as const)(
    'without %s is rejected',
    (field) => {
      const { [field]: _, ...rest } = generatedRecord;
      expect(readImageRecord(rest)).toBeUndefined();
    },
  );
});

describe('an invalid optional field', () => {
  test.each<[object, Partial<ImageRecord>]>([
    [{ createdAt: 'yesterday' }, { createdAt: 0 }],
    [{ createdAt: Number.NaN }, { createdAt: 0 }],
    [{ createdAt: 8.64e15 + 1 }, { createdAt: 0 }],
    [{ price: { usd: '1', diem: 2 } }, { price: { diem: 2 } }],
    [{ bytes: -1 }, { bytes: 0 }],
    [{ bytes: 'many' }, { bytes: 0 }],
    [{ saved: 'file:///x' }, { saved: [] }],
    [{ saved: [1, null, 'file:///x', {}] }, { saved: ['file:///x'] }],
    [{ saved: ['command:x', 'file:///x', 'file://elsewhere/x'] }, { saved: ['file:///x'] }],
    [
      { moderation: { blurred: true, reasons: ['minor', 'other', 'minor', 7] } },
      { moderation: { blurred: true, contentViolation: false, reasons: ['minor'] } },
    ],
  ])('is corrected: %j becomes %j', (change, expected) => {
    expect(readImageRecord({ ...generatedRecord, ...change })).toEqual({
      ...generatedRecord,
      ...expected,
    });
  });

  test.each<object>([
    { subject: 1, modelName: ['x'], durationMs: '1', price: 'free' },
    { durationMs: Number.POSITIVE_INFINITY },
    { price: [] },
    { moderation: null },
    { moderation: { blurred: 'true', contentViolation: 1, reasons: 'minor' } },
    { script: '<script>', toString: 'x' },
  ])('is dropped: %j', (change) => {
    expect(readImageRecord({ ...generatedRecord, ...change })).toEqual(generatedRecord);
  });

  test('of an image request is dropped', () => {
    const request = {
      ...storedGeneration.request,
      width: '256',
      format: 'svg',
      seed: Number.NaN,
      safeMode: 'no',
      enableWebSearch: 1,
      webSearch: true,
      variants: 4,
      styleReferences: [{ image: 'https://elsewhere.test/x.png' }, { image: 'a b' }, null],
      loraStrength: 101,
      anonUserId: 'x',
      return_binary: true,
    };
    expect(readFromJson({ ...baseRecord, origin: { ...storedGeneration, request } })).toEqual(
      generatedRecord,
    );
  });

  test('in a list of sources is removed, and the valid sources are kept', () => {
    const sources = [
      gallerySource,
      ...unexpectedValues,
      { type: 'gallery', id: 1 },
      { type: 'gallery', uri: 'file:///x' },
      { type: 'file', id: 'abc' },
      { type: 'url', uri: 'https://elsewhere.test/x.png' },
      { type: 'file', uri: 'https://elsewhere.test/x.png' },
      { type: 'file', uri: 'file://elsewhere/share/x.png' },
      { ...fileSource, id: 'abc' },
    ];
    const origin = { kind: 'remove-background', sources };
    expect(readFromJson({ ...baseRecord, origin })).toEqual({
      ...baseRecord,
      origin: { kind: 'remove-background', sources: [gallerySource, fileSource] },
    });
    expect(readFromJson({ ...baseRecord, origin: { ...origin, sources: 'x' } })).toMatchObject({
      origin: { sources: [] },
    });
  });
});

describe('an arbitrary stored value', () => {
  const anyValue = fc.oneof(fc.jsonValue(), fc.anything(), fc.constantFrom(...unexpectedValues));
  /**
   * Generates a value of `arbitrary` in most cases, otherwise any value. Most invalid records then contain only one
   * invalid field.
   */
  const createMostlyValidArbitrary = (arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
    fc.oneof({ arbitrary, weight: 30 }, anyValue);
  const side = createMostlyValidArbitrary(fc.integer({ min: 1, max: 65_536 }));
  const nameArbitrary = createMostlyValidArbitrary(fc.string());
  const request = fc.record({
    model: nameArbitrary,
    prompt: nameArbitrary,
    seed: anyValue,
    width: anyValue,
  });
  const origin = fc.record({
    kind: fc.constantFrom('generate', 'edit', 'combine', 'upscale', 'remove-background'),
    request: createMostlyValidArbitrary(request),
    variant: anyValue,
    variants: anyValue,
    scale: createMostlyValidArbitrary(fc.constantFrom(2, 4)),
    model: anyValue,
    prompt: anyValue,
    aspectRatio: anyValue,
    sources: createMostlyValidArbitrary(
      fc.array(createMostlyValidArbitrary(fc.constantFrom<unknown>(fileSource, gallerySource)), {
        maxLength: 4,
      }),
    ),
  });
  const similarRecord = fc.record({
    id: createMostlyValidArbitrary(fc.constant('abc')),
    createdAt: anyValue,
    subject: anyValue,
    modelName: anyValue,
    format: createMostlyValidArbitrary(fc.constantFrom('png', 'jpeg', 'webp')),
    width: side,
    height: side,
    bytes: anyValue,
    price: anyValue,
    durationMs: anyValue,
    moderation: createMostlyValidArbitrary(fc.record({ blurred: anyValue, reasons: anyValue })),
    saved: createMostlyValidArbitrary(fc.array(nameArbitrary, { maxLength: 4 })),
    origin: createMostlyValidArbitrary(origin),
  });

  test('is read without an error, and the result is undefined or a record that can be stored and read again', () => {
    let readCount = 0;
    fc.assert(
      fc.property(fc.oneof({ arbitrary: similarRecord, weight: 9 }, anyValue), (value) => {
        const record = readImageRecord(value);
        if (record === undefined) return;
        readCount++;
        expect(record.id).toMatch(/^[\w-]{1,64}$/u);
        expect(Number.isFinite(record.createdAt)).toBe(true);
        // A record is unchanged after it is written and read back.
        expect(readFromJson(record)).toEqual(JSON.parse(JSON.stringify(record)));
      }),
      { numRuns: 300 },
    );
    expect(readCount).toBeGreaterThan(100);
  });
});
