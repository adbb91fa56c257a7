import { expect, test } from 'vitest';
import { readCommitMessage } from './commit-message.ts';
import {
  lineFormats,
  styleSamples,
  surroundedFormats,
  writeStyleAnswer,
} from '../agent/answer/model-styles.fixture.ts';
import {
  reportedAnswerForms,
  reportedLineForms,
  reportedMessages,
} from '../agent/answer/reported-forms.fixture.ts';

const messages: readonly string[] = [
  'fix(oven): limit the heat to 300 degrees\n\nHigher values burn the bread.',
  'Add a timer to the oven',
  'feat: read recipes\n\n- parse amounts\n- keep "salt" as it is\n\nRefs: #12',
];
// In a commit message, typographic quotes and a number are ordinary text.
const {
  'typographic quotes': _quotes,
  'line numbers with a dot': _numbers,
  ...forms
} = { ...lineFormats, ...surroundedFormats };

test.each(Object.entries(forms))(
  'readCommitMessage returns the message or refuses the answer, for the answer format "%s" of a model family',
  (_, form) => {
    const base = styleSamples.find(({ language }) => language === 'git-commit')!;
    for (const message of messages) {
      const result = readCommitMessage(writeStyleAnswer(form, { ...base, expectedText: message }));
      const text = result.kind === 'message' ? result.text.replaceAll(/[^\S\n]+$/gmu, '') : message;
      expect(text).toBe(message);
    }
  },
);

// References can end a commit message, and nothing stays open where a message is cut.
const reportedForms = Object.entries({ ...reportedLineForms, ...reportedAnswerForms }).filter(
  ([name]) => !/^cut |references$/u.test(name),
);

test.each(reportedForms)(
  'readCommitMessage returns the message or refuses the answer, for the reported format "%s"',
  (_, form) => {
    const base = styleSamples.find(({ language }) => language === 'git-commit')!;
    const sample = { ...base, path: '.git/COMMIT_EDITMSG', before: '', original: '', after: '' };
    for (const message of reportedMessages) {
      const result = readCommitMessage(
        writeStyleAnswer(form, { ...sample, expectedText: message }),
      );
      const text = result.kind === 'message' ? result.text.replaceAll(/[^\S\n]+$/gmu, '') : message;
      expect(text).toBe(message);
    }
  },
);

test.each([
  ...messages,
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
])('readCommitMessage keeps the message %j', (message) => {
  expect(readCommitMessage(message)).toEqual({ kind: 'message', text: message });
});
