import { expect, test } from 'vitest';
import type { Attachment, Media } from '../../conversation/conversation.ts';
import { createUnusedLabel } from './attach-media.ts';

const media = (name: string, file: string): Media => ({
  name,
  file,
  mediaType: 'image/png',
  bytes: 1,
});
const attached = (label: string, file: string): Attachment => ({
  id: file,
  kind: 'image',
  label,
  language: '',
  text: '',
  media: media(label, file),
});

test.each([
  ['image.png', [], 'image.png'],
  ['image.png', [attached('image.png', 'a')], 'image (2).png'],
  ['image.png', [attached('image.png', 'a'), attached('image (2).png', 'b')], 'image (3).png'],
  ['image.png', [attached('first.png', 'new')], 'first.png'],
  ['.png', [attached('.png', 'a')], '.png (2)'],
  ['notes', [attached('notes', 'a')], 'notes (2)'],
])(
  'the label of a new file %s with the existing attachments %j is %s',
  (name, attachments, label) => {
    expect(createUnusedLabel(media(name, 'new'), attachments)).toBe(label);
  },
);
