import { expect, test } from 'vitest';
import { getFileNameSubject, getImageSubject } from './image-text.ts';
import type { ImageOrigin } from './image-record.ts';

const generationOrigin: ImageOrigin = {
  kind: 'generate',
  request: { model: 'm', prompt: 'a boat' },
  variant: 0,
  variants: 1,
};
const editOrigin: ImageOrigin = { kind: 'edit', prompt: 'make it night', sources: [] };
const upscaleOrigin: ImageOrigin = { kind: 'upscale', scale: 4, sources: [] };
const backgroundRemoval: ImageOrigin = { kind: 'remove-background', sources: [] };

test.each<[string, string, string, ImageOrigin, string | undefined]>([
  ['a generated image', 'a boat', 'a boat', generationOrigin, undefined],
  [
    'an edited image without a stored subject',
    'make it night',
    'make it night',
    editOrigin,
    undefined,
  ],
  ['an edited image with a stored subject', 'a boat', 'a boat', editOrigin, 'a boat'],
  ['an upscaled image with a stored subject', 'a boat', 'a boat 4x', upscaleOrigin, 'a boat'],
  ['an upscaled image without a stored subject', '', ' 4x', upscaleOrigin, undefined],
  [
    'an image with its background removed',
    'a boat',
    'a boat no background',
    backgroundRemoval,
    'a boat',
  ],
])(
  'getImageSubject and getFileNameSubject, given %s, return the subjects "%s" and "%s"',
  (_name, words, file, origin, subject) => {
    const record = subject === undefined ? { origin } : { origin, subject };
    expect(getImageSubject(record)).toBe(words);
    expect(getFileNameSubject(record)).toBe(file);
  },
);
