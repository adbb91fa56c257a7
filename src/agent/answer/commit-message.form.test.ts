import { expect, test } from 'vitest';
import { previewCommitMessage, readCommitMessage } from './commit-message.ts';

const subject = 'fix(oven): limit the heat';
const message = `${subject}\n\nHigher values burn the bread.`;

test.each([
  'fix: decode &amp; in titles',
  'Render < and > literally (&lt;, &gt;)',
  'Sorry page: show the request id',
  'Git hooks: run the linter',
  'Update the commit message template',
  'fixup! Add a timer',
  'Strip "Here is the message:" from answers',
  'Show the price\n\nThe page did not show what you pay.',
  'Add a timer\n\n• seconds\n• minutes',
  'Release 3.2\n\n## Fixes\n- Timeouts',
  'Update dependencies:\n\n- oven 1.3\n- timer 2.0',
  'Add a table\n\n| a | b |\n| --- | --- |\n| 1 | 2 |',
  '* src/oven.c (heat): Limit it.\n(cool): New function.\n* tests/oven.sh: New test.',
  'Bump timer from 1 to 2\n\n---\nupdated-dependencies:\n- dependency-name: timer\n...\n\nSigned-off-by: A <a@b.example>',
])('readCommitMessage returns the message %j unchanged', (text) => {
  expect(readCommitMessage(text)).toEqual({ kind: 'message', text });
});

test.each([
  ['a label with an arrow', `Commit message -> ${message}`],
  ['a German label', `Betreff: ${message}`],
  ['labels in Japanese', `件名：${subject}\n本文：Higher values burn the bread.`],
  ['French labels', `**Objet :** ${subject}\n\n**Corps :** Higher values burn the bread.`],
  ['corner quotes', `「${message}」`],
  ['triple quotes', `"""\n${message}\n"""`],
  ['rules around it', `Here is the message:\n\n---\n\n${message}\n\n---`],
  ['a here-document', `git add -A\ngit commit -F - <<'END'\n${message}\nEND`],
  ['a command substitution', `git commit -m "$(cat <<'EOF'\n${message}\nEOF\n)"`],
  [
    'commands around git commit',
    `\`\`\`sh\ngit add .\ngit commit -s -m '${subject}' -m "Higher values burn the bread."\ngit push\n\`\`\``,
  ],
  ['reasoning before a fence', `The heat has no limit. Bread burns.\n\n\`\`\`\n${message}\n\`\`\``],
  ['reasoning before a label', `The heat has no limit. So:\n\nFinal commit message:\n\n${message}`],
  ['an explanation after a fence', `\`\`\`\n${message}\n\`\`\`\n\n**Why:**\n- The cause is named.`],
  ['text of a chat page', `Copy code\n\n${message}`],
])('readCommitMessage reads a message in an answer with %s', (_, answer) => {
  expect(readCommitMessage(answer)).toEqual({ kind: 'message', text: message });
});

test.each([
  ['a period after the quotation marks', `"${subject}".`],
  ['double backticks', `\`\` ${subject} \`\``],
  ['a reason after the quotation marks', `"${subject}"\n\nReason: bread burns.`],
  ['a sentence around quotation marks', `I would use "${subject}" as the commit message.`],
  ['an introduction on the same line', `The heat is limited. A fitting message is: \`${subject}\``],
])('readCommitMessage reads the subject in an answer with %s', (_, answer) => {
  expect(readCommitMessage(answer)).toEqual({ kind: 'message', text: subject });
});

test.each([
  ['a description of the diff', 'The staged changes limit the heat.'],
  ['several sentences', 'Baking got faster. Great work!'],
  ['a question', 'Should the message mention the oven?'],
  ['an error', 'Error: context length exceeded'],
  ['a report that nothing changed, in German', 'Keine Änderungen vorhanden.'],
  ['a report that nothing changed, in Japanese', 'ステージされた変更がありません。'],
  ['a command without a message', '```\ngit revert 4be1c09d\n```'],
  ['a command with a variable', 'git commit -m "$MESSAGE"'],
  ['two commands with messages', '```sh\ngit commit -m "a"\ngit commit --amend -m "b"\n```'],
  ['code', '```java\npublic final class Oven {\n}\n```'],
  ['statistics', '3 files changed, 12 insertions(+)\n\n oven.c | 6 ++--'],
  ['a placeholder', `${subject}\n\n<why this change was necessary>`],
  ['release notes', '# 1.14.0\n\n## Features\n- timers'],
  ['labels of several messages', '**Short:** Limit heat\n**Long:** Limit the heat of the oven'],
  ['messages in two languages', 'DE: Hitze begrenzen\nEN: Limit the heat'],
  ['a second message after a label', `${message}\n\nBetter:\n\nLimit the heat of the oven`],
  ['a second message after a fence', `\`\`\`\n${message}\n\`\`\`\n\nOr shorter: \`Limit heat\``],
  ['a second conventional subject', `${subject}\n\nfeat(oven): add a timer`],
  ['a remark in brackets', 'Update oven.ts\n\n(I only received the file name.)'],
  ['a question after the message', `${message}\n\nShould the body mention the timer?`],
  ['advice after the message', `${message}\n\nYou may want to split this commit.`],
  ['praise of the message', `${message}\n\n- It is in the imperative mood`],
  ['the next turn', `${message}\n\nUser: thanks`],
  ['escaped HTML', 'Use List&lt;String&gt; for rows'],
])('readCommitMessage refuses an answer with %s', (_, answer) => {
  expect(readCommitMessage(answer).kind).toBe('refused');
});

test.each([
  'Your message "fix" is too short.',
  'Choose a style that fits:\n- feat\n- fix',
  '3 files changed, 12 insertions(+)',
  'No staged changes found.',
  'Sure! Here is the message',
])(
  'previewCommitMessage shows nothing once the first line of %j is complete, because this line is not a subject',
  (answer) => {
    const start = answer.search(/\n|$/u);
    for (let end = start; end <= answer.length; end += 1)
      expect(previewCommitMessage(answer.slice(0, end))).toBe('');
  },
);

test('previewCommitMessage shows the beginning of a message after its second word arrives', () => {
  expect(previewCommitMessage('Limit')).toBe('');
  expect(previewCommitMessage('Limit the')).toBe('Limit the');
  expect(previewCommitMessage(`${message}\n`)).toBe(message);
});
