import { expect, test } from 'vitest';
import { fc } from '../../../test/support/property.ts';
import { parseAnswerHunks } from '../../agent/answer/answer-hunks.ts';
import { applyHunks } from '../../agent/edit/apply-hunks.ts';
import { createSnapshotOf } from '../snapshot.fixture.ts';
import {
  buildModelEditRequest,
  createVerbatimReader,
  locateModelEdit,
  modelEditLimits,
  parseModelEdit,
} from './model-edit.ts';

const markedSource = 'type Tide = { level: number; unit: string|  };\n\nlog(tide.level);\nend();\n';
const snapshot = createSnapshotOf(markedSource);
const createAnswer = (search: string, replace: string): string =>
  `<<<<<<< SEARCH\n${search}\n=======\n${replace}\n>>>>>>> REPLACE`;
const editPorts = { applyHunks, parseAnswerHunks };
const locateEdit = (answer: string, text = markedSource): ReturnType<typeof locateModelEdit> =>
  locateModelEdit(answer, createSnapshotOf(text), editPorts);

test('locateModelEdit returns the smallest range that differs if the document contains the search text exactly', () => {
  expect(locateEdit(createAnswer('log(tide.level);', 'log(tide.level, tide.unit);'))).toEqual({
    startLine: 2,
    startCharacter: 14,
    endLine: 2,
    endCharacter: 14,
    text: ', tide.unit',
  });
});

test("locateModelEdit rejects a placeholder only if it is a comment in the document's language", () => {
  const source = 'Dim a|\n\nlog(a)\nstop()\n';
  const answer = createAnswer('stop()', "' snip\nstop(1)");
  const locateInLanguage = (language: string): unknown =>
    locateModelEdit(answer, createSnapshotOf(source, language), editPorts);
  expect(locateInLanguage('vb')).toBeUndefined();
  expect(locateInLanguage('plaintext')).toBeDefined();
});

test.each([
  ['no change', 'none'],
  ['an empty answer', ''],
  [
    'a placeholder for omitted code',
    createAnswer('log(tide.level);', 'log(tide.unit);\n// ... existing code ...'),
  ],
  [
    'a placeholder for the only line',
    createAnswer('log(tide.level);', '// rest of code unchanged'),
  ],
  ['an explanation', 'You should log the unit.'],
  ['an unfinished change', '<<<<<<< SEARCH\nlog(tide.level);\n=======\nlog('],
  [
    'two changes',
    `${createAnswer('end();', 'stop();')}\n${createAnswer('log(tide.level);', 'log(tide);')}`,
  ],
  ['a change within endless reasoning', `<think>\n${createAnswer('end();', 'stop();')}`],
  ['text that the section does not contain', createAnswer('log(tide.levels);', 'x')],
  ['text that only resembles the section', createAnswer('  log( tide.level );', 'x')],
  ['an unchanged text', createAnswer('end();', 'end();')],
  ['a change at the cursor', createAnswer('type Tide = { level: number;', 'type Tide = {')],
  ['hidden characters', createAnswer('end();', 'end(\u202E);')],
  ['private-use characters', createAnswer('end();', 'end(1\uE000);')],
  ['a blank Braille pattern', createAnswer('end();', 'end(1\u2800);')],
  ['an unusual space', createAnswer('end();', 'end(1\u00A0);')],
  ['a lone surrogate', createAnswer('end();', 'end(1\uD800);')],
  ['many combining marks', createAnswer('end();', `end(a${'\u0301'.repeat(40)});`)],
  ['a carriage return within a line', createAnswer('end();', 'end(1);\rstart();')],
  ['a wide gap', createAnswer('end();', `end(1);${' '.repeat(80)}start();`)],
  [
    'a wide gap after a new line',
    createAnswer('end();', `end(1);\nstop();${'\t'.repeat(20)}start();`),
  ],
  ['a text that the editor cannot show completely', createAnswer('end();', 'y'.repeat(121))],
  [
    'lines that the editor cannot show completely',
    createAnswer('end();', `${'y'.repeat(58)}\n${'z'.repeat(60)}`),
  ],
  ['a nested change', createAnswer('end();', '<<<<<<< SEARCH\nend();')],
  ['a long text', createAnswer('end();', 'x'.repeat(modelEditLimits.characters + 1))],
  ['many lines', createAnswer('end();', 'x\n'.repeat(modelEditLimits.lines))],
])('locateModelEdit rejects an answer with %s', (_, answer) => {
  expect(locateEdit(answer)).toBeUndefined();
});

test('locateModelEdit rejects a change that matches two parts of the section', () => {
  expect(locateEdit(createAnswer('end();', 'stop();'), 'a|\nend();\nend();\n')).toBeUndefined();
});

test('locateModelEdit returns document positions for a section that starts after the first line', () => {
  const text = `${'x = 1;\n'.repeat(2_000)}first();\nsecond|();\nthird();\n`;
  expect(locateEdit(createAnswer('third();', 'third(1);'), text)).toMatchObject({
    startLine: 2_002,
    startCharacter: 6,
    text: '1',
  });
});

test('locateModelEdit returns only ranges below the line of the cursor and inside the document, for random answers', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (search, replace) => {
      const edit = locateEdit(createAnswer(search, replace));
      if (!edit) return;
      const lines = markedSource.replace('|', '').split('\n');
      expect(edit.startLine).toBeGreaterThan(0);
      expect(edit.endLine).toBeLessThan(lines.length);
      expect(edit.endCharacter).toBeLessThanOrEqual(lines[edit.endLine]?.length ?? 0);
    }),
  );
});

test.each([
  ['a code fence', (change: string) => `\`\`\`ts\n${change}\n\`\`\``],
  ['reasoning before it', (change: string) => `<think>\nThe end.\n</think>\n${change}`],
  ['Windows line ends', (change: string) => change.replaceAll('\n', '\r\n')],
  ['a line feed after it', (change: string) => `${change}\n`],
])('locateModelEdit reads a change with %s', (_, wrap) => {
  const answer = createAnswer('log(tide.level);', 'log(tide.unit);');
  expect(locateEdit(wrap(answer))).toEqual(locateEdit(answer));
  expect(locateEdit(answer)?.text).toBe('unit');
});

const callLine = 'const total = compute(alpha, beta);';

/**
 * Returns a snapshot in which the limit `modelEditLimits.context` cuts the line {@link callLine} at the offset
 * `character`.
 */
function createCutSnapshot(character: number): ReturnType<typeof createSnapshotOf> {
  const filler = 'x'.repeat(modelEditLimits.context - character - 2);
  return createSnapshotOf(`first|\n${filler}\n${callLine}\nlast();\n`);
}

test('buildModelEditRequest includes only complete lines, and locateModelEdit changes no other lines', () => {
  const lines = ['log(a);', '', callLine, 'x'.repeat(modelEditLimits.context + 1), 'end();'];
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...lines), { maxLength: 300 }),
      fc.array(fc.constantFrom(...lines), { maxLength: 300 }),
      (before, after) => {
        const text = [...before, 'edited|', ...after].join('\n');
        const sentLines = readSection(createSnapshotOf(text)).split('\n');
        const documentLines = text.replace('|', '').split('\n');
        // The cursor splits its own line, in which no edit is located.
        expect(sentLines.filter((line) => !documentLines.includes(line))).toEqual([]);
      },
    ),
  );
});

test.each([
  ['omits', 'one character of the line', 1, false],
  ['omits', '15 characters of the line', 15, false],
  ['omits', 'all but one character of the line', callLine.length - 1, false],
  ['contains', 'the whole line', callLine.length, true],
])(
  'a request for a next edit %s the last line if the length limit permits %s',
  (_resultLabel, _limitLabel, character, isSent) => {
    const cutSnapshot = createCutSnapshot(character);
    expect(readSection(cutSnapshot).includes(callLine.slice(0, character))).toBe(isSent);
    const answer = createAnswer(callLine.slice(0, character), 'const sum = compute(alpha, beta);');
    expect(locateModelEdit(answer, cutSnapshot, editPorts) !== undefined).toBe(isSent);
  },
);

test.each([
  ['contains', 'just fits into', 0, true],
  ['omits', 'exceeds by one character', 1, false],
])(
  'a request for a next edit %s a line before the cursor that %s the length limit',
  (_resultLabel, _limitLabel, excessLength, isSent) => {
    const filler = 'x'.repeat(modelEditLimits.context - callLine.length - 2 + excessLength);
    const section = readSection(createSnapshotOf(`first();\n${callLine}\n${filler}\n|\nend();\n`));
    expect(section.startsWith(callLine)).toBe(isSent);
    expect(section).not.toContain('first');
  },
);

test('buildModelEditRequest omits a line before the cursor if the line is longer than the limit', () => {
  const section = readSection(createSnapshotOf(`first();\n${'x'.repeat(9_000)}|\nend();\n`));
  expect(section).toBe('\nend();\n');
});

test('parseModelEdit accepts an empty replacement, which deletes the search text', () => {
  const answer = '<<<<<<< SEARCH\na\n=======\n>>>>>>> REPLACE';
  expect(parseModelEdit(answer, editPorts)).toMatchObject({ search: 'a', replace: '' });
});

test('locateModelEdit deletes a line together with its line break', () => {
  const { startLine, startCharacter, endLine, endCharacter, text } =
    locateEdit(createAnswer('log(tide.level);', '').replace('\n\n', '\n')) ?? {};
  expect([startLine, startCharacter, endLine, endCharacter, text]).toEqual([2, 0, 3, 0, '']);
});

const model = { id: 'model' } as Parameters<typeof buildModelEditRequest>[1]['model'];

/** Returns the section of the file that the request for a next edit contains. */
function readSection(snapshot: ReturnType<typeof createSnapshotOf>): string {
  const change = { before: 'old', after: 'new' };
  const { request } = buildModelEditRequest(snapshot, { change, snippets: [], model });
  const content = 'messages' in request ? request.messages.at(-1)?.content : '';
  const text = typeof content === 'string' ? content : '';
  const match = /<section path="[^"]*">\n(?<section>[^]*)\n<\/section>$/u.exec(text);
  return match?.groups?.['section'] ?? '';
}

test('buildModelEditRequest includes the text around the cursor, and lists the last edit after earlier edits', () => {
  const { request } = buildModelEditRequest(snapshot, {
    change: { before: 'old', after: 'new' },
    snippets: [
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

test.each([
  ['completes', 'a refusal', ['No', 'ne.'], true],
  ['completes', 'a refusal after blank lines', ['\n ', 'none'], true],
  ['does not complete', 'a longer word that begins like a refusal', ['nonexistent = 1'], false],
  [
    'does not complete',
    'a change, because a second change would make the answer invalid',
    [createAnswer('a', 'b')],
    false,
  ],
])(
  'the reader from createVerbatimReader %s before the end of the answer after %s',
  (_resultLabel, _answerLabel, chunks, isComplete) => {
    const reader = createVerbatimReader();
    for (const chunk of chunks) reader.push(chunk);
    expect(reader.isComplete).toBe(isComplete);
    expect(reader.text).toBe(chunks.join(''));
  },
);
