import { fc } from '../../../test/support/property.ts';
import { describe, expect, test } from 'vitest';
import { ImageJsonReader, type ImageLimits } from './base64-json.ts';

const imageLimits: ImageLimits = { maxImages: 16, maxImageBytes: 1e6 };

interface JsonReading {
  readonly images: readonly string[];
  readonly rest: unknown;
  readonly isComplete: boolean;
}

/** Returns the images in hexadecimal. Fails the test if the events of an image are missing or in the wrong order. */
function readJsonImages(
  chunks: readonly Uint8Array[],
  limitOverrides: Partial<ImageLimits> = {},
): JsonReading {
  const jsonReader = new ImageJsonReader({ ...imageLimits, ...limitOverrides });
  const images: string[] = [];
  let isOpen = false;
  for (const event of chunks.flatMap((chunk) => [...jsonReader.feed(chunk)])) {
    if (event.type === 'image-start') {
      expect([isOpen, event.index]).toEqual([false, images.length]);
      images.push('');
      isOpen = true;
    } else {
      expect([isOpen, event.index]).toEqual([true, images.length - 1]);
      if (event.type === 'image-end') isOpen = false;
      else images[event.index] += Buffer.from(event.bytes).toString('hex');
    }
  }
  const rest: unknown =
    jsonReader.remainingJson === undefined ? undefined : JSON.parse(jsonReader.remainingJson);
  expect(jsonReader.receivedImageCount).toBe(images.length - (isOpen ? 1 : 0));
  return { images, rest, isComplete: jsonReader.isComplete };
}

const encodeUtf8 = (text: string): Buffer => Buffer.from(text);
const decodeToHex = (text: string): string => Buffer.from(text, 'base64').toString('hex');

const pngBase64 = 'iVBORw0KGgo/+/8=';
const jpegBase64 = '/9j/4AAQSkZJRg==';

/** Response with every JSON construct that can surround an image or resemble an image. */
const jsonCorpus = [
  '\uFEFF { "id" : "generate-image-1" ,\r\n\t"request":{"success":true,"data":{"images":["AAAA"],"prompt":"\\"images\\":[\\"狐🙂\\\\"}},',
  `"images" : [ "${pngBase64.replaceAll('/', '\\/')}" , null, 7, {"images":["AAAA"]}, ["AAAA"], "", "data:image/png;base64,${jpegBase64}",`,
  ` "${pngBase64.replaceAll('+', '\\u002B')}\\n" ],`,
  '"timing":{"total":12.5e1,"x":[[[["AAAA"]]]]},"data":["AAAA"],"b64_json":"AAAA","end":"狐\\ud83d" } \n',
].join('');

const expectedReading: JsonReading = {
  images: [decodeToHex(pngBase64), decodeToHex(jpegBase64), decodeToHex(pngBase64)],
  rest: {
    id: 'generate-image-1',
    request: { success: true, data: { images: ['AAAA'], prompt: '"images":["狐🙂\\' } },
    images: ['', null, 7, { images: ['AAAA'] }, ['AAAA'], '', '', ''],
    timing: { total: 125, x: [[[['AAAA']]]] },
    data: ['AAAA'],
    b64_json: 'AAAA',
    end: '狐\ud83d',
  },
  isComplete: true,
};

describe('a JSON image response with every JSON construct', () => {
  const bytes = encodeUtf8(jsonCorpus);

  test('is read in one chunk and byte by byte', () => {
    expect(readJsonImages([bytes])).toEqual(expectedReading);
    expect(readJsonImages(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(
      expectedReading,
    );
  });

  test('is read in two chunks split at every position', () => {
    for (let index = 0; index <= bytes.length; index++) {
      expect(
        readJsonImages([bytes.subarray(0, index), bytes.subarray(index)]),
        `split at ${index}`,
      ).toEqual(expectedReading);
    }
  });

  test('is incomplete when truncated at any position', () => {
    const end = bytes.lastIndexOf('}');
    for (let index = bytes.indexOf('{') + 1; index <= end; index++) {
      const jsonReader = new ImageJsonReader(imageLimits);
      for (const _ of jsonReader.feed(bytes.subarray(0, index)));
      expect(jsonReader.isComplete, `cut at ${index}`).toBe(false);
    }
  });
});

/** Reads a response in one chunk and byte by byte, and returns the images of both readings in Base64. */
const readImagesAsBase64 = (text: string): string[][] => {
  const chunks = Array.from(encodeUtf8(text), (byte) => Uint8Array.of(byte));
  return [[encodeUtf8(text)], chunks].map((inputChunks) => {
    const jsonReader = new ImageJsonReader(imageLimits);
    const events = inputChunks.flatMap((chunk) => [...jsonReader.feed(chunk)]);
    return events
      .filter(({ type }) => type === 'image-end')
      .map(({ index }) =>
        Buffer.concat(
          events.flatMap((event) =>
            event.type === 'image-bytes' && event.index === index ? [event.bytes] : [],
          ),
        ).toString('base64'),
      );
  });
};

test.each<[string, string, readonly string[]]>([
  ['the images field', `{"images":["${pngBase64}"]}`, [pngBase64]],
  ['a field name with an escape sequence', `{"\\u0069mages":["${pngBase64}"]}`, [pngBase64]],
  [
    'the OpenAI-compatible format',
    `{"created":1,"data":[{"b64_json":"${pngBase64}"},{"url":"data:image/webp;base64,${jpegBase64}"}]}`,
    [pngBase64, jpegBase64],
  ],
  [
    'the OpenAI-compatible format with other fields',
    `{"data":[{"revised_prompt":"AAAA","x":{"b64_json":"AAAA"},"b64_json":"${pngBase64}"}]}`,
    [pngBase64],
  ],
])('ImageJsonReader reads the images of a response with %s', (_name, text, images) => {
  expect(readImagesAsBase64(text)).toEqual([images, images]);
});

test.each([
  ['null as the image list', '{"images":null}'],
  ['a string as the image list', '{"images":"AAAA"}'],
  ['an object as the image list', '{"images":{"0":"AAAA"}}'],
  ['an empty image list', '{"images":[]}'],
  ['a list at the top level', '["AAAA"]'],
  ['a nested list at the top level', '[["AAAA"]]'],
  ['an images field in a nested object', '{"request":{"images":["AAAA"]}}'],
  ['an images field in an object of the list', '{"images":[{"images":"AAAA"}]}'],
  ['a string value equal to the field name', `{"x":"images","y":["AAAA"],"z":"images"}`],
  [
    'field names that differ slightly',
    `{"Images":["AAAA"],"images ":["AAAA"],"\\images":["AAAA"]}`,
  ],
  [
    'b64_json fields at the wrong level',
    '{"images":[{"b64_json":"AAAA"}],"data":{"b64_json":"AAAA"}}',
  ],
])('ImageJsonReader reads no image from a response with %s', (_name, text) => {
  expect(readImagesAsBase64(text)).toEqual([[], []]);
});

test.each([
  ['a URL', 'https://cdn.test/a.png', 'address'],
  ['a URL in uppercase', 'HTTP://cdn.test/a.png', 'address'],
  ['a data URL without base64', 'data:image/svg+xml,%3Csvg%3E', 'no PNG'],
  ['a short data URL', 'data:,', 'no PNG'],
  ['a data URL without a payload separator', `data:${'x'.repeat(300)}`, 'no PNG'],
  ['a data URL with an overlong header', `data:${'x'.repeat(300)};base64,AAAA`, 'no PNG'],
  ['markup', '<svg xmlns=\\"http://www.w3.org/2000/svg\\"/>', 'no PNG'],
  ['an escaped quote', 'AAAA\\"AAA', 'no PNG'],
  ['an unknown escape sequence', 'AAAA\\xAAA', 'no PNG'],
  ['an escape sequence with invalid digits', 'AAAA\\u00zzAAA', 'no PNG'],
  ['an escape sequence for a non-ASCII character', 'AAAA\\u0141AAA', 'no PNG'],
  ['non-ASCII letters', 'AAAÄAAAA', 'no PNG'],
  ['a single character', 'A', 'no PNG'],
  ['data after the padding', 'AA==AAAA', 'no PNG'],
])(
  'ImageJsonReader rejects %s in place of an image, in one chunk and byte by byte',
  (_name, value, message) => {
    const bytes = encodeUtf8(`{"images":["${pngBase64}","${value}"]}`);
    for (const chunks of [[bytes], Array.from(bytes, (byte) => Uint8Array.of(byte))]) {
      const jsonReader = new ImageJsonReader(imageLimits);
      const receivedEvents: string[] = [];
      expect(() => {
        for (const chunk of chunks)
          for (const { type, index } of jsonReader.feed(chunk))
            receivedEvents.push(`${type} ${index}`);
      }).toThrow(message);
      // The image before the invalid value is complete, so its events are emitted.
      expect(receivedEvents).toContain('image-end 0');
      expect(receivedEvents).not.toContain('image-end 1');
    }
  },
);

describe('ImageJsonReader', () => {
  test('rejects an image larger than the maximum size and accepts an image of that size', () => {
    const createResponse = (bytes: number) =>
      encodeUtf8(`{"images":["${Buffer.alloc(bytes).toString('base64')}"]}`);
    expect(readJsonImages([createResponse(300)], { maxImageBytes: 300 }).images).toHaveLength(1);
    expect(() => readJsonImages([createResponse(301)], { maxImageBytes: 300 })).toThrow('larger');
  });

  test.each([
    ['another image', `{"images":["${pngBase64}","","${jpegBase64}","AAAA"`],
    ['a URL', `{"images":["${pngBase64}","${jpegBase64}","https://cdn.test/a.png"]}`],
    ['an empty string', `{"images":["${pngBase64}","${jpegBase64}",""]}`],
    [
      'another image with a URL',
      `{"data":[{"b64_json":"${pngBase64}"},{"b64_json":"${jpegBase64}","url":"x"}]}`,
    ],
    [
      'another image that invalid JSON follows',
      `{"images":["${pngBase64}","${jpegBase64}","AAAA"]nonsense`,
    ],
  ])('reads the requested number of images and stops at %s', (_name, text) => {
    for (const chunks of [
      [encodeUtf8(text)],
      Array.from(encodeUtf8(text), (byte) => Uint8Array.of(byte)),
    ]) {
      const json = new ImageJsonReader({ ...imageLimits, maxImages: 2 });
      const events = chunks.flatMap((chunk) => [...json.feed(chunk)]);
      expect(json).toMatchObject({ receivedImageCount: 2, hasMore: true });
      expect(events.at(-1)).toEqual({ type: 'image-end', index: 1 });
    }
  });

  test('reads a response with exactly the requested number of images to the end', () => {
    const json = new ImageJsonReader({ ...imageLimits, maxImages: 2 });
    for (const _ of json.feed(encodeUtf8(`{"images":["${pngBase64}","${jpegBase64}"],"id":"x"}`)));
    expect(json).toMatchObject({ receivedImageCount: 2, hasMore: false, isComplete: true });
  });

  test.each([
    ['empty strings', '"",'],
    ['empty objects', '{},'],
    ['short strings', '"AAAA",'],
    ['strings too long to store', `"${'A'.repeat(17_000)}",`],
    ['nested lists', '['],
    ['whitespace', '\n'],
  ])('rejects a response with more than about 2 MB of %s', (_name, repeatedText) => {
    const chunk = encodeUtf8(repeatedText.repeat(Math.ceil(64_000 / repeatedText.length)));
    const jsonReader = new ImageJsonReader(imageLimits);
    for (const _ of jsonReader.feed(encodeUtf8('{"x":[')));
    let size = 0;
    expect(() => {
      for (; size < 1e7; size += chunk.length) for (const _ of jsonReader.feed(chunk));
    }).toThrow('larger than expected');
    expect(size).toBeGreaterThan(1.9e6);
    expect(size).toBeLessThan(2.5e6);
  });

  test('rejects a long list of empty strings in place of images', () => {
    const responseBytes = encodeUtf8(`{"images":[${'"",'.repeat(20)}""]}`);
    expect(() => readJsonImages([responseBytes])).toThrow('larger than expected');
  });

  test('accepts a response that repeats a large request image', () => {
    const request = `"request":{"style":"${'A'.repeat(1e7)}"}`;
    expect(readJsonImages([encodeUtf8(`{${request},"images":["${pngBase64}"]}`)]).images).toEqual([
      decodeToHex(pngBase64),
    ]);
  });

  test('replaces a long string with an empty string, regardless of chunk boundaries', () => {
    const longString = '\\u0041狐\\\\\\"'.repeat(20_000);
    const { images, rest } = readJsonImages([
      ...encodeUtf8(`{"request":{"image":"${longString}"},"id":"x","images":["${pngBase64}"]}`)
        .toString('latin1')
        .match(/[^]{1,997}/g)!
        .map((text) => Buffer.from(text, 'latin1')),
    ]);
    expect(images).toEqual([decodeToHex(pngBase64)]);
    expect(rest).toEqual({ request: { image: '' }, id: 'x', images: [''] });
  });

  test('does not treat a field with a very long name as an image field', () => {
    expect(
      readJsonImages([
        encodeUtf8(`{"${'images'.repeat(10_000)}":["AAAA"],"images":["${pngBase64}"]}`),
      ]).images,
    ).toEqual([decodeToHex(pngBase64)]);
  });

  test('does not store whitespace between other fields', () => {
    const { rest } = readJsonImages([encodeUtf8(`{${' \n'.repeat(1e6)}"id":"x"}`)]);
    expect(rest).toEqual({ id: 'x' });
  });

  test('returns the images but no other fields if the other fields exceed the size limit', () => {
    const fields = Array.from({ length: 100_000 }, (_, index) => `"${index}":${index}`).join(',');
    const { images, rest, isComplete } = readJsonImages([
      encodeUtf8(`{${fields},"images":["${pngBase64}"]}`),
    ]);
    expect({ images, rest, isComplete }).toEqual({
      images: [decodeToHex(pngBase64)],
      rest: undefined,
      isComplete: true,
    });
  });

  test('accepts deeply nested JSON', () => {
    expect(
      readJsonImages([
        encodeUtf8(`{"x":${'['.repeat(1e6)}${']'.repeat(1e6)},"images":["${pngBase64}"]}`),
      ]).images,
    ).toEqual([decodeToHex(pngBase64)]);
  });
});

describe('ImageJsonReader compared with JSON.parse', () => {
  const imageArbitrary = fc
    .uint8Array({ minLength: 1, maxLength: 60 })
    .map((bytes) => Buffer.from(bytes).toString('base64'));
  const response = fc.record(
    {
      id: fc.string({ unit: 'binary' }),
      images: fc.array(
        fc.oneof(
          imageArbitrary,
          fc.jsonValue().filter((value) => typeof value !== 'string'),
        ),
        { maxLength: 6 },
      ),
      data: fc.array(fc.oneof(fc.record({ b64_json: imageArbitrary }), fc.jsonValue()), {
        maxLength: 4,
      }),
      request: fc.jsonValue(),
      timing: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  const serializerArbitrary = fc.constantFrom<((value: unknown) => string)[]>(
    (value) => JSON.stringify(value),
    (value) => JSON.stringify(value, null, 2),
    (value) => JSON.stringify(value).replaceAll('/', '\\/'),
    (value) =>
      JSON.stringify(value).replaceAll(
        /(?<!e)\+|\//g,
        (character) => `\\u00${character.charCodeAt(0).toString(16)}`,
      ),
  );

  test('returns the same images and other fields for any chunk boundaries', () => {
    fc.assert(
      fc.property(
        response,
        serializerArbitrary,
        fc.array(fc.nat(1_000), { maxLength: 30 }),
        (value, toText, splitPositions) => {
          // A string in an image field must be valid base64. The generator therefore excludes `url` fields.
          fc.pre(!JSON.stringify(value.data ?? []).includes('url'));
          const bytes = encodeUtf8(toText(value));
          const chunkEnds = [...splitPositions.toSorted((x, y) => x - y), bytes.length];
          const { images, rest, isComplete } = readJsonImages(
            chunkEnds.map((end, index) => bytes.subarray(chunkEnds[index - 1] ?? 0, end)),
          );
          const parsedJson = JSON.parse(bytes.toString()) as Record<string, unknown>;
          expect(images).toEqual(listImageValues(parsedJson).map(decodeToHex));
          expect(isComplete).toBe(true);
          expect(rest).toEqual(parsedJson === null ? parsedJson : omitImageValues(parsedJson));
        },
      ),
      { numRuns: 500 },
    );
  });
});

/** Returns the images in the order of the JSON document. */
const listImageValues = (response: Record<string, unknown>): string[] =>
  Object.entries(response).flatMap(([name, list]) => {
    if (!Array.isArray(list)) return [];
    if (name === 'images') return list.filter((chunk) => typeof chunk === 'string');
    return name === 'data' ? list.flatMap((entry) => listStringValues(entry?.b64_json)) : [];
  });

const listStringValues = (value: unknown): string[] => (typeof value === 'string' ? [value] : []);

const omitImageValues = (response: Record<string, unknown>): unknown => ({
  ...response,
  ...(Array.isArray(response['images'])
    ? { images: response['images'].map((entry) => (typeof entry === 'string' ? '' : entry)) }
    : {}),
  ...(Array.isArray(response['data'])
    ? {
        data: response['data'].map((entry) =>
          typeof entry?.b64_json === 'string' ? { ...entry, b64_json: '' } : entry,
        ),
      }
    : {}),
});
