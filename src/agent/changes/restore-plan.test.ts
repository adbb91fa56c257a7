import { fc } from '../../../test/support/property.ts';
import { describe, expect, test } from 'vitest';
import {
  type CurrentFile,
  planRestore,
  type FileRestore,
  type RestoreStep,
} from './restore-plan.ts';
import type { FileState } from './turn-record.ts';
import { TurnState } from './turn-state.ts';

/** Parses `a=1` as the file `a` with content 1, and an empty string as a missing file. */
const parseFile = (text: string): FileState | null => {
  const [uri = '', blob = ''] = text.split('=');
  return text === '' ? null : { uri, kept: { blob } };
};
const parseRestore = (text: string): FileRestore => {
  const [from = '', to = ''] = text.split('->').map((part) => part.trim());
  return { from: parseFile(from), to: parseFile(to) };
};
const createInspector =
  (files: Readonly<Record<string, string>>) =>
  (uri: string): CurrentFile => ({ blob: files[uri] ?? null });
const formatStep = (step: RestoreStep): string => {
  if (step.type === 'rename') return `rename ${step.from} ${step.to}`;
  if (step.type === 'write') return `write ${step.uri}=${step.kept.blob}`;
  if (step.type === 'merge') return `merge ${step.uri} ${step.base.blob}->${step.theirs.blob}`;
  return `delete ${step.uri}`;
};

describe('planRestore for one file', () => {
  test.each([
    ['that was edited', 'a=2 -> a=1', { a: '2' }, ['write a=1']],
    ['that was edited, then changed by the user', 'a=2 -> a=1', { a: '3' }, ['merge a 2->1']],
    ['that was created', 'a=1 -> ', { a: '1' }, ['delete a']],
    ['that was deleted', ' -> a=1', {}, ['write a=1']],
    ['that was renamed', 'b=1 -> a=1', { b: '1' }, ['rename b a']],
    ['that was renamed and edited', 'b=2 -> a=1', { b: '2' }, ['rename b a', 'write a=1']],
    ['that was renamed, then changed by the user', 'b=1 -> a=1', { b: '3' }, ['rename b a']],
    [
      'that was renamed and edited, then changed by the user',
      'b=2 -> a=1',
      { b: '3' },
      ['rename b a', 'merge a 2->1'],
    ],
    ['that was replaced by a folder', 'a=2 -> a=1', { a: 'folder' }, ['merge a 2->1']],
  ])('plans, for a file %s, the steps $3', (_, restore, files, steps) => {
    const plan = planRestore([parseRestore(restore)], createInspector(files));
    expect([plan.steps.map(formatStep), plan.conflictIndexes]).toEqual([steps, []]);
  });

  test.each([
    ['edited, then reverted', 'a=2 -> a=1', { a: '1' }],
    ['created, then deleted', 'a=1 -> ', {}],
    ['deleted, then restored', ' -> a=1', { a: '1' }],
  ])('plans no step for a file that was %s by the user', (_, restore, files) => {
    const plan = planRestore([parseRestore(restore)], createInspector(files));
    expect([plan.steps, plan.conflictIndexes]).toEqual([[], []]);
  });

  test.each([
    ['was edited, then deleted by the user', 'a=2 -> a=1', {}],
    ['was created, then changed by the user', 'a=1 -> ', { a: '2' }],
    ['was deleted, then created by the user', ' -> a=1', { a: '2' }],
    ['was renamed, with another file at the old path', 'b=1 -> a=1', { b: '1', a: '9' }],
    ['was renamed, then deleted by the user', 'b=1 -> a=1', {}],
  ])('plans no step and reports a conflict for a file that %s', (_, restore, files) => {
    const plan = planRestore([parseRestore(restore)], createInspector(files));
    expect([plan.steps, plan.conflictIndexes]).toEqual([[], [0]]);
  });
});

describe('planRestore for several files', () => {
  test.each([
    [
      'that were swapped',
      ['b=1 -> a=1', 'a=2 -> b=2'],
      { a: '2', b: '1' },
      ['write a=1', 'write b=2'],
    ],
    [
      'of which one was moved over the other',
      ['b=1 -> a=1', ' -> b=2'],
      { b: '1' },
      ['rename b a', 'write b=2'],
    ],
    [
      'of which one was moved over the other, then changed by the user',
      ['b=1 -> a=1', ' -> b=2'],
      { b: '3' },
      ['rename b a', 'write b=2'],
    ],
    [
      'of which one was created at the old path of the other',
      ['b=1 -> a=1', 'a=9 -> '],
      { a: '9', b: '1' },
      ['delete b', 'write a=1'],
    ],
    [
      'of which one became a folder',
      ['a/x=1 -> ', ' -> a=2'],
      { 'a/x': '1' },
      ['delete a/x', 'write a=2'],
    ],
  ])('plans, for files %s, the steps $3', (_, restores, files, steps) => {
    const plan = planRestore(restores.map(parseRestore), createInspector(files));
    expect([plan.steps.map(formatStep), plan.conflictIndexes]).toEqual([steps, []]);
  });

  test.each([
    ['that were swapped', ['b=1 -> a=1', 'a=2 -> b=2'], { a: '2', b: '3' }],
    [
      'of which one was created at the old path of the other',
      ['b=1 -> a=1', 'a=9 -> '],
      { a: '8', b: '1' },
    ],
  ])(
    'plans no step and reports conflicts for files %s, if the user then changed one of them',
    (_, restores, files) => {
      const plan = planRestore(restores.map(parseRestore), createInspector(files));
      expect([plan.steps, plan.conflictIndexes]).toEqual([[], [0, 1]]);
    },
  );

  test('leaves two files unchanged if one of the files cannot be merged and blocks the path of the other file', () => {
    const restores = ['b=1 -> a=1', ' -> b=2'].map(parseRestore);
    const plan = planRestore(restores, createInspector({ b: '3' }), new Set([0]));
    expect(plan).toEqual({ steps: [], conflictIndexes: [0, 1] });
  });
});

describe('planRestore for a path that a link replaced', () => {
  const storedContent = { blob: '1', realPath: '/w/a' };
  test.each([
    ['the file became a link', { blob: '2', link: '/etc/passwd', realPath: '/w/a' }],
    ['the folder became a link', { blob: '2', realPath: '/etc/a' }],
    ['the folder became a link and the file is missing', { blob: null, realPath: '/etc/a' }],
  ])('plans no step if %s', (_, currentFile) => {
    for (const from of [{ uri: 'a', kept: { ...storedContent, blob: '2' } }, null]) {
      const plan = planRestore(
        [{ from, to: { uri: 'a', kept: storedContent } }],
        () => currentFile,
      );
      expect(plan).toEqual({ steps: [], conflictIndexes: [0] });
    }
  });
});

describe('planRestore for a file whose real path was not recorded', () => {
  const createFileState = (blob: string): FileState => ({ uri: 'file:///w/a', kept: { blob } });
  test.each([
    ['created', null, createFileState('1'), null],
    ['written', createFileState('2'), createFileState('1'), '2'],
    ['deleted', createFileState('2'), null, '2'],
  ])('plans no step if the file would be %s', (_, from, to, blob) => {
    const plan = planRestore([{ from, to }], () => ({ blob, realPath: '/w/a' }));
    expect(plan).toEqual({ steps: [], conflictIndexes: [0] });
  });
});

type FileContents = Record<string, string>;

function applySteps(files: FileContents, steps: readonly RestoreStep[]): FileContents {
  const changedFiles = { ...files };
  for (const step of steps) {
    if (step.type === 'delete') delete changedFiles[step.uri];
    else if (step.type === 'write') changedFiles[step.uri] = step.kept.blob;
    else if (step.type === 'rename') {
      expect(changedFiles[step.to]).toBeUndefined();
      changedFiles[step.to] = changedFiles[step.from] ?? 'lost';
      delete changedFiles[step.from];
    }
  }
  return changedFiles;
}

const pathArbitrary = fc.constantFrom('a', 'b', 'c', 'd/e', 'd/f');
const changeArbitrary = fc.oneof(
  fc.record({ type: fc.constant('write' as const), uri: pathArbitrary }),
  fc.record({ type: fc.constant('delete' as const), uri: pathArbitrary }),
  fc.record({ type: fc.constant('rename' as const), from: pathArbitrary, to: pathArbitrary }),
);
const changesArbitrary = fc.array(changeArbitrary, { maxLength: 12 });
type Change =
  | { readonly type: 'write' | 'delete'; readonly uri: string }
  | { readonly type: 'rename'; readonly from: string; readonly to: string };

/** Records a tool's change in the turn's state, and applies the change to the files. */
function applyChange(files: FileContents, state: TurnState, change: Change, content: string): void {
  const changedUris = change.type === 'rename' ? [change.from, change.to] : [change.uri];
  if (change.type === 'rename' && (change.from === change.to || !(change.from in files))) return;
  if (change.type === 'delete' && !(change.uri in files)) return;
  for (const uri of changedUris) {
    const blob = files[uri];
    if (blob !== undefined && state.findFileIndexAt(uri) === undefined)
      state.applyRecord({ type: 'before', uri, kept: { blob } });
  }
  if (change.type === 'write') {
    files[change.uri] = content;
    const storedContent = { blob: content };
    state.applyRecord({
      type: 'after',
      uri: change.uri,
      kept: storedContent,
      added: 0,
      removed: 0,
    });
  } else if (change.type === 'rename') {
    files[change.to] = files[change.from] ?? 'lost';
    delete files[change.from];
    state.applyRecord(change);
  } else {
    delete files[change.uri];
    state.applyRecord({ type: 'delete', uri: change.uri });
  }
}

describe('the undo of a turn with arbitrary changes', () => {
  const initialFiles: FileContents = { a: 'A', b: 'B', 'd/e': 'E' };
  const applyTurn = (changes: readonly Change[]): { files: FileContents; state: TurnState } => {
    const files = { ...initialFiles };
    const state = new TurnState();
    for (const [index, change] of changes.entries()) applyChange(files, state, change, `v${index}`);
    return { files, state };
  };
  const createUndoRestores = (state: TurnState): FileRestore[] =>
    state.files.map(({ done, undone }) => ({ from: done, to: undone }));

  test('restores the files to their state before the turn, and redo restores the state after the turn', () => {
    fc.assert(
      fc.property(changesArbitrary, (changes) => {
        const { files, state } = applyTurn(changes);
        const undoPlan = planRestore(createUndoRestores(state), createInspector(files));
        expect(undoPlan.conflictIndexes).toEqual([]);
        const undoneFiles = applySteps(files, undoPlan.steps);
        expect(undoneFiles).toEqual(initialFiles);
        const redoRestores = createUndoRestores(state).map(({ from, to }) => ({
          from: to,
          to: from,
        }));
        expect(
          applySteps(undoneFiles, planRestore(redoRestores, createInspector(undoneFiles)).steps),
        ).toEqual(files);
      }),
      { numRuns: 1_000 },
    );
  });

  test('deletes and overwrites no file content that the user wrote after the turn', () => {
    fc.assert(
      fc.property(
        changesArbitrary,
        fc.array(changeArbitrary, { maxLength: 4 }),
        (changes, laterChanges) => {
          const { files, state } = applyTurn(changes);
          const userState = new TurnState();
          for (const [index, change] of laterChanges.entries())
            applyChange(files, userState, change, `mine${index}`);
          const restoredFiles = applySteps(
            files,
            planRestore(createUndoRestores(state), createInspector(files)).steps,
          );
          const listUserContents = (fileContents: FileContents): string[] =>
            Object.values(fileContents)
              .filter((blob) => blob.startsWith('mine'))
              .toSorted();
          expect(listUserContents(restoredFiles)).toEqual(listUserContents(files));
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
