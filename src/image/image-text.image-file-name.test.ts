import { fc } from '../../test/support/property.ts';
import { expect, test } from 'vitest';
import { findPathNameProblem } from '../workspace/path-rules.ts';
import type { ImageFormat } from '../service/images/image-types.ts';
import { createImageFileName, createNameLookup } from './image-text.ts';

const createName = (prompt: string, ...takenNames: string[]): string =>
  createImageFileName({ prompt, format: 'png', isNameUsed: createNameLookup(takenNames) });

test.each([
  ['a cat', 'a-cat.png'],
  ['A Cat, on a ROOF!', 'a-cat-on-a-roof.png'],
  ["the cat's roof", 'the-cats-roof.png'],
  ['Übergrößenträger', 'übergrößenträger.png'],
  ['e\u0301te\u0301', 'été.png'],
  ['日本の灯台', '日本の灯台.png'],
  ['ไทย ภาษา', 'ไทย-ภาษา.png'],
  ['हिन्दी भाषा', 'हिन्दी-भाषा.png'],
  ['50% off: 2×3', '50-off-2-3.png'],
  ['../../.vscode/tasks.json', 'vscode-tasks-json.png'],
  ['C:\\Windows\\system32', 'c-windows-system32.png'],
  ['\\\\server\\share', 'server-share.png'],
  ['-rf --force', 'rf-force.png'],
  ['trailing dots...', 'trailing-dots.png'],
  ['a\u0000b\nc', 'a-b-c.png'],
  ['LONGNA~1', 'longna-1.png'],
  ['file:stream', 'file-stream.png'],
  ['con', 'image-con.png'],
  ['NUL', 'image-nul.png'],
  ['Com1', 'image-com1.png'],
  ['lpt¹', 'lpt.png'],
  ['LPT 1', 'lpt-1.png'],
  ['⒈ ① 1', '1.png'],
  ['conin$', 'conin.png'],
  ['console', 'console.png'],
  ['', 'image.png'],
  ['🎉🎉', 'image.png'],
  ['❤️ red', 'red.png'],
  ['---', 'image.png'],
  [
    'a photo of a lighthouse on a cliff at dusk in heavy rain',
    'a-photo-of-a-lighthouse-on-a-cliff-at-dusk-in.png',
  ],
])('createImageFileName converts the prompt %j to the name %s', (prompt, expected) =>
  expect(createName(prompt)).toBe(expected),
);

test.each([
  ['a prompt with a right-to-left override', 'agnp-exe.png', 'a\u202Egnp.exe'],
  ['a prompt of invisible Hangul fillers', 'image.png', '\u3164\u115F'],
  ['a prompt of combining marks', 'image.png', '\u0301\u0302'],
  ['a prompt of an unpaired surrogate', 'image.png', '\uD800'],
  ['a prompt of 500 letters', `${'x'.repeat(48)}.png`, 'x'.repeat(500)],
])('createImageFileName converts %s to the name %s', (_name, expected, prompt) =>
  expect(createName(prompt)).toBe(expected),
);

test.each<[string, ImageFormat, string, number | undefined]>([
  ['the seed 42', 'png', 'a-cat-42.png', 42],
  ['the seed 0', 'webp', 'a-cat-0.webp', 0],
  ['the seed -7', 'jpeg', 'a-cat--7.jpg', -7],
  ['no seed', 'jpeg', 'a-cat.jpg', undefined],
  ['the invalid seed NaN', 'png', 'a-cat.png', Number.NaN],
  ['the invalid seed 1.5', 'png', 'a-cat.png', 1.5],
  ['the invalid seed 1e300', 'png', 'a-cat.png', 1e300],
])(
  'createImageFileName, given %s and the format %s, returns the name %s',
  (_name, format, expected, seed) => {
    const isNameUsed = () => false;
    const nameOptions = { prompt: 'a cat', format, isNameUsed };
    expect(createImageFileName(seed === undefined ? nameOptions : { ...nameOptions, seed })).toBe(
      expected,
    );
  },
);

test('createImageFileName adds a prefix to a name that consists of a Windows device name and a seed', () => {
  const nameOptions = { prompt: 'nul', seed: 1, format: 'png', isNameUsed: () => false } as const;
  expect(createImageFileName(nameOptions)).toBe('image-nul-1.png');
});

test.each([
  [['a-cat.png'], 'a-cat-2.png'],
  [['A-Cat.PNG'], 'a-cat-2.png'],
  [['a-cat.png', 'a-cat-2.png', 'A-CAT-3.png'], 'a-cat-4.png'],
  [['a-cat.webp', 'a-cat-2.png'], 'a-cat.png'],
])(
  'createImageFileName, given a folder with the files %j, returns the unused name %s',
  (takenNames, expected) => expect(createName('a cat', ...takenNames)).toBe(expected),
);

test.each([
  ['été', 'e\u0301te\u0301.PNG', 'été-2.png'],
  ['straße', 'STRASSE.png', 'straße-2.png'],
  ['ſtern', 'stern.png', 'ſtern-2.png'],
])(
  'createImageFileName, given the prompt %j and a file %j that some file systems treat as equal, returns the name %s',
  (prompt, takenName, expected) => {
    expect(createName(prompt, takenName)).toBe(expected);
  },
);

test('createImageFileName passes file names in lower case to `isNameUsed`', () => {
  const checkedNames: string[] = [];
  const isNameUsed = (name: string): boolean => checkedNames.push(name) < 3;
  expect(createImageFileName({ prompt: 'A CAT', format: 'jpeg', isNameUsed })).toBe('a-cat-3.jpg');
  expect(checkedNames).toEqual(['a-cat.jpg', 'a-cat-2.jpg', 'a-cat-3.jpg']);
});

const specialText = fc.constantFrom(
  ...[
    '/',
    '\\',
    '.',
    '..',
    ':',
    '~',
    '-',
    ' ',
    'con',
    'NUL.',
    'com1',
    '\u0000',
    '\n',
    '\u202E',
    '\u200B',
  ],
  ...[
    '\uFEFF',
    '\uFF0E',
    '\u2024',
    '\uD800',
    '*',
    '?',
    '"',
    '<',
    '>',
    '|',
    '%2e',
    '\u0301',
    '\u3164',
    'İ',
  ],
);
const promptArbitrary = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc
    .array(fc.oneof(specialText, fc.string({ unit: 'grapheme', maxLength: 4 })))
    .map((parts) => parts.join('')),
);

test('createImageFileName creates a portable file name from any prompt', () => {
  fc.assert(
    fc.property(
      promptArbitrary,
      fc.option(fc.maxSafeInteger(), { nil: undefined }),
      (prompt, seed) => {
        const nameOptions = { prompt, format: 'jpeg', isNameUsed: () => false } as const;
        const fileName = createImageFileName(
          seed === undefined ? nameOptions : { ...nameOptions, seed },
        );
        expect(fileName).toMatch(/^[\p{L}\p{Nd}][\p{L}\p{M}\p{Nd}-]*\.jpg$/u);
        expect(findPathNameProblem(fileName)).toBeUndefined();
        expect(fileName).toBe(fileName.normalize('NFC'));
        expect(fileName).toBe(fileName.toLowerCase());
        expect(new TextEncoder().encode(fileName).length).toBeLessThan(255);
      },
    ),
    { numRuns: 2_000 },
  );
});

test('createImageFileName removes an invisible character between a letter and a combining mark', () => {
  const name = createImageFileName({
    prompt: 'caf\u0065\u200B\u0301',
    format: 'png',
    isNameUsed: () => false,
  });
  expect(name).toBe('caf\u00E9.png');
});
