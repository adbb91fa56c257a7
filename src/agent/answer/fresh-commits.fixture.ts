/** An answer to a request for a commit message, and the message that the parser must return. */
export interface FreshCommitAnswer {
  readonly form: string;
  readonly text: string;
  readonly message: string;
  /**
   * `right`: the parser must return the message. `refuse`: it must refuse the answer. `refuse-or-right`: both are
   * correct.
   */
  readonly expected: 'right' | 'refuse' | 'refuse-or-right';
}

/** Commit messages in the styles of public repositories. `´` is a backtick. */
export const freshMessages: readonly string[] = `
Fix typo in README
═
feat(auth): add refresh tokens
═
fix: handle empty responses from the API

The client assumed that each response has a body and crashed on 204.
═
Reject tokens older than 15 minutes

Tokens were valid until the server restarted. The new limit is checked
on each request, so a clock that runs ahead cannot extend it.

Fixes #482
═
chore(deps): bump undici from 7.1.0 to 7.2.3
═
refactor!: drop Node 18

BREAKING CHANGE: Node 20 or later is required.
═
docs: explain how to write a plugin

- Add an example with two hooks
- Link the API reference
- Remove the section on version 1
═
Merge branch 'main' into release/2.4
═
Revert "Cache compiled templates"

This reverts commit 8d1f3c0a4be0f6b6c8f4ac2d9a1c0f7be2d34a55.
It broke partials that are included twice.
═
fixup! Add a cache for compiled templates
═
net/http: close idle connections after Shutdown

Shutdown returned while connections in the idle state still held file
descriptors.

Change-Id: I3b0f6c2f0c1d
Reviewed-on: https://go-review.example.com/c/go/+/612345
═
✨ Add dark mode
═
:bug: Fix the scroll position after a reload
═
[parser] Support nested comments

Signed-off-by: Ana Silva <ana@example.com>
Co-authored-by: Li Wei <li@example.com>
═
Use ´Promise.withResolvers´ in the queue
═
Strip "Here's the commit message:" from answers

Models often begin with this sentence.
═
Here-documents: keep backslashes in quoted delimiters
═
Note the minimum version in the install guide
═
Sure up the retry logic for flaky uploads
═
Update the commit message template

The template now begins with a subject of at most 50 characters.

´´´
type(scope): subject

body
´´´
═
test: cover answers in code fences

An answer such as the following was stored with its fence:

    ´´´text
    fix: handle null
    ´´´
═
Corrige l'affichage des montants négatifs

Le signe était placé après le symbole de la devise.
═
Fehler beim Speichern leerer Dateien beheben
═
空のファイルを保存できない問題を修正

保存前に長さを確認していなかった。
═
修复登录超时后的重定向
═
Исправить утечку памяти в кэше
═
build: move the bundle to esbuild

Bundle size: 412 kB -> 287 kB
Build time: 9.1 s -> 0.8 s
═
1.14.0
═
Release v3.2.1

## Fixes
- Timeouts in the proxy
- Colors of the diff view

## Other
- Updated translations
═
ci: run the tests on Windows

1. Install the fonts first, because the snapshots need them.
2. Use PowerShell for the cleanup.
3. Upload the snapshots of failed tests.
═
perf(db): replace N+1 queries with a join

Note: the result is sorted by the database now. Callers that sorted the
list themselves still work.
═
Let users choose the language of the interface
═
I18n: load plural rules lazily
═
Add <think> to the list of removed tags

Some services return the reasoning as part of the text.
═
Quote paths with spaces in "open in terminal"
═
"Save as" keeps the encoding of the file
═
style: format with oxfmt

No functional changes.
═
feat: option 2 of the layout proposal

Option 1 needed two passes.
═
Remove the diff from the prompt if it is empty

diff --git output of a mode change has no hunks:

    diff --git a/run.sh b/run.sh
    old mode 100644
    new mode 100755
═
security: don't log API keys

I've checked the other loggers; they print the host only. Please rotate
keys that were logged by 2.0.0 - 2.0.3.
═
Subject lines: allow 72 characters
═
Commit message box: count characters instead of bytes

The counter was wrong for emoji.
═
Why: show the reason of a refusal
═
fix(a11y): announce errors in the form

---

The alert role was missing.
═
wip
`
  .replaceAll('´', '`')
  .split('\n═\n')
  .map((message) => message.trim());

const preambles = [
  "Here's a commit message for these changes:",
  'Here is the commit message:',
  'Sure! Here is a concise commit message:',
  'Commit message:',
  '**Commit message:**',
  'Based on the diff, I suggest:',
  'I would suggest the following commit message:',
  'Voici un message de commit :',
  'Hier ist eine passende Commit-Nachricht:',
  'コミットメッセージは次のとおりです：',
  '以下是提交信息：',
  "Looking at the staged changes, this commit does one thing. Here's the message:",
  'Suggested commit message',
  '### Commit message',
];
const remarks = [
  'This message follows the Conventional Commits specification.',
  'Let me know if you want a shorter version!',
  'Would you like me to split this into two commits?',
  'Note: the subject has fewer than 50 characters.',
  '**Explanation:** the subject names the main change, and the body gives the reason.',
  'The commit message summarizes the changes:\n\n- The first file is fixed\n- The second file is tested',
  'Feel free to adjust it to the conventions of your project.',
  '(49 characters)',
  'Cette ligne respecte la limite de 50 caractères.',
  'Hope this helps!',
];
const proseAnswers = [
  'The diff changes one function and its test. It looks good to me, and I found no problems.',
  "I'm sorry, but I can't help with that.",
  'There are no staged changes, so there is nothing to commit.',
  'Could you share the diff? I only see the names of the files.',
  'As an AI language model, I cannot access your repository.',
  'To write a good commit message, summarize the change in the imperative mood and explain the reason in the body.',
];

const pickItem = <T>(items: readonly T[], index: number): T => items[index % items.length] as T;
const getSubject = (message: string): string => message.split('\n')[0] ?? '';
const getBody = (message: string): string => message.split('\n').slice(2).join('\n');
const encloseInFence = (text: string, info = '', mark = '```'): string =>
  `${mark}${info}\n${text}\n${mark}`;
const quoteForShell = (text: string): string => `"${text.replaceAll(/["$`\\]/gu, '\\$&')}"`;

type FormatCommitAnswer = (message: string, index: number) => string | undefined;

/** Formats from which the parser must return the message. */
const certainFormats: Readonly<Record<string, FormatCommitAnswer>> = {
  bare: (message) => message,
  'final newline': (message) => `${message}\n`,
  'blank lines around': (message) => `\n\n${message}\n\n`,
  CRLF: (message) => `${message.replaceAll('\n', '\r\n')}\r\n`,
  thoughts: (message) =>
    `<think>\nThe diff changes two files. Subject: fix it.\n</think>\n\n${message}`,
};

/** Formats from which the parser must return the message, unless the message contains a fence. */
const fencedFormats: Readonly<Record<string, FormatCommitAnswer>> = {
  fence: (message) => encloseInFence(message),
  'fence with language': (message, index) =>
    encloseInFence(
      message,
      pickItem(['text', 'plaintext', 'commit', 'git', 'gitcommit', 'txt', 'markdown'], index),
    ),
  'fence with CRLF': (message) => encloseInFence(message).replaceAll('\n', '\r\n'),
  'preamble and fence': (message, index) =>
    `${pickItem(preambles, index)}\n\n${encloseInFence(message)}`,
  'adjacent preamble and fence': (message, index) =>
    `${pickItem(preambles, index + 3)}\n${encloseInFence(message, 'text')}`,
  'fence and remark': (message, index) =>
    `${encloseInFence(message)}\n\n${pickItem(remarks, index)}`,
  'preamble, fence and remark': (message, index) =>
    `${pickItem(preambles, index + 5)}\n\n${encloseInFence(message, 'text')}\n\n${pickItem(remarks, index + 1)}`,
  'thoughts and fence': (message, index) =>
    `<think>I need a message.</think>${pickItem(preambles, index)}\n\n${encloseInFence(message)}`,
};

/** Formats that the parser may refuse. */
const uncertainFormats: Readonly<Record<string, FormatCommitAnswer>> = {
  'fence of four backticks': (message) => encloseInFence(message, '', '````'),
  'fence of tildes': (message) => encloseInFence(message, 'text', '~~~'),
  'unclosed fence': (message) => `\`\`\`text\n${message}`,
  'closing fence alone': (message) => `${message}\n\`\`\``,
  preamble: (message, index) => `${pickItem(preambles, index)}\n\n${message}`,
  'adjacent preamble': (message, index) => `${pickItem(preambles, index + 6)}\n${message}`,
  'preamble on the same line': (message) => `Commit message: ${message}`,
  remark: (message, index) => `${message}\n\n${pickItem(remarks, index)}`,
  'preamble and remark': (message, index) =>
    `${pickItem(preambles, index + 2)}\n\n${message}\n\n${pickItem(remarks, index + 4)}`,
  'remark after a rule': (message, index) => `${message}\n\n---\n\n${pickItem(remarks, index + 3)}`,
  'quotation marks': (message) => `"${message}"`,
  'typographic quotation marks': (message) => `“${message}”`,
  'single quotation marks': (message) => `'${message}'`,
  backticks: (message) => (message.includes('\n') ? undefined : `\`${message}\``),
  'bold subject': (message) => message.replace(getSubject(message), (subject) => `**${subject}**`),
  'subject as heading': (message) => `# ${message}`,
  labels: (message) =>
    `**Subject:** ${getSubject(message)}${getBody(message) === '' ? '' : `\n\n**Body:**\n${getBody(message)}`}`,
  'plain labels': (message) =>
    `Title: ${getSubject(message)}${getBody(message) === '' ? '' : `\nDescription: ${getBody(message)}`}`,
  'git command': (message) => `git commit -m ${quoteForShell(message)}`,
  'git command in a fence': (message) =>
    encloseInFence(
      `git commit -m ${quoteForShell(getSubject(message))}${getBody(message) === '' ? '' : ` -m ${quoteForShell(getBody(message))}`}`,
      'bash',
    ),
  'git commands': (message) =>
    encloseInFence(`git add -A\ngit commit -m ${quoteForShell(message)}\ngit push`, 'bash'),
  'here-document': (message) => encloseInFence(`git commit -F - <<'EOF'\n${message}\nEOF`, 'bash'),
  'two options': (message) =>
    `**Option 1:**\n${encloseInFence(message)}\n\n**Option 2:**\n${encloseInFence('Change two files')}`,
  'numbered options': (message) => `1. ${message}\n2. Change two files\n3. Improve the code`,
  'bare options': (message) => `Option 1: ${message}\n\nOption 2: Change two files`,
  'message and diff': (message) =>
    `${encloseInFence(message)}\n\n${encloseInFence('-old\n+new', 'diff')}`,
  'JSON object': (message) =>
    JSON.stringify({ subject: getSubject(message), body: getBody(message) }, undefined, 2),
  'JSON in a fence': (message) => encloseInFence(JSON.stringify({ message }), 'json'),
  'escaped newlines': (message) => JSON.stringify(message).slice(1, -1),
  'XML tags': (message, index) => {
    const tag = pickItem(['commit_message', 'commit', 'message', 'answer'], index);
    return `<${tag}>\n${message}\n</${tag}>`;
  },
  'thoughts without a start tag': (message) =>
    `The diff changes two files.\n</think>\n\n${message}`,
  channels: (message) =>
    `<|channel|>analysis<|message|>Two files.<|end|><|start|>assistant<|channel|>final<|message|>${message}`,
  'end-of-turn token': (message, index) =>
    message +
    pickItem(['<|im_end|>', '</s>', '<|eot_id|>', '<|endoftext|>', '<end_of_turn>'], index),
  'quoted lines': (message) => message.replaceAll(/^/gmu, '> '),
  'list item': (message) => `- ${message}`,
  indented: (message) => message.replaceAll(/^(?=.)/gmu, '    '),
  'repeated message': (message) => `${message}\n\n${message}`,
  'no-break space and byte order mark': (message) => `\uFEFF${message}\u00A0`,
};

export const createFreshCommitAnswers = (
  message: string,
  index: number,
): readonly FreshCommitAnswer[] => {
  const toAnswers = (
    forms: Readonly<Record<string, FormatCommitAnswer>>,
    expected: FreshCommitAnswer['expected'],
  ): FreshCommitAnswer[] =>
    Object.entries(forms).flatMap(([form, create]) => {
      const text = create(message, index);
      return text === undefined ? [] : [{ form, text, message, expected }];
    });
  return [
    ...toAnswers(certainFormats, 'right'),
    ...toAnswers(fencedFormats, message.includes('```') ? 'refuse-or-right' : 'right'),
    ...toAnswers(uncertainFormats, 'refuse-or-right'),
  ];
};

export const freshProseAnswers: readonly FreshCommitAnswer[] = proseAnswers.map((text) => ({
  form: 'prose',
  text,
  message: '',
  expected: 'refuse',
}));
