import { expect, test } from 'vitest';
import { chooseCompletionScope } from './scope.ts';
import { createAnswerReader } from './read-answer.ts';
import { createSnapshotOf } from '../snapshot.fixture.ts';
import { readEditAnswer } from '../../agent/answer/edit-answer.ts';
import { thinkingTags, turnEndTokens } from '../../base/model-answer.ts';

const code = 'const sum = a + b;\n  return sum * 2;';
const fence = `\`\`\`ts\n${code}\n\`\`\``;

function readCompletion(answer: string): string {
  const snapshot = createSnapshotOf('function f(a: number, b: number) {\n  |\n}\n', 'typescript');
  const reader = createAnswerReader(snapshot, chooseCompletionScope(snapshot));
  for (const character of answer) reader.push(character);
  reader.end();
  return reader.text;
}

const readEdit = (answer: string) =>
  readEditAnswer(answer, {
    language: 'typescript',
    path: 'src/a.ts',
    original: ['  const sum = a - b;', '  return sum;'],
    before: ['function f(a: number, b: number) {'],
    after: ['}'],
    usesTabs: false,
    tabSize: 2,
  });

test.each([
  ['without marks', code],
  ['in a fence', fence],
  ['in a fence with a path', fence.replace('ts', 'ts:src/a.ts')],
  ['in a fence that is not closed', `\`\`\`ts\n${code}`],
  ['after a remark', `Here's the completed code:\n\n${code}`],
  ['after a German remark', `Hier ist der Code:\n\n${code}`],
  ['after a French remark', `Voici le code :\n${fence}`],
  ['after a Chinese remark', `以下是代码：\n\n${code}`],
  ['between Chinese remarks', `以下是代码：\n${fence}\n说明：返回总和。`],
  ['after a heading', `### Updated code\n\n${fence}`],
  ['after a label in bold', `**Completed code:**\n${fence}`],
  ['before an explanation', `${code}\n\nExplanation: it is short.`],
  ['before an offer', `${code}\n\nLet me know if you need more.`],
  ['in lines tags', `<lines>\n${code}\n</lines>`],
  ['in answer tags', `<answer>\n${code}\n</answer>`],
  ['in code tags', `<code>\n${code}\n</code>`],
  ['in result tags', `<result>\n${code}\n</result>`],
  ['after the role', `assistant\n${code}`],
  ['after a comment with the path', `// filepath: src/a.ts\n${code}`],
  ['in a fence, after a comment with the path', `\`\`\`ts\n// src/a.ts\n${code}\n\`\`\``],
  ['after thinking marks in brackets', `[THINK]hm[/THINK]${code}`],
  ['after thinking marks in triangles', `◁think▷hm◁/think▷${code}`],
  ['after the end of thinking', `The user wants a sum.\n</think>\n\n${code}`],
  [
    'in channels',
    `<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>${code}<|return|>`,
  ],
  ['with header tokens', `<|start_header_id|>assistant<|end_header_id|>\n\n${code}<|eot_id|>`],
  ['with ChatML tokens', `<|im_start|>assistant\n${code}<|im_end|>`],
  ['with turn tokens', `<start_of_turn>model\n${code}<end_of_turn>`],
  ['with sentence tokens', `<s>${code}</s>`],
  ...thinkingTags.map((tag) => [`after ${tag} tags`, `<${tag}>\nhm {\n</${tag}>\n\n${code}`]),
  ...turnEndTokens.map((token) => [`before ${token}`, `${code}${token}\n<|im_start|>user\nThanks`]),
])(
  'inline suggestions and inline edits extract the same lines from an answer %s',
  (_, answer = '') => {
    expect(readCompletion(answer)).toBe(code);
    expect(readEdit(answer)).toEqual({ kind: 'lines', lines: `  ${code}`.split('\n') });
  },
);

test.each([
  ['an apology', "I'm sorry, but I can't complete this."],
  ['a refusal in German', 'Ich kann das leider nicht ergänzen.'],
  ['a tool call', '<tool_call>\n{"name": "edit_file", "arguments": {}}\n</tool_call>'],
  ['SEARCH/REPLACE blocks', `<<<<<<< SEARCH\nx\n=======\n${code}\n>>>>>>> REPLACE`],
  ['a patch', `*** Begin Patch\n*** Update File: a.ts\n@@\n+${code}\n*** End Patch`],
  ['JSON', JSON.stringify({ code: [code] })],
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
