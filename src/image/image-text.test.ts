import { expect, test } from 'vitest';
import { getFileNameSubject, getImageSubject } from './image-text.ts';
import type { ImageOrigin } from './image-record.ts';

const generate: ImageOrigin = {
  kind: 'generate',
  request: { model: 'm', prompt: 'a boat' },
  variant: 0,
  variants: 1,
};
const edit: ImageOrigin = { kind: 'edit', prompt: 'make it night', sources: [] };
const upscale: ImageOrigin = { kind: 'upscale', scale: 4, sources: [] };
const backgroundRemoval: ImageOrigin = { kind: 'remove-background', sources: [] };

test.each<[ImageOrigin, string | undefined, string, string]>([
  [generate, undefined, 'a boat', 'a boat'],
  [edit, undefined, 'make it night', 'make it night'],
  [edit, 'a boat', 'a boat', 'a boat'],
  [upscale, 'a boat', 'a boat', 'a boat 4x'],
  [upscale, undefined, '', ' 4x'],
  [backgroundRemoval, 'a boat', 'a boat', 'a boat no background'],
])(
  'getImageSubject, given the origin %j and the stored subject %s, returns the subject "%s"',
  (origin, subject, words, file) => {
    const record = subject === undefined ? { origin } : { origin, subject };
    expect(getImageSubject(record)).toBe(words);
    expect(getFileNameSubject(record)).toBe(file);
  },
);
