import { expect, test } from 'vitest';
import { measureGrowth } from '../../../test/support/growth.ts';
import { snapshotOf } from '../snapshot.fixture.ts';
import { cutAtWideGap } from './refine.ts';

const [line, followingText] = ['const a = |;\n', 'function f() {\n  |\n}\n'];
const cutText = (markedText: string, text: string): string =>
  cutAtWideGap(text, snapshotOf(markedText));
const spaces = (count: number): string => ' '.repeat(count);

test.each([
  ['spaces before code', line, `1;${spaces(700)}evil();`, '1;'],
  ['tabs before code', line, `1;${'\t'.repeat(300)}evil();`, '1;'],
  ['mixed space characters before code', line, `1;${' \u3000\t\u2800'.repeat(9)}evil();`, '1;'],
  ['25 spaces', line, `1;${spaces(25)}b();\nc();`, '1;'],
  ['seven tabs', line, `1;${'\t'.repeat(7)}b();`, '1;'],
  [
    'a gap on a line below',
    followingText,
    `a();\n  b();${spaces(99)}evil();\n  c();`,
    'a();\n  b();',
  ],
  ['a gap directly after a word', 'const a =|', `${spaces(99)}evil();`, ''],
  ['a gap that begins before the cursor', 'const a =          |', `${spaces(99)}evil();`, ''],
  ['an indentation wider than all lines', followingText, `a();\n${spaces(99)}evil();`, 'a();\n'],
  ['a gap at the cursor on an indented line', followingText, `${spaces(99)}evil();`, ''],
  [
    'a gap wider than all gaps in the document',
    `a${spaces(40)}b\n${line}`,
    `1;${spaces(41)}evil();`,
    '1;',
  ],
  [
    'a gap too wide for manual alignment',
    `a${spaces(500)}b\n${line}`,
    `1;${spaces(400)}evil();`,
    '1;',
  ],
])('cutAtWideGap truncates an answer before %s', (_, markedText, text, expected) => {
  expect(cutText(markedText, text)).toBe(expected);
});

test.each([
  ['24 spaces', line, `1;${spaces(24)}// one`],
  ['six tabs', line, `1;${'\t'.repeat(6)}// one`],
  ['a gap as wide as a gap above', `a${spaces(40)}b\n${line}`, `1;${spaces(40)}// one`],
  ['a gap as wide as a gap below', `${line}a${spaces(40)}b\n`, `1;${spaces(40)}// one`],
  ['trailing spaces', line, `1;${spaces(99)}\nb();`],
  [
    'an argument below an open bracket',
    followingText,
    `const aLongName = f(one,\n${spaces(22)}two);`,
  ],
  [
    'an argument below a bracket far to the right',
    followingText,
    `const x = ${'y'.repeat(60)}(one,\n${spaces(73)}two,\n${spaces(73)}three);`,
  ],
  [
    'deep indentation in a deeply nested block',
    `${spaces(60)}if (a) {\n${spaces(62)}|`,
    `b();\n${spaces(64)}c();`,
  ],
  ['text after a gap that the user typed', `a${spaces(60)}|`, '// one'],
])('cutAtWideGap leaves an answer with %s unchanged', (_, markedText, text) => {
  expect(cutText(markedText, text)).toBe(text);
});

test('cutAtWideGap takes linear time', () => {
  const run = (size: number): void => {
    const text = `1;${`${spaces(6)}a`.repeat(size)}${`${spaces(24)}b\n`.repeat(size / 10)}`;
    expect(cutText(line, text)).toBe(text);
  };
  expect(measureGrowth(run, { small: 6_000, times: 8 }).perUnit).toBeLessThan(4);
});
