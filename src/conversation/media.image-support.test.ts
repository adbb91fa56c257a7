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
  [
    'an error message',
    1,
    'does not support images',
    0,
    'Tide cannot see images, so nothing was sent. Choose another model, then retry.',
  ],
  [
    'an error message',
    3,
    'accepts at most 2',
    2,
    'Too many images for Tide: at most 2 per message. Choose another model, then retry.',
  ],
  ['no error', 0, 'does not support images', 0, undefined],
  ['no error', 2, 'accepts at most 2', 2, undefined],
  [
    'an error message',
    3,
    'accepts at most 1',
    1,
    'Too many images for Tide: at most 1 per message. Choose another model, then retry.',
  ],
  ['no error', 1, 'accepts at most 1', 1, undefined],
  ['no error', 3, 'has no known maximum', undefined, undefined],
])(
  'findImageFailure returns %s if the number of images is %i and the model %s',
  (_resultLabel, count, _modelLabel, maxImages, message) => {
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
