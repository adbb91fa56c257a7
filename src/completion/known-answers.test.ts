import { expect, test } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { anchorOf } from './anchor.ts';
import { snapshotOf } from './snapshot.fixture.ts';
import { type Answer, KnownAnswers } from './known-answers.ts';

let id = 0;
const answer = (at: string, text: string, more: Partial<Answer> = {}): Answer => ({
  id: (id += 1),
  anchor: anchorOf(snapshotOf(at)),
  text,
  ...more,
});

const rests = (known: KnownAnswers, at: string): string[] =>
  known.find(snapshotOf(at)).map(({ rest }) => rest);

test('an answer goes on while it is typed along, and comes back when that is taken back', () => {
  const known = new KnownAnswers(new ManualClock());
  known.add(answer('const a = |', 'tides();\nsail();'));
  expect(rests(known, 'const a = |')).toEqual(['tides();\nsail();']);
  expect(rests(known, 'const a = tid|')).toEqual(['es();\nsail();']);
  expect(rests(known, 'const a = tides();\nsa|')).toEqual(['il();']);
  expect(rests(known, 'const a = t|')).toEqual(['ides();\nsail();']);
});

test('what differs from it by one character is not found', () => {
  const known = new KnownAnswers(new ManualClock());
  known.add(answer('const a = |', 'tides();'));
  expect(rests(known, 'const a = tip|')).toEqual([]);
  expect(rests(known, 'const b = |')).toEqual([]);
  expect(rests(known, 'const a = tides(); |')).toEqual([]);
});

test('the newest comes first, and a new text of the same answer takes the place of the old one', () => {
  const known = new KnownAnswers(new ManualClock());
  const first = answer('a|', 'one');
  known.add(first);
  known.add(answer('a|', 'two'));
  expect(rests(known, 'a|')).toEqual(['two', 'one']);
  known.add({ ...first, text: 'one more' });
  expect(rests(known, 'a|')).toEqual(['one more', 'two']);
});

test('that a model had nothing to say is believed for a minute', async () => {
  const clock = new ManualClock();
  const known = new KnownAnswers(clock);
  known.add(answer('a|', '', { filter: 'blank' }));
  expect(known.find(snapshotOf('a|'))[0]?.answer.filter).toBe('blank');
  expect(rests(known, 'ab|')).toEqual([]);
  await clock.advance(60_001);
  expect(rests(known, 'a|')).toEqual([]);
});

test('the oldest of a document and the longest unused document are forgotten', () => {
  const known = new KnownAnswers(new ManualClock());
  for (let index = 0; index < 60; index += 1) known.add(answer('a|', `text ${index}`));
  expect(rests(known, 'a|')).toHaveLength(48);
  expect(rests(known, 'a|')[0]).toBe('text 59');
  for (let index = 0; index < 24; index += 1) {
    const snapshot = snapshotOf('b|', 'typescript', { document: `file:///${index}.ts` });
    known.add({ id: 1_000 + index, anchor: anchorOf(snapshot), text: 'x' });
  }
  expect(rests(known, 'a|')).toEqual([]);
});

test('nothing is left after it was told to forget', () => {
  const known = new KnownAnswers(new ManualClock());
  known.add(answer('a|', 'b'));
  known.forget();
  expect(rests(known, 'a|')).toEqual([]);
});
