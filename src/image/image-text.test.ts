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

test.each<[ImageOrigin, string | undefined, string, string]>([
  [generationOrigin, undefined, 'a boat', 'a boat'],
  [editOrigin, undefined, 'make it night', 'make it night'],
  [editOrigin, 'a boat', 'a boat', 'a boat'],
  [upscaleOrigin, 'a boat', 'a boat', 'a boat 4x'],
  [upscaleOrigin, undefined, '', ' 4x'],
  [backgroundRemoval, 'a boat', 'a boat', 'a boat no background'],
])(
  'getImageSubject, given the origin %j and the stored subject %s, returns the subject "%s"',
  (origin, subject, words, file) => {
    const record = subject === undefined ? { origin } : { origin, subject };
    expect(getImageSubject(record)).toBe(words);
    expect(getFileNameSubject(record)).toBe(file);
  },
);
