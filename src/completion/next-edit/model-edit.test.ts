import { expect, test } from 'vitest';
import { fc } from '../../../test/support/property.ts';
import { applyHunks } from '../../agent/edit/apply-hunks.ts';
import { createSnapshotOf } from '../snapshot.fixture.ts';
import {
  buildModelEditRequest,
  createPlainReader,
  locateModelEdit,
  modelEditLimits,
  parseModelEdit,
} from './model-edit.ts';

const source = 'type Tide = { level: number; unit: string|  };\n\nlog(tide.level);\nend();\n';
const snapshot = createSnapshotOf(source);
const createAnswer = (search: string, replace: string): string =>
  `<search>\n${search}\n</search>\n<replace>\n${replace}\n</replace>`;
const locate = (answer: string, text = source): ReturnType<typeof locateModelEdit> =>
  locateModelEdit(answer, createSnapshotOf(text), applyHunks);

test('locateModelEdit returns the smallest changed range of an exact change', () => {
  expect(locate(createAnswer('log(tide.level);', 'log(tide.level, tide.unit);'))).toEqual({
    startLine: 2,
    startCharacter: 14,
    endLine: 2,
    endCharacter: 14,
    text: ', tide.unit',
  });
});

test.each([
  ['no change', 'none'],
  ['an empty answer', ''],
  ['an explanation', 'You should log the unit.'],
  ['an unfinished change', '<search>\nlog(tide.level);\n</search>\n<replace>\nlog('],
  ['text that the section does not contain', createAnswer('log(tide.levels);', 'x')],
  ['text that only resembles the section', createAnswer('  log( tide.level );', 'x')],
  ['an unchanged text', createAnswer('end();', 'end();')],
  ['a change at the cursor', createAnswer('type Tide = { level: number;', 'type Tide = {')],
  ['hidden characters', createAnswer('end();', 'end(\u202E);')],
  ['a nested change', createAnswer('end();', '<search>\nend();')],
  ['a long text', createAnswer('end();', 'x'.repeat(modelEditLimits.characters + 1))],
  ['many lines', createAnswer('end();', 'x\n'.repeat(modelEditLimits.lines))],
])('locateModelEdit rejects an answer with %s', (_, answer) => {
  expect(locate(answer)).toBeUndefined();
});

test('locateModelEdit rejects a change that matches two parts of the section', () => {
  expect(locate(createAnswer('end();', 'stop();'), 'a|\nend();\nend();\n')).toBeUndefined();
});

test('locateModelEdit returns positions in the document if the section starts later', () => {
  const text = `${'x = 1;\n'.repeat(2_000)}first();\nsecond|();\nthird();\n`;
  expect(locate(createAnswer('third();', 'third(1);'), text)).toMatchObject({
    startLine: 2_002,
    startCharacter: 6,
    text: '1',
  });
});

test('locateModelEdit finds nothing outside the section, for any answer', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (search, replace) => {
      const edit = locate(createAnswer(search, replace));
      if (!edit) return;
      const lines = source.replace('|', '').split('\n');
      expect(edit.startLine).toBeGreaterThan(0);
      expect(edit.endLine).toBeLessThan(lines.length);
      expect(edit.endCharacter).toBeLessThanOrEqual(lines[edit.endLine]?.length ?? 0);
    }),
  );
});

test('parseModelEdit reads a deletion', () => {
  expect(parseModelEdit('<search>\na\n</search>\n<replace>\n</replace>')).toEqual({
    search: 'a',
    replace: '',
  });
});

test('buildModelEditRequest sends the last edit after earlier ones, and the text around the cursor', () => {
  const model = { id: 'model' } as Parameters<typeof buildModelEditRequest>[1]['model'];
  const { request } = buildModelEditRequest(snapshot, {
    change: { before: 'old', after: 'new' },
    edits: [
      { kind: 'similar', path: 'b.ts', text: 'unrelated' },
      { kind: 'edit', path: 'a.ts', text: '-a\n+b' },
    ],
    model,
  });
  const text = JSON.stringify(request);
  expect(text).toContain(JSON.stringify('a.ts\n-a\n+b\n\nsample\n-old\n+new').slice(1, -1));
  expect(text).toContain('log(tide.level);');
  expect(text).not.toContain('unrelated');
});

test('createPlainReader completes at the end of the change and at a refusal', () => {
  const reader = createPlainReader();
  reader.push('<search>\na\n</search>\n<replace>\nb\n');
  expect(reader.isComplete).toBe(false);
  reader.push('</replace>');
  expect(reader.isComplete).toBe(true);
  const refusing = createPlainReader();
  refusing.push('none');
  expect(refusing.isComplete).toBe(true);
});
