import { expect, test } from 'vitest';
import { AnswerLines } from './answer-lines.ts';

/** Reads an answer in chunks of `size` characters. */
function read(answer: string, language = 'typescript', size = 3): readonly string[] {
  const reader = new AnswerLines(language);
  for (let at = 0; at < answer.length; at += size) reader.push(answer.slice(at, at + size));
  reader.end();
  return reader.lines;
}

const code = ['const a = 1;', '', 'use(a);'];
const text = code.join('\n');

test.each([
  ['without a fence', text],
  ['with CRLF line breaks', code.join('\r\n')],
  ['in a fence', `\`\`\`ts\n${text}\n\`\`\``],
  ['in a fence followed by text', `\`\`\`\n${text}\n\`\`\`\n\nI renamed it.`],
  ['in a fence after a sentence', `Here is the changed code:\n\n\`\`\`ts\n${text}\n\`\`\``],
  ['after a sentence, without a fence', `Here is the changed code:\n${text}`],
  ['in a tilde fence', `~~~\n${text}\n~~~\n`],
  ['inside the prompt’s <lines> markers', `<lines>\n${text}\n</lines>`],
  ['in an unclosed fence', `\`\`\`ts\n${text}`],
  ['before a stray closing fence', `${text}\n\`\`\``],
  ['between blank lines', `\n\n${text}\n\n`],
  ['with hidden characters', `const a\u200B = 1;\n\nuse(\u202Ea);`],
])('extracts the lines %s', (_, answer) => {
  for (const size of [1, 7, answer.length]) expect(read(answer, 'typescript', size)).toEqual(code);
});

test('does not close a long fence at a shorter one', () => {
  expect(read('````ts\nconst a = `\n```\n`;\n````')).toEqual(['const a = `', '```', '`;']);
});

test.each([
  ['sentences', 'Here is the tide.\nIt rises.', ['Here is the tide.', 'It rises.']],
  ['code fences', '# A\n\n```ts\na\n```', ['# A', '', '```ts', 'a', '```']],
  ['a code fence on the first line', '```ts\na\n```\n\nEnd.', ['```ts', 'a', '```', '', 'End.']],
  [
    'the content of a fence around the whole text',
    '```markdown\n# A\n\n```ts\na\n```\n\nEnd.\n```',
    ['# A', '', '```ts', 'a', '```', '', 'End.'],
  ],
])('in Markdown, keeps %s', (_, answer, lines) => {
  expect(read(answer, 'markdown')).toEqual(lines);
});

test('returns each line as soon as it is complete', () => {
  const reader = new AnswerLines('typescript');
  reader.push('const a = 1;\nuse');
  expect(reader.lines).toEqual(['const a = 1;']);
  reader.push('(a);\n');
  expect(reader.lines).toEqual(['const a = 1;', 'use(a);']);
});

test.each(['', '\n\n', 'I cannot do that for you.', 'Sure! Here is the code:'])(
  'returns no lines for %j',
  (answer) => {
    expect(read(answer)).toEqual([]);
  },
);

test('stops reading an endless answer', () => {
  const reader = new AnswerLines('typescript');
  for (let count = 0; count < 50 && !reader.isOver; count += 1) reader.push('x;\n'.repeat(1_000));
  expect(reader.isOver).toBe(true);
  expect(reader.lines.length).toBeLessThanOrEqual(20_000);
  const line = new AnswerLines('typescript');
  for (let count = 0; count < 50 && !line.isOver; count += 1) line.push('x'.repeat(100_000));
  expect(line.isOver).toBe(true);
});
