import type { FreshCase } from './fresh-corpus.fixture.ts';

/** An answer of a model, and the result that the parser must return. */
export interface FreshAnswer {
  readonly form: string;
  readonly text: string;
  /** `right`: the parser must return the replacement. `refuse-or-right`: the parser may also refuse the answer. */
  readonly expected: 'right' | 'refuse-or-right';
  readonly finishReason?: 'stop' | 'length';
}

const introductions = [
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
const conclusions = [
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

const fenceTags: Readonly<Record<string, string>> = {
  'objective-c': 'objc',
  plaintext: 'text',
  proto3: 'protobuf',
  restructuredtext: 'rst',
  shellscript: 'bash',
  terraform: 'hcl',
  typescriptreact: 'tsx',
};
export const getFenceTag = ({ language }: Pick<FreshCase, 'language'>): string =>
  fenceTags[language] ?? language;

const hashLanguages =
  'cmake dockerfile elixir makefile perl powershell python ruby shellscript terraform toml yaml'.split(
    ' ',
  );
const markupLanguages = 'html jinja markdown mdx vue xml'.split(' ');

/** Returns a comment in the syntax of the language. */
export function formatComment({ language }: Pick<FreshCase, 'language'>, text: string): string {
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

export const pickItem = <T>(items: readonly T[], index: number): T =>
  items[index % items.length] as T;
export const joinLines = (lines: readonly string[]): string => lines.join('\n');
export const getIndent = (line: string): string => /^[ \t]*/u.exec(line)?.[0] ?? '';

/** Returns the indentation that all non-blank lines have in common. */
function getCommonIndent(lines: readonly string[]): string {
  const indents = lines.filter((line) => line.trim() !== '').map(getIndent);
  let common = indents[0] ?? '';
  while (!indents.every((indent) => indent.startsWith(common))) common = common.slice(0, -1);
  return common;
}

export function removeCommonIndent(lines: readonly string[]): string[] {
  const { length } = getCommonIndent(lines);
  return lines.map((line) => line.slice(Math.min(length, getIndent(line).length)));
}

/** Replaces each tab of the indentation with spaces, or each unit of spaces with a tab. */
export function swapIndentation(
  { usesTabs, tabSize }: Pick<FreshCase, 'usesTabs' | 'tabSize'>,
  lines: readonly string[],
): string[] {
  const unit = ' '.repeat(tabSize);
  return lines.map((line) => {
    const indent = getIndent(line);
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

export const formatSignedLines = (lines: readonly DiffLine[]): string =>
  joinLines(lines.map(([sign, line]) => sign + line));

const formatHunkHeader = ({ start, counts: [a, b] }: Hunk, off = 0): string =>
  `@@ -${start},${a + off} +${start},${b + 2 * off} @@`;

const formatUnifiedDiff = (edit: FreshCase, off = 0): string => {
  const hunk = toHunk(edit);
  return `--- a/${edit.path}\n+++ b/${edit.path}\n${formatHunkHeader(hunk, off)}\n${formatSignedLines(hunk.lines)}`;
};

export const encloseInFence = (code: string, info = '', mark = '```'): string =>
  `${mark}${info}\n${code}\n${mark}`;
const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

type Result = string | undefined | readonly [text: string, expected: 'refuse-or-right'];
type FormatAnswer = (edit: FreshCase, index: number) => Result;

const markUncertain = (text: string | undefined): Result =>
  text === undefined ? undefined : [text, 'refuse-or-right'];

/**
 * Creates a function that encloses the replacement lines in a code fence. The result is marked as uncertain if these
 * lines contain such a fence.
 */
const createFencedForm =
  (
    toText: (code: string, edit: FreshCase, index: number) => string,
    toCode: (edit: FreshCase) => string | undefined = ({ right }) => joinLines(right),
  ): FormatAnswer =>
  (edit, index) => {
    const code = toCode(edit);
    if (code === undefined) return undefined;
    const text = toText(code, edit, index);
    return /^\s*```/mu.test(code) ? markUncertain(text) : text;
  };

const encloseInSimpleFence = (code: string, edit: FreshCase): string =>
  encloseInFence(code, getFenceTag(edit));
const encloseWithRemarks = (code: string, edit: FreshCase, index: number): string =>
  `${pickItem(introductions, index)}\n\n${encloseInSimpleFence(code, edit)}\n\n${pickItem(conclusions, index)}`;

const addContext = (edit: FreshCase, first: number, last: number): string | undefined =>
  edit.before.length < first || edit.after.length < last
    ? undefined
    : joinLines([
        ...(first === 0 ? [] : edit.before.slice(-first)),
        ...edit.right,
        ...edit.after.slice(0, last),
      ]);
const joinWholeFile = ({ before, right, after }: FreshCase): string =>
  joinLines([...before, ...right, ...after]);

const isIndented = ({ right }: FreshCase): boolean => getIndent(right[0] ?? '') !== '';
const removeIndentation = (edit: FreshCase): string | undefined =>
  getCommonIndent(edit.right) === '' ||
  getCommonIndent(edit.right) !== getCommonIndent(edit.original)
    ? undefined
    : joinLines(removeCommonIndent(edit.right));
const trimFirstIndent = (edit: FreshCase): string | undefined =>
  isIndented(edit) && getIndent(edit.right[0] ?? '') === getIndent(edit.original[0] ?? '')
    ? joinLines(edit.right).trimStart()
    : undefined;
const swapReplacementIndentation = (edit: FreshCase): string | undefined => {
  const text = joinLines(swapIndentation(edit, edit.right));
  return text === joinLines(edit.right) ? undefined : text;
};
/**
 * Checks whether the width of each indentation is a multiple of the tab size, so that tabs and spaces convert exactly.
 */
const hasEvenIndentation = ({ usesTabs, tabSize, right }: FreshCase): boolean =>
  right.every((line) => usesTabs || getIndent(line).length % tabSize === 0);

const addLineNumbers = (
  edit: FreshCase,
  format: (number: number, line: string) => string,
): string =>
  joinLines(edit.right.map((line, index) => format(edit.before.length + index + 1, line)));
const createThoughts = (edit: FreshCase): string =>
  `The user wants a new version of \`${edit.path}\`. Let me think.\n\n${encloseInFence(joinLines(edit.original), getFenceTag(edit))}\n\nThat has to change.`;

export const freshForms: Readonly<Record<string, FormatAnswer>> = {
  bare: ({ right }) => joinLines(right),
  'bare with blank lines around': ({ right }) => `\n\n${joinLines(right)}\n\n`,
  'bare with CRLF': ({ right }) => `${right.join('\r\n')}\r\n`,
  'fence with language': createFencedForm(encloseInSimpleFence),
  'fence without language': createFencedForm((code) => encloseInFence(code)),
  'fence with path': createFencedForm((code, edit) =>
    encloseInFence(code, `${getFenceTag(edit)} ${edit.path}`),
  ),
  'fence with language:path': createFencedForm((code, edit) =>
    encloseInFence(code, `${getFenceTag(edit)}:${edit.path}`),
  ),
  'fence with title': createFencedForm((code, edit) =>
    encloseInFence(code, `${getFenceTag(edit)} title="${edit.path}"`),
  ),
  'fence with path only': createFencedForm((code, edit) => encloseInFence(code, edit.path)),
  'fence with start line': createFencedForm((code, edit) =>
    encloseInFence(code, `${getFenceTag(edit)} startLine=${edit.before.length + 1}`),
  ),
  'fence with uppercase language': createFencedForm((code, edit) =>
    encloseInFence(code, getFenceTag(edit).toUpperCase()),
  ),
  'fence with CRLF': createFencedForm(
    (code, edit) => `${encloseInSimpleFence(code, edit).replaceAll('\n', '\r\n')}\r\n`,
  ),
  'fence of four backticks': (edit) =>
    (/^\s*````/mu.test(joinLines(edit.right)) ? markUncertain : String)(
      encloseInFence(joinLines(edit.right), getFenceTag(edit), '````'),
    ),
  'fence of tildes': (edit) =>
    (/^\s*~~~/mu.test(joinLines(edit.right)) ? markUncertain : String)(
      encloseInFence(joinLines(edit.right), getFenceTag(edit), '~~~'),
    ),
  'fence with blank lines inside': createFencedForm((code, edit) =>
    encloseInSimpleFence(`\n${code}\n`, edit),
  ),
  'unclosed fence': (edit) => markUncertain(`\`\`\`${getFenceTag(edit)}\n${joinLines(edit.right)}`),
  'closing fence alone': (edit) => markUncertain(`${joinLines(edit.right)}\n\`\`\``),
  'closing fence on the last line': (edit) =>
    markUncertain(`\`\`\`${getFenceTag(edit)}\n${joinLines(edit.right)}\`\`\``),
  'opening fence after text': (edit) =>
    markUncertain(`Here's the code: \`\`\`${getFenceTag(edit)}\n${joinLines(edit.right)}\n\`\`\``),
  'preamble and fence': createFencedForm(
    (code, edit, index) =>
      `${pickItem(introductions, index)}\n\n${encloseInSimpleFence(code, edit)}`,
  ),
  'preamble and adjacent fence': createFencedForm(
    (code, edit, index) =>
      `${pickItem(introductions, index + 5)}\n${encloseInSimpleFence(code, edit)}`,
  ),
  'fence and closing': createFencedForm(
    (code, edit, index) => `${encloseInSimpleFence(code, edit)}\n\n${pickItem(conclusions, index)}`,
  ),
  'fence and adjacent closing': createFencedForm(
    (code, edit, index) =>
      `${encloseInSimpleFence(code, edit)}\n${pickItem(conclusions, index + 7)}`,
  ),
  'preamble, fence and closing': createFencedForm(encloseWithRemarks),
  'preamble, fence and closing again': createFencedForm((code, edit, index) =>
    encloseWithRemarks(code, edit, index + 4),
  ),
  'long preamble and closing': createFencedForm(
    (code, edit, index) =>
      `${pickItem(introductions, index)}\n\nThe selection has two problems:\n\n1. It ignores one case.\n2. It is hard to read.\n\n${encloseInSimpleFence(code, edit)}\n\n${pickItem(conclusions, index + 1)}\n\n${pickItem(conclusions, index + 3)}`,
  ),
  'path heading and fence': createFencedForm(
    (code, edit) => `**${edit.path}**\n\n${encloseInSimpleFence(code, edit)}`,
  ),
  'path heading in backticks': createFencedForm(
    (code, edit) =>
      `### \`${edit.path}\`\n\n${encloseInSimpleFence(code, edit)}\n\nNo other files change.`,
  ),
  'preamble and bare code': ({ right }, index) =>
    markUncertain(`${pickItem(introductions, index)}\n\n${joinLines(right)}`),
  'adjacent preamble and bare code': ({ right }, index) =>
    markUncertain(`${pickItem(introductions, index + 3)}\n${joinLines(right)}`),
  'bare code and closing': ({ right }, index) =>
    markUncertain(`${joinLines(right)}\n\n${pickItem(conclusions, index)}`),
  'preamble, bare code and closing': ({ right }, index) =>
    markUncertain(
      `${pickItem(introductions, index)}\n\n${joinLines(right)}\n\n${pickItem(conclusions, index + 2)}`,
    ),
  'one line of context before': createFencedForm(encloseInSimpleFence, (edit) =>
    addContext(edit, 1, 0),
  ),
  'three lines of context before': createFencedForm(encloseInSimpleFence, (edit) =>
    addContext(edit, 3, 0),
  ),
  'two lines of context after': (edit) => markUncertain(addContext(edit, 0, 2)),
  'one line of context on both sides': (edit) => markUncertain(addContext(edit, 1, 1)),
  'context on both sides': createFencedForm(encloseInSimpleFence, (edit) => addContext(edit, 3, 3)),
  'bare context on both sides': createFencedForm(String, (edit) => addContext(edit, 4, 3)),
  'dedented context on both sides': (edit, index) =>
    markUncertain(
      addContext(edit, 2, 2) === undefined
        ? undefined
        : encloseWithRemarks(
            joinLines(removeCommonIndent(addContext(edit, 2, 2)?.split('\n') ?? [])),
            edit,
            index,
          ),
    ),
  'whole file': createFencedForm(encloseInSimpleFence, joinWholeFile),
  'bare whole file': createFencedForm(String, (edit) => `${joinWholeFile(edit)}\n`),
  'whole file with preamble and closing': createFencedForm(encloseWithRemarks, joinWholeFile),
  'whole file with a changed first line': (edit) =>
    markUncertain(
      encloseInSimpleFence(
        `${formatComment(edit, 'Copyright 2026')}\n${joinWholeFile(edit)}`,
        edit,
      ),
    ),
  'trimmed first line': (edit) => trimFirstIndent(edit),
  'trimmed first line in a fence': createFencedForm(encloseInSimpleFence, trimFirstIndent),
  dedented: (edit) => removeIndentation(edit),
  'dedented in a fence': createFencedForm(encloseWithRemarks, removeIndentation),
  'swapped tabs and spaces': (edit) =>
    hasEvenIndentation(edit)
      ? swapReplacementIndentation(edit)
      : markUncertain(swapReplacementIndentation(edit)),
  'swapped tabs and spaces in a fence': (edit, index) =>
    (hasEvenIndentation(edit)
      ? createFencedForm(encloseWithRemarks, swapReplacementIndentation)
      : (): undefined => undefined)(edit, index),
  'one more level': (edit) =>
    markUncertain(
      encloseInSimpleFence(
        joinLines(
          edit.right.map((line) =>
            line === '' ? '' : (edit.usesTabs ? '\t' : ' '.repeat(edit.tabSize)) + line,
          ),
        ),
        edit,
      ),
    ),
  'unified diff': (edit) => encloseInFence(formatUnifiedDiff(edit), 'diff'),
  'bare unified diff': (edit) => formatUnifiedDiff(edit),
  'unified diff with wrong counts': (edit) => encloseInFence(formatUnifiedDiff(edit, 2), 'diff'),
  'git diff with preamble': (edit, index) =>
    `${pickItem(introductions, index)}\n\n${encloseInFence(`diff --git a/${edit.path} b/${edit.path}\nindex 3f1c2aa..9b0d1ee 100644\n${formatUnifiedDiff(edit)}`, 'diff')}\n\n${pickItem(conclusions, index)}`,
  'diff without file header': (edit) =>
    markUncertain(
      encloseInFence(
        `${formatHunkHeader(toHunk(edit))}\n${formatSignedLines(toHunk(edit).lines)}`,
        'diff',
      ),
    ),
  'diff with empty hunk header': (edit) =>
    markUncertain(
      `--- ${edit.path}\n+++ ${edit.path}\n@@ ... @@\n${formatSignedLines(toHunk(edit, 2).lines)}\n\\ No newline at end of file`,
    ),
  'diff lines only': (edit) =>
    markUncertain(encloseInFence(formatSignedLines(toHunk(edit, 1).lines), 'diff')),
  'diff without context': (edit) =>
    markUncertain(encloseInFence(formatSignedLines(toHunk(edit, 0).lines), 'diff')),
  'diff with trimmed context': (edit) =>
    markUncertain(
      encloseInFence(
        `${formatHunkHeader(toHunk(edit))}\n${joinLines(toHunk(edit).lines.map(([sign, line]) => (sign === ' ' ? line : sign + line)))}`,
        'diff',
      ),
    ),
  'diff with the language of the file': (edit) =>
    markUncertain(encloseInFence(formatUnifiedDiff(edit), getFenceTag(edit))),
  'SEARCH/REPLACE': (edit) =>
    `${edit.path}\n${encloseInFence(`<<<<<<< SEARCH\n${joinLines(edit.original)}\n=======\n${joinLines(edit.right)}\n>>>>>>> REPLACE`, getFenceTag(edit))}`,
  'bare SEARCH/REPLACE with context': (edit) =>
    `<<<<<<< SEARCH\n${joinLines([...edit.before.slice(-2), ...edit.original])}\n=======\n${joinLines([...edit.before.slice(-2), ...edit.right])}\n>>>>>>> REPLACE`,
  'ORIGINAL/UPDATED markers': (edit) =>
    markUncertain(
      `<<<<<<< ORIGINAL\n${joinLines(edit.original)}\n=======\n${joinLines(edit.right)}\n>>>>>>> UPDATED`,
    ),
  'apply_patch envelope': (edit) =>
    markUncertain(
      `*** Begin Patch\n*** Update File: ${edit.path}\n@@\n${formatSignedLines(toHunk(edit).lines)}\n*** End Patch`,
    ),
  'before and after': (edit) =>
    markUncertain(
      `Replace this:\n\n${encloseInSimpleFence(joinLines(edit.original), edit)}\n\nwith this:\n\n${encloseInSimpleFence(joinLines(edit.right), edit)}`,
    ),
  'line numbers with a bar': createFencedForm(encloseInSimpleFence, (edit) =>
    addLineNumbers(edit, (number, line) => `${String(number).padStart(3)} | ${line}`),
  ),
  'line numbers with a tab': (edit) =>
    addLineNumbers(edit, (number, line) => `${String(number).padStart(6)}\t${line}`),
  'line numbers with a colon': (edit) =>
    markUncertain(addLineNumbers(edit, (number, line) => `${number}: ${line}`)),
  'only prose': (_, index) => markUncertain(pickItem(prose, index)),
  refusal: (_, index) => markUncertain(pickItem(refusals, index)),
  nothing: () => markUncertain('\n'),
  'empty fence': (edit) => markUncertain(encloseInSimpleFence('', edit)),
  'two alternatives': (edit) =>
    markUncertain(
      `**Option 1**\n\n${encloseInSimpleFence(joinLines(edit.right), edit)}\n\n**Option 2**\n\n${encloseInSimpleFence(joinLines([...edit.right, formatComment(edit, 'variant')]), edit)}`,
    ),
  'fence and a command': (edit) =>
    markUncertain(
      `${encloseInSimpleFence(joinLines(edit.right), edit)}\n\nThen run:\n\n${encloseInFence('npm install', 'bash')}`,
    ),
  'identical fences': (edit) =>
    markUncertain(
      `${encloseInSimpleFence(joinLines(edit.right), edit)}\n\nFinal:\n\n${encloseInSimpleFence(joinLines(edit.right), edit)}`,
    ),
  'repeated answer': ({ right }) => markUncertain(`${joinLines(right)}\n${joinLines(right)}`),
  'elided file': (edit, index) =>
    markUncertain(
      encloseInSimpleFence(
        joinLines([
          formatComment(edit, '... existing code ...'),
          ...edit.before.slice(-1),
          ...edit.right,
          ...edit.after.slice(0, 1),
          formatComment(
            edit,
            pickItem(['... rest of the file unchanged ...', '…', '(rest unchanged)'], index),
          ),
        ]),
        edit,
      ),
    ),
  'elided middle': (edit, index) => {
    const { length } = edit.right;
    if (length < 5) return undefined;
    const text = pickItem(
      [
        '... (unchanged)',
        '... rest of the code stays the same ...',
        'lines 20-40 unchanged',
        '…',
        'keep the existing code here',
      ],
      index,
    );
    const mark = getIndent(edit.right[2] ?? '') + formatComment(edit, text);
    return markUncertain(joinLines([...edit.right.slice(0, 2), mark, ...edit.right.slice(-1)]));
  },
  'elided end': (edit, index) =>
    markUncertain(
      encloseInSimpleFence(
        joinLines([
          ...edit.right.slice(0, Math.ceil(edit.right.length / 2)),
          pickItem(
            ['...', formatComment(edit, 'remaining code as before'), formatComment(edit, '[...]')],
            index,
          ),
        ]),
        edit,
      ),
    ),
  'cut off inside a line': (edit) => markUncertain(joinLines(edit.right).slice(0, -12)),
  'cut off inside a fence': (edit) =>
    markUncertain(`\`\`\`${getFenceTag(edit)}\n${joinLines(edit.right.slice(0, -1))}`),
  'cut off inside a whole file': (edit) =>
    markUncertain(`\`\`\`${getFenceTag(edit)}\n${joinWholeFile(edit).slice(0, -20)}`),
  'escaped newlines': ({ right }) => markUncertain(JSON.stringify(joinLines(right)).slice(1, -1)),
  'JSON string': ({ right }) => markUncertain(JSON.stringify(joinLines(right))),
  'JSON object': (edit) =>
    markUncertain(
      encloseInFence(
        JSON.stringify({ file: edit.path, code: joinLines(edit.right) }, undefined, 2),
        'json',
      ),
    ),
  'tool call': (edit) =>
    markUncertain(
      `<tool_call>\n${JSON.stringify({ name: 'replace_selection', arguments: { text: joinLines(edit.right) } })}\n</tool_call>`,
    ),
  'XML tags': ({ right }, index) => {
    const tag = pickItem(['replacement', 'updated_code', 'answer', 'code', 'selection'], index);
    return markUncertain(`<${tag}>\n${joinLines(right)}\n</${tag}>`);
  },
  'XML tags around a fence': (edit) =>
    markUncertain(`<answer>\n${encloseInSimpleFence(joinLines(edit.right), edit)}\n</answer>`),
  'escaped HTML': (edit) =>
    markUncertain(
      `<pre><code class="language-${getFenceTag(edit)}">${escapeHtml(joinLines(edit.right))}\n</code></pre>`,
    ),
  'start and end markers': ({ right }, index) =>
    markUncertain(
      pickItem(
        [
          ['[START]', '[END]'],
          ['<|start|>', '<|end|>'],
          ['<<<', '>>>'],
          ['BEGIN CODE', 'END CODE'],
        ],
        index,
      ).join(`\n${joinLines(right)}\n`),
    ),
  thoughts: (edit) => `<think>\n${createThoughts(edit)}\n</think>\n\n${joinLines(edit.right)}`,
  'thoughts and fence': createFencedForm(
    (code, edit, index) =>
      `<think>${createThoughts(edit)}</think>\n${encloseWithRemarks(code, edit, index + 2)}`,
  ),
  'thoughts without a start tag': (edit) =>
    markUncertain(`${createThoughts(edit)}\n</think>\n\n${joinLines(edit.right)}`),
  channels: ({ right }) =>
    markUncertain(
      `<|channel|>analysis<|message|>Rewrite it.<|end|><|start|>assistant<|channel|>final<|message|>${joinLines(right)}<|return|>`,
    ),
  'end-of-turn token': ({ right }, index) =>
    markUncertain(
      `${joinLines(right)}${pickItem(['<|im_end|>', '<|endoftext|>', '</s>', '<|eot_id|>', '<end_of_turn>'], index)}`,
    ),
  'next turn': ({ right }) =>
    markUncertain(`${joinLines(right)}\n<|im_end|>\n<|im_start|>user\nThanks!`),
  'fence in a list': (edit) =>
    markUncertain(
      `1. Replace the selection:\n\n${encloseInSimpleFence(joinLines(edit.right), edit).replaceAll(/^(?=.)/gmu, '   ')}\n\n2. Save the file.`,
    ),
  'quoted lines': ({ language, right }) =>
    ['markdown', 'mdx', 'plaintext', 'restructuredtext'].includes(language)
      ? undefined
      : markUncertain(right.map((line) => `> ${line}`.trimEnd()).join('\n')),
  'path comment before the code': (edit) =>
    markUncertain(
      encloseInSimpleFence(`${formatComment(edit, edit.path)}\n${joinLines(edit.right)}`, edit),
    ),
  'byte order mark': ({ right }) => markUncertain(`\uFEFF${joinLines(right)}`),
  'no-break spaces': (edit) =>
    edit.usesTabs || !isIndented(edit)
      ? undefined
      : markUncertain(
          joinLines(edit.right.map((l) => l.replace(/^ +/u, (s) => '\u00A0'.repeat(s.length)))),
        ),
  'inline code': ({ right }) =>
    right.length === 1 ? markUncertain(`\`${right[0]?.trim()}\``) : undefined,
  'closing about the rest': (edit) =>
    markUncertain(
      encloseInSimpleFence(
        joinLines([...edit.right, formatComment(edit, 'The rest of the file remains the same')]),
        edit,
      ),
    ),
};

export const createFreshAnswers = (edit: FreshCase, index: number): readonly FreshAnswer[] =>
  Object.entries(freshForms).flatMap(([form, create]) => {
    const result = create(edit, index);
    if (result === undefined) return [];
    const [text, expected] = typeof result === 'string' ? [result, 'right' as const] : result;
    return [{ form, text, expected, finishReason: form.startsWith('cut off') ? 'length' : 'stop' }];
  });
