import { expect, test } from 'vitest';
import { measureGrowth } from '../../../test/support/growth.ts';
import { readEditAnswer } from './edit-answer.ts';

const target = {
  original: ['const b = 1;'],
  before: [],
  after: [],
  language: 'typescript',
  usesTabs: false,
  tabSize: 2,
};

test.each([' ', '"', 'a', '<', '{', ', a', '"" '])(
  'readEditAnswer takes linear time for a long run of %j at the end of a call or alone',
  (part) => {
    const run = (size: number): void => {
      const text = part.repeat(size / part.length);
      for (const answer of [`foo("x\\n"${text}.)`, `foo(${text}\\n.)`, text])
        readEditAnswer(answer, target);
    };
    expect(measureGrowth(run, { small: 5_000, times: 8 }).perUnit).toBeLessThan(4);
  },
);
