import { expect, test } from 'vitest';
import { chooseCompletionScope } from './scope.ts';
import { createAnswerReader } from './read-answer.ts';
import { createSnapshotOf } from '../snapshot.fixture.ts';
import { readOfferedAnswer } from '../../agent/answer/offered-answer.fixture.ts';
import { thinkingTags, turnEndTokens } from '../../base/model-answer.ts';

const functionBody = 'const sum = a + b;\n  return sum * 2;';
const fencedCode = `\`\`\`ts\n${functionBody}\n\`\`\``;

function readCompletion(answer: string): string {
  const snapshot = createSnapshotOf('function f(a: number, b: number) {\n  |\n}\n', 'typescript');
  const reader = createAnswerReader(snapshot, chooseCompletionScope(snapshot));
  for (const character of answer) reader.push(character);
  reader.end();
  return reader.text;
}

const readEdit = (answer: string) =>
  readOfferedAnswer(answer, {
    language: 'typescript',
    path: 'src/a.ts',
    original: ['  const sum = a - b;', '  return sum;'],
    before: ['function f(a: number, b: number) {'],
    after: ['}'],
    usesTabs: false,
    tabSize: 2,
  });

test.each([
  ['without tags', functionBody],
  ['in a fence', fencedCode],
  ['in a fence with a path', fencedCode.replace('ts', 'ts:src/a.ts')],
  ['in a fence that is not closed', `\`\`\`ts\n${functionBody}`],
  ['after a remark', `Here's the completed code:\n\n${functionBody}`],
  ['after a German remark', `Hier ist der Code:\n\n${functionBody}`],
  ['after a French remark', `Voici le code :\n${fencedCode}`],
  ['after a Chinese remark', `以下是代码：\n\n${functionBody}`],
  ['between Chinese remarks', `以下是代码：\n${fencedCode}\n说明：返回总和。`],
  ['after a heading', `### Updated code\n\n${fencedCode}`],
  ['after a label in bold', `**Completed code:**\n${fencedCode}`],
  ['before an explanation', `${functionBody}\n\nExplanation: it is short.`],
  ['before an offer', `${functionBody}\n\nLet me know if you need more.`],
  ['in lines tags', `<lines>\n${functionBody}\n</lines>`],
  ['in answer tags', `<answer>\n${functionBody}\n</answer>`],
  ['in code tags', `<code>\n${functionBody}\n</code>`],
  ['in result tags', `<result>\n${functionBody}\n</result>`],
  ['after the role', `assistant\n${functionBody}`],
  ['after a comment with the path', `// filepath: src/a.ts\n${functionBody}`],
  ['in a fence, after a comment with the path', `\`\`\`ts\n// src/a.ts\n${functionBody}\n\`\`\``],
  ['after thinking tokens in brackets', `[THINK]hm[/THINK]${functionBody}`],
  ['after thinking tokens in triangles', `◁think▷hm◁/think▷${functionBody}`],
  ['after the end of thinking', `The user wants a sum.\n</think>\n\n${functionBody}`],
  [
    'in channels',
    `<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>${functionBody}<|return|>`,
  ],
  [
    'with header tokens',
    `<|start_header_id|>assistant<|end_header_id|>\n\n${functionBody}<|eot_id|>`,
  ],
  ['with ChatML tokens', `<|im_start|>assistant\n${functionBody}<|im_end|>`],
  ['with turn tokens', `<start_of_turn>model\n${functionBody}<end_of_turn>`],
  ['with sentence tokens', `<s>${functionBody}</s>`],
  ...thinkingTags.map((tag) => [
    `after ${tag} tags`,
    `<${tag}>\nhm {\n</${tag}>\n\n${functionBody}`,
  ]),
  ...turnEndTokens.map((token) => [
    `before ${token}`,
    `${functionBody}${token}\n<|im_start|>user\nThanks`,
  ]),
])(
  'inline suggestions and inline edits extract the same lines from an answer that contains code %s',
  (_, answer = '') => {
    expect(readCompletion(answer)).toBe(functionBody);
    expect(readEdit(answer)).toEqual({ kind: 'lines', lines: `  ${functionBody}`.split('\n') });
  },
);

test.each([
  ['an apology', "I'm sorry, but I can't complete this."],
  ['a refusal in German', 'Ich kann das leider nicht ergänzen.'],
  ['a tool call', '<tool_call>\n{"name": "edit_file", "arguments": {}}\n</tool_call>'],
  ['SEARCH/REPLACE blocks', `<<<<<<< SEARCH\nx\n=======\n${functionBody}\n>>>>>>> REPLACE`],
  ['a patch', `*** Begin Patch\n*** Update File: a.ts\n@@\n+${functionBody}\n*** End Patch`],
  ['JSON', JSON.stringify({ code: [functionBody] })],
  ['a merge conflict', `<<<<<<< HEAD\nx\n=======\n${functionBody}\n>>>>>>> theirs`],
  ['blocks of old and new code', `<<<<<<< before\nx\n=======\n${functionBody}\n>>>>>>> after`],
  ['a diff without headers', '2,3c2,3\n< x\n< y\n---\n> a\n> b'],
  ['JSON with old and new text', JSON.stringify({ old_text: 'x', new_text: functionBody })],
  ['JSON with edits', JSON.stringify({ edits: [{ search: 'x', replace: functionBody }] })],
])('inline suggestions and inline edits reject %s as an answer', (_, answer) => {
  expect(readCompletion(answer)).toBe('');
  expect(readEdit(answer)).toMatchObject({ kind: 'refused' });
});

test.each([
  ['typescript', '|', '/** Adds. */\nexport const a = 1;'],
  ['typescript', '|', '// src and dest are the same.\ncopy();'],
  ['typescript', 'const a = |', '`x`'],
  ['typescript', 'const a = |', '{ code: 1 };'],
  ['typescript', '|', 'model.load();'],
  ['typescript', '|', 'assistant = 1;'],
  ['typescript', 'f(|)', '<T>(x: T) => x'],
  ['typescriptreact', 'return (\n  |\n);', '<code>\n    a\n  </code>'],
  ['html', '<p>\n  |\n</p>', '<s>old</s>'],
  ['python', '|', '## Section\na = 1'],
  ['python', '|', '@dataclass\nclass A:\n    a: int'],
  ['c', '|', '#include <a.h>'],
  ['json', '{\n  "a": |\n}', '{ "code": 1 }'],
  ['python', 'rows = [\n    {"text": "a"},\n    |\n]', '{"text": "b"},'],
  ['typescript', 'const a = [\n  |\n];', '12,\n  13,'],
  ['sql', '|', '-- a.sql is generated.\nSELECT 1;'],
  ['markdown', '# A\n\n|', 'Here is the list of ships.'],
])(
  'an inline suggestion in a %s document with the text %j keeps the whole answer %j',
  (language, text, answer) => {
    const snapshot = createSnapshotOf(text, language);
    const reader = createAnswerReader(snapshot, chooseCompletionScope(snapshot));
    reader.push(answer);
    reader.end();
    expect(reader.text).toBe(answer);
  },
);
