import { expect, test } from 'vitest';
import { AnswerLines } from './answer-lines.ts';

/** Passes an answer to the reader in chunks of `size` characters. Returns the extracted lines. */
function readLines(answer: string, language = 'typescript', size = 3): readonly string[] {
  const reader = new AnswerLines(language);
  for (let start = 0; start < answer.length; start += size)
    reader.push(answer.slice(start, start + size));
  reader.end();
  return reader.lines;
}

const code = ['const a = 1;', '', 'use(a);'];
const text = code.join('\n');

test.each([
  ['from an answer without a fence', text],
  ['from an answer with CRLF line breaks', code.join('\r\n')],
  ['from a fence', `\`\`\`ts\n${text}\n\`\`\``],
  ['from a fence followed by text', `\`\`\`\n${text}\n\`\`\`\n\nI renamed it.`],
  ['from a fence after a sentence', `Here is the changed code:\n\n\`\`\`ts\n${text}\n\`\`\``],
  ['after a sentence in an answer without a fence', `Here is the changed code:\n${text}`],
  ['from a tilde fence', `~~~\n${text}\n~~~\n`],
  ['between the prompt’s <lines> markers', `<lines>\n${text}\n</lines>`],
  ['from an unclosed fence', `\`\`\`ts\n${text}`],
  ['before a stray closing fence', `${text}\n\`\`\``],
  ['between leading and trailing blank lines', `\n\n${text}\n\n`],
  ['without their hidden characters', `const a\u200B = 1;\n\nuse(\u202Ea);`],
])('extracts the lines of code %s', (_, answer) => {
  for (const size of [1, 7, answer.length])
    expect(readLines(answer, 'typescript', size)).toEqual(code);
});

test('does not end a fence of four backticks at three backticks', () => {
  expect(readLines('````ts\nconst a = `\n```\n`;\n````')).toEqual(['const a = `', '```', '`;']);
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
])('in a Markdown document, keeps %s', (_, answer, lines) => {
  expect(readLines(answer, 'markdown')).toEqual(lines);
});

test('returns a line when the line break arrives', () => {
  const reader = new AnswerLines('typescript');
  reader.push('const a = 1;\nuse');
  expect(reader.lines).toEqual(['const a = 1;']);
  reader.push('(a);\n');
  expect(reader.lines).toEqual(['const a = 1;', 'use(a);']);
});

test.each(['', '\n\n', 'I cannot do that for you.', 'Sure! Here is the code:'])(
  'extracts no lines from the answer %j',
  (answer) => {
    expect(readLines(answer)).toEqual([]);
  },
);

test('ignores the rest of an answer above the limit of lines or characters', () => {
  const reader = new AnswerLines('typescript');
  for (let count = 0; count < 50 && !reader.isComplete; count += 1)
    reader.push('x;\n'.repeat(1_000));
  expect(reader.isComplete).toBe(true);
  expect(reader.lines.length).toBeLessThanOrEqual(20_000);
  const lineReader = new AnswerLines('typescript');
  for (let count = 0; count < 50 && !lineReader.isComplete; count += 1)
    lineReader.push('x'.repeat(100_000));
  expect(lineReader.isComplete).toBe(true);
});
