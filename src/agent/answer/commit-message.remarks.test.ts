import { expect, test } from 'vitest';
import { previewCommitMessage, readCommitMessage } from './commit-message.ts';

test.each([
  ['Add tides', 'Add tides'],
  ['  Add tides\n\nThey rise.\n', 'Add tides\n\nThey rise.'],
  ['```\nAdd tides\n```', 'Add tides'],
  ['```text\nAdd tides\n\nThey rise.\n```\n', 'Add tides\n\nThey rise.'],
  ['"Add tides"', 'Add tides'],
  ["'Add tides'", 'Add tides'],
  ['Add "tides"', 'Add "tides"'],
  ['Add `tides`', 'Add `tides`'],
])('readCommitMessage reads the answer %j as the commit message %j', (answer, text) => {
  expect(readCommitMessage(answer)).toEqual({ kind: 'message', text });
});

test('readCommitMessage removes a zero-width space and a final line break', () => {
  expect(readCommitMessage('Add\u200B tides\r\n')).toEqual({ kind: 'message', text: 'Add tides' });
});

test.each([
  'Based on the diff, the message should be: Add tides',
  'Looking at these changes, I would write: Add tides',
  'The commit message is: Add tides',
  "Here's a message for you: Add tides",
  'Answer:\nAdd tides',
  'Assistant:\n\nAdd tides',
  '✅\nAdd tides',
  'Updated message:\nAdd tides',
  'Add tides\n(11 characters)',
  'Add tides\n\n[2 words]',
  'Add tides\n\nWould this work for you?',
  'Add tides\n\nShall I shorten it for you?',
  'Add tides\n\nDone!',
  'Add tides\n\n🎉',
  'Add tides\n---',
  'Add tides</s>',
  'Add tides<|im_end|>\n<|im_start|>user\nThanks',
  '<|im_start|>assistant\nAdd tides<|im_end|>',
  '```\nAdd tides\n```<|eot_id|>',
])('readCommitMessage removes remarks and tokens around the message in the answer %j', (answer) => {
  expect(readCommitMessage(answer)).toEqual({ kind: 'message', text: 'Add tides' });
});

test.each([
  'Cleanup.\n\nRemove the tides.',
  'Add rules:\n- one\n- two',
  'fix(message): Keep the colon',
  'Fix the message: keep the colon',
  'Add tides\n\n(cherry picked from commit 1234567)',
  'Add tides\n\nWhy did the moon move?',
  'From now on: use tides',
  'Limit titles\n\nTitle is now limited to 80 characters.\n\nFixes #12',
  'Refuse messages\n\nThe message contains characters that break the parser.\n\nFixes #12',
  'Add tides!',
])('readCommitMessage keeps the whole message %j', (message) => {
  expect(readCommitMessage(message)).toEqual({ kind: 'message', text: message });
});

const fencedMessage = '```\nfix: tides\n\nThey rise.\n```';
test.each([
  ["Here's the updated code:\n\nfix: tides\n\nThey rise."],
  ["Sure! Here's a commit message for your changes:\n\nfix: tides\n\nThey rise."],
  ['Commit message:\nfix: tides\n\nThey rise.'],
  ['**Commit message:**\n\nfix: tides\n\nThey rise.'],
  [`Here is the commit message:\n\n${fencedMessage}`],
  [`${fencedMessage}\n\nThis message follows the style of the last commits.`],
  [
    `Based on the diff, this is a suitable message.\n\n${fencedMessage}\n\nLet me know if you need more.`,
  ],
  ['fix: tides\n\nThey rise.\n\nLet me know if you want another style!'],
  [`Hier ist die Commit-Nachricht:\n\n${fencedMessage}`],
  ['以下是提交信息：\n\nfix: tides\n\nThey rise.'],
  ['The following message summarizes the change well:\n\nfix: tides\n\nThey rise.'],
  ['# Commit message\n\nfix: tides\n\nThey rise.'],
  ['Commit message: fix: tides\n\nThey rise.'],
  ['**Commit message:** fix: tides\n\nThey rise.'],
  ['"fix: tides\n\nThey rise."'],
  ['“fix: tides\n\nThey rise.”'],
  ['**fix: tides**\n\nThey rise.'],
  ['> fix: tides\n>\n> They rise.'],
  ['<commit_message>\nfix: tides\n\nThey rise.\n</commit_message>'],
  ['git commit -m "fix: tides" -m "They rise."'],
  ['```sh\ngit commit -m "fix: tides" -m "They rise."\n```'],
  [JSON.stringify('fix: tides\n\nThey rise.')],
  [JSON.stringify({ subject: 'fix: tides', body: 'They rise.' })],
  ['fix: tides\n\nThey rise.\n\n---\nThis message follows Conventional Commits.'],
  ['[THINK]Which style?[/THINK]fix: tides\n\nThey rise.'],
  [`<think>\nWhich style?\n</think>\n${fencedMessage}`],
])('readCommitMessage reads only the message from the answer %j', (answer) => {
  expect(readCommitMessage(answer)).toEqual({ kind: 'message', text: 'fix: tides\n\nThey rise.' });
});

test.each([
  ["I'm sorry, but I don't see any changes.", 'prose'],
  ['Could you please provide the diff?', 'prose'],
  ["Sure! Here's the commit message:", 'prose'],
  ['<think>\nfix: tides', 'prose'],
  [' \n', 'empty'],
  ['The diff is empty, so there is nothing to describe.', 'prose'],
  ['1. fix: tides\n2. fix: moon', 'several-blocks'],
  ['Here are two options:\n\n1. `fix: tides`\n2. `fix: moon`', 'several-blocks'],
  ['Option 1:\nfix: tides\n\nOption 2:\nfix: moon', 'several-blocks'],
  ['Option 1:\n```\nfix: a\n```\nOption 2:\n```\nfix: b\n```', 'several-blocks'],
  ['fix: tides\n\nor\n\nfix: moon', 'several-blocks'],
  ['```\nfix: a\n```\n\nor\n\n```\nfix: b\n```', 'several-blocks'],
])('readCommitMessage reads no message from the answer %j', (answer, reason) => {
  expect(readCommitMessage(answer)).toEqual({ kind: 'refused', reason });
});

test.each([
  'Update notes: say more\n\nNote that the tide is late.',
  'Add fences\n\n```ts\nuse();\n```\n\nThe changes keep the API.',
  'I18n: translate tides',
  'Quote "tides" and "moons"',
  "Use 'tides' and 'moons'",
  'Add rules:\n- one\n- two',
  'Add tides\n\n1. They rise.\n2. They fall.',
  '"Tides" and "moons"',
  'Fixed config: use tides',
])('readCommitMessage keeps the message %j, of which no part is a remark', (message) => {
  expect(readCommitMessage(message)).toEqual({ kind: 'message', text: message });
});

test('previewCommitMessage shows no part of an introduction while a message arrives', () => {
  const answer = `Here's the commit message:\n\n${fencedMessage}`;
  const previews = Array.from({ length: answer.length }, (_, end) => answer.slice(0, end)).map(
    previewCommitMessage,
  );
  expect(previews.every((text) => 'fix: tides\n\nThey rise.'.startsWith(text))).toBe(true);
});

test('previewCommitMessage truncates a message after 4,000 characters', () => {
  expect(previewCommitMessage(`Add tides\n\n${'x'.repeat(100_000)}`)).toHaveLength(4_000);
});

test.each([
  'Cosmetic changes:\n\n- Deprecate GetCookie()',
  'Set the link to use :ref:\n\nFixes #12',
  'rbx -> rbx-3? :shrug:\n\nThe old one fails.',
  'Fix a request without a value:\n\nThe server then returns an error.',
  'fix(parser): Read def pick(paths):\n\nChange the name of the parameter.',
  'Show the options of `--version`\n\n\nFixes #12',
  'Updated version number',
  'import only the required function (#12)',
])('readCommitMessage keeps the whole message %j, whose subject resembles a remark', (message) => {
  const result = readCommitMessage(message);
  expect(result).toEqual({ kind: 'message', text: message.replaceAll(/\n{3,}/gu, '\n\n') });
});

test.each([
  'There are no changes in the provided diff.',
  'There are no staged changes to commit.',
  'There is nothing to describe.',
  'import os',
  'from tides import moon',
  'Updated version:',
])('readCommitMessage reads no message from the remark or code %j', (answer) => {
  expect(readCommitMessage(answer).kind).toBe('refused');
});

test('readCommitMessage does not replace a message with a code block in its body', () => {
  const message =
    'Fix the output of the program.\n\nBefore, this failed.\n\n```\nmake test\n```\n\nIt works now.';
  const result = readCommitMessage(message);
  expect(result.kind === 'message' ? result.text : message).toBe(message);
});

test.each([
  'Updated commit:',
  'Improved subject:',
  'Change summary:',
  'Converted to conventional style:',
  'In imperative mood:',
  'Make it:',
  'A short version:',
  'Mein Vorschlag für den Commit:',
  '提交信息：',
])('readCommitMessage removes the introduction %j', (introduction) => {
  for (const message of ['Add a timer', 'fix(oven): limit the heat\n\nHigher values burn bread.'])
    expect(readCommitMessage(`${introduction}\n\n${message}`)).toEqual({
      kind: 'message',
      text: message,
    });
});

test('readCommitMessage omits the old text from JSON with old and new text', () => {
  const answer = JSON.stringify({ old_string: 'Change oven', new_string: 'Add a timer' });
  expect(readCommitMessage(answer)).toEqual({ kind: 'message', text: 'Add a timer' });
});
