/** An answer of a model to a request for a commit message, and the message that a reader may return. */
export interface FreshCommitAnswer {
  readonly form: string;
  readonly text: string;
  readonly message: string;
  /** `right`: the message. `refuse`: no message. `refuse-or-right`: one of both. */
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

const pick = <T>(items: readonly T[], index: number): T => items[index % items.length] as T;
const subjectOf = (message: string): string => message.split('\n')[0] ?? '';
const bodyOf = (message: string): string => message.split('\n').slice(2).join('\n');
const fence = (text: string, info = '', mark = '```'): string => `${mark}${info}\n${text}\n${mark}`;
const shell = (text: string): string => `"${text.replaceAll(/["$`\\]/gu, '\\$&')}"`;

type Form = (message: string, index: number) => string | undefined;

/** Forms with one correct result. */
const certainForms: Readonly<Record<string, Form>> = {
  bare: (message) => message,
  'final newline': (message) => `${message}\n`,
  'blank lines around': (message) => `\n\n${message}\n\n`,
  CRLF: (message) => `${message.replaceAll('\n', '\r\n')}\r\n`,
  thoughts: (message) =>
    `<think>\nThe diff changes two files. Subject: fix it.\n</think>\n\n${message}`,
};

/** Forms with one correct result if the message contains no fence. */
const fencedForms: Readonly<Record<string, Form>> = {
  fence: (message) => fence(message),
  'fence with language': (message, index) =>
    fence(
      message,
      pick(['text', 'plaintext', 'commit', 'git', 'gitcommit', 'txt', 'markdown'], index),
    ),
  'fence with CRLF': (message) => fence(message).replaceAll('\n', '\r\n'),
  'preamble and fence': (message, index) => `${pick(preambles, index)}\n\n${fence(message)}`,
  'adjacent preamble and fence': (message, index) =>
    `${pick(preambles, index + 3)}\n${fence(message, 'text')}`,
  'fence and remark': (message, index) => `${fence(message)}\n\n${pick(remarks, index)}`,
  'preamble, fence and remark': (message, index) =>
    `${pick(preambles, index + 5)}\n\n${fence(message, 'text')}\n\n${pick(remarks, index + 1)}`,
  'thoughts and fence': (message, index) =>
    `<think>I need a message.</think>${pick(preambles, index)}\n\n${fence(message)}`,
};

/** Forms whose result may be refused. */
const unsureForms: Readonly<Record<string, Form>> = {
  'fence of four backticks': (message) => fence(message, '', '````'),
  'fence of tildes': (message) => fence(message, 'text', '~~~'),
  'unclosed fence': (message) => `\`\`\`text\n${message}`,
  'closing fence alone': (message) => `${message}\n\`\`\``,
  preamble: (message, index) => `${pick(preambles, index)}\n\n${message}`,
  'adjacent preamble': (message, index) => `${pick(preambles, index + 6)}\n${message}`,
  'preamble on the same line': (message) => `Commit message: ${message}`,
  remark: (message, index) => `${message}\n\n${pick(remarks, index)}`,
  'preamble and remark': (message, index) =>
    `${pick(preambles, index + 2)}\n\n${message}\n\n${pick(remarks, index + 4)}`,
  'remark after a rule': (message, index) => `${message}\n\n---\n\n${pick(remarks, index + 3)}`,
  'quotation marks': (message) => `"${message}"`,
  'typographic quotation marks': (message) => `“${message}”`,
  'single quotation marks': (message) => `'${message}'`,
  backticks: (message) => (message.includes('\n') ? undefined : `\`${message}\``),
  'bold subject': (message) => message.replace(subjectOf(message), (subject) => `**${subject}**`),
  'subject as heading': (message) => `# ${message}`,
  labels: (message) =>
    `**Subject:** ${subjectOf(message)}${bodyOf(message) === '' ? '' : `\n\n**Body:**\n${bodyOf(message)}`}`,
  'plain labels': (message) =>
    `Title: ${subjectOf(message)}${bodyOf(message) === '' ? '' : `\nDescription: ${bodyOf(message)}`}`,
  'git command': (message) => `git commit -m ${shell(message)}`,
  'git command in a fence': (message) =>
    fence(
      `git commit -m ${shell(subjectOf(message))}${bodyOf(message) === '' ? '' : ` -m ${shell(bodyOf(message))}`}`,
      'bash',
    ),
  'git commands': (message) =>
    fence(`git add -A\ngit commit -m ${shell(message)}\ngit push`, 'bash'),
  'here-document': (message) => fence(`git commit -F - <<'EOF'\n${message}\nEOF`, 'bash'),
  'two options': (message) =>
    `**Option 1:**\n${fence(message)}\n\n**Option 2:**\n${fence('Change two files')}`,
  'numbered options': (message) => `1. ${message}\n2. Change two files\n3. Improve the code`,
  'bare options': (message) => `Option 1: ${message}\n\nOption 2: Change two files`,
  'message and diff': (message) => `${fence(message)}\n\n${fence('-old\n+new', 'diff')}`,
  'JSON object': (message) =>
    JSON.stringify({ subject: subjectOf(message), body: bodyOf(message) }, undefined, 2),
  'JSON in a fence': (message) => fence(JSON.stringify({ message }), 'json'),
  'escaped newlines': (message) => JSON.stringify(message).slice(1, -1),
  'XML tags': (message, index) => {
    const tag = pick(['commit_message', 'commit', 'message', 'answer'], index);
    return `<${tag}>\n${message}\n</${tag}>`;
  },
  'thoughts without a start tag': (message) =>
    `The diff changes two files.\n</think>\n\n${message}`,
  channels: (message) =>
    `<|channel|>analysis<|message|>Two files.<|end|><|start|>assistant<|channel|>final<|message|>${message}`,
  'end-of-turn token': (message, index) =>
    message + pick(['<|im_end|>', '</s>', '<|eot_id|>', '<|endoftext|>', '<end_of_turn>'], index),
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
    forms: Readonly<Record<string, Form>>,
    expected: FreshCommitAnswer['expected'],
  ): FreshCommitAnswer[] =>
    Object.entries(forms).flatMap(([form, create]) => {
      const text = create(message, index);
      return text === undefined ? [] : [{ form, text, message, expected }];
    });
  return [
    ...toAnswers(certainForms, 'right'),
    ...toAnswers(fencedForms, message.includes('```') ? 'refuse-or-right' : 'right'),
    ...toAnswers(unsureForms, 'refuse-or-right'),
  ];
};

export const freshProseAnswers: readonly FreshCommitAnswer[] = proseAnswers.map((text) => ({
  form: 'prose',
  text,
  message: '',
  expected: 'refuse',
}));
