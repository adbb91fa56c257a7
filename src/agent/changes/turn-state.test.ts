import { describe, expect, test } from 'vitest';
import type { StoredContent, TurnRecord } from './turn-record.ts';
import { changeKind, TurnState } from './turn-state.ts';

const kept = (blob: string): StoredContent => ({ blob });
const before = (uri: string, blob: string): TurnRecord => ({
  type: 'before',
  uri,
  kept: kept(blob),
});
const after = (uri: string, blob: string): TurnRecord => ({
  type: 'after',
  uri,
  kept: kept(blob),
  added: 1,
  removed: 0,
});
const gone = (uri: string): TurnRecord => ({ type: 'delete', uri });
const moved = (from: string, to: string): TurnRecord => ({ type: 'rename', from, to });

/** Formats each change as `kind before after`. */
const shown = (state: TurnState): string[] =>
  state.changedIndexes.map((index) => {
    const file = state.files[index];
    if (file === undefined) throw new Error('No such file');
    const sides = [file.before, file.after].map((side) =>
      side === null ? '-' : `${side.uri}=${side.kept.blob}`,
    );
    return [changeKind(file), ...sides].join(' ');
  });

describe('changes of a turn', () => {
  test.each<[string, TurnRecord[], string[]]>([
    ['a recorded state without a change', [before('a', '1')], []],
    ['an edit', [before('a', '1'), after('a', '2')], ['edited a=1 a=2']],
    ['two edits', [before('a', '1'), after('a', '2'), after('a', '3')], ['edited a=1 a=3']],
    ['a reverted edit', [before('a', '1'), after('a', '2'), after('a', '1')], []],
    ['a new file', [after('a', '1')], ['created - a=1']],
    ['a file created and deleted', [after('a', '1'), gone('a')], []],
    ['a deleted file', [before('a', '1'), gone('a')], ['deleted a=1 -']],
    [
      'a file deleted and created again',
      [before('a', '1'), gone('a'), after('a', '2')],
      ['edited a=1 a=2'],
    ],
    [
      'a file moved twice',
      [before('a', '1'), moved('a', 'b'), moved('b', 'c')],
      ['renamed a=1 c=1'],
    ],
    ['a file moved back', [before('a', '1'), moved('a', 'b'), moved('b', 'a')], []],
    [
      'a file moved and edited',
      [before('a', '1'), moved('a', 'b'), after('b', '2')],
      ['renamed a=1 b=2'],
    ],
    ['a file moved and deleted', [before('a', '1'), moved('a', 'b'), gone('b')], ['deleted a=1 -']],
    [
      'a file moved, with another created in its place',
      [before('a', '1'), moved('a', 'b'), after('a', '9')],
      ['renamed a=1 b=1', 'created - a=9'],
    ],
    [
      'a file moved over another',
      [before('a', '1'), before('b', '2'), moved('a', 'b')],
      ['renamed a=1 b=1', 'deleted b=2 -'],
    ],
    [
      'a moved folder',
      [before('d/a', '1'), before('d/b', '2'), before('dd', '3'), moved('d', 'e')],
      ['renamed d/a=1 e/a=1', 'renamed d/b=2 e/b=2'],
    ],
    ['a deleted folder', [before('d/a', '1'), before('dd', '3'), gone('d')], ['deleted d/a=1 -']],
    ['records about unknown files', [gone('x'), moved('x', 'y')], []],
  ])('include %s', (_, records, expected) => {
    expect(shown(new TurnState(records))).toEqual(expected);
  });

  test("exclude the user's edits, which are added to the state before the turn", () => {
    const state = new TurnState([
      { type: 'before', uri: 'a', kept: { blob: '1', realPath: '/a', mode: 0o755 } },
      moved('a', 'b'),
      { type: 'before', uri: 'b', kept: { blob: '1p', realPath: '/b' } },
      after('b', '2p'),
    ]);
    expect(shown(state)).toEqual(['renamed a=1p b=2p']);
    expect(state.files[0]?.undone?.kept).toEqual({ blob: '1p', realPath: '/a', mode: 0o755 });
  });

  const folder = (uri: string, existed: boolean): TurnRecord => ({ type: 'folder', uri, existed });

  test.each<[string, TurnRecord[], [string, boolean][]]>([
    ['created by the turn', [folder('d', false)], [['d', false]]],
    [
      'created by the turn and recorded again',
      [folder('d', false), folder('d', true)],
      [['d', false]],
    ],
    ['recorded but not deleted', [folder('d', true)], []],
    ['deleted by the turn', [folder('d', true), gone('d')], [['d', true]]],
    [
      'inside a folder that the turn retained',
      [folder('d', true), folder('d/e', true), gone('d/e')],
      [['d/e', true]],
    ],
    [
      'moved by the turn',
      [folder('d', true), folder('d/e', true), moved('d', 'x')],
      [
        ['d', true],
        ['d/e', true],
        ['x', false],
        ['x/e', false],
      ],
    ],
  ])('restore a folder %s', (_, records, expected) => {
    expect([...new TurnState(records).folders]).toEqual(expected);
  });
});

describe('undo and redo', () => {
  const state = (): TurnState => new TurnState([before('a', '1'), after('a', '2')]);
  const side = (blob: string) => ({ uri: 'a', kept: kept(blob) });

  test('swap the recorded states of each file', () => {
    const turn = state();
    expect([turn.files[0]?.done, turn.files[0]?.undone]).toEqual([side('2'), side('1')]);
    turn.apply({ type: 'undo', files: [{ file: 0, done: side('2p'), undone: side('1p') }] });
    expect(turn.isUndone).toBe(true);
    expect([turn.files[0]?.done, turn.files[0]?.undone]).toEqual([side('2p'), side('1p')]);
    turn.apply({ type: 'redo', files: [{ file: 0, done: side('2q'), undone: side('1p') }] });
    expect(turn.isUndone).toBe(false);
    expect(shown(turn)).toEqual(['edited a=1 a=2']);
  });

  test('of unknown files change nothing', () => {
    const turn = state();
    turn.apply({ type: 'undo', files: [{ file: 7, done: null, undone: null }] });
    turn.apply({ type: 'review', file: 7, state: 'accepted' });
    expect(turn.files).toHaveLength(1);
  });
});

test('marks an accepted file as pending after another change', () => {
  const turn = new TurnState([before('a', '1'), after('a', '2')]);
  turn.apply({ type: 'review', file: 0, state: 'accepted', reviewed: '2' });
  expect(turn.files[0]?.review).toBe('accepted');
  turn.apply(after('a', '3'));
  expect([turn.files[0]?.review, turn.files[0]?.reviewed]).toEqual(['pending', '2']);
});
