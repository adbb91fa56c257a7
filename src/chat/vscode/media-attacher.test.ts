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
  ['image.png', [], 'image.png'],
  ['image.png', [createAttachment('image.png', 'a')], 'image (2).png'],
  [
    'image.png',
    [createAttachment('image.png', 'a'), createAttachment('image (2).png', 'b')],
    'image (3).png',
  ],
  ['image.png', [createAttachment('first.png', 'new')], 'first.png'],
  ['.png', [createAttachment('.png', 'a')], '.png (2)'],
  ['notes', [createAttachment('notes', 'a')], 'notes (2)'],
])(
  'createUnusedLabel, given a new file %s and the existing attachments %j, returns the label %s',
  (name, attachments, label) => {
    expect(createUnusedLabel(createMedia(name, 'new'), attachments)).toBe(label);
  },
);
