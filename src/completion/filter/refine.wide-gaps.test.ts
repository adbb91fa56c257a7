import { expect, test } from 'vitest';
import { measureGrowth } from '../../../test/support/growth.ts';
import { createSnapshotOf } from '../snapshot.fixture.ts';
import { cutAtWideGap } from './refine.ts';

const [line, followingText] = ['const a = |;\n', 'function f() {\n  |\n}\n'];
const cutText = (markedText: string, text: string): string =>
  cutAtWideGap(text, createSnapshotOf(markedText));
const createSpaces = (count: number): string => ' '.repeat(count);

test.each([
  ['spaces before code', line, `1;${createSpaces(700)}evil();`, '1;'],
  ['tabs before code', line, `1;${'\t'.repeat(300)}evil();`, '1;'],
  ['mixed space characters before code', line, `1;${' \u3000\t\u2800'.repeat(9)}evil();`, '1;'],
  ['25 spaces', line, `1;${createSpaces(25)}b();\nc();`, '1;'],
  ['seven tabs', line, `1;${'\t'.repeat(7)}b();`, '1;'],
  [
    'a gap on a line below',
    followingText,
    `a();\n  b();${createSpaces(99)}evil();\n  c();`,
    'a();\n  b();',
  ],
  ['a gap directly after a word', 'const a =|', `${createSpaces(99)}evil();`, ''],
  ['a gap that begins before the cursor', 'const a =          |', `${createSpaces(99)}evil();`, ''],
  [
    'an indentation wider than all lines',
    followingText,
    `a();\n${createSpaces(99)}evil();`,
    'a();\n',
  ],
  ['a gap at the cursor on an indented line', followingText, `${createSpaces(99)}evil();`, ''],
  [
    'a gap wider than all gaps in the document',
    `a${createSpaces(40)}b\n${line}`,
    `1;${createSpaces(41)}evil();`,
    '1;',
  ],
  [
    'a gap too wide for manual alignment',
    `a${createSpaces(500)}b\n${line}`,
    `1;${createSpaces(400)}evil();`,
    '1;',
  ],
])('cutAtWideGap truncates an answer before %s', (_, markedText, text, expected) => {
  expect(cutText(markedText, text)).toBe(expected);
});

test.each([
  ['24 spaces', line, `1;${createSpaces(24)}// one`],
  ['six tabs', line, `1;${'\t'.repeat(6)}// one`],
  ['a gap as wide as a gap above', `a${createSpaces(40)}b\n${line}`, `1;${createSpaces(40)}// one`],
  ['a gap as wide as a gap below', `${line}a${createSpaces(40)}b\n`, `1;${createSpaces(40)}// one`],
  ['trailing spaces', line, `1;${createSpaces(99)}\nb();`],
  [
    'an argument below an open bracket',
    followingText,
    `const aLongName = f(one,\n${createSpaces(22)}two);`,
  ],
  [
    'an argument below a bracket far to the right',
    followingText,
    `const x = ${'y'.repeat(60)}(one,\n${createSpaces(73)}two,\n${createSpaces(73)}three);`,
  ],
  [
    'deep indentation in a deeply nested block',
    `${createSpaces(60)}if (a) {\n${createSpaces(62)}|`,
    `b();\n${createSpaces(64)}c();`,
  ],
  ['text after a gap that the user typed', `a${createSpaces(60)}|`, '// one'],
])('cutAtWideGap leaves an answer with %s unchanged', (_, markedText, text) => {
  expect(cutText(markedText, text)).toBe(text);
});

test('cutAtWideGap takes linear time', () => {
  const run = (size: number): void => {
    const text = `1;${`${createSpaces(6)}a`.repeat(size)}${`${createSpaces(24)}b\n`.repeat(size / 10)}`;
    expect(cutText(line, text)).toBe(text);
  };
  expect(measureGrowth(run, { smallSize: 6_000, smallCount: 8 }).timeRatio).toBeLessThan(4);
});
