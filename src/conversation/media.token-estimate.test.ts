import { expect, test } from 'vitest';
import { estimateAttachmentTokens } from './media.ts';
import type { Attachment, Media } from './conversation.ts';

const textAttachment: Attachment = {
  id: 'a',
  kind: 'file',
  label: 'a',
  language: '',
  text: 'x'.repeat(400),
};
const createMediaAttachment = (change: Partial<Media>): Attachment => ({
  ...textAttachment,
  kind: 'image',
  text: '',
  media: { file: '', mediaType: '', name: '', bytes: 64_000, ...change },
});

test.each([
  ['a text by the number of characters', textAttachment, 100],
  [
    'a small image by the number of pixels',
    createMediaAttachment({ width: 300, height: 250 }),
    100,
  ],
  [
    'a large image by the size after scaling',
    createMediaAttachment({ width: 4_000, height: 3_000 }),
    1_600,
  ],
  ['a document by the file size', createMediaAttachment({}), 1_000],
  ['a small document as one page', createMediaAttachment({ bytes: 10 }), 100],
])('estimateAttachmentTokens estimates the tokens of %s', (_, attachment, tokens) => {
  expect(estimateAttachmentTokens(attachment)).toBe(tokens);
});
