import { expect, test } from 'vitest';
import { readCommitMessage } from './commit-message.ts';
import { measureGrowth } from '../../../test/support/growth.ts';
import {
  getFinishReason,
  lineFormats,
  styleSamples,
  surroundedFormats,
  writeStyleAnswer,
} from './model-styles.fixture.ts';
import {
  reportedAnswerFormats,
  reportedLineFormats,
  reportedMessages,
} from './reported-forms.fixture.ts';

const commitMessages: readonly string[] = [
  'fix(oven): limit the heat to 300 degrees\n\nHigher values burn the bread.',
  'Add a timer to the oven',
  'feat: read recipes\n\n- parse amounts\n- keep "salt" as it is\n\nRefs: #12',
];
// In a commit message, typographic quotes are ordinary text.
const { 'typographic quotes': _quotes, ...formats } = { ...lineFormats, ...surroundedFormats };

test.each(Object.entries(formats))(
  'readCommitMessage never returns text other than the message for the answer format "%s" of a model family',
  (name, format) => {
    const baseSample = styleSamples.find(({ language }) => language === 'git-commit')!;
    for (const message of commitMessages) {
      const answer = writeStyleAnswer(format, { ...baseSample, expectedText: message });
      const result = readCommitMessage(answer, getFinishReason(name));
      const text = result.kind === 'message' ? result.text.replaceAll(/[^\S\n]+$/gmu, '') : message;
      expect(text).toBe(message);
    }
  },
);

const reportedFormats = Object.entries({
  ...reportedLineFormats,
  ...reportedAnswerFormats,
  ...Object.fromEntries(
    Object.entries(reportedLineFormats).map(([name, form]) => [
      `${name}, in a fence`,
      (input: Parameters<typeof form>[0]) => input.createFence(form(input)),
    ]),
  ),
});

const readReportedMessage = (
  [name, form]: (typeof reportedFormats)[number],
  message: string,
): string => {
  const baseSample = styleSamples.find(({ language }) => language === 'git-commit')!;
  const sample = {
    ...baseSample,
    path: '.git/COMMIT_EDITMSG',
    textBefore: '',
    originalText: '',
    textAfter: '',
  };
  const answer = writeStyleAnswer(form, { ...sample, expectedText: message });
  const result = readCommitMessage(answer, getFinishReason(name));
  return result.kind === 'message' ? result.text.replaceAll(/[^\S\n]+$/gmu, '') : 'refused';
};

test.each(reportedFormats)(
  'readCommitMessage never returns text other than the message for the publicly reported format "%s"',
  (...reportedFormat) => {
    for (const message of reportedMessages)
      expect([message, 'refused']).toContain(readReportedMessage(reportedFormat, message));
  },
);

test('readCommitMessage reads at least 90 of 549 answers in publicly reported formats', () => {
  const results = reportedFormats.flatMap((reportedFormat) =>
    reportedMessages.map((message) => readReportedMessage(reportedFormat, message) === message),
  );
  expect(results).toHaveLength(549);
  expect(results.filter(Boolean).length).toBeGreaterThanOrEqual(90);
});

test.each(['length', 'content_filter'] as const)(
  'readCommitMessage refuses a message if the finish reason is "%s"',
  (finishReason) => {
    expect(readCommitMessage('Add rows', finishReason).kind).toBe('refused');
  },
);

test('readCommitMessage refuses a message with a list of references that the text does not cite', () => {
  const references = 'References:\n[1] https://example.com/guide';
  expect(readCommitMessage(`Add rows\n\n${references}`).kind).toBe('refused');
  const citingMessage = `Add rows\n\nSee the guide [1].\n\n${references}`;
  expect(readCommitMessage(citingMessage)).toEqual({ kind: 'message', text: citingMessage });
});

test.each([
  ...commitMessages,
  ...reportedMessages,
  'feat: add rules\n\nThis change adds rules.\n\nSigned-off-by: A <a@b.c>',
  'refactor: use a map\n\nI used a map because lookups dominate.',
  'docs: describe <think> tags\n\nThe parser removes <think>…</think>.',
  'Update README\n\n```sh\nnpm ci\n```\n\nruns first.',
  'feat: show a list\n\n* first\n  * nested\n* second',
  'perf: cache rows\n\nBefore:\n\n    select *\n\nAfter:\n\n    select id',
  'fix: escape `"` in titles',
  'chore: note that I/O errors are retried',
  'Change a -> b\n\nThe arrow is shown as a → b.',
])('readCommitMessage returns the message %j unchanged', (message) => {
  expect(readCommitMessage(message)).toEqual({ kind: 'message', text: message });
});

test.each([
  ['a role before the subject', 'Assistant: Add rows', 'Add rows'],
  ['a note to the user at the end', 'Add rows\n\n(Note: you can shorten the message.)', 'Add rows'],
  [
    'comments of Git at the end',
    'Add rows\n\n# Please enter the commit message for your changes.\n# On branch main\n#\n',
    'Add rows',
  ],
  ['a scope like a role', 'assistant: add rows', 'assistant: add rows'],
  [
    'a note about the change',
    'Add rows\n\n(Note: the index is rebuilt.)',
    'Add rows\n\n(Note: the index is rebuilt.)',
  ],
])('readCommitMessage returns the message from an answer with %s', (_, answer, text) => {
  expect(readCommitMessage(answer)).toEqual({ kind: 'message', text });
});

test('readCommitMessage refuses an answer with a note that could be meant for the user or be part of the message', () => {
  const answer = 'Fix layout\n\n(Note: you must run the migration.)';
  expect(readCommitMessage(answer)).toEqual({ kind: 'refused', reason: 'prose' });
});

test('readCommitMessage returns the cause of a refusal', () => {
  expect(readCommitMessage('Add <|mask|> rows')).toMatchObject({ cause: { kind: 'tokens' } });
});

test.each([
  ['a tag and spaces', 200, '<a>', ' ', 'x'],
  ['a tag and blank lines', 200, '<a>', '\n', 'x'],
  ['nested tags', 4_000, '', '<a>', 'x'],
  ['an open parenthesis with words for lengths', 4_000, 'Fix a\n\n(', '(chars ', 'a'],
  ['asterisks', 4_000, '', '*', 'x'],
  ['the words "commit message"', 8_000, 'a ', 'commit message ', '\n```\n'],
])('readCommitMessage needs linear time for %s', (_, smallSize, prefix, repeatedText, suffix) => {
  const run = (size: number): void => {
    readCommitMessage(`${prefix}${repeatedText.repeat(size / repeatedText.length)}${suffix}`);
  };
  expect(measureGrowth(run, { smallSize, smallCount: 8 }).timeRatio).toBeLessThan(4);
});
