import { expect, test } from 'vitest';
import { deriveEditPattern, patternLimits } from './edit-pattern.ts';

const createTextPattern = (fields: object): object => ({
  kind: 'text',
  leftContext: '',
  oldText: '',
  rightContext: '',
  isAtEnd: false,
  ...fields,
});

test.each([
  // Replaced words.
  ['return oldName + 1;', 'return newName + 1;', { oldText: 'oldName', newText: 'newName' }],
  ['return getUser(id);', 'return getAccount(id);', { oldText: 'getUser', newText: 'getAccount' }],
  [
    'return getUser(id);',
    'return getUserById(id);',
    { oldText: 'getUser', newText: 'getUserById' },
  ],
  ['user.name', 'user.fullName', { oldText: 'name', newText: 'fullName' }],
  ['x = größe', 'x = größte', { oldText: 'größe', newText: 'größte' }],
  ['a 😀name b', 'a 😁name b', { oldText: '😀name', newText: '😁name' }],
  // Text inserted around a word.
  ['print(total)', 'print(str(total))', { oldText: 'total', newText: 'str(total)' }],
  ['x = total;', 'x = round(total);', { oldText: 'total', newText: 'round(total)' }],
  // Text inserted before a word.
  [
    'x = fetchUser(1);',
    'x = await fetchUser(1);',
    { newText: 'await ', rightContext: 'fetchUser(' },
  ],
  ['apiCall();', 'await apiCall();', { newText: 'await ', rightContext: 'apiCall(' }],
  ['return total;', 'return this.total;', { newText: 'this.', rightContext: 'total;' }],
  ['api.total;', 'api.sum.total;', { leftContext: '.', newText: 'sum.', rightContext: 'total;' }],
  // Text inserted after a word.
  [
    'return user.name;',
    'return user?.name;',
    { leftContext: 'user', newText: '?', rightContext: '.' },
  ],
  [
    'def f(total, x):',
    'def f(total: int, x):',
    { leftContext: 'total', newText: ': int', rightContext: ',' },
  ],
  [
    'const total',
    'const total: number',
    { leftContext: 'total', newText: ': number', isAtEnd: true },
  ],
])('deriveEditPattern derives a text pattern if %j becomes %j', (before, after, expected) => {
  expect(deriveEditPattern(before, after)).toEqual(createTextPattern(expected));
});

test.each([
  ['load(id);', 'load(id, options);', 'load', 1, 'last', ', options'],
  ['load();', 'load(options);', 'load', 0, 'last', 'options'],
  ['load(id);', 'load(db, id);', 'load', 1, 'first', 'db, '],
  ['load(id);', 'load(idx, id);', 'load', 1, 'first', 'idx, '],
  ['a(load("(,", [1, 2]));', 'a(load("(,", [1, 2], 3));', 'load', 2, 'last', ', 3'],
])(
  'deriveEditPattern derives an argument pattern if %j becomes %j',
  (before, after, callee, count, position, addedText) => {
    const expected = { kind: 'argument', callee, argumentCount: count, position, text: addedText };
    expect(deriveEditPattern(before, after)).toEqual(expected);
  },
);

test.each([
  ['equal lines', 'total', 'total'],
  ['a statement on an empty line', '', 'const total = 1;'],
  ['a completed statement', 'const total = ', 'const total = compute(a);'],
  ['a deletion', 'await total();', 'total();'],
  ['a change of white space', 'total=1', 'total = 1'],
  ['a short word', 'x = id', 'x = idx'],
  ['a number', 'x = 1000', 'x = 10000'],
  ['a keyword', 'return x', 'return await x'],
  ['a word before a keyword', 'function f() {', 'async function f() {'],
  ['an unbalanced bracket', 'x = total;', 'x = round(total;'],
  ['an unbalanced quote', 'x = total;', "x = 'total;"],
  ['an argument of a statement', 'if (total)', 'if (total, other)'],
  ['a call without a name', '(id)', '(id, other)'],
  ['changes at two positions', 'total = total + offset + 1', 'sum = total + offset + shift'],
  ['a long insertion', 'x = total;', `x = total${'y'.repeat(patternLimits.newText)};`],
  ['an overlong line', `${' '.repeat(patternLimits.line)}total`, `${' '.repeat(500)}totals`],
])('deriveEditPattern derives no pattern from %s', (_description, before, after) => {
  expect(deriveEditPattern(before, after)).toBeUndefined();
});
