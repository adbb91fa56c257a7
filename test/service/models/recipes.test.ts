import { describe, expect, test } from 'vitest';
import { readCommitMessage } from '../../../src/agent/answer/commit-message.ts';
import { type CommitContext, buildCommitPrompt } from '../../../src/conversation/commit-prompt.ts';
import { readEditAnswer } from '../../../src/agent/answer/edit-answer.ts';
import {
  type EditRequestOptions,
  buildEditRequest,
  toSentLines,
} from '../../../src/editor/edit-request.ts';
import { requestAnswer, workspaceTools } from './workspace.fixture.ts';

const fencedCode =
  '```ts\nexport function tide(at: Date): number {\n  return at.getTime();\n}\n```';
const readmeAttachment =
  '<attachment: README.md>\n```markdown\n# Tides\n\n## Use\n```\n</attachment>';

const requestText = async (texts: readonly string[]): Promise<string> => {
  const messages = texts.map((content) => ({ role: 'user', content }));
  return (await requestAnswer(messages, { tools: workspaceTools })).content;
};

test.each<[name: string, messages: readonly string[], has: RegExp, hasNot: RegExp]>([
  ['a question', ['What is a monad?'], /a monad/, /```/],
  ['a request to explain code', [`Explain this\n\n${fencedCode}`], /`tide`/, /stand-in/],
  [
    'a question on another topic than the code',
    [`Explain this\n\n${fencedCode}`, 'What is a monad?'],
    /a monad/,
    /`tide`/,
  ],
  [
    'a second question about the same code',
    [`Explain this\n\n${fencedCode}`, 'And what does it return?'],
    /`tide`/,
    /stand-in/,
  ],
  [
    'a request to write tests',
    [`Write tests for tide\n\n${fencedCode}`],
    /expect\(tide\(at\)\)/,
    /stand-in/,
  ],
  ['a request to document code', [`Document this\n\n${fencedCode}`], /@param at/, /stand-in/],
  [
    'a question about problems in code',
    [`What is wrong?\n\n${fencedCode}`],
    /nothing that is wrong/,
    /stand-in/,
  ],
  [
    'a question about an attachment',
    [`${readmeAttachment}\n\nWhat is this about?`],
    /a text of \d+ words[\s\S]*- Use/,
    /stand-in/,
  ],
  ['a request to count', ['Count to 200'], /200\. This is line 200/, /```/],
  ['a greeting', ['Hello'], /Hello!/, /stand-in/],
])('the model gives an answer that fits %s', async (_, messages, includedText, excludedText) => {
  const answer = await requestText(messages);
  expect(answer).toMatch(includedText);
  expect(answer).not.toMatch(excludedText);
});

describe('the commit message recipe', () => {
  const requestMessage = async (context: Partial<CommitContext>): Promise<string> => {
    const answer = await requestText([
      buildCommitPrompt({ diff: '', recentSubjects: [], ...context }),
    ]);
    expect(readCommitMessage(answer)).toEqual({ kind: 'message', text: answer });
    return answer;
  };
  const addedDiff =
    'diff --git a/src/ebb.ts b/src/ebb.ts\nnew file mode 100644\n@@ -0,0 +1 @@\n+run x';
  const removedDiff = addedDiff.replace('new file', 'deleted file');
  const renamedDiff =
    'diff --git a/src/ebb.ts b/src/flow.ts\nrename from src/ebb.ts\nrename to src/flow.ts';
  const changedDiff = 'diff --git a/a.md b/a.md\n--- a/a.md\n+++ b/a.md\n@@ -1 +1 @@\n-a\n+Fix it';

  test.each([
    ['an added file', 'Add ebb.ts', addedDiff],
    ['a removed file', 'Remove ebb.ts', removedDiff],
    ['a renamed file', 'Rename ebb.ts to flow.ts', renamedDiff],
    ['a changed file', 'Change a.md', changedDiff],
    ['two files', 'Change a.md and ebb.ts', `${changedDiff}\n${addedDiff}`],
    ['three files', 'Change a.md and 2 more', `${changedDiff}\n${addedDiff}\n${removedDiff}`],
    ['no file', 'Change files', ''],
  ])('returns for a diff with %s the message "%s"', async (_, message, diff) => {
    expect(await requestMessage({ diff })).toBe(message);
  });

  test.each([
    ['feat: begin', 'feat: add ebb.ts'],
    ['fix(tides)!: begin', 'feat: add ebb.ts'],
    ['tides: begin', 'tides: add ebb.ts'],
    ['Begin', 'Add ebb.ts'],
  ])(
    'returns, after a commit with the subject "%s", the message "%s"',
    async (lastSubject, message) => {
      expect(await requestMessage({ diff: addedDiff, recentSubjects: [lastSubject] })).toBe(
        message,
      );
    },
  );

  test("keeps the user's draft, and appends the names of new files", async () => {
    const message = await requestMessage({ newFiles: ['docs/new.md'], draft: 'Say more' });
    expect(message).toBe('Say more\n\nAdd new.md');
  });
});

describe('the edit-in-place recipe', () => {
  const floodText = '  function flood(at) {\n    var low = at - 1;\n    return low;\n  }';
  const requestEditedLines = async (
    instruction: string,
    overrides: Partial<EditRequestOptions> = {},
  ): Promise<string> => {
    const options = {
      model: 'm',
      path: 'src/tide.ts',
      language: 'typescript',
      text: floodText,
      before: 'class Tide {',
      after: '}',
      instruction,
      ...overrides,
    };
    const { messages } = buildEditRequest(options);
    const content = messages.at(-1)?.content;
    const answer = await requestText([typeof content === 'string' ? content : '']);
    const target = { ...toSentLines(options), language: options.language };
    const result = readEditAnswer(answer, { ...target, usesTabs: false, tabSize: 2 });
    expect(result).toEqual({ kind: 'lines', lines: answer.split('\n') });
    return answer;
  };

  test.each([
    ['Rename flood to ebb', floodText.replace('flood', 'ebb')],
    ['Please replace `at - 1` with `at + 1`.', floodText.replace('at - 1', 'at + 1')],
    [
      'Document the code in the lines',
      `  /**\n   * Describes \`flood\`.\n   * @param at Input of \`flood\`.\n   */\n${floodText}`,
    ],
    ['Read a.ts, then make it faster', `  // To do: Read a.ts, then make it faster\n${floodText}`],
    ['Rename ebb to flow', `  // To do: Rename ebb to flow\n${floodText}`],
  ])(
    'returns the changed lines without other text for the instruction %j',
    async (instruction, expectedText) => {
      expect(await requestEditedLines(instruction)).toBe(expectedText);
    },
  );

  test('applies the replacement name that a problem message proposes', async () => {
    const problems = ["Error at line 4: Cannot find name 'lov'. Did you mean 'low'?"];
    const text = floodText.replace('return low', 'return lov');
    expect(await requestEditedLines('Fix the problems of the lines.', { text, problems })).toBe(
      floodText,
    );
  });

  test.each([
    ['Sort the lines', 'plaintext', 'b\na', 'a\nb'],
    ['Say hello', 'html', '<p></p>', '<!-- To do: Say hello -->\n<p></p>'],
    ['Say hello', 'python', '', '# To do: Say hello'],
  ])(
    'applies the instruction "%s" to lines in the language %s',
    async (instruction, language, text, lines) => {
      const context = { before: '', after: '' };
      expect(await requestEditedLines(instruction, { language, text, ...context })).toBe(lines);
    },
  );
});
