import { expect, test } from 'vitest';
import { measureGrowth } from '../../../test/support/growth.ts';
import { applyBlock } from './apply-block.ts';
import type { EditTarget } from './edit-answer.ts';
import { readOfferedAnswer } from './offered-answer.fixture.ts';

const originalText = 'const a = 1;\nuse(a);';
const newText = 'const a = 2;\nuse(a);\nclose(a);';
const target: EditTarget = {
  language: 'typescript',
  original: originalText.split('\n'),
  before: ['import { use } from "./use.ts";', ''],
  after: [],
  path: 'src/a.ts',
  usesTabs: false,
  tabSize: 2,
};
const readAnswer = (answer: string, overrides: Partial<EditTarget> = {}): unknown => {
  const result = readOfferedAnswer(answer, { ...target, ...overrides });
  return result.kind === 'lines' ? result.lines.join('\n') : result.kind;
};

const newLinesJson = JSON.stringify(newText.split('\n'));

test.each([
  ['placeholders of a request', `{{REWRITTEN_CODE}}\n${newText}\n{{/REWRITTEN_CODE}}`],
  ['a start line', `:start_line:3\n-------\n${newText}`],
  ['a token of an infilling model', `<|fim_middle|>${newText}`],
  ['a JSON array', newLinesJson],
  ['a JSON object with lines', `{"lines": ${newLinesJson}}`],
])('readEditAnswer removes %s around the new lines, with and without a fence', (_, answer) => {
  expect(readAnswer(answer)).toBe(newText);
  expect(readAnswer(`\`\`\`\`ts\n${answer}\n\`\`\`\``)).toBe(newText);
});

test.each([
  ['a placeholder after the new lines', `${newText}\n{{INSERTED_CODE}}`],
  ['a canvas block', `:::writing{variant="code"}\n${newText}\n:::`],
  ['BBCode', `[code=ts]\n${newText}\n[/code]`],
  ['language tags', `[TS]\n${newText}\n[/TS]`],
  ['a Jira block', `{code:ts}\n${newText}\n{code}`],
  ['an Org block', `#+begin_src ts\n${newText}\n#+end_src`],
  ['single quotation marks with a language', `'''ts\n${newText}\n'''`],
  ['source tags', `<source>\n${newText}\n</source>`],
  ['start and end labels', `--- BEGIN CODE ---\n${newText}\n--- END CODE ---`],
  ['comments about the selection', `// Start of selection\n${newText}\n// End of selection`],
  ['lines of equals signs', `==========\n${newText}\n==========`],
  ['the labels of a copy button', `ts\nCopy code\n${newText}`],
  ['the labels of two buttons', `typescript\nCopy\nEdit\n${newText}`],
  ['the path of the document', `src/a.ts\n${newText}`],
  ['the path of the document in backticks', `\`src/a.ts\`:\n${newText}`],
  ['an end label', `${newText}\n[End of answer]`],
  ['an end-of-file token', `${newText}\n<EOF>`],
  ['an end-of-stream label', `${newText}\n\n[DONE]`],
  ['front matter', `---\nfile: src/a.ts\nlanguage: ts\n---\n${newText}`],
])('readEditAnswer refuses an answer with %s, with and without a fence', (_, answer) => {
  expect(readAnswer(answer)).toBe('refused');
  expect(readAnswer(`\`\`\`\`ts\n${answer}\n\`\`\`\``)).toBe('refused');
});

test('readEditAnswer refuses front matter that contains the path of the edited Markdown document', () => {
  const fields = { language: 'markdown', original: ['Text.'], path: 'docs/a.md' };
  expect(readAnswer('---\nfile: docs/a.md\nlang: md\n---\nText two.', fields)).toBe('refused');
  const text = '---\nfile: b.md\nlang: en\n---\nText two.';
  expect(readAnswer(`\`\`\`markdown\n${text}\n\`\`\``, fields)).toBe(text);
});

test.each([
  ['{{REWRITTEN_CODE}}\na\n{{/REWRITTEN_CODE}}', 'Document {{REWRITTEN_CODE}}', 'refused'],
  ['copy code\na', 'Add the label "Copy code\n"', 'refused'],
  ['=====\nTitle\n=====', 'Make it a title', 'exact'],
  ['["a b", "c d"]', 'Make it an array', 'refused'],
  ['a\n<EOF>', 'Add the token <EOF>', 'exact'],
] as const)(
  'readEditAnswer removes no text from the answer %j to the request %j',
  (answer, instruction, kind) => {
    const overrides = { language: 'markdown', original: ['["x"]', '=====', 'a'], instruction };
    expect(readAnswer(answer, overrides)).toBe(kind === 'exact' ? answer : kind);
  },
);

test.each([
  ['an edit tool', JSON.stringify({ path: 'src/a.ts', old_string: 'a = 1', new_string: 'a = 2' })],
  ['a list of edits', JSON.stringify({ edits: [{ search: 'a = 1', replace: 'a = 2' }] })],
  ['a diff without options', '1c1\n< const a = 1;\n---\n> const a = 2;'],
  [
    'a conflict',
    `<<<<<<< ours\n${originalText}\n=======\n${originalText.replace('1', '2')}\n>>>>>>> theirs`,
  ],
  [
    'a block with a line number',
    '<<<<<<< SEARCH\n:start_line:3\n-------\nconst a = 1;\n=======\nconst a = 2;\n>>>>>>> REPLACE',
  ],
])('readEditAnswer and applyBlock apply the changes in the format of %s', (_, answer) => {
  const changedText = originalText.replace('1', '2');
  expect(readAnswer(answer)).toBe(changedText);
  expect(readAnswer(`\`\`\`\n${answer}\n\`\`\``)).toBe(changedText);
  const block = { code: answer, info: '', lineBefore: '' };
  expect(applyBlock(`${originalText}\n`, block, 'src/a.ts')).toMatchObject({
    text: `${changedText}\n`,
  });
  expect(readAnswer(answer, { original: ['other();'] })).toBe('refused');
  expect(applyBlock('other();\n', block, 'src/a.ts').kind).toBe('refused');
});

test.each([
  ['additions without context', '1a2\n> b'],
  ['two old texts', '{"search": "a = 1", "find": "b", "replace": "c"}'],
  ['an unknown key', '{"search": "a = 1", "replace": "a = 2", "next": "b"}'],
])('readEditAnswer refuses changes with %s', (_, answer) => {
  expect(readAnswer(answer)).toBe('refused');
});

test('readEditAnswer keeps a JSON object with the keys `search` and `replace` in a JSON document', () => {
  const answer = '{ "search": "b", "replace": "c" }';
  const fields = {
    language: 'json',
    original: ['{ "search": "a", "replace": "c" }'],
    path: 'a.json',
  };
  expect(readAnswer(answer, fields)).toBe(answer);
});

test.each([
  'Usage:',
  '**Example usage:**',
  '### How to test',
  'You can test it like this:',
  'Expected output:',
  'Try it:',
])('readEditAnswer reads the first code block if the block after %j is an example', (label) => {
  const answer = `Here it is:\n\n\`\`\`ts\n${newText}\n\`\`\`\n\n${label}\n\n\`\`\`ts\nrun(3);\n\`\`\``;
  expect(readAnswer(answer)).toBe(newText);
});

test.each([
  ['a label of further changes', 'Also add this import:', 'import { close } from "./close.ts";'],
  ['lines of the original', 'Usage:', 'const b = 1;\nuse(a);'],
])('readEditAnswer refuses a second code block with %s', (_, label, otherCode) => {
  const answer = `\`\`\`ts\n${newText}\n\`\`\`\n\n${label}\n\n\`\`\`ts\n${otherCode}\n\`\`\``;
  expect(readAnswer(answer)).toBe('refused');
});

test.each([
  ['spaces before a tilde', (size: number) => `~~a\nx${' '.repeat(size)}~`],
  ['slashes in a command', (size: number) => `:s/${'/'.repeat(size)}!`],
  ['words and slashes in a command', (size: number) => `:s/${'/a '.repeat(size / 3)}!`],
  ['quotation marks and arrows', (size: number) => `foo\n${'">'.repeat(size / 2)} x`],
  ['spaces after an arrow', (size: number) => `foo\n">${' '.repeat(size)}x ">y x`],
])('readEditAnswer takes linear time for many %s', (_, createAnswer) => {
  const run = (size: number): unknown => readAnswer(createAnswer(size));
  expect(measureGrowth(run, { smallSize: 5_000, smallCount: 16 }).timeRatio).toBeLessThan(4);
});

test.each([
  ['a command of an editor', ':s/const a = 1/const a = 2/', 'refused'],
  ['a command with flags', ':%s/a//g ', 'refused'],
  ['crossed out lines', '~~const a = 1;~~\nconst a = 2;', 'refused'],
  ['a command that writes the file', "echo 'const a = 2;' > src/a.ts", 'refused'],
])('readEditAnswer refuses %s', (_, answer, kind) => {
  expect(readAnswer(answer)).toBe(kind);
});
