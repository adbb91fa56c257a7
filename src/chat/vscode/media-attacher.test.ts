import { expect, test } from 'vitest';
import type { Attachment, Media } from '../../conversation/conversation.ts';
import { createUnusedLabel } from './media-attacher.ts';

const createMedia = (name: string, file: string): Media => ({
  name,
  file,
  mediaType: 'image/png',
  bytes: 1,
});
const createAttachment = (label: string, file: string): Attachment => ({
  id: file,
  kind: 'image',
  label,
  language: '',
  text: '',
  media: createMedia(label, file),
});

test.each([
  ['image.png', 'image.png', 'no file is attached', []],
  [
    'image (2).png',
    'image.png',
    'an attachment has the same name',
    [createAttachment('image.png', 'a')],
  ],
  [
    'image (3).png',
    'image.png',
    'the name and "image (2).png" are in use',
    [createAttachment('image.png', 'a'), createAttachment('image (2).png', 'b')],
  ],
  [
    'first.png',
    'image.png',
    'the same file is already attached as "first.png"',
    [createAttachment('first.png', 'new')],
  ],
  ['.png (2)', '.png', 'an attachment has the same name', [createAttachment('.png', 'a')]],
  ['notes (2)', 'notes', 'an attachment has the same name', [createAttachment('notes', 'a')]],
])(
  'createUnusedLabel returns the label "%s" for the new file "%s" if %s',
  (label, name, _, attachments) => {
    expect(createUnusedLabel(createMedia(name, 'new'), attachments)).toBe(label);
  },
);
