import { expect, test } from 'vitest';
import { type Edit, EditHistory, editLimits } from './edit-history.ts';

interface LineReplacement {
  readonly line: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly path?: string;
}

const createEdit = ({ path = 'a.ts', ...replacement }: LineReplacement): Edit => ({
  ...replacement,
  documentUri: `file:///${path}`,
  path,
});

function createHistory(...replacements: readonly LineReplacement[]): EditHistory {
  const history = new EditHistory();
  for (const replacement of replacements) history.record(createEdit(replacement));
  return history;
}

/** Formats each edit as `line: before > after`. The newest edit comes first. */
const formatEdits = (history: EditHistory): string[] =>
  history
    .listRecentEdits()
    .map(({ line, before, after }) => `${line}: ${before.join()} > ${after.join()}`);

const createChange = (
  line: number,
  before: string,
  after: string,
  path?: string,
): LineReplacement => ({
  line,
  before: before === '' ? [] : before.split(','),
  after: after === '' ? [] : after.split(','),
  ...(path !== undefined && { path }),
});

test.each<[string, LineReplacement[], string[]]>([
  ['typing in a line', [createChange(3, 'a', 'ab'), createChange(3, 'ab', 'abc')], ['3: a > abc']],
  [
    'inserting a line below',
    [createChange(3, 'a', 'b'), createChange(3, 'b', 'b,c')],
    ['3: a > b,c'],
  ],
  [
    'edits on adjacent lines, from top to bottom',
    [createChange(3, 'a', 'b'), createChange(4, 'x', 'y')],
    ['3: a,x > b,y'],
  ],
  [
    'edits on adjacent lines, from bottom to top',
    [createChange(4, 'x', 'y'), createChange(3, 'a', 'b')],
    ['3: a,x > b,y'],
  ],
  [
    'an edit that contains an earlier edit',
    [createChange(4, 'x', 'y'), createChange(3, 'a,y,b', 'c')],
    ['3: a,x,b > c'],
  ],
  [
    'an edit that joins two edits',
    [createChange(1, 'a', 'b'), createChange(5, 'c', 'd'), createChange(2, 'x,y,z', '')],
    ['1: a,x,y,z,c > b,d'],
  ],
  [
    'an edit on a distant line',
    [createChange(3, 'a', 'b'), createChange(9, 'x', 'y')],
    ['9: x > y', '3: a > b'],
  ],
  [
    'an edit in another document',
    [createChange(3, 'a', 'b'), createChange(3, 'x', 'y', 'b.ts')],
    ['3: x > y', '3: a > b'],
  ],
  [
    'a second edit of the same line',
    [createChange(3, 'a', 'b'), createChange(9, 'x', 'y'), createChange(3, 'b', 'c')],
    ['3: a > c', '9: x > y'],
  ],
  [
    'inserting lines above',
    [createChange(9, 'x', 'y'), createChange(2, '', 'p,q')],
    ['2:  > p,q', '11: x > y'],
  ],
  [
    'deleting lines above',
    [createChange(9, 'x', 'y'), createChange(2, 'p,q', '')],
    ['2: p,q > ', '7: x > y'],
  ],
  [
    'inserting lines in another document',
    [createChange(9, 'x', 'y'), createChange(2, '', 'p', 'b.ts')],
    ['2:  > p', '9: x > y'],
  ],
  ['reverting an edit', [createChange(3, 'a', 'b'), createChange(3, 'b', 'a')], []],
  ['a change without effect', [createChange(3, 'a', 'a')], []],
])('EditHistory returns the current edits after %s', (_, changes, expected) =>
  expect(formatEdits(createHistory(...changes))).toEqual(expected),
);

test('EditHistory does not record an edit of too many lines, but shifts the edits below that edit', () => {
  const longText = Array.from({ length: editLimits.lines + 1 }, () => 'x').join();
  const history = createHistory(createChange(40, 'a', 'b'), createChange(2, '', longText));
  expect(formatEdits(history)).toEqual([`${40 + editLimits.lines + 1}: a > b`]);
});

test('EditHistory starts a new edit if merging two edits would exceed the line limit', () => {
  const history = new EditHistory();
  for (let line = 0; line <= editLimits.lines; line += 1) {
    history.record(createEdit(createChange(line, '', `${line}`)));
  }
  expect(formatEdits(history)).toEqual([`${editLimits.lines}:  > ${editLimits.lines}`]);
});

test('EditHistory stores at most 12 edits', () => {
  const changes = Array.from({ length: 30 }, (_, index) =>
    createChange(index * 10, 'a', `${index}`),
  );
  const history = createHistory(...changes);
  expect(history.listRecentEdits()).toHaveLength(editLimits.edits);
  expect(history.listRecentEdits()[0]?.after).toEqual(['29']);
});

test('EditHistory removes the edits of one document, or of all documents', () => {
  const history = createHistory(createChange(1, 'a', 'secret'), createChange(1, 'b', 'c', 'b.ts'));
  history.removeDocument('file:///a.ts');
  expect(formatEdits(history)).toEqual(['1: b > c']);
  history.clear();
  expect(history.listSnippets()).toEqual([]);
});

test('EditHistory formats removed and added lines, and omits unchanged lines', () => {
  const history = createHistory(createChange(3, 'one,a,b,two', 'one,a2,two'));
  expect(history.listSnippets()).toEqual([{ kind: 'edit', path: 'a.ts', text: '-a\n-b\n+a2' }]);
});

test('EditHistory truncates long lines', () => {
  const history = createHistory({ line: 0, before: [], after: ['x'.repeat(10_000_000)] });
  expect(history.listSnippets()[0]?.text.length).toBeLessThan(400);
});

test('EditHistory records random changes as edits that do not overlap and match the document', () => {
  let seed = 7;
  const random = (limit: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * limit);
  };
  const lines = Array.from({ length: 60 }, (_, index) => `line ${index}`);
  const history = new EditHistory();
  for (let step = 0; step < 3_000; step += 1) {
    const line = random(lines.length);
    const before = lines.slice(line, line + random(4));
    const after = Array.from({ length: lines.length > 90 ? 0 : random(4) }, () => `${step}`);
    lines.splice(line, before.length, ...after);
    history.record(createEdit({ line, before, after }));
    const edits = history.listRecentEdits().toSorted((a, b) => a.line - b.line);
    for (const [index, { line, after }] of edits.entries()) {
      expect(lines.slice(line, line + after.length)).toEqual(after);
      const nextEdit = edits[index + 1];
      if (nextEdit !== undefined) expect(line + after.length).toBeLessThanOrEqual(nextEdit.line);
    }
    if (lines.length < 20) lines.push(...Array.from({ length: 20 }, () => `more ${step}`));
  }
});
