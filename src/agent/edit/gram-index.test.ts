import { expect, test } from 'vitest';
import { TextIndex } from './gram-index.ts';
import { createRandom } from '../../../test/support/edit-cases/random.ts';

/** Finds all matches, including overlapping ones, with `indexOf`. */
function findWithIndexOf(text: string, search: string): readonly number[] {
  const offsets: number[] = [];
  for (let offset = text.indexOf(search); offset >= 0; offset = text.indexOf(search, offset + 1))
    offsets.push(offset);
  return offsets;
}

test.each([
  ['of 4 to 6 characters', 4],
  ['of 7 to 12 characters', 7],
  ['of at least 13 characters', 13],
])(
  'TextIndex finds the same offsets in the same order as indexOf, for searches %s',
  (_, length) => {
    const random = createRandom(length);
    const words = ['alpha', 'beta', '\n', ' ', 'gamma', '(', ');', 'delta'];
    for (let round = 0; round < 20; round += 1) {
      const text = Array.from(
        { length: 300 },
        () => words[Math.floor(random() * words.length)] ?? '',
      ).join('');
      const index = new TextIndex(text);
      for (let count = 0; count < 40; count += 1) {
        const start = Math.floor(random() * (text.length - length));
        const search = text.slice(start, start + length);
        const foundOffsets = index.find(search);
        if (foundOffsets !== undefined) expect(foundOffsets).toEqual(findWithIndexOf(text, search));
      }
    }
  },
);
