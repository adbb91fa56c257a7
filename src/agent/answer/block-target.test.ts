import { expect, test } from 'vitest';
import { measureGrowth } from '../../../test/support/growth.ts';
import { findNamedFile } from './block-target.ts';

const findTarget = (info: string, lineBefore = '', code = 'let a;\n') =>
  findNamedFile({ info, lineBefore, code });

test.each([
  ['ts src/a.ts', 'src/a.ts'],
  ['src/a.ts', 'src/a.ts'],
  ['ts title="src/a.ts"', 'src/a.ts'],
  ["tsx {filename='./src/a.tsx'}", 'src/a.tsx'],
  ['py path=lib\\main.py', 'lib/main.py'],
  ['ts:src/a.ts', 'src/a.ts'],
  ['12:30:src/a.ts', 'src/a.ts'],
  ['ts src/a.ts:12-30', 'src/a.ts'],
  ['ts src/a.ts#L3-L9', 'src/a.ts'],
  ['ts (src/a.ts)', 'src/a.ts'],
  ['docker Dockerfile', 'Dockerfile'],
  ['sh .env', '.env'],
  ['ts ../outside/a.ts', '../outside/a.ts'],
])('findNamedFile finds, in the info string %j, the file name %j', (info, path) => {
  expect(findTarget(info)).toEqual({ path, isCertain: true });
});

test.each([
  'ts title="src/a b.ts"',
  'ts',
  'c++',
  'ts https://example.com/a.ts',
  'ts showLineNumbers',
  'ts {1,3-5}',
  '',
])('findNamedFile finds no file name in the info string %j', (info) => {
  expect(findTarget(info)).toBeUndefined();
});

test.each([
  ['src/a.ts', 'src/a.ts', true],
  ['**`src/a.ts`:**', 'src/a.ts', true],
  ['### src/a.ts', 'src/a.ts', true],
  ['File: src/a.ts', 'src/a.ts', true],
  ['Update src/a.ts like this:', 'src/a.ts', false],
  ['In “src/a.ts”, add the call.', 'src/a.ts', false],
])('findNamedFile finds the file name in the line %j before the block', (line, path, isCertain) => {
  expect(findTarget('ts', line)).toEqual({ path, isCertain });
});

test.each(['Move it from src/a.ts to src/b.ts:', 'This is a test.', 'Then run it:', ''])(
  'findNamedFile finds no file name in the line %j',
  (line) => {
    expect(findTarget('ts', line)).toBeUndefined();
  },
);

test('findNamedFile finds the file that the header of a diff or the line before a SEARCH marker names', () => {
  const diff = '--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-a\n+b\n';
  expect(findTarget('diff', 'src/z.ts', diff)).toEqual({ path: 'src/a.ts', isCertain: true });
  const newFileDiff = '--- /dev/null\n+++ b/new.ts\n@@ -0,0 +1 @@\n+b\n';
  expect(findTarget('diff', '', newFileDiff)?.path).toBe('new.ts');
  const searchReplaceBlock = 'src/a.ts\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n';
  expect(findTarget('', '', searchReplaceBlock)?.path).toBe('src/a.ts');
});

test.each([
  ['// filepath: src/a.ts\nlet a;\n', 'src/a.ts', true],
  ['# filepath: /abs/a.py\nimport a\n', '/abs/a.py', true],
  ['\n<!-- File: page.html -->\n<p></p>\n', 'page.html', true],
  ['// src/a.ts\nlet a;\n', 'src/a.ts', false],
  ['*** Begin Patch\n*** Update File: src/a.ts\n@@\n-a\n+b\n*** End Patch\n', 'src/a.ts', true],
  ['*** Begin Patch\n*** Add File: src/b.ts\n+b\n*** End Patch\n', 'src/b.ts', true],
])('findNamedFile finds the file name in the code %j', (code, path, isCertain) => {
  expect(findTarget('ts', '', code)).toEqual({ path, isCertain });
});

test('findNamedFile prefers a file name in the info string to a file name in the line before the block', () => {
  expect(findTarget('ts src/a.ts', 'src/b.ts')?.path).toBe('src/a.ts');
});

test.each(['a.', './', '(', 'a/', '12:', '"', ' a.b', 'title=', '\\'])(
  'findNamedFile needs linear time for long texts of %j',
  (repeatedText) => {
    const run = (size: number): void => {
      const text = repeatedText.repeat(size);
      findTarget(text, text, text);
    };
    expect(measureGrowth(run, { smallSize: 4_000, smallCount: 8 }).timeRatio).toBeLessThan(4);
  },
);

test.each([
  ['an info string', (text: string) => findTarget(text)],
  ['the line before the block', (text: string) => findTarget('', text)],
  ['a comment', (text: string) => findTarget('', '', `// ${text}`)],
  ['the line before SEARCH', (text: string) => findTarget('', '', `${text}\n<<<<<<< SEARCH\n`)],
  ['a diff header', (text: string) => findTarget('', '', `--- a/x\n+++ ${text}\n@@ -1 +1 @@\n`)],
])('findNamedFile needs linear time for many delimiters before a letter in %s', (_, find) => {
  const run = (size: number): void => {
    for (const delimiter of ['}', '.']) find(`${delimiter.repeat(size)}x`);
  };
  expect(measureGrowth(run, { smallSize: 4_000, smallCount: 8 }).timeRatio).toBeLessThan(4);
});

test.each([
  ['src/a.ts\nAdd the call:', 'src/a.ts', true],
  ['Changes in src/a.ts\nAdd it.\nts\nThen the call:', 'src/a.ts', false],
])('findNamedFile finds the file name in the heading of %j', (textBefore, path, isCertain) => {
  const block = { info: 'ts', lineBefore: 'Then:', code: 'let a;\n', textBefore };
  expect(findNamedFile(block)).toEqual({ path, isCertain });
  expect(findNamedFile({ ...block, lineBefore: 'src/c.ts:' })).toMatchObject({ path: 'src/c.ts' });
});

test.each([
  ['names two files', 'src/a.ts\nCall it in src/b.ts.\nThen:'],
  ['contains an info string with another file', 'src/a.ts\nts title="src/b.ts"\nThen:'],
  ['names no file', 'Summary\nThen:'],
])('findNamedFile finds no file name if the text before the block %s', (_, textBefore) => {
  const block = { info: 'ts', lineBefore: 'Then:', code: 'let a;\n', textBefore };
  expect(findNamedFile(block)).toBeUndefined();
  expect(findNamedFile({ ...block, lineBefore: 'src/c.ts:' })).toMatchObject({ path: 'src/c.ts' });
});
