import { expect, test } from 'vitest';
import { createSnapshotOf } from './snapshot.fixture.ts';
import { findBlockingRule, findExplicitBlockingRule, type EditActivity } from './request-timing.ts';

const ruleSettings = { isAutomatic: true, canSuggestInComments: true, canPrefetch: true };
const findRule = (
  text: string,
  activity: EditActivity = 'typing',
  overrides: Partial<typeof ruleSettings> = {},
) =>
  findBlockingRule(createSnapshotOf(text), {
    activity,
    settings: { ...ruleSettings, ...overrides },
  });

test.each([
  'const a = |',
  'call(|)',
  'call("|");',
  'call({ a: [|] });',
  'a|\nb',
  '  |  \nb',
  '// what tides are|',
  'x|\n',
])('findBlockingRule returns no rule at %j', (text) => expect(findRule(text)).toBeUndefined());

test.each([
  ['const |a = 1', 'code-after-cursor'],
  ['call(|first, second)', 'code-after-cursor'],
  ['wo|rd', 'code-after-cursor'],
  [`${'x'.repeat(601)}|`, 'long-line'],
  [`|${')'.repeat(601)}`, 'long-line'],
  ['|', 'empty-document'],
  ['\n \n|\n', 'empty-document'],
])('findBlockingRule, given a request at %j, returns the rule %s', (text, rule) =>
  expect(findRule(text)).toBe(rule),
);

test('findBlockingRule blocks a request inside a word that the user is deleting, but not after white space', () => {
  expect(findRule('a\nconst tid|', 'deleting')).toBe('deleting');
  expect(findRule('a\nconst |', 'deleting')).toBeUndefined();
});

test('findBlockingRule blocks requests in comments, or all automatic requests, if the settings turn these requests off', () => {
  expect(findRule('a\n// what tides|', 'typing', { canSuggestInComments: false })).toBe('comment');
  expect(findRule('a\nconst b = |', 'typing', { canSuggestInComments: false })).toBeUndefined();
  expect(findRule('const a = |', 'typing', { isAutomatic: false })).toBe('manual');
});

test('findExplicitBlockingRule blocks an explicit request only on an overlong line', () => {
  expect(findExplicitBlockingRule(createSnapshotOf('const |a = 1'))).toBeUndefined();
  expect(findExplicitBlockingRule(createSnapshotOf(`${'x'.repeat(700)}|`))).toBe('long-line');
});
