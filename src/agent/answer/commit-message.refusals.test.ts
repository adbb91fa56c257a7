import { expect, test } from 'vitest';
import { previewCommitMessage, readCommitMessage } from './commit-message.ts';

test.each([
  ['an error of Git', 'fatal: not a git repository'],
  ['an error of the network', 'Error: ECONNRESET'],
  ['an error of a runtime', 'TypeError: x is not a function'],
  ['an error of a request', 'Request failed with status 500'],
  ['a link', 'https://oven.example/issues'],
  ['an image', '![oven](https://oven.example/oven.png)'],
  ['a call of a function', 'bake()'],
  ['a repeated word', 'heat heat heat heat'],
  ['a label of reasoning', 'Thinking: the diff limits the heat'],
  ['a label of a plan', 'Plan: limit the heat of the oven'],
  ['praise', 'Great work on this change'],
  ['a judgment', 'Basically a limit for the heat'],
  ['a report of a command', 'Running git diff on the repository'],
  ['a description of the changes', 'Changes include a limit for the heat'],
  ['two texts with an arrow', '"Limit heat" -> "Limit the heat"'],
  ['a report of an activity', 'Thinking about the change'],
  ['an instruction to apply a diff', 'Apply the diff with git apply'],
  ['a short instruction about the diff', 'Read the diff'],
  ['an instruction about the message', 'Test the commit message first'],
  ['a turn of the user', 'User: fix it'],
  ['an error with a step', 'Error: check the API key'],
  ['an empty text', 'Empty response'],
  ['alternatives in lower case', 'fix heat OR limit heat'],
  ['an activity without an object', 'Thinking...'],
  ['a description of the answer', 'A description of the changes'],
  ['an instruction to the model', 'Summarize the changes'],
  ['praise of its form after a dash', 'Limit heat — short and clear'],
  ['a report that mentions the user', 'Updating the files you asked for'],
])('readCommitMessage refuses %s as the subject', (_, answer) => {
  expect(readCommitMessage(answer).kind).toBe('refused');
  expect(previewCommitMessage(answer)).toBe('');
});

test.each([
  ['a variant of the subject', 'Limit the heat of the oven'],
  ['next steps', 'Next steps: run the tests'],
  ['a tip', 'Tip: use a scope'],
  ['a list of files', 'Modified files:\n- oven.c'],
  ['a disclaimer', 'Disclaimer: generated text'],
  ['a command to run', 'To commit, run git commit.'],
  ['a remark about its form', 'By the way, the subject is short.'],
  [
    'a remark about the message',
    'Bread no longer burns. So the message is short and the message uses a verb.',
  ],
  ['a question without a question mark', 'Would that work for you'],
  ['a question after a sentence', 'Bread no longer burns. Is this fine?'],
  ['the name of its author', 'Generated with Oven AI'],
  ['praise of its form', 'This keeps it brief and descriptive.'],
  ['an escaped line break', 'Bread burns.\\nand cools down.'],
  ['a remark about missing tests', 'None of this is tested.'],
  ['a note about missing text', 'Truncated for brevity'],
  ['a link for more text', '[Learn more](https://oven.example)'],
  ['a placeholder for a body', '[no body]'],
  ['its length', 'This has 120 characters in total.'],
  ['a name of the text', 'Commit message ready'],
  ['a reference to the request', 'This fixes:\n\nThe problem you described.'],
  ['other subjects', 'fix: limit heat\nfix: add a timer'],
  ['hashtags', '#oven #heat'],
])('readCommitMessage refuses a body with %s', (_, body) => {
  expect(readCommitMessage(`Limit the heat of ovens\n\n${body}`).kind).toBe('refused');
});

test.each([
  'Replace "\\n" with a line break',
  "Split headers at '\\r\\n' too",
  'Use one line break\n\nFiles with \\r\\n were split twice.',
  'Read escapes\n\nThe pattern "a\\nb" did not match.',
  'Move Oven\\Name to its own file',
  'Handle <input type> attributes',
  'Output: flush the buffer on exit',
  'Usage: document the --all option',
  'User: add an email field',
  'Error: include the cause',
  'Show the diff before the change',
  'Read the diff in chunks',
  'Test that a diff needs each option',
  'Refuse links in place of a commit message',
  'Report the length of this message',
  'Make errors readable: show "a" or "b"',
  'Remove `heat` or `cool`',
  'Allow tabs OR spaces',
  'A better limit for the heat',
  'Empty ovens need no heat',
  'Add a limit for the heat. This fixes #12',
  'Add a heat limit\n\nAdd a heat limit for ovens. Fixes #12',
  'Limit heat\n\nAlternative to #12',
  'Limit heat\n\nNone of the callers used the second argument.',
  'Limit heat\n\nThe loop\ncontinued after the first error.',
  'Squashed commits\n\nfix: limit heat\nfix: add a timer',
  'Update the manual\n\nThis adds:\n\nA new section.',
  'Limit heat\n\n[skip ci]',
  'Limit heat\n\n(see #12)',
  'Fix the race\n\nI could not reproduce it locally.',
  'Read long lines\n\nIt took a second for a line of 1,000 characters.',
  'Read short answers\n\nAn answer with a commit message was taken for another text.',
])('readCommitMessage accepts the message %j, which resembles a remark', (text) => {
  expect(readCommitMessage(text)).toEqual({ kind: 'message', text });
});

test.each([
  ['a reversed text', '\\u202e'],
  ['an invisible space', '\\u200b'],
  ['a null character', '\\u0000'],
  ['a terminal escape sequence', '\\u001b[31m'],
  ['a bell', '\\u0007'],
])('readCommitMessage removes %s that is written as a JSON escape', (_, escapeSequence) => {
  const json = `{"subject":"Limit${escapeSequence} heat","body":"Bread${escapeSequence} burns."}`;
  const text = readCommitMessage(json);
  expect(text).toEqual({ kind: 'message', text: expect.stringMatching(/^[ -~]+\n\n[ -~]+$/u) });
  const fencedJson = `\`\`\`json\n${json}\n\`\`\`\n`;
  expect(previewCommitMessage(fencedJson)).toMatch(/^[ -~\n]*$/u);
});
