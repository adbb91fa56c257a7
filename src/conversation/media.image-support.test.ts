import { expect, test } from 'vitest';
import { createTextAnswer, createUserMessage } from '../../test/support/conversation-builder.ts';
import type { UserMessage } from './conversation.ts';
import { findImageFailure } from './media.ts';

const createMessageWithImages = (id: string, count: number): UserMessage => ({
  ...createUserMessage(id, null),
  attachments: Array.from({ length: count }, (_, index) => ({
    id: `p${index}`,
    kind: 'image',
    label: `${index}.png`,
    language: '',
    text: '',
  })),
});

test.each([
  [1, 0, 'Tide cannot see images, so nothing was sent. Choose another model, then retry.'],
  [3, 2, 'Too many images for Tide: at most 2 per message. Choose another model, then retry.'],
  [0, 0, undefined],
  [2, 2, undefined],
  [3, 1, 'Too many images for Tide: at most 1 per message. Choose another model, then retry.'],
  [1, 1, undefined],
  [3, undefined, undefined],
])(
  'findImageFailure for %d images and a maximum of %s images returns the message %j',
  (count, maxImages, message) => {
    const model = { name: 'Tide', ...(maxImages === undefined ? {} : { maxImages }) };
    const refusal = findImageFailure(
      [createMessageWithImages('u1', count), createTextAnswer('a1', 'u1')],
      model,
    );
    expect(refusal?.message).toBe(message);
    if (refusal !== undefined) expect(refusal.code).toBe('unsupported-feature');
  },
);

test('findImageFailure ignores images of earlier messages', () => {
  const path = [
    createMessageWithImages('u1', 2),
    createTextAnswer('a1', 'u1'),
    createUserMessage('u2', 'a1'),
  ];
  expect(findImageFailure(path, { name: 'Tide', maxImages: 0 })).toBeUndefined();
});
