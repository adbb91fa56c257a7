import { expect, test } from 'vitest';
import { snapshotOf } from './snapshot.fixture.ts';
import { findBlockingRule, findExplicitBlockingRule, type EditActivity } from './request-timing.ts';

const settings = { automatic: true, inComments: true, prefetch: true };
const ruleAt = (
  text: string,
  activity: EditActivity = 'typing',
  more: Partial<typeof settings> = {},
) => findBlockingRule(snapshotOf(text), { activity, settings: { ...settings, ...more } });

test.each([
  'const a = |',
  'call(|)',
  'call("|");',
  'call({ a: [|] });',
  'a|\nb',
  '  |  \nb',
  '// what tides are|',
  'x|\n',
])('allows a request at %j', (text) => expect(ruleAt(text)).toBeUndefined());

test.each([
  ['const |a = 1', 'code-after-cursor'],
  ['call(|first, second)', 'code-after-cursor'],
  ['wo|rd', 'code-after-cursor'],
  [`${'x'.repeat(601)}|`, 'long-line'],
  [`|${')'.repeat(601)}`, 'long-line'],
  ['|', 'empty-document'],
  ['\n \n|\n', 'empty-document'],
])('blocks a request at %j: %s', (text, rule) => expect(ruleAt(text)).toBe(rule));

test('blocks a request in a word being deleted, but not after it', () => {
  expect(ruleAt('a\nconst tid|', 'deleting')).toBe('deleting');
  expect(ruleAt('a\nconst |', 'deleting')).toBeUndefined();
});

test('blocks comments and automatic requests by setting', () => {
  expect(ruleAt('a\n// what tides|', 'typing', { inComments: false })).toBe('comment');
  expect(ruleAt('a\nconst b = |', 'typing', { inComments: false })).toBeUndefined();
  expect(ruleAt('const a = |', 'typing', { automatic: false })).toBe('manual');
});

test('allows explicit requests except on long lines', () => {
  expect(findExplicitBlockingRule(snapshotOf('const |a = 1'))).toBeUndefined();
  expect(findExplicitBlockingRule(snapshotOf(`${'x'.repeat(700)}|`))).toBe('long-line');
});
