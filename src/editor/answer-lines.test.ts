import { expect, test } from 'vitest';
import { AnswerLines } from './answer-lines.ts';

/** In pieces of `size` characters. */
function read(answer: string, language = 'typescript', size = 3): readonly string[] {
  const reader = new AnswerLines(language);
  for (let at = 0; at < answer.length; at += size) reader.push(answer.slice(at, at + size));
  reader.end();
  return reader.lines;
}

const code = ['const a = 1;', '', 'use(a);'];
const text = code.join('\n');

test.each([
  ['alone', text],
  ['with line ends of other systems', code.join('\r\n')],
  ['in a fence', `\`\`\`ts\n${text}\n\`\`\``],
  ['in a fence with more behind it', `\`\`\`\n${text}\n\`\`\`\n\nI renamed it.`],
  ['behind a sentence', `Here is the changed code:\n\n\`\`\`ts\n${text}\n\`\`\``],
  ['behind a sentence without a fence', `Here is the changed code:\n${text}`],
  ['in tildes', `~~~\n${text}\n~~~\n`],
  ['in the marks of the question', `<lines>\n${text}\n</lines>`],
  ['in a fence that ends too early', `\`\`\`ts\n${text}`],
  ['with a fence that nothing opened', `${text}\n\`\`\``],
  ['with blank lines around', `\n\n${text}\n\n`],
  ['with hidden characters', `const a\u200B = 1;\n\nuse(\u202Ea);`],
])('finds the lines %s', (_, answer) => {
  for (const size of [1, 7, answer.length]) expect(read(answer, 'typescript', size)).toEqual(code);
});

test('keeps a longer fence open over a shorter one', () => {
  expect(read('````ts\nconst a = `\n```\n`;\n````')).toEqual(['const a = `', '```', '`;']);
});

test.each([
  ['sentences', 'Here is the tide.\nIt rises.', ['Here is the tide.', 'It rises.']],
  ['its own fences', '# A\n\n```ts\na\n```', ['# A', '', '```ts', 'a', '```']],
  ['a fence as its first line', '```ts\na\n```\n\nEnd.', ['```ts', 'a', '```', '', 'End.']],
  [
    'a fence around it all',
    '```markdown\n# A\n\n```ts\na\n```\n\nEnd.\n```',
    ['# A', '', '```ts', 'a', '```', '', 'End.'],
  ],
])('a text keeps %s', (_, answer, lines) => {
  expect(read(answer, 'markdown')).toEqual(lines);
});

test('gives each line as soon as it is whole', () => {
  const reader = new AnswerLines('typescript');
  reader.push('const a = 1;\nuse');
  expect(reader.lines).toEqual(['const a = 1;']);
  reader.push('(a);\n');
  expect(reader.lines).toEqual(['const a = 1;', 'use(a);']);
});

test.each(['', '\n\n', 'I cannot do that for you.', 'Sure! Here is the code:'])(
  'finds nothing in %j',
  (answer) => {
    expect(read(answer)).toEqual([]);
  },
);

test('ends an answer that has no end', () => {
  const reader = new AnswerLines('typescript');
  for (let count = 0; count < 50 && !reader.isOver; count += 1) reader.push('x;\n'.repeat(1_000));
  expect(reader.isOver).toBe(true);
  expect(reader.lines.length).toBeLessThanOrEqual(20_000);
  const line = new AnswerLines('typescript');
  for (let count = 0; count < 50 && !line.isOver; count += 1) line.push('x'.repeat(100_000));
  expect(line.isOver).toBe(true);
});
