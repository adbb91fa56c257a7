import { expect, test } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { createAnchor, type Completion, CompletionCache } from './completion-cache.ts';
import { snapshotOf } from './snapshot.fixture.ts';

let id = 0;
const answer = (at: string, text: string, more: Partial<Completion> = {}): Completion => ({
  id: (id += 1),
  anchor: createAnchor(snapshotOf(at)),
  text,
  ...more,
});

const rests = (known: CompletionCache, at: string): string[] =>
  known.find(snapshotOf(at)).map(({ rest }) => rest);

test('an answer goes on while it is typed along, and comes back when that is taken back', () => {
  const known = new CompletionCache(new ManualClock());
  known.add(answer('const a = |', 'tides();\nsail();'));
  expect(rests(known, 'const a = |')).toEqual(['tides();\nsail();']);
  expect(rests(known, 'const a = tid|')).toEqual(['es();\nsail();']);
  expect(rests(known, 'const a = tides();\nsa|')).toEqual(['il();']);
  expect(rests(known, 'const a = t|')).toEqual(['ides();\nsail();']);
});

test('what differs from it by one character is not found', () => {
  const known = new CompletionCache(new ManualClock());
  known.add(answer('const a = |', 'tides();'));
  expect(rests(known, 'const a = tip|')).toEqual([]);
  expect(rests(known, 'const b = |')).toEqual([]);
  expect(rests(known, 'const a = tides(); |')).toEqual([]);
});

test('the newest comes first, and a new text of the same answer takes the place of the old one', () => {
  const known = new CompletionCache(new ManualClock());
  const first = answer('a|', 'one');
  known.add(first);
  known.add(answer('a|', 'two'));
  expect(rests(known, 'a|')).toEqual(['two', 'one']);
  known.add({ ...first, text: 'one more' });
  expect(rests(known, 'a|')).toEqual(['one more', 'two']);
});

test('that a model had nothing to say is believed for a minute', async () => {
  const clock = new ManualClock();
  const known = new CompletionCache(clock);
  known.add(answer('a|', '', { filter: 'blank' }));
  expect(known.find(snapshotOf('a|'))[0]?.answer.filter).toBe('blank');
  expect(rests(known, 'ab|')).toEqual([]);
  await clock.advance(60_001);
  expect(rests(known, 'a|')).toEqual([]);
});

test('the oldest of a document and the longest unused document are forgotten', () => {
  const known = new CompletionCache(new ManualClock());
  for (let index = 0; index < 60; index += 1) known.add(answer('a|', `text ${index}`));
  expect(rests(known, 'a|')).toHaveLength(32);
  expect(rests(known, 'a|')[0]).toBe('text 59');
  for (let index = 0; index < 24; index += 1) {
    const snapshot = snapshotOf('b|', 'typescript', { document: `file:///${index}.ts` });
    known.add({ id: 1_000 + index, anchor: createAnchor(snapshot), text: 'x' });
  }
  expect(rests(known, 'a|')).toEqual([]);
});

test('what is in use is not forgotten for what is not', () => {
  const known = new CompletionCache(new ManualClock());
  known.add(answer('kept|', 'this'));
  for (let index = 0; index < 40; index += 1) {
    known.add(answer('a|', `text ${index}`));
    expect(rests(known, 'kept|')).toEqual(['this']);
  }
  for (let index = 0; index < 30; index += 1) {
    const snapshot = snapshotOf('b|', 'typescript', { document: `file:///${index}.ts` });
    known.add({ id: 2_000 + index, anchor: createAnchor(snapshot), text: 'x' });
    expect(rests(known, 'kept|')).toEqual(['this']);
  }
});

test.each([10, 100, 300, 900, 1_900])(
  'a change %i characters above makes another place of it',
  (distance) => {
    const known = new CompletionCache(new ManualClock());
    const filler = 'x'
      .repeat(99)
      .concat('\n')
      .repeat(Math.ceil(distance / 100))
      .slice(-distance);
    known.add(answer(`use(stone);\n${filler}return |`, 'stone;'));
    expect(rests(known, `use(stone);\n${filler}return |`)).toEqual(['stone;']);
    expect(rests(known, `use(brick);\n${filler}return |`)).toEqual([]);
  },
);

test('a bracket behind the cursor that was deleted makes another place of it', () => {
  const known = new CompletionCache(new ManualClock());
  known.add(answer('call(|)\nend', 'a, b'));
  expect(rests(known, 'call(a|)\nend')).toEqual([', b']);
  expect(rests(known, 'call(a|\nend')).toEqual([]);
});

test('nothing is left after it was told to forget', () => {
  const known = new CompletionCache(new ManualClock());
  known.add(answer('a|', 'b'));
  known.forget();
  expect(rests(known, 'a|')).toEqual([]);
});
