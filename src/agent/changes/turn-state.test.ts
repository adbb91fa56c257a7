import { describe, expect, test } from 'vitest';
import type { StoredContent, TurnRecord } from './turn-record.ts';
import { getChangeKind, TurnState } from './turn-state.ts';

const createContent = (blob: string): StoredContent => ({ blob });
const createBeforeRecord = (uri: string, blob: string): TurnRecord => ({
  type: 'before',
  uri,
  kept: createContent(blob),
});
const createAfterRecord = (uri: string, blob: string): TurnRecord => ({
  type: 'after',
  uri,
  kept: createContent(blob),
  added: 1,
  removed: 0,
});
const createDeleteRecord = (uri: string): TurnRecord => ({ type: 'delete', uri });
const createRenameRecord = (from: string, to: string): TurnRecord => ({ type: 'rename', from, to });

/** Formats each changed file as its kind of change, its state before and its state after. */
const formatChanges = (state: TurnState): string[] =>
  state.changedIndexes.map((index) => {
    const file = state.files[index];
    if (file === undefined) throw new Error('No such file');
    const sideTexts = [file.before, file.after].map((side) =>
      side === null ? '-' : `${side.uri}=${side.kept.blob}`,
    );
    return [getChangeKind(file), ...sideTexts].join(' ');
  });

describe('the state of a turn', () => {
  test.each<[string, TurnRecord[], string[]]>([
    ['a recorded state without a change', [createBeforeRecord('a', '1')], []],
    ['an edit', [createBeforeRecord('a', '1'), createAfterRecord('a', '2')], ['edited a=1 a=2']],
    [
      'two edits',
      [createBeforeRecord('a', '1'), createAfterRecord('a', '2'), createAfterRecord('a', '3')],
      ['edited a=1 a=3'],
    ],
    [
      'a reverted edit',
      [createBeforeRecord('a', '1'), createAfterRecord('a', '2'), createAfterRecord('a', '1')],
      [],
    ],
    ['a new file', [createAfterRecord('a', '1')], ['created - a=1']],
    ['a file created and deleted', [createAfterRecord('a', '1'), createDeleteRecord('a')], []],
    ['a deleted file', [createBeforeRecord('a', '1'), createDeleteRecord('a')], ['deleted a=1 -']],
    [
      'a file deleted and created again',
      [createBeforeRecord('a', '1'), createDeleteRecord('a'), createAfterRecord('a', '2')],
      ['edited a=1 a=2'],
    ],
    [
      'a file moved twice',
      [createBeforeRecord('a', '1'), createRenameRecord('a', 'b'), createRenameRecord('b', 'c')],
      ['renamed a=1 c=1'],
    ],
    [
      'a file moved back',
      [createBeforeRecord('a', '1'), createRenameRecord('a', 'b'), createRenameRecord('b', 'a')],
      [],
    ],
    [
      'a file moved and edited',
      [createBeforeRecord('a', '1'), createRenameRecord('a', 'b'), createAfterRecord('b', '2')],
      ['renamed a=1 b=2'],
    ],
    [
      'a file moved and deleted',
      [createBeforeRecord('a', '1'), createRenameRecord('a', 'b'), createDeleteRecord('b')],
      ['deleted a=1 -'],
    ],
    [
      'a file moved, with another created in its place',
      [createBeforeRecord('a', '1'), createRenameRecord('a', 'b'), createAfterRecord('a', '9')],
      ['renamed a=1 b=1', 'created - a=9'],
    ],
    [
      'a file moved over another',
      [createBeforeRecord('a', '1'), createBeforeRecord('b', '2'), createRenameRecord('a', 'b')],
      ['renamed a=1 b=1', 'deleted b=2 -'],
    ],
    [
      'a moved folder',
      [
        createBeforeRecord('d/a', '1'),
        createBeforeRecord('d/b', '2'),
        createBeforeRecord('dd', '3'),
        createRenameRecord('d', 'e'),
      ],
      ['renamed d/a=1 e/a=1', 'renamed d/b=2 e/b=2'],
    ],
    [
      'a deleted folder',
      [createBeforeRecord('d/a', '1'), createBeforeRecord('dd', '3'), createDeleteRecord('d')],
      ['deleted d/a=1 -'],
    ],
    ['records about unknown files', [createDeleteRecord('x'), createRenameRecord('x', 'y')], []],
  ])('lists the changed files for %s', (_, records, expected) => {
    expect(formatChanges(new TurnState(records))).toEqual(expected);
  });

  test("includes the user's edits in the state before the turn", () => {
    const state = new TurnState([
      { type: 'before', uri: 'a', kept: { blob: '1', realPath: '/a', mode: 0o755 } },
      createRenameRecord('a', 'b'),
      { type: 'before', uri: 'b', kept: { blob: '1p', realPath: '/b' } },
      createAfterRecord('b', '2p'),
    ]);
    expect(formatChanges(state)).toEqual(['renamed a=1p b=2p']);
    expect(state.files[0]?.undone?.kept).toEqual({ blob: '1p', realPath: '/a', mode: 0o755 });
  });

  const createFolderRecord = (uri: string, existed: boolean): TurnRecord => ({
    type: 'folder',
    uri,
    existed,
  });

  test.each<[string, TurnRecord[], [string, boolean][]]>([
    ['created by the turn', [createFolderRecord('d', false)], [['d', false]]],
    [
      'created by the turn and recorded again',
      [createFolderRecord('d', false), createFolderRecord('d', true)],
      [['d', false]],
    ],
    ['recorded but not deleted', [createFolderRecord('d', true)], []],
    [
      'deleted by the turn',
      [createFolderRecord('d', true), createDeleteRecord('d')],
      [['d', true]],
    ],
    [
      'inside a folder that the turn retained',
      [createFolderRecord('d', true), createFolderRecord('d/e', true), createDeleteRecord('d/e')],
      [['d/e', true]],
    ],
    [
      'moved by the turn',
      [
        createFolderRecord('d', true),
        createFolderRecord('d/e', true),
        createRenameRecord('d', 'x'),
      ],
      [
        ['d', true],
        ['d/e', true],
        ['x', false],
        ['x/e', false],
      ],
    ],
  ])('lists the created and removed folders for a folder %s', (_, records, expected) => {
    expect([...new TurnState(records).folders]).toEqual(expected);
  });
});

describe("undo and redo records in a turn's state", () => {
  const createState = (): TurnState =>
    new TurnState([createBeforeRecord('a', '1'), createAfterRecord('a', '2')]);
  const createFileState = (blob: string) => ({ uri: 'a', kept: createContent(blob) });

  test('replace the states of each file that they contain', () => {
    const turn = createState();
    expect([turn.files[0]?.done, turn.files[0]?.undone]).toEqual([
      createFileState('2'),
      createFileState('1'),
    ]);
    turn.applyRecord({
      type: 'undo',
      files: [{ file: 0, done: createFileState('2p'), undone: createFileState('1p') }],
    });
    expect(turn.isUndone).toBe(true);
    expect([turn.files[0]?.done, turn.files[0]?.undone]).toEqual([
      createFileState('2p'),
      createFileState('1p'),
    ]);
    turn.applyRecord({
      type: 'redo',
      files: [{ file: 0, done: createFileState('2q'), undone: createFileState('1p') }],
    });
    expect(turn.isUndone).toBe(false);
    expect(formatChanges(turn)).toEqual(['edited a=1 a=2']);
  });

  test('are ignored for unknown files', () => {
    const turn = createState();
    turn.applyRecord({ type: 'undo', files: [{ file: 7, done: null, undone: null }] });
    turn.applyRecord({ type: 'review', file: 7, state: 'accepted' });
    expect(turn.files).toHaveLength(1);
  });
});

test('TurnState marks an accepted file as pending after the turn changes the file again', () => {
  const turn = new TurnState([createBeforeRecord('a', '1'), createAfterRecord('a', '2')]);
  turn.applyRecord({ type: 'review', file: 0, state: 'accepted', reviewed: '2' });
  expect(turn.files[0]?.review).toBe('accepted');
  turn.applyRecord(createAfterRecord('a', '3'));
  expect([turn.files[0]?.review, turn.files[0]?.reviewedBlob]).toEqual(['pending', '2']);
});
