import type { CorpusAnswer, CorpusEdit, Expectation } from './corpus-text.ts';

type Form = readonly [
  name: string,
  expectation: Expectation,
  render: (edit: CorpusEdit) => string | undefined,
  options?: 'cut',
];

const joinLines = (lines: readonly string[]): string => lines.join('\n');
const getNewText = ({ replacement }: CorpusEdit): string => joinLines(replacement);
const getOldText = ({ original }: CorpusEdit): string => joinLines(original);
const getFirstLine = (lines: readonly string[]): string => lines[0] ?? '';
const pickText = ({ index }: CorpusEdit, ...texts: readonly string[]): string =>
  texts[index % texts.length] ?? '';
const getLastLinesBefore = ({ before }: CorpusEdit, count: number): readonly string[] =>
  count === 0 ? [] : before.slice(-count);
const getFileName = ({ path }: CorpusEdit): string => path.split('/').at(-1) ?? path;
const isProse = ({ language }: CorpusEdit): boolean =>
  ['plaintext', 'markdown', 'mdx', 'asciidoc', 'org', 'restructuredtext'].includes(language);

const fenceTags: Partial<Record<string, string>> = {
  typescript: 'ts',
  typescriptreact: 'tsx',
  javascript: 'js',
  shellscript: 'bash',
  restructuredtext: 'rst',
  'fortran-fixed': 'fortran',
  bat: 'batch',
  csharp: 'cs',
  proto3: 'proto',
  plaintext: 'text',
  terraform: 'hcl',
};
const getFenceTag = ({ language }: CorpusEdit): string => fenceTags[language] ?? language;
const encloseInFence = (text: string, info = '', fenceMark = '```'): string => {
  const fence = text.includes('```') && fenceMark === '```' ? '````' : fenceMark;
  return `${fence}${info}\n${text}\n${fence}`;
};
const createCodeBlock = (edit: CorpusEdit, text = getNewText(edit)): string =>
  encloseInFence(text, getFenceTag(edit));
const joinWholeFile = (edit: CorpusEdit, lines = edit.replacement): string =>
  joinLines([...edit.before, ...lines, ...edit.after]);

/** Splits an edit into the changed lines and the lines at both ends that the edit leaves unchanged. */
function findMinimalChange({ original, replacement }: CorpusEdit): {
  readonly unchangedStart: readonly string[];
  readonly removedLines: readonly string[];
  readonly addedLines: readonly string[];
  readonly unchangedEnd: readonly string[];
} {
  let start = 0;
  while (start < original.length && original[start] === replacement[start]) start += 1;
  let end = 0;
  while (
    end < Math.min(original.length, replacement.length) - start &&
    original.at(-1 - end) === replacement.at(-1 - end)
  )
    end += 1;
  return {
    unchangedStart: original.slice(0, start),
    removedLines: original.slice(start, original.length - end),
    addedLines: replacement.slice(start, replacement.length - end),
    unchangedEnd: original.slice(original.length - end),
  };
}

const prefixLines = (sign: string, lines: readonly string[]): readonly string[] =>
  lines.map((line) => sign + line);
function listHunkLines(edit: CorpusEdit, contextLineCount: number): readonly string[] {
  const { unchangedStart, removedLines, addedLines, unchangedEnd } = findMinimalChange(edit);
  return [
    ...prefixLines(' ', getLastLinesBefore(edit, contextLineCount)),
    ...prefixLines(' ', unchangedStart),
    ...prefixLines('-', removedLines),
    ...prefixLines('+', addedLines),
    ...prefixLines(' ', unchangedEnd),
    ...prefixLines(' ', edit.after.slice(0, contextLineCount)),
  ];
}

function formatUnifiedDiff(edit: CorpusEdit, offset = 0): string {
  const lines = listHunkLines(edit, 2);
  const start = edit.before.length - getLastLinesBefore(edit, 2).length + 1 + offset;
  const oldCount = lines.filter((line) => !line.startsWith('+')).length;
  const newCount = lines.filter((line) => !line.startsWith('-')).length;
  return joinLines([
    `--- a/${edit.path}`,
    `+++ b/${edit.path}`,
    `@@ -${start},${oldCount} +${start},${newCount} @@`,
    ...lines,
  ]);
}

const formatSearchReplace = (edit: CorpusEdit): string =>
  joinLines([
    '<<<<<<< SEARCH',
    ...edit.original,
    '=======',
    ...edit.replacement,
    '>>>>>>> REPLACE',
  ]);

const commentDelimiters: Partial<Record<string, readonly [string, string]>> = {
  html: ['<!-- ', ' -->'],
  vue: ['<!-- ', ' -->'],
  xml: ['<!-- ', ' -->'],
  svelte: ['<!-- ', ' -->'],
  markdown: ['<!-- ', ' -->'],
  mdx: ['{/* ', ' */}'],
  css: ['/* ', ' */'],
  sql: ['-- ', ''],
  lua: ['-- ', ''],
  haskell: ['-- ', ''],
  latex: ['% ', ''],
  ini: ['; ', ''],
  bat: ['REM ', ''],
  cobol: ['      * ', ''],
  'fortran-fixed': ['C     ', ''],
  restructuredtext: ['.. ', ''],
  json: ['// ', ''],
  asciidoc: ['// ', ''],
  org: ['# ', ''],
};
const hashCommentLanguages =
  'python,yaml,toml,dockerfile,makefile,shellscript,powershell,r,ruby,perl,elixir,terraform';
function formatComment({ language }: CorpusEdit, text: string): string {
  const [start, end] = commentDelimiters[language] ?? [
    hashCommentLanguages.split(',').includes(language) ? '# ' : '// ',
    '',
  ];
  return start + text + end;
}
const getIndent = (line: string): string => /^\s*/u.exec(line)?.[0] ?? '';
const dedent = (lines: readonly string[]): readonly string[] | undefined => {
  const indentWidths = lines
    .filter((line) => line.trim() !== '')
    .map((line) => getIndent(line).length);
  const width = Math.min(...indentWidths);
  return width > 0 && width < 1_000 ? lines.map((line) => line.slice(width)) : undefined;
};
const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const numberLines = (edit: CorpusEdit, separator: string, lines = edit.replacement): string =>
  lines
    .map(
      (line, index) => `${String(edit.before.length + 1 + index).padStart(4)}${separator}${line}`,
    )
    .join('\n');
const formatReasoning = (edit: CorpusEdit): string =>
  `Okay, the user wants: "${edit.instruction}". The marked lines are:\n\n${getOldText(edit)}\n\nI need to keep the indentation. Wait, should I also change the next line? No, it's outside of the marks. So the answer is just the new lines.`;

/** Forms in which models of several vendors and sizes return edits, as observed in transcripts. */
const editAnswerForms: readonly Form[] = [
  ['lines alone', 'right', getNewText],
  ['line break at the end', 'right', (edit) => `${getNewText(edit)}\n`],
  ['fence with language', 'right', (edit) => createCodeBlock(edit)],
  ['fence without language', 'right', (edit) => encloseInFence(getNewText(edit))],
  [
    'fence of tildes',
    'right',
    (edit) => encloseInFence(getNewText(edit), getFenceTag(edit), '~~~'),
  ],
  [
    'sentence and fence',
    'right',
    (edit) =>
      `${pickText(edit, "Here's the updated code:", 'Here is the edited section:', 'Certainly! Here are the new lines:', 'Updated lines:', 'Sure, I changed it as requested:', 'Below is the revised version.')}\n\n${createCodeBlock(edit)}`,
  ],
  [
    'fence and explanation',
    'right',
    (edit) =>
      `${createCodeBlock(edit)}\n\n${pickText(edit, 'This does what you asked and keeps everything else unchanged.', 'I kept the style of the file.', 'The change is limited to the selected lines.', 'Explanation: the new version follows the instruction.')}`,
  ],
  [
    'sentence, fence, bullets',
    'right',
    (edit) =>
      `Here's the change:\n\n${createCodeBlock(edit)}\n\n**Changes made:**\n- ${edit.instruction}\n- Kept the indentation\n\nLet me know if you'd like anything else!`,
  ],
  [
    'heading and fence',
    'right',
    (edit) =>
      `### ${pickText(edit, 'Updated code', 'Solution', getFileName(edit), 'Result')}\n\n${createCodeBlock(edit)}\n`,
  ],
  ['marks of the request', 'right', (edit) => `<lines>\n${getNewText(edit)}\n</lines>`],
  [
    'marks in a fence',
    'right-or-refused',
    (edit) => createCodeBlock(edit, `<lines>\n${getNewText(edit)}\n</lines>`),
  ],
  ['fence in marks', 'right-or-refused', (edit) => `<lines>\n${createCodeBlock(edit)}\n</lines>`],
  [
    'sentence and marks',
    'right-or-refused',
    (edit) => `Here are the new lines:\n\n<lines>\n${getNewText(edit)}\n</lines>`,
  ],
  ['only the closing mark', 'right-or-refused', (edit) => `${getNewText(edit)}\n</lines>`],
  ['only the opening mark', 'right-or-refused', (edit) => `<lines>\n${getNewText(edit)}`],
  ['marks on the lines', 'right-or-refused', (edit) => `<lines>${getNewText(edit)}</lines>`],
  [
    'ChatML tokens',
    'right-or-refused',
    (edit) => `<|im_start|>assistant\n${getNewText(edit)}<|im_end|>`,
  ],
  ['ChatML end token', 'right', (edit) => `${getNewText(edit)}<|im_end|>`],
  [
    'two end tokens',
    'right-or-refused',
    (edit) => `${getNewText(edit)}\n<|im_end|>\n<|endoftext|>`,
  ],
  [
    'Llama tokens',
    'right-or-refused',
    (edit) => `<|start_header_id|>assistant<|end_header_id|>\n\n${getNewText(edit)}<|eot_id|>`,
  ],
  ['Mistral tokens', 'right-or-refused', (edit) => `[/INST] ${createCodeBlock(edit)}</s>`],
  [
    'Gemma tokens',
    'right-or-refused',
    (edit) => `<start_of_turn>model\n${createCodeBlock(edit)}<end_of_turn>`,
  ],
  [
    'harmony channels',
    'right-or-refused',
    (edit) =>
      `<|channel|>analysis<|message|>We need to output the lines.<|end|><|start|>assistant<|channel|>final<|message|>${getNewText(edit)}<|return|>`,
  ],
  [
    'reasoning tags',
    'right',
    (edit) => `<think>\n${formatReasoning(edit)}\n</think>\n\n${getNewText(edit)}`,
  ],
  [
    'reasoning tags and fence',
    'right',
    (edit) => `<think>\n${formatReasoning(edit)}\n</think>\n\n${createCodeBlock(edit)}`,
  ],
  [
    'closing reasoning tag',
    'right-or-refused',
    (edit) => `${formatReasoning(edit)}\n</think>\n\n${getNewText(edit)}`,
  ],
  ['reasoning without end', 'refused', (edit) => `<think>\n${formatReasoning(edit)}`],
  ['empty reasoning', 'right', (edit) => `<think>\n\n</think>\n\n${getNewText(edit)}`],
  [
    'reasoning tag of another name',
    'right-or-refused',
    (edit) =>
      `<thinking>${edit.instruction}: I replace the lines.</thinking>\n${createCodeBlock(edit)}`,
  ],
  [
    'fence with title',
    'right-or-refused',
    (edit) => encloseInFence(getNewText(edit), `${getFenceTag(edit)} title="${edit.path}"`),
  ],
  [
    'fence with path',
    'right-or-refused',
    (edit) => encloseInFence(getNewText(edit), `${getFenceTag(edit)}:${edit.path}`),
  ],
  [
    'fence with line range',
    'right-or-refused',
    (edit) =>
      encloseInFence(
        getNewText(edit),
        `${getFenceTag(edit)} {${edit.before.length + 1}-${edit.before.length + edit.original.length}}`,
      ),
  ],
  [
    'fence with the range of a citation',
    'right-or-refused',
    (edit) =>
      encloseInFence(
        getNewText(edit),
        `${edit.before.length + 1}:${edit.before.length + edit.original.length}:${edit.path}`,
      ),
  ],
  [
    'fence with braces',
    'right-or-refused',
    (edit) => encloseInFence(getNewText(edit), `{.${getFenceTag(edit)} .numberLines}`),
  ],
  [
    'fence with another language',
    'right-or-refused',
    (edit) =>
      encloseInFence(
        getNewText(edit),
        pickText(edit, 'plaintext', 'txt', 'code', 'javascript', 'Python'),
      ),
  ],
  [
    'comment with the path',
    'right-or-refused',
    (edit) => createCodeBlock(edit, `${formatComment(edit, edit.path)}\n${getNewText(edit)}`),
  ],
  [
    'path before the fence',
    'right-or-refused',
    (edit) => `**${edit.path}**\n${createCodeBlock(edit)}`,
  ],
  [
    'unclosed fence',
    'right-or-refused',
    (edit) => `\`\`\`${getFenceTag(edit)}\n${getNewText(edit)}`,
  ],
  ['only the closing fence', 'right-or-refused', (edit) => `${getNewText(edit)}\n\`\`\``],
  [
    'context around the lines',
    'right-or-refused',
    (edit) =>
      joinLines([...getLastLinesBefore(edit, 2), ...edit.replacement, ...edit.after.slice(0, 2)]),
  ],
  [
    'context in a fence',
    'right-or-refused',
    (edit) =>
      `Here you go:\n\n${createCodeBlock(edit, joinLines([...getLastLinesBefore(edit, 3), ...edit.replacement, ...edit.after.slice(0, 3)]))}`,
  ],
  [
    'one line of context before',
    'right-or-refused',
    (edit) =>
      createCodeBlock(edit, joinLines([...getLastLinesBefore(edit, 1), ...edit.replacement])),
  ],
  [
    'one line of context after',
    'right-or-refused',
    (edit) => createCodeBlock(edit, joinLines([...edit.replacement, ...edit.after.slice(0, 1)])),
  ],
  [
    'the whole file',
    'right-or-refused',
    (edit) =>
      `Here is the complete file:\n\n${createCodeBlock(edit, joinWholeFile(edit).replace(/\n$/u, ''))}`,
  ],
  ['the whole file without a fence', 'right-or-refused', (edit) => joinWholeFile(edit)],
  [
    'the request with the new lines',
    'right-or-refused',
    (edit) =>
      `File: ${edit.path} (${edit.language})\n\n${joinLines(edit.before)}\n<lines>\n${getNewText(edit)}\n</lines>\n${joinLines(edit.after)}`,
  ],
  [
    'the instruction and a fence',
    'right-or-refused',
    (edit) => `Instruction: ${edit.instruction}\n\n${createCodeBlock(edit)}`,
  ],
  [
    'the instruction as a comment',
    'right-or-refused',
    (edit) => `${formatComment(edit, `Instruction: ${edit.instruction}`)}\n${getNewText(edit)}`,
  ],
  [
    'original and new marks',
    'right-or-refused',
    (edit) =>
      `<lines>\n${getOldText(edit)}\n</lines>\n\nbecomes\n\n<lines>\n${getNewText(edit)}\n</lines>`,
  ],
  [
    'fence and whole file',
    'right-or-refused',
    (edit) =>
      `${createCodeBlock(edit)}\n\nThe full file then looks like this:\n\n${createCodeBlock(edit, joinWholeFile(edit))}`,
  ],
  [
    'the same fence twice',
    'right-or-refused',
    (edit) => `${createCodeBlock(edit)}\n\n${createCodeBlock(edit)}`,
  ],
  [
    'the same lines twice with tokens',
    'right-or-refused',
    (edit) =>
      `${getNewText(edit)}<|endoftext|>Human: ${edit.instruction}\n\nAssistant: ${getNewText(edit)}`,
  ],
  [
    'corrected answer',
    'right-or-refused',
    (edit) =>
      edit.replacement.length < 2
        ? undefined
        : `${createCodeBlock(edit, joinLines(edit.replacement.slice(0, -1)))}\n\nWait, that drops the last line. Corrected:\n\n${createCodeBlock(edit)}`,
  ],
  ['unified diff', 'right-or-refused', (edit) => encloseInFence(formatUnifiedDiff(edit), 'diff')],
  [
    'unified diff with wrong numbers',
    'right-or-refused',
    (edit) => encloseInFence(formatUnifiedDiff(edit, 7), 'diff'),
  ],
  ['unified diff without a fence', 'right-or-refused', (edit) => formatUnifiedDiff(edit)],
  [
    'diff without header',
    'right-or-refused',
    (edit) => encloseInFence(joinLines(listHunkLines(edit, 1)), 'diff'),
  ],
  [
    'diff without context',
    'right-or-refused',
    (edit) => `Apply this change:\n\n${encloseInFence(joinLines(listHunkLines(edit, 0)), 'diff')}`,
  ],
  [
    'removed and added lines alone',
    'right-or-refused',
    (edit) =>
      encloseInFence(
        joinLines([...prefixLines('-', edit.original), ...prefixLines('+', edit.replacement)]),
        'diff',
      ),
  ],
  [
    'removed and added lines with a space',
    'right-or-refused',
    (edit) =>
      encloseInFence(
        joinLines([...prefixLines('- ', edit.original), ...prefixLines('+ ', edit.replacement)]),
        'diff',
      ),
  ],
  ['search and replace', 'right-or-refused', (edit) => formatSearchReplace(edit)],
  [
    'search and replace with path',
    'right-or-refused',
    (edit) => `${edit.path}\n${encloseInFence(formatSearchReplace(edit), getFenceTag(edit))}`,
  ],
  [
    'conflict marks',
    'right-or-refused',
    (edit) =>
      joinLines([
        '<<<<<<< ORIGINAL',
        ...edit.original,
        '=======',
        ...edit.replacement,
        '>>>>>>> UPDATED',
      ]),
  ],
  [
    'patch envelope',
    'right-or-refused',
    (edit) =>
      joinLines([
        '*** Begin Patch',
        `*** Update File: ${edit.path}`,
        '@@',
        ...listHunkLines(edit, 1),
        '*** End Patch',
      ]),
  ],
  [
    'patch envelope with a heading',
    'right-or-refused',
    (edit) =>
      joinLines([
        '*** Begin Patch',
        `*** Update File: ${edit.path}`,
        `@@ ${getLastLinesBefore(edit, 1).join('').trim()}`,
        ...prefixLines('-', edit.original),
        ...prefixLines('+', edit.replacement),
        '*** End Patch',
      ]),
  ],
  [
    'JSON with new lines',
    'right-or-refused',
    (edit) => encloseInFence(JSON.stringify({ lines: edit.replacement }, null, 2), 'json'),
  ],
  [
    'JSON with old and new text',
    'right-or-refused',
    (edit) =>
      JSON.stringify({
        edits: [{ path: edit.path, old_string: getOldText(edit), new_string: getNewText(edit) }],
      }),
  ],
  ['JSON string', 'right-or-refused', (edit) => JSON.stringify(getNewText(edit))],
  [
    'tool call',
    'right-or-refused',
    (edit) =>
      `<tool_call>\n${JSON.stringify({ name: 'replace_lines', arguments: { new_text: getNewText(edit) } })}\n</tool_call>`,
  ],
  [
    'Mistral tool call',
    'right-or-refused',
    (edit) =>
      `[TOOL_CALLS][${JSON.stringify({ name: 'edit_file', arguments: { path: edit.path, content: getNewText(edit) } })}]`,
  ],
  [
    'function tags',
    'right-or-refused',
    (edit) =>
      `<function=edit>\n<parameter=new_string>\n${getNewText(edit)}\n</parameter>\n</function>`,
  ],
  [
    'XML edit',
    'right-or-refused',
    (edit) =>
      `<edit>\n<search>\n${getOldText(edit)}\n</search>\n<replace>\n${getNewText(edit)}\n</replace>\n</edit>`,
  ],
  [
    'XML with CDATA',
    'right-or-refused',
    (edit) => `<change path="${edit.path}"><new><![CDATA[${getNewText(edit)}]]></new></change>`,
  ],
  ['answer tags', 'right-or-refused', (edit) => `<answer>\n${getNewText(edit)}\n</answer>`],
  [
    'tags of another name',
    'right-or-refused',
    (edit) =>
      `<${pickText(edit, 'updated_code', 'output', 'new_lines', 'result', 'replacement')}>\n${getNewText(edit)}\n</${pickText(edit, 'updated_code', 'output', 'new_lines', 'result', 'replacement')}>`,
  ],
  [
    'artifact tags',
    'right-or-refused',
    (edit) =>
      `I'll make this change.\n\n<antArtifact identifier="edit" type="application/vnd.ant.code" language="${getFenceTag(edit)}" title="${getFileName(edit)}">\n${getNewText(edit)}\n</antArtifact>\n\nThe change is done.`,
  ],
  [
    'line numbers with bars',
    'right-or-refused',
    (edit) => encloseInFence(numberLines(edit, ' | '), getFenceTag(edit)),
  ],
  ['line numbers with colons', 'right-or-refused', (edit) => numberLines(edit, ': ')],
  ['line numbers with tabs', 'right-or-refused', (edit) => numberLines(edit, '\t')],
  [
    'line numbers and context',
    'right-or-refused',
    (edit) => {
      const context = getLastLinesBefore(edit, 2);
      return encloseInFence(
        numberLines({ ...edit, before: edit.before.slice(0, -2) }, '→', [
          ...context,
          ...edit.replacement,
        ]),
      );
    },
  ],
  [
    'before and after',
    'right-or-refused',
    (edit) =>
      `**Before:**\n${createCodeBlock(edit, getOldText(edit))}\n\n**After:**\n${createCodeBlock(edit)}`,
  ],
  [
    'original and modified',
    'right-or-refused',
    (edit) =>
      `Original:\n\n${createCodeBlock(edit, getOldText(edit))}\n\nModified:\n\n${createCodeBlock(edit)}\n\nI only changed the marked lines.`,
  ],
  [
    'replace and with',
    'right-or-refused',
    (edit) => `Replace\n${createCodeBlock(edit, getOldText(edit))}\nwith\n${createCodeBlock(edit)}`,
  ],
  [
    'two options',
    'right-or-refused',
    (edit) =>
      `**Option A** (recommended)\n${createCodeBlock(edit)}\n\n**Option B**\n${createCodeBlock(edit, `${getOldText(edit)}\n${getFirstLine(edit.original)}`)}`,
  ],
  [
    'two options without fences',
    'refused',
    (edit) =>
      getOldText(edit).trim() === ''
        ? undefined
        : `Option 1:\n${getOldText(edit)}\n${getFirstLine(edit.original)}\n\nOption 2:\n${getNewText(edit)}`,
  ],
  [
    'parts with text between',
    'right-or-refused',
    (edit) =>
      edit.replacement.length < 3 || getNewText(edit).includes('```')
        ? undefined
        : `First:\n\n${createCodeBlock(edit, getFirstLine(edit.replacement))}\n\nThen:\n\n${createCodeBlock(edit, joinLines(edit.replacement.slice(1)))}`,
  ],
  [
    'elision of the first lines',
    'right-or-refused',
    (edit) =>
      edit.replacement.length < 2
        ? undefined
        : createCodeBlock(
            edit,
            `${getIndent(getFirstLine(edit.replacement))}${formatComment(edit, '... existing code ...')}\n${joinLines(edit.replacement.slice(1))}`,
          ),
  ],
  [
    'elision of the last lines',
    'right-or-refused',
    (edit) =>
      edit.replacement.length < 2
        ? undefined
        : `${joinLines(edit.replacement.slice(0, -1))}\n${getIndent(edit.replacement.at(-1) ?? '')}${formatComment(edit, pickText(edit, '... rest of the code remains the same', '(unchanged)', '… rest unchanged', 'rest of the file', '... (keep the rest as is)'))}`,
  ],
  [
    'elision by dots',
    'right-or-refused',
    (edit) =>
      edit.replacement.length < 3
        ? undefined
        : createCodeBlock(
            edit,
            `${getFirstLine(edit.replacement)}\n...\n${edit.replacement.at(-1) ?? ''}`,
          ),
  ],
  [
    'context with elisions',
    'right-or-refused',
    (edit) =>
      createCodeBlock(
        edit,
        joinLines([
          formatComment(edit, '... existing code ...'),
          ...getLastLinesBefore(edit, 1),
          ...edit.replacement,
          ...edit.after.slice(0, 1),
          formatComment(edit, '... existing code ...'),
        ]),
      ),
  ],
  [
    'only the changed line',
    'right-or-refused',
    (edit) => {
      const { addedLines, unchangedStart, unchangedEnd } = findMinimalChange(edit);
      if (unchangedStart.length + unchangedEnd.length === 0 || addedLines.length === 0)
        return undefined;
      return `Only this part changes:\n\n${createCodeBlock(edit, joinLines(addedLines))}\n\nEverything else in the selection stays the same.`;
    },
  ],
  [
    'explanation alone',
    'refused',
    (edit) =>
      pickText(
        edit,
        `To do this, you would need to change the selected lines. The idea is: ${edit.instruction}. After that, run the tests again.`,
        'The selected lines already look fine, but you can improve them. First, open the file. Then change the lines as described in the instruction and save it.',
        "I'd recommend the following approach:\n\n1. Find the lines.\n2. Change them.\n3. Check the result.",
      ),
  ],
  [
    'explanation with a code span',
    'refused',
    (edit) =>
      isProse(edit)
        ? undefined
        : `You can change line ${edit.before.length + 1} to \`${edit.replacement.map((line) => line.trim()).join(' ')}\` to get the result you want.`,
  ],
  [
    'refusal of the model',
    'refused',
    (edit) =>
      pickText(
        edit,
        "I'm sorry, but I can't help with that.",
        "I cannot edit this file because I don't have access to it. Please provide the content.",
        'Sorry, as a language model I am not able to modify files.',
        'I apologize, but the request is unclear. Could you tell me more?',
      ),
  ],
  [
    'question instead of code',
    'refused',
    () => 'Could you clarify which of the lines should change? I see several possibilities.',
  ],
  ['empty answer', 'refused', () => ''],
  [
    'no change needed',
    'refused',
    (edit) => `No changes are needed:\n\n${createCodeBlock(edit, getOldText(edit))}`,
  ],
  [
    'German sentence',
    'right',
    (edit) => `Hier ist der angepasste Code:\n\n${createCodeBlock(edit)}`,
  ],
  [
    'French sentence and remark',
    'right',
    (edit) =>
      `Voici le code modifié :\n\n${createCodeBlock(edit)}\n\nN'hésitez pas si vous avez d'autres questions !`,
  ],
  [
    'Chinese sentence',
    'right',
    (edit) => `以下是修改后的代码：\n\n${createCodeBlock(edit)}\n\n说明：只修改了选中的行。`,
  ],
  [
    'Japanese sentence',
    'right',
    (edit) => `修正後のコードは次のとおりです。\n\n${createCodeBlock(edit)}`,
  ],
  [
    'Spanish sentence without a fence',
    'right-or-refused',
    (edit) => `Aquí tienes el código actualizado:\n\n${getNewText(edit)}`,
  ],
  [
    'Russian sentence without a fence',
    'right-or-refused',
    (edit) => `Вот обновлённый код:\n${getNewText(edit)}`,
  ],
  [
    'Chinese remark without a fence',
    'right-or-refused',
    (edit) => `${getNewText(edit)}\n\n注意：我只修改了选中的行。`,
  ],
  [
    'sentence without a fence',
    'right-or-refused',
    (edit) =>
      `${pickText(edit, 'Here is the updated code:', "Sure! Here's the edit:", 'Of course. The new lines are:', 'Modified lines:')}\n\n${getNewText(edit)}`,
  ],
  [
    'remark without a fence',
    'right-or-refused',
    (edit) =>
      `${getNewText(edit)}\n\n${pickText(edit, 'Note: I only changed the selected lines.', 'I hope this helps!', 'This keeps the rest of the file as it is.', 'Let me know if you need anything else.', 'Explanation:\nThe lines now follow the instruction.')}`,
  ],
  [
    'remark after a rule',
    'right-or-refused',
    (edit) => `${getNewText(edit)}\n\n---\n\nThe rest of the file is unchanged.`,
  ],
  [
    'role line',
    'right-or-refused',
    (edit) =>
      edit.path === 'chats/export.txt'
        ? undefined
        : `${pickText(edit, 'Assistant:', 'assistant', 'AI:', '### Response:', 'Answer:')}\n${getNewText(edit)}`,
  ],
  [
    'next turn',
    'right-or-refused',
    (edit) =>
      edit.path === 'chats/export.txt'
        ? undefined
        : `${getNewText(edit)}\n\n${pickText(edit, 'User: Thanks, now do the next file.', '### Instruction:\nRename the file', 'Human: great', '<|user|>\nThanks')}`,
  ],
  [
    'copied from a web page',
    'right-or-refused',
    (edit) => `${getFenceTag(edit)}\nCopy code\n${getNewText(edit)}`,
  ],
  [
    'language on the first line',
    'right-or-refused',
    (edit) => `${getFenceTag(edit)}\n${getNewText(edit)}`,
  ],
  ['all lines dedented', 'right-or-refused', (edit) => dedent(edit.replacement)?.join('\n')],
  [
    'dedented in a fence',
    'right-or-refused',
    (edit) => {
      const lines = dedent(edit.replacement);
      return lines && createCodeBlock(edit, joinLines(lines));
    },
  ],
  [
    'first line trimmed',
    'right-or-refused',
    (edit) =>
      getNewText(edit).trimStart() === getNewText(edit) ? undefined : getNewText(edit).trimStart(),
  ],
  [
    'first line trimmed in marks',
    'right-or-refused',
    (edit) =>
      getNewText(edit).trimStart() === getNewText(edit)
        ? undefined
        : `<lines>${getNewText(edit).trimStart()}\n</lines>`,
  ],
  [
    'one more level of indentation',
    'right-or-refused',
    (edit) =>
      edit.language === 'markdown' || edit.replacement.length < 3 || getOldText(edit).trim() === ''
        ? undefined
        : encloseInFence(
            joinLines(edit.replacement.map((line) => line && `    ${line}`)),
            getFenceTag(edit),
          ),
  ],
  [
    'fence in a list item',
    'right-or-refused',
    (edit) =>
      `1. Replace the lines:\n\n${createCodeBlock(edit)
        .split('\n')
        .map((line) => line && `   ${line}`)
        .join('\n')}\n\n2. Save the file.`,
  ],
  [
    'quoted lines',
    'right-or-refused',
    (edit) => (isProse(edit) ? undefined : edit.replacement.map((line) => `> ${line}`).join('\n')),
  ],
  ['CRLF line breaks', 'right', (edit) => getNewText(edit).replaceAll('\n', '\r\n')],
  [
    'CRLF line breaks in a fence',
    'right',
    (edit) => `Done:\n\n${createCodeBlock(edit)}\n`.replaceAll('\n', '\r\n'),
  ],
  ['byte order mark', 'right-or-refused', (edit) => `\uFEFF${getNewText(edit)}`],
  [
    'no-break spaces',
    'right-or-refused',
    (edit) =>
      /^ /mu.test(getNewText(edit))
        ? getNewText(edit).replaceAll(/^ +/gmu, (indent) => '\u00A0'.repeat(indent.length))
        : undefined,
  ],
  [
    'escaped for HTML',
    'right-or-refused',
    (edit) =>
      escapeHtml(getNewText(edit)) === getNewText(edit) || getNewText(edit).includes('&amp;')
        ? undefined
        : createCodeBlock(edit, escapeHtml(getNewText(edit))),
  ],
  [
    'escaped line breaks',
    'right-or-refused',
    (edit) =>
      edit.replacement.length < 2 || getNewText(edit).includes('\\')
        ? undefined
        : edit.replacement.join(String.raw`\n`),
  ],
  ['spaces after the lines', 'right-or-refused', (edit) => `${getNewText(edit)}\n\n\n   \n`],
  [
    'blank lines in the fence',
    'right-or-refused',
    (edit) => createCodeBlock(edit, `\n${getNewText(edit)}\n`),
  ],
  [
    'bold around the code',
    'right-or-refused',
    (edit) =>
      edit.replacement.length > 1 || isProse(edit) ? undefined : `**${getNewText(edit).trim()}**`,
  ],
  [
    'code span around the line',
    'right-or-refused',
    (edit) =>
      edit.replacement.length > 1 || getNewText(edit).includes('`')
        ? undefined
        : `\`${getNewText(edit).trim()}\``,
  ],
  [
    'command and code',
    'right-or-refused',
    (edit) =>
      `First install the dependencies:\n\n\`\`\`bash\nmake deps\n\`\`\`\n\nThen use:\n\n${createCodeBlock(edit)}`,
  ],
  [
    'code and example',
    'right-or-refused',
    (edit) => `${createCodeBlock(edit)}\n\nExample output:\n\n\`\`\`text\nok 1\nok 2\n\`\`\``,
  ],
  [
    'fill-in-the-middle tokens',
    'right-or-refused',
    (edit) =>
      `<|fim_prefix|>${getLastLinesBefore(edit, 1).join('')}\n<|fim_suffix|>${getFirstLine(edit.after)}<|fim_middle|>${getNewText(edit)}`,
  ],
  [
    'cut off by the limit',
    'refused',
    (edit) => getNewText(edit).slice(0, Math.ceil(getNewText(edit).length / 2)),
    'cut',
  ],
  [
    'fence cut off in a line',
    'refused',
    (edit) =>
      edit.replacement.length < 3
        ? undefined
        : `Here is the new version:\n\n\`\`\`${getFenceTag(edit)}\n${getNewText(edit).slice(0, -Math.ceil((edit.replacement.at(-2)?.length ?? 0) / 2) - (edit.replacement.at(-1)?.length ?? 0) - 1)}`,
  ],
  [
    'mark of a truncation',
    'right-or-refused',
    (edit) =>
      edit.replacement.length < 2
        ? undefined
        : `${joinLines(edit.replacement.slice(0, -1))}\n[truncated]`,
  ],
  [
    'fence of three around fences',
    'right-or-refused',
    (edit) =>
      getNewText(edit).includes('```')
        ? `Here is the section:\n\n\`\`\`markdown\n${getNewText(edit)}\n\`\`\``
        : undefined,
  ],
  [
    'agent log',
    'right-or-refused',
    (edit) =>
      `I'll edit ${edit.path} now.\n\n<edit_file path="${edit.path}">\n${getNewText(edit)}\n</edit_file>\n\nThe file has been updated.`,
  ],
  [
    'status lines',
    'right-or-refused',
    (edit) => `✅ Updated \`${edit.path}\`\n\n${createCodeBlock(edit)}\n\n📝 1 file changed`,
  ],
  [
    'sed command',
    'refused',
    (edit) =>
      edit.language === 'shellscript'
        ? undefined
        : `\`\`\`bash\nsed -i '${edit.before.length + 1}s/.*/new/' ${edit.path}\n\`\`\``,
  ],
];

/** Returns one answer per form for an edit. Omits forms that cannot express the edit. */
export function renderAnswers(edit: CorpusEdit): readonly CorpusAnswer[] {
  return editAnswerForms.flatMap(([form, expectation, render, options]) => {
    const text = render(edit);
    return text === undefined
      ? []
      : [{ expectation, name: form, text, isCutOff: options === 'cut' }];
  });
}

type BlockForm = readonly [
  name: string,
  expectation: Expectation,
  render: (edit: CorpusEdit) => string | undefined,
  info?: (edit: CorpusEdit) => string,
];

const getWholeFileText = (edit: CorpusEdit): string => joinWholeFile(edit).replace(/\n$/u, '');
const joinWithContext = (edit: CorpusEdit, count: number): string =>
  joinLines([
    ...getLastLinesBefore(edit, count),
    ...edit.replacement,
    ...edit.after.slice(0, count),
  ]);

/** Forms of code blocks in which models propose a change of a file. */
const blockForms: readonly BlockForm[] = [
  ['whole file', 'right', getWholeFileText],
  ['whole file with a line break', 'right', (edit) => `${getWholeFileText(edit)}\n`],
  ['whole file with the path', 'right', getWholeFileText, ({ path }) => `code ${path}`],
  [
    'whole file with a comment',
    'right-or-refused',
    (edit) => `${formatComment(edit, edit.path)}\n${getWholeFileText(edit)}`,
  ],
  ['whole file with CRLF', 'right', (edit) => getWholeFileText(edit).replaceAll('\n', '\r\n')],
  [
    'whole file with line numbers',
    'right-or-refused',
    (edit) => numberLines({ ...edit, before: [] }, '\t', getWholeFileText(edit).split('\n')),
  ],
  ['unified diff', 'right', (edit) => formatUnifiedDiff(edit), () => 'diff'],
  ['unified diff with wrong numbers', 'right', (edit) => formatUnifiedDiff(edit, 5), () => 'diff'],
  ['unified diff without info', 'right-or-refused', (edit) => formatUnifiedDiff(edit)],
  [
    'git diff',
    'right',
    (edit) =>
      `diff --git a/${edit.path} b/${edit.path}\nindex 1a2b3c4..5d6e7f8 100644\n${formatUnifiedDiff(edit)}`,
    () => 'diff',
  ],
  [
    'diff without header',
    'right-or-refused',
    (edit) => joinLines(listHunkLines(edit, 2)),
    () => 'diff',
  ],
  [
    'diff with a bare range',
    'right-or-refused',
    (edit) => `@@ ... @@\n${joinLines(listHunkLines(edit, 2))}`,
    () => 'diff',
  ],
  [
    'diff of removed and added lines',
    'right-or-refused',
    (edit) =>
      joinLines([...prefixLines('-', edit.original), ...prefixLines('+', edit.replacement)]),
    () => 'diff',
  ],
  [
    'diff without the space of context lines',
    'right-or-refused',
    (edit) => joinLines(listHunkLines(edit, 2).map((line) => line.replace(/^ /u, ''))),
    () => 'diff',
  ],
  ['search and replace', 'right-or-refused', formatSearchReplace],
  [
    'search and replace with context',
    'right-or-refused',
    (edit) =>
      joinLines([
        '<<<<<<< SEARCH',
        ...getLastLinesBefore(edit, 1),
        ...edit.original,
        '=======',
        ...getLastLinesBefore(edit, 1),
        ...edit.replacement,
        '>>>>>>> REPLACE',
      ]),
  ],
  [
    'search that is not in the file',
    'refused',
    (edit) =>
      joinLines([
        '<<<<<<< SEARCH',
        'not in this file at all',
        ...edit.original.map((line) => `${line} zq`),
        '=======',
        ...edit.replacement,
        '>>>>>>> REPLACE',
      ]),
  ],
  [
    'patch envelope',
    'right-or-refused',
    (edit) =>
      joinLines([
        '*** Begin Patch',
        `*** Update File: ${edit.path}`,
        '@@',
        ...listHunkLines(edit, 2),
        '*** End Patch',
      ]),
    () => 'patch',
  ],
  ['snippet with one line of context', 'right-or-refused', (edit) => joinWithContext(edit, 1)],
  ['snippet with three lines of context', 'right-or-refused', (edit) => joinWithContext(edit, 3)],
  [
    'snippet dedented',
    'right-or-refused',
    (edit) => dedent(joinWithContext(edit, 1).split('\n'))?.join('\n'),
  ],
  [
    'snippet between elisions',
    'right-or-refused',
    (edit) =>
      joinLines([
        formatComment(edit, '... existing code ...'),
        joinWithContext(edit, 2),
        formatComment(edit, '... existing code ...'),
      ]),
  ],
  [
    'snippet with an elision after the first line',
    'right-or-refused',
    (edit) =>
      edit.before.length < 4
        ? undefined
        : joinLines([
            getFirstLine(edit.before),
            formatComment(
              edit,
              pickText(edit, '... existing code ...', '...', 'unchanged', 'rest of the code'),
            ),
            joinWithContext(edit, 1),
          ]),
  ],
  [
    'file with an elision at the end',
    'right-or-refused',
    (edit) =>
      edit.after.length < 4
        ? undefined
        : joinLines([
            ...edit.before,
            ...edit.replacement,
            ...edit.after.slice(0, 1),
            formatComment(
              edit,
              pickText(edit, '... rest of the file unchanged ...', '…', '(rest stays the same)'),
            ),
          ]),
  ],
  ['new lines alone', 'right-or-refused', getNewText],
  [
    'file cut off',
    'right-or-refused',
    (edit) =>
      edit.after.length < 5 || (edit.after[2] ?? '').length < 7
        ? undefined
        : joinLines([
            ...edit.before,
            ...edit.replacement,
            ...edit.after.slice(0, 2),
            (edit.after[2] ?? '').slice(0, 3),
          ]),
  ],
  ['other code', 'refused', () => 'zeta = omega(42)\nprint_zeta(zeta)'],
  ['command', 'refused', () => 'npm install --save-dev left-pad', () => 'bash'],
  [
    'two files',
    'right-or-refused',
    (edit) => `${formatUnifiedDiff(edit)}\n--- a/other.txt\n+++ b/other.txt\n@@ -1 +1 @@\n-a\n+b`,
    () => 'diff',
  ],
  ['no change', 'refused', (edit) => joinWholeFile(edit, edit.original)],
  [
    'diff in an inner fence',
    'right-or-refused',
    (edit) => `\`\`\`diff\n${formatUnifiedDiff(edit)}\n\`\`\``,
    () => 'markdown',
  ],
  [
    'JSON edits',
    'right-or-refused',
    (edit) => JSON.stringify([{ search: getOldText(edit), replace: getNewText(edit) }]),
    () => 'json',
  ],
];

/** Code block of a model, which tests apply to a file with `applyBlock`. */
export interface CorpusBlock {
  readonly name: string;
  readonly expectation: Expectation;
  readonly code: string;
  readonly info: string;
}

/** Returns one code block per form for an edit. Omits forms that cannot express the edit. */
export function renderBlocks(edit: CorpusEdit): readonly CorpusBlock[] {
  return blockForms.flatMap(([form, expectation, render, info]) => {
    const text = render(edit);
    return text === undefined
      ? []
      : [{ name: form, expectation, code: text, info: info?.(edit) ?? getFenceTag(edit) }];
  });
}

type CommitForm = readonly [
  name: string,
  expectation: Expectation,
  render: (message: string, index: number) => string | undefined,
  options?: 'cut',
];

const getSubject = (message: string): string => message.split('\n')[0] ?? '';
const getMessageBody = (message: string): string => message.split('\n').slice(2).join('\n');

/** Forms of answers in which models return a commit message. */
const commitForms: readonly CommitForm[] = [
  ['message alone', 'right', (message) => message],
  ['line break at the end', 'right', (message) => `${message}\n\n`],
  ['fence', 'right', (message) => encloseInFence(message)],
  [
    'fence with a language',
    'right',
    (message, index) =>
      encloseInFence(message, ['text', 'git', 'plaintext', 'commit', 'markdown'][index % 5]),
  ],
  [
    'sentence and fence',
    'right',
    (message) => `Here's a commit message for your changes:\n\n${encloseInFence(message)}`,
  ],
  [
    'sentence, fence, remark',
    'right',
    (message) =>
      `Based on the diff, I suggest:\n\n${encloseInFence(message)}\n\nIt follows the style of the previous commits.`,
  ],
  [
    'sentence without a fence',
    'right-or-refused',
    (message) => `Here is the commit message:\n\n${message}`,
  ],
  ['label', 'right-or-refused', (message) => `Commit message: ${message}`],
  ['bold label', 'right-or-refused', (message) => `**Commit message:**\n\n${message}`],
  ['heading and fence', 'right', (message) => `## Commit Message\n\n${encloseInFence(message)}`],
  [
    'quotation marks',
    'right-or-refused',
    (message) => (message.includes('"') ? undefined : `"${message}"`),
  ],
  [
    'code span',
    'right-or-refused',
    (message) => (message.includes('\n') || message.includes('`') ? undefined : `\`${message}\``),
  ],
  [
    'bold subject',
    'right-or-refused',
    (message) => message.replace(getSubject(message), `**${getSubject(message)}**`),
  ],
  ['heading as subject', 'right-or-refused', (message) => `# ${message}`],
  [
    'git command',
    'right-or-refused',
    (message) =>
      /["`$]/u.test(message) || message.split('\n\n').length > 2
        ? undefined
        : encloseInFence(
            `git commit -m "${getSubject(message)}"${getMessageBody(message) === '' ? '' : ` -m "${getMessageBody(message)}"`}`,
            'bash',
          ),
  ],
  ['tags', 'right', (message) => `<commit_message>\n${message}\n</commit_message>`],
  [
    'other tags',
    'right-or-refused',
    (message, index) =>
      `<${['message', 'commit', 'answer', 'output'][index % 4] ?? ''}>${message}</${['message', 'commit', 'answer', 'output'][index % 4] ?? ''}>`,
  ],
  [
    'reasoning tags',
    'right',
    (message) =>
      `<think>\nThe diff changes a few files. I should write a short subject.\n</think>\n\n${message}`,
  ],
  [
    'closing reasoning tag',
    'right-or-refused',
    (message) => `The diff is small, so one line is enough.\n</think>\n\n${message}`,
  ],
  ['end token', 'right', (message) => `${message}<|im_end|>`],
  [
    'role and end tokens',
    'right-or-refused',
    (message) => `<|start_header_id|>assistant<|end_header_id|>\n\n${message}<|eot_id|>`,
  ],
  [
    'harmony channels',
    'right-or-refused',
    (message) => `<|channel|>final<|message|>${message}<|return|>`,
  ],
  ['role line', 'right-or-refused', (message) => `Assistant: ${message}`],
  [
    'JSON',
    'right-or-refused',
    (message) =>
      encloseInFence(
        JSON.stringify({ subject: getSubject(message), body: getMessageBody(message) }),
        'json',
      ),
  ],
  ['JSON string', 'right-or-refused', (message) => JSON.stringify(message)],
  [
    'remark at the end',
    'right-or-refused',
    (message) => `${message}\n\nLet me know if you'd like a shorter version!`,
  ],
  [
    'note at the end',
    'right-or-refused',
    (message) => `${message}\n\n(Note: I assumed that the tests pass.)`,
  ],
  [
    'remark after a rule',
    'right-or-refused',
    (message) =>
      `${message}\n\n---\n\nThis message summarizes the main change in the subject line.`,
  ],
  [
    'options',
    'refused',
    (message) => `1. ${getSubject(message)}\n2. Change some files\n3. chore: update`,
  ],
  [
    'options in fences',
    'right-or-refused',
    (message) =>
      `Option 1:\n${encloseInFence(message)}\n\nOption 2:\n${encloseInFence('chore: update files')}`,
  ],
  [
    'German sentence',
    'right',
    (message) => `Hier ist ein Vorschlag für die Commit-Nachricht:\n\n${encloseInFence(message)}`,
  ],
  [
    'Chinese sentence without a fence',
    'right-or-refused',
    (message) => `以下是提交信息：\n\n${message}`,
  ],
  [
    'refusal of the model',
    'refused',
    () => "I'm sorry, but I can't see the diff. Please provide the changes.",
  ],
  [
    'question',
    'refused',
    () => 'Could you share the staged changes so that I can write a message?',
  ],
  [
    'cut off by the limit',
    'refused',
    (message) => message.slice(0, Math.ceil(message.length / 2)),
    'cut',
  ],
  ['unclosed fence', 'right-or-refused', (message) => `\`\`\`\n${message}`],
  ['CRLF line breaks', 'right', (message) => message.replaceAll('\n', '\r\n')],
  [
    'the same message twice',
    'right-or-refused',
    (message) => `${encloseInFence(message)}\n\n${encloseInFence(message)}`,
  ],
  [
    'subject and body labels',
    'right-or-refused',
    (message) =>
      getMessageBody(message) === ''
        ? undefined
        : `Subject: ${getSubject(message)}\n\nBody:\n${getMessageBody(message)}`,
  ],
  [
    'quoted lines',
    'right-or-refused',
    (message) =>
      message
        .split('\n')
        .map((line) => `> ${line}`.trimEnd())
        .join('\n'),
  ],
  [
    'comment lines of git',
    'right-or-refused',
    (message) =>
      `${message}\n\n# Please enter the commit message for your changes.\n# On branch main`,
  ],
  [
    'indented lines',
    'right-or-refused',
    (message) =>
      message
        .split('\n')
        .map((line) => line && `    ${line}`)
        .join('\n'),
  ],
];

/** Returns one answer per form for a commit message. Omits forms that cannot express the message. */
export function renderCommitAnswers(message: string, index: number): readonly CorpusAnswer[] {
  return commitForms.flatMap(([form, expectation, render, options]) => {
    const text = render(message, index);
    return text === undefined
      ? []
      : [{ expectation, name: form, text, isCutOff: options === 'cut' }];
  });
}
