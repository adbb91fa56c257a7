import { fc } from '../../../support/property.ts';
import { expect, test } from 'vitest';
import { clausesOf } from './clauses.ts';
import { evaluate } from './expression.ts';
import { failureIn } from './failure.ts';
import { editsFor, readLines } from './file-lines.ts';
import { readOutcome } from './outcome.ts';
import { hitsIn } from './search-hits.ts';

test.each([
  ['src/a.ts:3: const a', [['src/a.ts', 3, 'const a']]],
  ['src/a.ts:3:7: const a', [['src/a.ts', 3, 'const a']]],
  ['src/a.ts:3', [['src/a.ts', 3, '']]],
  ['- src/a.ts:3 - const a', [['src/a.ts', 3, 'const a']]],
  [
    'src/a.ts\n  3: const a\n  9: b',
    [
      ['src/a.ts', 3, 'const a'],
      ['src/a.ts', 9, 'b'],
    ],
  ],
  ['### src/a.ts (2 results)\n3\tconst a', [['src/a.ts', 3, 'const a']]],
  ['src/a.ts-2- context\nsrc/a.ts:3: hit', [['src/a.ts', 3, 'hit']]],
  ['function total — src/a.ts:3', [['src/a.ts', 3, '']]],
  ['total (function) src/a.ts:3:17', [['src/a.ts', 3, '']]],
  ['src/a.ts:3 function total in Cart', [['src/a.ts', 3, 'function total in Cart']]],
  ['src/a.ts:3:5 error (ts 2304): Gone', [['src/a.ts', 3, 'error (ts 2304): Gone']]],
  [
    'src/a.ts\n2- near\n3: hit\n\nsrc/b.ts\n1: other',
    [
      ['src/a.ts', 3, 'hit'],
      ['src/b.ts', 1, 'other'],
    ],
  ],
  ['No symbol is like total: try search_text.', []],
  ['No results.', []],
  ['', []],
])('places in %j', (output, expected) => {
  expect(hitsIn(output).map(({ path, line, text }) => [path, line, text])).toEqual(expected);
});

test.each([
  '1\tone\n2\t two\n3\t',
  '1: one\n2:  two\n3: ',
  '  1| one\n  2|  two\n  3| ',
  '     1→one\n     2→ two\n     3→',
  'src/a.ts (3 lines)\n1\tone\r\n2\t two\r\n3\t',
  'one\n two\n\n',
])('lines of %j', (output) => {
  expect([...readLines(output)]).toEqual([
    [1, 'one'],
    [2, ' two'],
    [3, ''],
  ]);
});

test('edits name text that is there once, and change these lines alone', () => {
  const line = fc.constantFrom('', 'a', 'aa', 'b', '  a', '}');
  const file = fc.array(line, { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(file, fc.array(fc.nat(11), { minLength: 1, maxLength: 4 }), (texts, chosen) => {
      const lines = new Map(texts.map((text, index) => [index + 1, text]));
      const changes = new Map(
        chosen.filter((at) => at < texts.length).map((at) => [at + 1, `new${at}`]),
      );
      let result = texts.join('\n');
      for (const { search, replace } of editsFor(lines, changes)) {
        // A file of empty lines holds no text to name.
        fc.pre(search !== '');
        const whole = texts.join('\n');
        expect(whole.indexOf(search)).toBe(whole.lastIndexOf(search));
        expect(result.split(search)).toHaveLength(2);
        result = result.replace(search, () => replace);
      }
      const expected = texts.map((text, index) => changes.get(index + 1) ?? text);
      expect(result).toBe(expected.join('\n'));
    }),
  );
});

test.each([
  ['read_file', '1\tThe person denied it.', 'done'],
  ['read_file', 'src/a.ts does not exist.', 'failed'],
  ['read_file', 'There is no file a.ts. Look for it with find_files or list_directory.', 'failed'],
  ['list_directory', 'a.ts is a file: use read_file.', 'failed'],
  [
    'read_file',
    '[This output was left out to save room. Call the tool again if it is needed.]',
    'left-out',
  ],
  [
    'edit_file',
    '[This output was left out to save room. Call the tool again if it is needed.]',
    'done',
  ],
  ['run_command', 'Not allowed: it deletes everything.', 'denied'],
  ['run_command', 'Error: nothing runs', 'failed'],
  ['run_command', 'sh: x: not found\nExit code: 127', 'done'],
  ['edit_file', 'The arguments do not fit. Nothing was done.', 'failed'],
  ['edit_file', 'Edited a.ts', 'done'],
  ['edit_file', 'The person denied this call.', 'denied'],
  ['edit_file', 'Not run: the turn ended before the turn of this call came.', 'skipped'],
])('%s: %s is %s', (name, text, kind) => {
  expect(readOutcome({ name, args: {} }, text).kind).toBe(kind);
});

test.each([
  ['The person denied this call: use yarn', 'use yarn'],
  ['The person denied this call. Reason: “use yarn”', 'use yarn'],
  ['The person denied this call and says: use yarn', 'use yarn'],
  [
    'The person denied this call. Do not try it again in another way; ask what they would like instead.',
    '',
  ],
])('the reason in %s', (text, reason) => {
  expect(readOutcome({ name: 'x', args: {} }, text).reason).toBe(reason);
});

test.each([
  ['Expected: 5\nReceived: -1\nExit code: 1', '5', '-1'],
  ['AssertionError: expected 4 to equal 5\nexit code 1', '5', '4'],
  ["AssertionError: expected 'a' to be 'b'\nexit code 1", "'b'", "'a'"],
  ['-1 !== 5\nExit code: 1', '5', '-1'],
  ['E  assert -1 == 5\nexited with 1', '5', '-1'],
  ['a.js:3: expected 5, got 4\nexit code 1', '5', '4'],
  ['got 4, want 5\nexit code 1', '5', '4'],
])('values in %j', (output, expected, actual) => {
  expect(failureIn(output)).toMatchObject({ expected, actual });
});

test.each([
  'Exit code 0 after 2.3 s.\n\nError: expected',
  'ok\nExit code: 0',
  'All 3 tests pass',
  'expected nothing else\nExit code: 0',
])('%j is no failure', (output) => {
  expect(failureIn(output)).toBeUndefined();
});

test.each([
  'Ended by SIGKILL after 2.3 s.\n\n(no output)',
  'Not started (ENOENT) after 0.1 s.',
  'Exit code 1 after 2.3 s.',
])('%j is a failure', (output) => {
  expect(failureIn(output)).toBeDefined();
});

test('places of a failure are those of the workspace', () => {
  const output =
    'Error: x\n  at f (file:///w/src/a.mjs:3:9)\n  at node:internal/x.js:1:1\n  at g (node_modules/y/z.js:2:2)\n  File "b.py", line 4\nsrc/c.ts(5,7): error TS2304\nExit code: 1';
  expect(failureIn(output)?.places).toEqual([
    { path: '/w/src/a.mjs', line: 3 },
    { path: 'b.py', line: 4 },
    { path: 'src/c.ts', line: 5 },
  ]);
});

test.each([
  ['a - b * 2', -4],
  ['(a - b) * 2', -2],
  ['a < b && !false', true],
  ["'x' + 'y'", 'xy'],
  ['-a ** 2', 4],
  ['process.exit()', undefined],
  ['a b', undefined],
  ['(a', undefined],
  ['', undefined],
])('%s is %j', (code, value) => {
  expect(
    evaluate(
      code,
      new Map([
        ['a', 2],
        ['b', 3],
      ]),
    ),
  ).toBe(value);
});

test('nothing a person writes breaks the reading of it', () => {
  const word = fc.constantFrom(
    '`a`',
    '"b c"',
    '{"x":',
    '}',
    '```',
    'and',
    'then',
    'read',
    'run',
    'rename',
    'it',
    'a.ts',
    "'",
    '\n',
    '.',
    '\u27e6',
    '\u27e70',
    'in',
    'to',
  );
  fc.assert(
    fc.property(
      fc.array(fc.oneof(word, fc.string({ unit: 'grapheme' })), { maxLength: 30 }),
      (words) => {
        const clauses = clausesOf(words.join(' ')).flat();
        expect(clauses.every(({ text }) => text !== '')).toBe(true);
      },
    ),
  );
});
