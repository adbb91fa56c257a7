import type { FreshCase } from './fresh-corpus.fixture.ts';

/** An answer of a model and the result that a reader may return. */
export interface FreshAnswer {
  readonly form: string;
  readonly text: string;
  /** `right`: the replacement. `refuse-or-right`: the replacement or a refusal. */
  readonly expected: 'right' | 'refuse-or-right';
  readonly finishReason?: 'stop' | 'length';
}

const openings = [
  "Here's the updated code:",
  "Sure! Here's the revised version:",
  'Certainly! Below is the modified snippet.',
  "I've updated the selection as requested:",
  "Okay, here's the edit:",
  '**Updated code:**',
  '### Updated selection',
  'Got it. I kept the style of the surrounding code.',
  "To handle this case, the value has to be checked first. Here's how:",
  "You're right, the original didn't cover that case. Updated:",
  'The user wants the selection to be rewritten. The result:',
  'Voici le code mis à jour :',
  'Hier ist der aktualisierte Code:',
  'Aquí tienes el código actualizado:',
  '修正後のコードは次のとおりです。',
  '以下是修改后的代码：',
  'Here is the rewritten section:\n\n---',
];
const closings = [
  'This change handles the missing case and keeps the rest as is.',
  'Key changes:\n\n- Handles the missing case\n- Keeps the public API unchanged\n- Adds a short comment',
  'Note: I did not change the callers.',
  "Let me know if you'd like any adjustments!",
  'Would you like me to add tests as well?',
  '### Explanation\n\n1. **Validation**: the input is checked first.\n2. **Errors**: failures are reported to the caller.',
  "I assumed that the helper already exists; if it doesn't, you'll need to import it.",
  'Explanation: the old version failed for empty input.',
  'Hope this helps!',
  '---\n\nThe rest of the file stays the same.',
  '**Why:** the previous version did the same work twice.',
  '**Changes made:**\n* Renamed one variable for clarity\n* Removed the duplication',
  'Cette version traite aussi le cas vide.',
  'これで空の入力も処理されます。',
  '⚠️ This is a breaking change for callers that relied on the old behavior.',
];
const prose = [
  'The selection already does this, so no changes are needed.',
  'You should check the value before it is used and report an error to the caller. I would also rename the variable.',
  "To make this change:\n\n1. Move the check to the beginning.\n2. Return early if it fails.\n3. Update the callers.\n\nLet me know if you'd like me to write the code.",
  "I've rewritten the selection so that it handles the missing case.",
  'Could you clarify what you would like to change? The selection looks correct to me.',
  'Done! The selection has been updated.',
];
const refusals = [
  "I'm sorry, but I can't assist with that request.",
  'I cannot make this change without more context. Please share the rest of the file.',
  "I don't have access to your files. Please paste the code that you want me to edit.",
  'As an AI language model, I am not able to edit files directly.',
];

const tags: Readonly<Record<string, string>> = {
  'objective-c': 'objc',
  plaintext: 'text',
  proto3: 'protobuf',
  restructuredtext: 'rst',
  shellscript: 'bash',
  terraform: 'hcl',
  typescriptreact: 'tsx',
};
export const tagOf = ({ language }: Pick<FreshCase, 'language'>): string =>
  tags[language] ?? language;

const hashLanguages =
  'cmake dockerfile elixir makefile perl powershell python ruby shellscript terraform toml yaml'.split(
    ' ',
  );
const markupLanguages = 'html jinja markdown mdx vue xml'.split(' ');

/** Returns a comment in the syntax of the language. */
export function comment({ language }: Pick<FreshCase, 'language'>, text: string): string {
  if (hashLanguages.includes(language)) return `# ${text}`;
  if (markupLanguages.includes(language)) return `<!-- ${text} -->`;
  if (['haskell', 'lua', 'sql'].includes(language)) return `-- ${text}`;
  if (['css', 'scss'].includes(language)) return `/* ${text} */`;
  if (language === 'latex') return `% ${text}`;
  if (language === 'scheme') return `; ${text}`;
  if (language === 'restructuredtext') return `.. ${text}`;
  if (language === 'plaintext') return text.startsWith('[') ? text : `[${text}]`;
  return `// ${text}`;
}

export const pick = <T>(items: readonly T[], index: number): T => items[index % items.length] as T;
export const join = (lines: readonly string[]): string => lines.join('\n');
export const indentOf = (line: string): string => /^[ \t]*/u.exec(line)?.[0] ?? '';

/** Returns the indentation that all lines with text share. */
function commonIndent(lines: readonly string[]): string {
  const indents = lines.filter((line) => line.trim() !== '').map(indentOf);
  let common = indents[0] ?? '';
  while (!indents.every((indent) => indent.startsWith(common))) common = common.slice(0, -1);
  return common;
}

export function dedent(lines: readonly string[]): string[] {
  const { length } = commonIndent(lines);
  return lines.map((line) => line.slice(Math.min(length, indentOf(line).length)));
}

/** Replaces each tab of the indentation with spaces, or each unit of spaces with a tab. */
export function swapIndentation(
  { usesTabs, tabSize }: Pick<FreshCase, 'usesTabs' | 'tabSize'>,
  lines: readonly string[],
): string[] {
  const unit = ' '.repeat(tabSize);
  return lines.map((line) => {
    const indent = indentOf(line);
    const swapped = usesTabs ? indent.replaceAll('\t', unit) : indent.replaceAll(unit, '\t');
    return swapped + line.slice(indent.length);
  });
}

export type DiffLine = readonly [sign: ' ' | '-' | '+', line: string];

/** Computes a line diff from the longest common subsequence. */
export function diffLines(a: readonly string[], b: readonly string[]): DiffLine[] {
  const lengths = Array.from({ length: a.length + 1 }, () => Array<number>(b.length + 1).fill(0));
  const at = (i: number, j: number): number => lengths[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const row = lengths[i] as number[];
      row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const result: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      result.push([' ', a[i] as string]);
      [i, j] = [i + 1, j + 1];
    } else if (i < a.length && (j === b.length || at(i + 1, j) >= at(i, j + 1))) {
      result.push(['-', a[i] as string]);
      i += 1;
    } else {
      result.push(['+', b[j] as string]);
      j += 1;
    }
  }
  return result;
}

interface Hunk {
  readonly lines: readonly DiffLine[];
  readonly start: number;
  readonly counts: readonly [before: number, after: number];
}

function toHunk({ before, original, right, after }: FreshCase, context = 3): Hunk {
  const first = context === 0 ? [] : before.slice(-context);
  const lines: DiffLine[] = [
    ...first.map((line): DiffLine => [' ', line]),
    ...diffLines(original, right),
    ...after.slice(0, context).map((line): DiffLine => [' ', line]),
  ];
  const count = (sign: string): number => lines.filter(([own]) => own !== sign).length;
  return { lines, start: before.length - first.length + 1, counts: [count('+'), count('-')] };
}

export const signed = (lines: readonly DiffLine[]): string =>
  join(lines.map(([sign, line]) => sign + line));

const headOf = ({ start, counts: [a, b] }: Hunk, off = 0): string =>
  `@@ -${start},${a + off} +${start},${b + 2 * off} @@`;

const unified = (edit: FreshCase, off = 0): string => {
  const hunk = toHunk(edit);
  return `--- a/${edit.path}\n+++ b/${edit.path}\n${headOf(hunk, off)}\n${signed(hunk.lines)}`;
};

export const fence = (code: string, info = '', mark = '```'): string =>
  `${mark}${info}\n${code}\n${mark}`;
const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

type Result = string | undefined | readonly [text: string, expected: 'refuse-or-right'];
type Form = (edit: FreshCase, index: number) => Result;

const unsure = (text: string | undefined): Result =>
  text === undefined ? undefined : [text, 'refuse-or-right'];

/** Encloses text in a fence. The result is ambiguous for a replacement that contains such a fence. */
const block =
  (
    toText: (code: string, edit: FreshCase, index: number) => string,
    toCode: (edit: FreshCase) => string | undefined = ({ right }) => join(right),
  ): Form =>
  (edit, index) => {
    const code = toCode(edit);
    if (code === undefined) return undefined;
    const text = toText(code, edit, index);
    return /^\s*```/mu.test(code) ? unsure(text) : text;
  };

const simple = (code: string, edit: FreshCase): string => fence(code, tagOf(edit));
const wrapped = (code: string, edit: FreshCase, index: number): string =>
  `${pick(openings, index)}\n\n${simple(code, edit)}\n\n${pick(closings, index)}`;

const withContext = (edit: FreshCase, first: number, last: number): string | undefined =>
  edit.before.length < first || edit.after.length < last
    ? undefined
    : join([
        ...(first === 0 ? [] : edit.before.slice(-first)),
        ...edit.right,
        ...edit.after.slice(0, last),
      ]);
const wholeFile = ({ before, right, after }: FreshCase): string =>
  join([...before, ...right, ...after]);

const isIndented = ({ right }: FreshCase): boolean => indentOf(right[0] ?? '') !== '';
const dedented = (edit: FreshCase): string | undefined =>
  commonIndent(edit.right) === '' || commonIndent(edit.right) !== commonIndent(edit.original)
    ? undefined
    : join(dedent(edit.right));
const trimmed = (edit: FreshCase): string | undefined =>
  isIndented(edit) && indentOf(edit.right[0] ?? '') === indentOf(edit.original[0] ?? '')
    ? join(edit.right).trimStart()
    : undefined;
const swapped = (edit: FreshCase): string | undefined => {
  const text = join(swapIndentation(edit, edit.right));
  return text === join(edit.right) ? undefined : text;
};
/** Checks whether each indentation is a multiple of the unit, so that tabs and spaces convert exactly. */
const isEven = ({ usesTabs, tabSize, right }: FreshCase): boolean =>
  right.every((line) => usesTabs || indentOf(line).length % tabSize === 0);

const numbered = (edit: FreshCase, format: (number: number, line: string) => string): string =>
  join(edit.right.map((line, index) => format(edit.before.length + index + 1, line)));
const thoughts = (edit: FreshCase): string =>
  `The user wants a new version of \`${edit.path}\`. Let me think.\n\n${fence(join(edit.original), tagOf(edit))}\n\nThat has to change.`;

export const freshForms: Readonly<Record<string, Form>> = {
  bare: ({ right }) => join(right),
  'bare with blank lines around': ({ right }) => `\n\n${join(right)}\n\n`,
  'bare with CRLF': ({ right }) => `${right.join('\r\n')}\r\n`,
  'fence with language': block(simple),
  'fence without language': block((code) => fence(code)),
  'fence with path': block((code, edit) => fence(code, `${tagOf(edit)} ${edit.path}`)),
  'fence with language:path': block((code, edit) => fence(code, `${tagOf(edit)}:${edit.path}`)),
  'fence with title': block((code, edit) => fence(code, `${tagOf(edit)} title="${edit.path}"`)),
  'fence with path only': block((code, edit) => fence(code, edit.path)),
  'fence with start line': block((code, edit) =>
    fence(code, `${tagOf(edit)} startLine=${edit.before.length + 1}`),
  ),
  'fence with uppercase language': block((code, edit) => fence(code, tagOf(edit).toUpperCase())),
  'fence with CRLF': block((code, edit) => `${simple(code, edit).replaceAll('\n', '\r\n')}\r\n`),
  'fence of four backticks': (edit) =>
    (/^\s*````/mu.test(join(edit.right)) ? unsure : String)(
      fence(join(edit.right), tagOf(edit), '````'),
    ),
  'fence of tildes': (edit) =>
    (/^\s*~~~/mu.test(join(edit.right)) ? unsure : String)(
      fence(join(edit.right), tagOf(edit), '~~~'),
    ),
  'fence with blank lines inside': block((code, edit) => simple(`\n${code}\n`, edit)),
  'unclosed fence': (edit) => unsure(`\`\`\`${tagOf(edit)}\n${join(edit.right)}`),
  'closing fence alone': (edit) => unsure(`${join(edit.right)}\n\`\`\``),
  'closing fence on the last line': (edit) =>
    unsure(`\`\`\`${tagOf(edit)}\n${join(edit.right)}\`\`\``),
  'opening fence after text': (edit) =>
    unsure(`Here's the code: \`\`\`${tagOf(edit)}\n${join(edit.right)}\n\`\`\``),
  'preamble and fence': block(
    (code, edit, index) => `${pick(openings, index)}\n\n${simple(code, edit)}`,
  ),
  'preamble and adjacent fence': block(
    (code, edit, index) => `${pick(openings, index + 5)}\n${simple(code, edit)}`,
  ),
  'fence and closing': block(
    (code, edit, index) => `${simple(code, edit)}\n\n${pick(closings, index)}`,
  ),
  'fence and adjacent closing': block(
    (code, edit, index) => `${simple(code, edit)}\n${pick(closings, index + 7)}`,
  ),
  'preamble, fence and closing': block(wrapped),
  'preamble, fence and closing again': block((code, edit, index) => wrapped(code, edit, index + 4)),
  'long preamble and closing': block(
    (code, edit, index) =>
      `${pick(openings, index)}\n\nThe selection has two problems:\n\n1. It ignores one case.\n2. It is hard to read.\n\n${simple(code, edit)}\n\n${pick(closings, index + 1)}\n\n${pick(closings, index + 3)}`,
  ),
  'path heading and fence': block((code, edit) => `**${edit.path}**\n\n${simple(code, edit)}`),
  'path heading in backticks': block(
    (code, edit) => `### \`${edit.path}\`\n\n${simple(code, edit)}\n\nNo other files change.`,
  ),
  'preamble and bare code': ({ right }, index) =>
    unsure(`${pick(openings, index)}\n\n${join(right)}`),
  'adjacent preamble and bare code': ({ right }, index) =>
    unsure(`${pick(openings, index + 3)}\n${join(right)}`),
  'bare code and closing': ({ right }, index) =>
    unsure(`${join(right)}\n\n${pick(closings, index)}`),
  'preamble, bare code and closing': ({ right }, index) =>
    unsure(`${pick(openings, index)}\n\n${join(right)}\n\n${pick(closings, index + 2)}`),
  'one line of context before': block(simple, (edit) => withContext(edit, 1, 0)),
  'three lines of context before': block(simple, (edit) => withContext(edit, 3, 0)),
  'two lines of context after': (edit) => unsure(withContext(edit, 0, 2)),
  'one line of context on both sides': (edit) => unsure(withContext(edit, 1, 1)),
  'context on both sides': block(simple, (edit) => withContext(edit, 3, 3)),
  'bare context on both sides': block(String, (edit) => withContext(edit, 4, 3)),
  'dedented context on both sides': (edit, index) =>
    unsure(
      withContext(edit, 2, 2) === undefined
        ? undefined
        : wrapped(join(dedent(withContext(edit, 2, 2)?.split('\n') ?? [])), edit, index),
    ),
  'whole file': block(simple, wholeFile),
  'bare whole file': block(String, (edit) => `${wholeFile(edit)}\n`),
  'whole file with preamble and closing': block(wrapped, wholeFile),
  'whole file with a changed first line': (edit) =>
    unsure(simple(`${comment(edit, 'Copyright 2026')}\n${wholeFile(edit)}`, edit)),
  'trimmed first line': (edit) => trimmed(edit),
  'trimmed first line in a fence': block(simple, trimmed),
  dedented: (edit) => dedented(edit),
  'dedented in a fence': block(wrapped, dedented),
  'swapped tabs and spaces': (edit) => (isEven(edit) ? swapped(edit) : unsure(swapped(edit))),
  'swapped tabs and spaces in a fence': (edit, index) =>
    (isEven(edit) ? block(wrapped, swapped) : (): undefined => undefined)(edit, index),
  'one more level': (edit) =>
    unsure(
      simple(
        join(
          edit.right.map((line) =>
            line === '' ? '' : (edit.usesTabs ? '\t' : ' '.repeat(edit.tabSize)) + line,
          ),
        ),
        edit,
      ),
    ),
  'unified diff': (edit) => fence(unified(edit), 'diff'),
  'bare unified diff': (edit) => unified(edit),
  'unified diff with wrong counts': (edit) => fence(unified(edit, 2), 'diff'),
  'git diff with preamble': (edit, index) =>
    `${pick(openings, index)}\n\n${fence(`diff --git a/${edit.path} b/${edit.path}\nindex 3f1c2aa..9b0d1ee 100644\n${unified(edit)}`, 'diff')}\n\n${pick(closings, index)}`,
  'diff without file header': (edit) =>
    unsure(fence(`${headOf(toHunk(edit))}\n${signed(toHunk(edit).lines)}`, 'diff')),
  'diff with empty hunk header': (edit) =>
    unsure(
      `--- ${edit.path}\n+++ ${edit.path}\n@@ ... @@\n${signed(toHunk(edit, 2).lines)}\n\\ No newline at end of file`,
    ),
  'diff lines only': (edit) => unsure(fence(signed(toHunk(edit, 1).lines), 'diff')),
  'diff without context': (edit) => unsure(fence(signed(toHunk(edit, 0).lines), 'diff')),
  'diff with trimmed context': (edit) =>
    unsure(
      fence(
        `${headOf(toHunk(edit))}\n${join(toHunk(edit).lines.map(([sign, line]) => (sign === ' ' ? line : sign + line)))}`,
        'diff',
      ),
    ),
  'diff with the language of the file': (edit) => unsure(fence(unified(edit), tagOf(edit))),
  'SEARCH/REPLACE': (edit) =>
    `${edit.path}\n${fence(`<<<<<<< SEARCH\n${join(edit.original)}\n=======\n${join(edit.right)}\n>>>>>>> REPLACE`, tagOf(edit))}`,
  'bare SEARCH/REPLACE with context': (edit) =>
    `<<<<<<< SEARCH\n${join([...edit.before.slice(-2), ...edit.original])}\n=======\n${join([...edit.before.slice(-2), ...edit.right])}\n>>>>>>> REPLACE`,
  'ORIGINAL/UPDATED markers': (edit) =>
    unsure(
      `<<<<<<< ORIGINAL\n${join(edit.original)}\n=======\n${join(edit.right)}\n>>>>>>> UPDATED`,
    ),
  'apply_patch envelope': (edit) =>
    unsure(
      `*** Begin Patch\n*** Update File: ${edit.path}\n@@\n${signed(toHunk(edit).lines)}\n*** End Patch`,
    ),
  'before and after': (edit) =>
    unsure(
      `Replace this:\n\n${simple(join(edit.original), edit)}\n\nwith this:\n\n${simple(join(edit.right), edit)}`,
    ),
  'line numbers with a bar': block(simple, (edit) =>
    numbered(edit, (number, line) => `${String(number).padStart(3)} | ${line}`),
  ),
  'line numbers with a tab': (edit) =>
    numbered(edit, (number, line) => `${String(number).padStart(6)}\t${line}`),
  'line numbers with a colon': (edit) =>
    unsure(numbered(edit, (number, line) => `${number}: ${line}`)),
  'only prose': (_, index) => unsure(pick(prose, index)),
  refusal: (_, index) => unsure(pick(refusals, index)),
  nothing: () => unsure('\n'),
  'empty fence': (edit) => unsure(simple('', edit)),
  'two alternatives': (edit) =>
    unsure(
      `**Option 1**\n\n${simple(join(edit.right), edit)}\n\n**Option 2**\n\n${simple(join([...edit.right, comment(edit, 'variant')]), edit)}`,
    ),
  'fence and a command': (edit) =>
    unsure(`${simple(join(edit.right), edit)}\n\nThen run:\n\n${fence('npm install', 'bash')}`),
  'identical fences': (edit) =>
    unsure(`${simple(join(edit.right), edit)}\n\nFinal:\n\n${simple(join(edit.right), edit)}`),
  'repeated answer': ({ right }) => unsure(`${join(right)}\n${join(right)}`),
  'elided file': (edit, index) =>
    unsure(
      simple(
        join([
          comment(edit, '... existing code ...'),
          ...edit.before.slice(-1),
          ...edit.right,
          ...edit.after.slice(0, 1),
          comment(
            edit,
            pick(['... rest of the file unchanged ...', '…', '(rest unchanged)'], index),
          ),
        ]),
        edit,
      ),
    ),
  'elided middle': (edit, index) => {
    const { length } = edit.right;
    if (length < 5) return undefined;
    const text = pick(
      [
        '... (unchanged)',
        '... rest of the code stays the same ...',
        'lines 20-40 unchanged',
        '…',
        'keep the existing code here',
      ],
      index,
    );
    const mark = indentOf(edit.right[2] ?? '') + comment(edit, text);
    return unsure(join([...edit.right.slice(0, 2), mark, ...edit.right.slice(-1)]));
  },
  'elided end': (edit, index) =>
    unsure(
      simple(
        join([
          ...edit.right.slice(0, Math.ceil(edit.right.length / 2)),
          pick(['...', comment(edit, 'remaining code as before'), comment(edit, '[...]')], index),
        ]),
        edit,
      ),
    ),
  'cut off inside a line': (edit) => unsure(join(edit.right).slice(0, -12)),
  'cut off inside a fence': (edit) =>
    unsure(`\`\`\`${tagOf(edit)}\n${join(edit.right.slice(0, -1))}`),
  'cut off inside a whole file': (edit) =>
    unsure(`\`\`\`${tagOf(edit)}\n${wholeFile(edit).slice(0, -20)}`),
  'escaped newlines': ({ right }) => unsure(JSON.stringify(join(right)).slice(1, -1)),
  'JSON string': ({ right }) => unsure(JSON.stringify(join(right))),
  'JSON object': (edit) =>
    unsure(
      fence(JSON.stringify({ file: edit.path, code: join(edit.right) }, undefined, 2), 'json'),
    ),
  'tool call': (edit) =>
    unsure(
      `<tool_call>\n${JSON.stringify({ name: 'replace_selection', arguments: { text: join(edit.right) } })}\n</tool_call>`,
    ),
  'XML tags': ({ right }, index) => {
    const tag = pick(['replacement', 'updated_code', 'answer', 'code', 'selection'], index);
    return unsure(`<${tag}>\n${join(right)}\n</${tag}>`);
  },
  'XML tags around a fence': (edit) =>
    unsure(`<answer>\n${simple(join(edit.right), edit)}\n</answer>`),
  'escaped HTML': (edit) =>
    unsure(
      `<pre><code class="language-${tagOf(edit)}">${escapeHtml(join(edit.right))}\n</code></pre>`,
    ),
  'start and end markers': ({ right }, index) =>
    unsure(
      pick(
        [
          ['[START]', '[END]'],
          ['<|start|>', '<|end|>'],
          ['<<<', '>>>'],
          ['BEGIN CODE', 'END CODE'],
        ],
        index,
      ).join(`\n${join(right)}\n`),
    ),
  thoughts: (edit) => `<think>\n${thoughts(edit)}\n</think>\n\n${join(edit.right)}`,
  'thoughts and fence': block(
    (code, edit, index) => `<think>${thoughts(edit)}</think>\n${wrapped(code, edit, index + 2)}`,
  ),
  'thoughts without a start tag': (edit) =>
    unsure(`${thoughts(edit)}\n</think>\n\n${join(edit.right)}`),
  channels: ({ right }) =>
    unsure(
      `<|channel|>analysis<|message|>Rewrite it.<|end|><|start|>assistant<|channel|>final<|message|>${join(right)}<|return|>`,
    ),
  'end-of-turn token': ({ right }, index) =>
    unsure(
      `${join(right)}${pick(['<|im_end|>', '<|endoftext|>', '</s>', '<|eot_id|>', '<end_of_turn>'], index)}`,
    ),
  'next turn': ({ right }) => unsure(`${join(right)}\n<|im_end|>\n<|im_start|>user\nThanks!`),
  'fence in a list': (edit) =>
    unsure(
      `1. Replace the selection:\n\n${simple(join(edit.right), edit).replaceAll(/^(?=.)/gmu, '   ')}\n\n2. Save the file.`,
    ),
  'quoted lines': ({ language, right }) =>
    ['markdown', 'mdx', 'plaintext', 'restructuredtext'].includes(language)
      ? undefined
      : unsure(right.map((line) => `> ${line}`.trimEnd()).join('\n')),
  'path comment before the code': (edit) =>
    unsure(simple(`${comment(edit, edit.path)}\n${join(edit.right)}`, edit)),
  'byte order mark': ({ right }) => unsure(`\uFEFF${join(right)}`),
  'no-break spaces': (edit) =>
    edit.usesTabs || !isIndented(edit)
      ? undefined
      : unsure(join(edit.right.map((l) => l.replace(/^ +/u, (s) => '\u00A0'.repeat(s.length))))),
  'inline code': ({ right }) =>
    right.length === 1 ? unsure(`\`${right[0]?.trim()}\``) : undefined,
  'closing about the rest': (edit) =>
    unsure(
      simple(join([...edit.right, comment(edit, 'The rest of the file remains the same')]), edit),
    ),
};

export const createFreshAnswers = (edit: FreshCase, index: number): readonly FreshAnswer[] =>
  Object.entries(freshForms).flatMap(([form, create]) => {
    const result = create(edit, index);
    if (result === undefined) return [];
    const [text, expected] = typeof result === 'string' ? [result, 'right' as const] : result;
    return [{ form, text, expected, finishReason: form.startsWith('cut off') ? 'length' : 'stop' }];
  });
