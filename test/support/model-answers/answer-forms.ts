import type { CorpusAnswer, CorpusEdit, Expectation } from './corpus-text.ts';

type Form = readonly [
  name: string,
  expectation: Expectation,
  render: (edit: CorpusEdit) => string | undefined,
  options?: 'cut',
];

const join = (lines: readonly string[]): string => lines.join('\n');
const code = ({ replacement }: CorpusEdit): string => join(replacement);
const old = ({ original }: CorpusEdit): string => join(original);
const first = (lines: readonly string[]): string => lines[0] ?? '';
const pick = ({ index }: CorpusEdit, ...texts: readonly string[]): string =>
  texts[index % texts.length] ?? '';
const lastBefore = ({ before }: CorpusEdit, count: number): readonly string[] =>
  count === 0 ? [] : before.slice(-count);
const name = ({ path }: CorpusEdit): string => path.split('/').at(-1) ?? path;
const isProse = ({ language }: CorpusEdit): boolean =>
  ['plaintext', 'markdown', 'mdx', 'asciidoc', 'org', 'restructuredtext'].includes(language);

const fenceNames: Partial<Record<string, string>> = {
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
const tag = ({ language }: CorpusEdit): string => fenceNames[language] ?? language;
const fenced = (text: string, info = '', mark = '```'): string => {
  const fence = text.includes('```') && mark === '```' ? '````' : mark;
  return `${fence}${info}\n${text}\n${fence}`;
};
const block = (edit: CorpusEdit, text = code(edit)): string => fenced(text, tag(edit));
const wholeFile = (edit: CorpusEdit, lines = edit.replacement): string =>
  join([...edit.before, ...lines, ...edit.after]);

/** Minimal change: the replaced lines without equal lines at both ends. */
function change({ original, replacement }: CorpusEdit): {
  readonly head: readonly string[];
  readonly removed: readonly string[];
  readonly added: readonly string[];
  readonly tail: readonly string[];
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
    head: original.slice(0, start),
    removed: original.slice(start, original.length - end),
    added: replacement.slice(start, replacement.length - end),
    tail: original.slice(original.length - end),
  };
}

const mark = (sign: string, lines: readonly string[]): readonly string[] =>
  lines.map((line) => sign + line);
function hunkLines(edit: CorpusEdit, context: number): readonly string[] {
  const { head, removed, added, tail } = change(edit);
  return [
    ...mark(' ', lastBefore(edit, context)),
    ...mark(' ', head),
    ...mark('-', removed),
    ...mark('+', added),
    ...mark(' ', tail),
    ...mark(' ', edit.after.slice(0, context)),
  ];
}

function unifiedDiff(edit: CorpusEdit, offset = 0): string {
  const lines = hunkLines(edit, 2);
  const start = edit.before.length - lastBefore(edit, 2).length + 1 + offset;
  const oldCount = lines.filter((line) => !line.startsWith('+')).length;
  const newCount = lines.filter((line) => !line.startsWith('-')).length;
  return join([
    `--- a/${edit.path}`,
    `+++ b/${edit.path}`,
    `@@ -${start},${oldCount} +${start},${newCount} @@`,
    ...lines,
  ]);
}

const searchReplace = (edit: CorpusEdit): string =>
  join(['<<<<<<< SEARCH', ...edit.original, '=======', ...edit.replacement, '>>>>>>> REPLACE']);

const comments: Partial<Record<string, readonly [string, string]>> = {
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
const hashLanguages =
  'python,yaml,toml,dockerfile,makefile,shellscript,powershell,r,ruby,perl,elixir,terraform';
function comment({ language }: CorpusEdit, text: string): string {
  const [start, end] = comments[language] ?? [
    hashLanguages.split(',').includes(language) ? '# ' : '// ',
    '',
  ];
  return start + text + end;
}
const indentOf = (line: string): string => /^\s*/u.exec(line)?.[0] ?? '';
const dedent = (lines: readonly string[]): readonly string[] | undefined => {
  const widths = lines.filter((line) => line.trim() !== '').map((line) => indentOf(line).length);
  const width = Math.min(...widths);
  return width > 0 && width < 1_000 ? lines.map((line) => line.slice(width)) : undefined;
};
const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const numbered = (edit: CorpusEdit, separator: string, lines = edit.replacement): string =>
  lines
    .map(
      (line, index) => `${String(edit.before.length + 1 + index).padStart(4)}${separator}${line}`,
    )
    .join('\n');
const think = (edit: CorpusEdit): string =>
  `Okay, the user wants: "${edit.instruction}". The marked lines are:\n\n${old(edit)}\n\nI need to keep the indentation. Wait, should I also change the next line? No, it's outside of the marks. So the answer is just the new lines.`;

/** Forms of answers in transcripts of models of several makers and sizes. */
const forms: readonly Form[] = [
  ['lines alone', 'right', code],
  ['line break at the end', 'right', (edit) => `${code(edit)}\n`],
  ['fence with language', 'right', (edit) => block(edit)],
  ['fence without language', 'right', (edit) => fenced(code(edit))],
  ['fence of tildes', 'right', (edit) => fenced(code(edit), tag(edit), '~~~')],
  [
    'sentence and fence',
    'right',
    (edit) =>
      `${pick(edit, "Here's the updated code:", 'Here is the edited section:', 'Certainly! Here are the new lines:', 'Updated lines:', 'Sure, I changed it as requested:', 'Below is the revised version.')}\n\n${block(edit)}`,
  ],
  [
    'fence and explanation',
    'right',
    (edit) =>
      `${block(edit)}\n\n${pick(edit, 'This does what you asked and keeps everything else unchanged.', 'I kept the style of the file.', 'The change is limited to the selected lines.', 'Explanation: the new version follows the instruction.')}`,
  ],
  [
    'sentence, fence, bullets',
    'right',
    (edit) =>
      `Here's the change:\n\n${block(edit)}\n\n**Changes made:**\n- ${edit.instruction}\n- Kept the indentation\n\nLet me know if you'd like anything else!`,
  ],
  [
    'heading and fence',
    'right',
    (edit) =>
      `### ${pick(edit, 'Updated code', 'Solution', name(edit), 'Result')}\n\n${block(edit)}\n`,
  ],
  ['marks of the request', 'right', (edit) => `<lines>\n${code(edit)}\n</lines>`],
  [
    'marks in a fence',
    'right-or-refused',
    (edit) => block(edit, `<lines>\n${code(edit)}\n</lines>`),
  ],
  ['fence in marks', 'right-or-refused', (edit) => `<lines>\n${block(edit)}\n</lines>`],
  [
    'sentence and marks',
    'right-or-refused',
    (edit) => `Here are the new lines:\n\n<lines>\n${code(edit)}\n</lines>`,
  ],
  ['only the closing mark', 'right-or-refused', (edit) => `${code(edit)}\n</lines>`],
  ['only the opening mark', 'right-or-refused', (edit) => `<lines>\n${code(edit)}`],
  ['marks on the lines', 'right-or-refused', (edit) => `<lines>${code(edit)}</lines>`],
  ['ChatML tokens', 'right-or-refused', (edit) => `<|im_start|>assistant\n${code(edit)}<|im_end|>`],
  ['ChatML end token', 'right', (edit) => `${code(edit)}<|im_end|>`],
  ['two end tokens', 'right-or-refused', (edit) => `${code(edit)}\n<|im_end|>\n<|endoftext|>`],
  [
    'Llama tokens',
    'right-or-refused',
    (edit) => `<|start_header_id|>assistant<|end_header_id|>\n\n${code(edit)}<|eot_id|>`,
  ],
  ['Mistral tokens', 'right-or-refused', (edit) => `[/INST] ${block(edit)}</s>`],
  [
    'Gemma tokens',
    'right-or-refused',
    (edit) => `<start_of_turn>model\n${block(edit)}<end_of_turn>`,
  ],
  [
    'harmony channels',
    'right-or-refused',
    (edit) =>
      `<|channel|>analysis<|message|>We need to output the lines.<|end|><|start|>assistant<|channel|>final<|message|>${code(edit)}<|return|>`,
  ],
  ['reasoning tags', 'right', (edit) => `<think>\n${think(edit)}\n</think>\n\n${code(edit)}`],
  [
    'reasoning tags and fence',
    'right',
    (edit) => `<think>\n${think(edit)}\n</think>\n\n${block(edit)}`,
  ],
  [
    'closing reasoning tag',
    'right-or-refused',
    (edit) => `${think(edit)}\n</think>\n\n${code(edit)}`,
  ],
  ['reasoning without end', 'refused', (edit) => `<think>\n${think(edit)}`],
  ['empty reasoning', 'right', (edit) => `<think>\n\n</think>\n\n${code(edit)}`],
  [
    'reasoning tag of another name',
    'right-or-refused',
    (edit) => `<thinking>${edit.instruction}: I replace the lines.</thinking>\n${block(edit)}`,
  ],
  [
    'fence with title',
    'right-or-refused',
    (edit) => fenced(code(edit), `${tag(edit)} title="${edit.path}"`),
  ],
  [
    'fence with path',
    'right-or-refused',
    (edit) => fenced(code(edit), `${tag(edit)}:${edit.path}`),
  ],
  [
    'fence with line range',
    'right-or-refused',
    (edit) =>
      fenced(
        code(edit),
        `${tag(edit)} {${edit.before.length + 1}-${edit.before.length + edit.original.length}}`,
      ),
  ],
  [
    'fence with the range of a citation',
    'right-or-refused',
    (edit) =>
      fenced(
        code(edit),
        `${edit.before.length + 1}:${edit.before.length + edit.original.length}:${edit.path}`,
      ),
  ],
  [
    'fence with braces',
    'right-or-refused',
    (edit) => fenced(code(edit), `{.${tag(edit)} .numberLines}`),
  ],
  [
    'fence with another language',
    'right-or-refused',
    (edit) => fenced(code(edit), pick(edit, 'plaintext', 'txt', 'code', 'javascript', 'Python')),
  ],
  [
    'comment with the path',
    'right-or-refused',
    (edit) => block(edit, `${comment(edit, edit.path)}\n${code(edit)}`),
  ],
  ['path before the fence', 'right-or-refused', (edit) => `**${edit.path}**\n${block(edit)}`],
  ['unclosed fence', 'right-or-refused', (edit) => `\`\`\`${tag(edit)}\n${code(edit)}`],
  ['only the closing fence', 'right-or-refused', (edit) => `${code(edit)}\n\`\`\``],
  [
    'context around the lines',
    'right-or-refused',
    (edit) => join([...lastBefore(edit, 2), ...edit.replacement, ...edit.after.slice(0, 2)]),
  ],
  [
    'context in a fence',
    'right-or-refused',
    (edit) =>
      `Here you go:\n\n${block(edit, join([...lastBefore(edit, 3), ...edit.replacement, ...edit.after.slice(0, 3)]))}`,
  ],
  [
    'one line of context before',
    'right-or-refused',
    (edit) => block(edit, join([...lastBefore(edit, 1), ...edit.replacement])),
  ],
  [
    'one line of context after',
    'right-or-refused',
    (edit) => block(edit, join([...edit.replacement, ...edit.after.slice(0, 1)])),
  ],
  [
    'the whole file',
    'right-or-refused',
    (edit) => `Here is the complete file:\n\n${block(edit, wholeFile(edit).replace(/\n$/u, ''))}`,
  ],
  ['the whole file without a fence', 'right-or-refused', (edit) => wholeFile(edit)],
  [
    'the request with the new lines',
    'right-or-refused',
    (edit) =>
      `File: ${edit.path} (${edit.language})\n\n${join(edit.before)}\n<lines>\n${code(edit)}\n</lines>\n${join(edit.after)}`,
  ],
  [
    'the instruction and a fence',
    'right-or-refused',
    (edit) => `Instruction: ${edit.instruction}\n\n${block(edit)}`,
  ],
  [
    'the instruction as a comment',
    'right-or-refused',
    (edit) => `${comment(edit, `Instruction: ${edit.instruction}`)}\n${code(edit)}`,
  ],
  [
    'original and new marks',
    'right-or-refused',
    (edit) => `<lines>\n${old(edit)}\n</lines>\n\nbecomes\n\n<lines>\n${code(edit)}\n</lines>`,
  ],
  [
    'fence and whole file',
    'right-or-refused',
    (edit) =>
      `${block(edit)}\n\nThe full file then looks like this:\n\n${block(edit, wholeFile(edit))}`,
  ],
  ['the same fence twice', 'right-or-refused', (edit) => `${block(edit)}\n\n${block(edit)}`],
  [
    'the same lines twice with tokens',
    'right-or-refused',
    (edit) => `${code(edit)}<|endoftext|>Human: ${edit.instruction}\n\nAssistant: ${code(edit)}`,
  ],
  [
    'corrected answer',
    'right-or-refused',
    (edit) =>
      edit.replacement.length < 2
        ? undefined
        : `${block(edit, join(edit.replacement.slice(0, -1)))}\n\nWait, that drops the last line. Corrected:\n\n${block(edit)}`,
  ],
  ['unified diff', 'right-or-refused', (edit) => fenced(unifiedDiff(edit), 'diff')],
  [
    'unified diff with wrong numbers',
    'right-or-refused',
    (edit) => fenced(unifiedDiff(edit, 7), 'diff'),
  ],
  ['unified diff without a fence', 'right-or-refused', (edit) => unifiedDiff(edit)],
  ['diff without header', 'right-or-refused', (edit) => fenced(join(hunkLines(edit, 1)), 'diff')],
  [
    'diff without context',
    'right-or-refused',
    (edit) => `Apply this change:\n\n${fenced(join(hunkLines(edit, 0)), 'diff')}`,
  ],
  [
    'removed and added lines alone',
    'right-or-refused',
    (edit) => fenced(join([...mark('-', edit.original), ...mark('+', edit.replacement)]), 'diff'),
  ],
  [
    'removed and added lines with a space',
    'right-or-refused',
    (edit) => fenced(join([...mark('- ', edit.original), ...mark('+ ', edit.replacement)]), 'diff'),
  ],
  ['search and replace', 'right-or-refused', (edit) => searchReplace(edit)],
  [
    'search and replace with path',
    'right-or-refused',
    (edit) => `${edit.path}\n${fenced(searchReplace(edit), tag(edit))}`,
  ],
  [
    'conflict marks',
    'right-or-refused',
    (edit) =>
      join([
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
      join([
        '*** Begin Patch',
        `*** Update File: ${edit.path}`,
        '@@',
        ...hunkLines(edit, 1),
        '*** End Patch',
      ]),
  ],
  [
    'patch envelope with a heading',
    'right-or-refused',
    (edit) =>
      join([
        '*** Begin Patch',
        `*** Update File: ${edit.path}`,
        `@@ ${lastBefore(edit, 1).join('').trim()}`,
        ...mark('-', edit.original),
        ...mark('+', edit.replacement),
        '*** End Patch',
      ]),
  ],
  [
    'JSON with new lines',
    'right-or-refused',
    (edit) => fenced(JSON.stringify({ lines: edit.replacement }, null, 2), 'json'),
  ],
  [
    'JSON with old and new text',
    'right-or-refused',
    (edit) =>
      JSON.stringify({
        edits: [{ path: edit.path, old_string: old(edit), new_string: code(edit) }],
      }),
  ],
  ['JSON string', 'right-or-refused', (edit) => JSON.stringify(code(edit))],
  [
    'tool call',
    'right-or-refused',
    (edit) =>
      `<tool_call>\n${JSON.stringify({ name: 'replace_lines', arguments: { new_text: code(edit) } })}\n</tool_call>`,
  ],
  [
    'Mistral tool call',
    'right-or-refused',
    (edit) =>
      `[TOOL_CALLS][${JSON.stringify({ name: 'edit_file', arguments: { path: edit.path, content: code(edit) } })}]`,
  ],
  [
    'function tags',
    'right-or-refused',
    (edit) => `<function=edit>\n<parameter=new_string>\n${code(edit)}\n</parameter>\n</function>`,
  ],
  [
    'XML edit',
    'right-or-refused',
    (edit) =>
      `<edit>\n<search>\n${old(edit)}\n</search>\n<replace>\n${code(edit)}\n</replace>\n</edit>`,
  ],
  [
    'XML with CDATA',
    'right-or-refused',
    (edit) => `<change path="${edit.path}"><new><![CDATA[${code(edit)}]]></new></change>`,
  ],
  ['answer tags', 'right-or-refused', (edit) => `<answer>\n${code(edit)}\n</answer>`],
  [
    'tags of another name',
    'right-or-refused',
    (edit) =>
      `<${pick(edit, 'updated_code', 'output', 'new_lines', 'result', 'replacement')}>\n${code(edit)}\n</${pick(edit, 'updated_code', 'output', 'new_lines', 'result', 'replacement')}>`,
  ],
  [
    'artifact tags',
    'right-or-refused',
    (edit) =>
      `I'll make this change.\n\n<antArtifact identifier="edit" type="application/vnd.ant.code" language="${tag(edit)}" title="${name(edit)}">\n${code(edit)}\n</antArtifact>\n\nThe change is done.`,
  ],
  [
    'line numbers with bars',
    'right-or-refused',
    (edit) => fenced(numbered(edit, ' | '), tag(edit)),
  ],
  ['line numbers with colons', 'right-or-refused', (edit) => numbered(edit, ': ')],
  ['line numbers with tabs', 'right-or-refused', (edit) => numbered(edit, '\t')],
  [
    'line numbers and context',
    'right-or-refused',
    (edit) => {
      const context = lastBefore(edit, 2);
      return fenced(
        numbered({ ...edit, before: edit.before.slice(0, -2) }, '→', [
          ...context,
          ...edit.replacement,
        ]),
      );
    },
  ],
  [
    'before and after',
    'right-or-refused',
    (edit) => `**Before:**\n${block(edit, old(edit))}\n\n**After:**\n${block(edit)}`,
  ],
  [
    'original and modified',
    'right-or-refused',
    (edit) =>
      `Original:\n\n${block(edit, old(edit))}\n\nModified:\n\n${block(edit)}\n\nI only changed the marked lines.`,
  ],
  [
    'replace and with',
    'right-or-refused',
    (edit) => `Replace\n${block(edit, old(edit))}\nwith\n${block(edit)}`,
  ],
  [
    'two options',
    'right-or-refused',
    (edit) =>
      `**Option A** (recommended)\n${block(edit)}\n\n**Option B**\n${block(edit, `${old(edit)}\n${first(edit.original)}`)}`,
  ],
  [
    'two options without fences',
    'refused',
    (edit) =>
      old(edit).trim() === ''
        ? undefined
        : `Option 1:\n${old(edit)}\n${first(edit.original)}\n\nOption 2:\n${code(edit)}`,
  ],
  [
    'parts with text between',
    'right-or-refused',
    (edit) =>
      edit.replacement.length < 3 || code(edit).includes('```')
        ? undefined
        : `First:\n\n${block(edit, first(edit.replacement))}\n\nThen:\n\n${block(edit, join(edit.replacement.slice(1)))}`,
  ],
  [
    'elision of the first lines',
    'right-or-refused',
    (edit) =>
      edit.replacement.length < 2
        ? undefined
        : block(
            edit,
            `${indentOf(first(edit.replacement))}${comment(edit, '... existing code ...')}\n${join(edit.replacement.slice(1))}`,
          ),
  ],
  [
    'elision of the last lines',
    'right-or-refused',
    (edit) =>
      edit.replacement.length < 2
        ? undefined
        : `${join(edit.replacement.slice(0, -1))}\n${indentOf(edit.replacement.at(-1) ?? '')}${comment(edit, pick(edit, '... rest of the code remains the same', '(unchanged)', '… rest unchanged', 'rest of the file', '... (keep the rest as is)'))}`,
  ],
  [
    'elision by dots',
    'right-or-refused',
    (edit) =>
      edit.replacement.length < 3
        ? undefined
        : block(edit, `${first(edit.replacement)}\n...\n${edit.replacement.at(-1) ?? ''}`),
  ],
  [
    'context with elisions',
    'right-or-refused',
    (edit) =>
      block(
        edit,
        join([
          comment(edit, '... existing code ...'),
          ...lastBefore(edit, 1),
          ...edit.replacement,
          ...edit.after.slice(0, 1),
          comment(edit, '... existing code ...'),
        ]),
      ),
  ],
  [
    'only the changed line',
    'right-or-refused',
    (edit) => {
      const { added, head, tail } = change(edit);
      if (head.length + tail.length === 0 || added.length === 0) return undefined;
      return `Only this part changes:\n\n${block(edit, join(added))}\n\nEverything else in the selection stays the same.`;
    },
  ],
  [
    'explanation alone',
    'refused',
    (edit) =>
      pick(
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
      pick(
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
  ['no change needed', 'refused', (edit) => `No changes are needed:\n\n${block(edit, old(edit))}`],
  ['German sentence', 'right', (edit) => `Hier ist der angepasste Code:\n\n${block(edit)}`],
  [
    'French sentence and remark',
    'right',
    (edit) =>
      `Voici le code modifié :\n\n${block(edit)}\n\nN'hésitez pas si vous avez d'autres questions !`,
  ],
  [
    'Chinese sentence',
    'right',
    (edit) => `以下是修改后的代码：\n\n${block(edit)}\n\n说明：只修改了选中的行。`,
  ],
  ['Japanese sentence', 'right', (edit) => `修正後のコードは次のとおりです。\n\n${block(edit)}`],
  [
    'Spanish sentence without a fence',
    'right-or-refused',
    (edit) => `Aquí tienes el código actualizado:\n\n${code(edit)}`,
  ],
  [
    'Russian sentence without a fence',
    'right-or-refused',
    (edit) => `Вот обновлённый код:\n${code(edit)}`,
  ],
  [
    'Chinese remark without a fence',
    'right-or-refused',
    (edit) => `${code(edit)}\n\n注意：我只修改了选中的行。`,
  ],
  [
    'sentence without a fence',
    'right-or-refused',
    (edit) =>
      `${pick(edit, 'Here is the updated code:', "Sure! Here's the edit:", 'Of course. The new lines are:', 'Modified lines:')}\n\n${code(edit)}`,
  ],
  [
    'remark without a fence',
    'right-or-refused',
    (edit) =>
      `${code(edit)}\n\n${pick(edit, 'Note: I only changed the selected lines.', 'I hope this helps!', 'This keeps the rest of the file as it is.', 'Let me know if you need anything else.', 'Explanation:\nThe lines now follow the instruction.')}`,
  ],
  [
    'remark after a rule',
    'right-or-refused',
    (edit) => `${code(edit)}\n\n---\n\nThe rest of the file is unchanged.`,
  ],
  [
    'role line',
    'right-or-refused',
    (edit) =>
      edit.path === 'chats/export.txt'
        ? undefined
        : `${pick(edit, 'Assistant:', 'assistant', 'AI:', '### Response:', 'Answer:')}\n${code(edit)}`,
  ],
  [
    'next turn',
    'right-or-refused',
    (edit) =>
      edit.path === 'chats/export.txt'
        ? undefined
        : `${code(edit)}\n\n${pick(edit, 'User: Thanks, now do the next file.', '### Instruction:\nRename the file', 'Human: great', '<|user|>\nThanks')}`,
  ],
  [
    'copied from a web page',
    'right-or-refused',
    (edit) => `${tag(edit)}\nCopy code\n${code(edit)}`,
  ],
  ['language on the first line', 'right-or-refused', (edit) => `${tag(edit)}\n${code(edit)}`],
  ['all lines dedented', 'right-or-refused', (edit) => dedent(edit.replacement)?.join('\n')],
  [
    'dedented in a fence',
    'right-or-refused',
    (edit) => {
      const lines = dedent(edit.replacement);
      return lines && block(edit, join(lines));
    },
  ],
  [
    'first line trimmed',
    'right-or-refused',
    (edit) => (code(edit).trimStart() === code(edit) ? undefined : code(edit).trimStart()),
  ],
  [
    'first line trimmed in marks',
    'right-or-refused',
    (edit) =>
      code(edit).trimStart() === code(edit)
        ? undefined
        : `<lines>${code(edit).trimStart()}\n</lines>`,
  ],
  [
    'one more level of indentation',
    'right-or-refused',
    (edit) =>
      edit.language === 'markdown' || edit.replacement.length < 3 || old(edit).trim() === ''
        ? undefined
        : fenced(join(edit.replacement.map((line) => line && `    ${line}`)), tag(edit)),
  ],
  [
    'fence in a list item',
    'right-or-refused',
    (edit) =>
      `1. Replace the lines:\n\n${block(edit)
        .split('\n')
        .map((line) => line && `   ${line}`)
        .join('\n')}\n\n2. Save the file.`,
  ],
  [
    'quoted lines',
    'right-or-refused',
    (edit) => (isProse(edit) ? undefined : edit.replacement.map((line) => `> ${line}`).join('\n')),
  ],
  ['CRLF line breaks', 'right', (edit) => code(edit).replaceAll('\n', '\r\n')],
  [
    'CRLF line breaks in a fence',
    'right',
    (edit) => `Done:\n\n${block(edit)}\n`.replaceAll('\n', '\r\n'),
  ],
  ['byte order mark', 'right-or-refused', (edit) => `\uFEFF${code(edit)}`],
  [
    'no-break spaces',
    'right-or-refused',
    (edit) =>
      /^ /mu.test(code(edit))
        ? code(edit).replaceAll(/^ +/gmu, (indent) => '\u00A0'.repeat(indent.length))
        : undefined,
  ],
  [
    'escaped for HTML',
    'right-or-refused',
    (edit) =>
      escapeHtml(code(edit)) === code(edit) || code(edit).includes('&amp;')
        ? undefined
        : block(edit, escapeHtml(code(edit))),
  ],
  [
    'escaped line breaks',
    'right-or-refused',
    (edit) =>
      edit.replacement.length < 2 || code(edit).includes('\\')
        ? undefined
        : edit.replacement.join(String.raw`\n`),
  ],
  ['spaces after the lines', 'right-or-refused', (edit) => `${code(edit)}\n\n\n   \n`],
  ['blank lines in the fence', 'right-or-refused', (edit) => block(edit, `\n${code(edit)}\n`)],
  [
    'bold around the code',
    'right-or-refused',
    (edit) =>
      edit.replacement.length > 1 || isProse(edit) ? undefined : `**${code(edit).trim()}**`,
  ],
  [
    'code span around the line',
    'right-or-refused',
    (edit) =>
      edit.replacement.length > 1 || code(edit).includes('`')
        ? undefined
        : `\`${code(edit).trim()}\``,
  ],
  [
    'command and code',
    'right-or-refused',
    (edit) =>
      `First install the dependencies:\n\n\`\`\`bash\nmake deps\n\`\`\`\n\nThen use:\n\n${block(edit)}`,
  ],
  [
    'code and example',
    'right-or-refused',
    (edit) => `${block(edit)}\n\nExample output:\n\n\`\`\`text\nok 1\nok 2\n\`\`\``,
  ],
  [
    'fill-in-the-middle tokens',
    'right-or-refused',
    (edit) =>
      `<|fim_prefix|>${lastBefore(edit, 1).join('')}\n<|fim_suffix|>${first(edit.after)}<|fim_middle|>${code(edit)}`,
  ],
  [
    'cut off by the limit',
    'refused',
    (edit) => code(edit).slice(0, Math.ceil(code(edit).length / 2)),
    'cut',
  ],
  [
    'fence cut off in a line',
    'refused',
    (edit) =>
      edit.replacement.length < 3
        ? undefined
        : `Here is the new version:\n\n\`\`\`${tag(edit)}\n${code(edit).slice(0, -Math.ceil((edit.replacement.at(-2)?.length ?? 0) / 2) - (edit.replacement.at(-1)?.length ?? 0) - 1)}`,
  ],
  [
    'mark of a truncation',
    'right-or-refused',
    (edit) =>
      edit.replacement.length < 2
        ? undefined
        : `${join(edit.replacement.slice(0, -1))}\n[truncated]`,
  ],
  [
    'fence of three around fences',
    'right-or-refused',
    (edit) =>
      code(edit).includes('```')
        ? `Here is the section:\n\n\`\`\`markdown\n${code(edit)}\n\`\`\``
        : undefined,
  ],
  [
    'agent log',
    'right-or-refused',
    (edit) =>
      `I'll edit ${edit.path} now.\n\n<edit_file path="${edit.path}">\n${code(edit)}\n</edit_file>\n\nThe file has been updated.`,
  ],
  [
    'status lines',
    'right-or-refused',
    (edit) => `✅ Updated \`${edit.path}\`\n\n${block(edit)}\n\n📝 1 file changed`,
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

/** Returns the answers of all forms that exist for an edit. */
export function renderAnswers(edit: CorpusEdit): readonly CorpusAnswer[] {
  return forms.flatMap(([form, expectation, render, options]) => {
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

const body = (edit: CorpusEdit): string => wholeFile(edit).replace(/\n$/u, '');
const around = (edit: CorpusEdit, count: number): string =>
  join([...lastBefore(edit, count), ...edit.replacement, ...edit.after.slice(0, count)]);

/** Forms of code blocks that change a file. */
const blockForms: readonly BlockForm[] = [
  ['whole file', 'right', body],
  ['whole file with a line break', 'right', (edit) => `${body(edit)}\n`],
  ['whole file with the path', 'right', body, ({ path }) => `code ${path}`],
  [
    'whole file with a comment',
    'right-or-refused',
    (edit) => `${comment(edit, edit.path)}\n${body(edit)}`,
  ],
  ['whole file with CRLF', 'right', (edit) => body(edit).replaceAll('\n', '\r\n')],
  [
    'whole file with line numbers',
    'right-or-refused',
    (edit) => numbered({ ...edit, before: [] }, '\t', body(edit).split('\n')),
  ],
  ['unified diff', 'right', (edit) => unifiedDiff(edit), () => 'diff'],
  ['unified diff with wrong numbers', 'right', (edit) => unifiedDiff(edit, 5), () => 'diff'],
  ['unified diff without info', 'right-or-refused', (edit) => unifiedDiff(edit)],
  [
    'git diff',
    'right',
    (edit) =>
      `diff --git a/${edit.path} b/${edit.path}\nindex 1a2b3c4..5d6e7f8 100644\n${unifiedDiff(edit)}`,
    () => 'diff',
  ],
  ['diff without header', 'right-or-refused', (edit) => join(hunkLines(edit, 2)), () => 'diff'],
  [
    'diff with a bare range',
    'right-or-refused',
    (edit) => `@@ ... @@\n${join(hunkLines(edit, 2))}`,
    () => 'diff',
  ],
  [
    'diff of removed and added lines',
    'right-or-refused',
    (edit) => join([...mark('-', edit.original), ...mark('+', edit.replacement)]),
    () => 'diff',
  ],
  [
    'diff without the space of context lines',
    'right-or-refused',
    (edit) => join(hunkLines(edit, 2).map((line) => line.replace(/^ /u, ''))),
    () => 'diff',
  ],
  ['search and replace', 'right-or-refused', searchReplace],
  [
    'search and replace with context',
    'right-or-refused',
    (edit) =>
      join([
        '<<<<<<< SEARCH',
        ...lastBefore(edit, 1),
        ...edit.original,
        '=======',
        ...lastBefore(edit, 1),
        ...edit.replacement,
        '>>>>>>> REPLACE',
      ]),
  ],
  [
    'search that is not in the file',
    'refused',
    (edit) =>
      join([
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
      join([
        '*** Begin Patch',
        `*** Update File: ${edit.path}`,
        '@@',
        ...hunkLines(edit, 2),
        '*** End Patch',
      ]),
    () => 'patch',
  ],
  ['snippet with one line of context', 'right-or-refused', (edit) => around(edit, 1)],
  ['snippet with three lines of context', 'right-or-refused', (edit) => around(edit, 3)],
  [
    'snippet dedented',
    'right-or-refused',
    (edit) => dedent(around(edit, 1).split('\n'))?.join('\n'),
  ],
  [
    'snippet between elisions',
    'right-or-refused',
    (edit) =>
      join([
        comment(edit, '... existing code ...'),
        around(edit, 2),
        comment(edit, '... existing code ...'),
      ]),
  ],
  [
    'snippet with an elision after the first line',
    'right-or-refused',
    (edit) =>
      edit.before.length < 4
        ? undefined
        : join([
            first(edit.before),
            comment(
              edit,
              pick(edit, '... existing code ...', '...', 'unchanged', 'rest of the code'),
            ),
            around(edit, 1),
          ]),
  ],
  [
    'file with an elision at the end',
    'right-or-refused',
    (edit) =>
      edit.after.length < 4
        ? undefined
        : join([
            ...edit.before,
            ...edit.replacement,
            ...edit.after.slice(0, 1),
            comment(
              edit,
              pick(edit, '... rest of the file unchanged ...', '…', '(rest stays the same)'),
            ),
          ]),
  ],
  ['new lines alone', 'right-or-refused', code],
  [
    'file cut off',
    'right-or-refused',
    (edit) =>
      edit.after.length < 5 || (edit.after[2] ?? '').length < 7
        ? undefined
        : join([
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
    (edit) => `${unifiedDiff(edit)}\n--- a/other.txt\n+++ b/other.txt\n@@ -1 +1 @@\n-a\n+b`,
    () => 'diff',
  ],
  ['no change', 'refused', (edit) => wholeFile(edit, edit.original)],
  [
    'diff in an inner fence',
    'right-or-refused',
    (edit) => `\`\`\`diff\n${unifiedDiff(edit)}\n\`\`\``,
    () => 'markdown',
  ],
  [
    'JSON edits',
    'right-or-refused',
    (edit) => JSON.stringify([{ search: old(edit), replace: code(edit) }]),
    () => 'json',
  ],
];

/** Code block for Apply. */
export interface CorpusBlock {
  readonly name: string;
  readonly expectation: Expectation;
  readonly code: string;
  readonly info: string;
}

/** Returns the code blocks of all forms that exist for an edit. */
export function renderBlocks(edit: CorpusEdit): readonly CorpusBlock[] {
  return blockForms.flatMap(([form, expectation, render, info]) => {
    const text = render(edit);
    return text === undefined
      ? []
      : [{ name: form, expectation, code: text, info: info?.(edit) ?? tag(edit) }];
  });
}

type CommitForm = readonly [
  name: string,
  expectation: Expectation,
  render: (message: string, index: number) => string | undefined,
  options?: 'cut',
];

const subject = (message: string): string => message.split('\n')[0] ?? '';
const rest = (message: string): string => message.split('\n').slice(2).join('\n');

/** Forms of answers with a commit message. */
const commitForms: readonly CommitForm[] = [
  ['message alone', 'right', (message) => message],
  ['line break at the end', 'right', (message) => `${message}\n\n`],
  ['fence', 'right', (message) => fenced(message)],
  [
    'fence with a language',
    'right',
    (message, index) =>
      fenced(message, ['text', 'git', 'plaintext', 'commit', 'markdown'][index % 5]),
  ],
  [
    'sentence and fence',
    'right',
    (message) => `Here's a commit message for your changes:\n\n${fenced(message)}`,
  ],
  [
    'sentence, fence, remark',
    'right',
    (message) =>
      `Based on the diff, I suggest:\n\n${fenced(message)}\n\nIt follows the style of the previous commits.`,
  ],
  [
    'sentence without a fence',
    'right-or-refused',
    (message) => `Here is the commit message:\n\n${message}`,
  ],
  ['label', 'right-or-refused', (message) => `Commit message: ${message}`],
  ['bold label', 'right-or-refused', (message) => `**Commit message:**\n\n${message}`],
  ['heading and fence', 'right', (message) => `## Commit Message\n\n${fenced(message)}`],
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
    (message) => message.replace(subject(message), `**${subject(message)}**`),
  ],
  ['heading as subject', 'right-or-refused', (message) => `# ${message}`],
  [
    'git command',
    'right-or-refused',
    (message) =>
      /["`$]/u.test(message) || message.split('\n\n').length > 2
        ? undefined
        : fenced(
            `git commit -m "${subject(message)}"${rest(message) === '' ? '' : ` -m "${rest(message)}"`}`,
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
    (message) => fenced(JSON.stringify({ subject: subject(message), body: rest(message) }), 'json'),
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
    (message) => `1. ${subject(message)}\n2. Change some files\n3. chore: update`,
  ],
  [
    'options in fences',
    'right-or-refused',
    (message) => `Option 1:\n${fenced(message)}\n\nOption 2:\n${fenced('chore: update files')}`,
  ],
  [
    'German sentence',
    'right',
    (message) => `Hier ist ein Vorschlag für die Commit-Nachricht:\n\n${fenced(message)}`,
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
    (message) => `${fenced(message)}\n\n${fenced(message)}`,
  ],
  [
    'subject and body labels',
    'right-or-refused',
    (message) =>
      rest(message) === '' ? undefined : `Subject: ${subject(message)}\n\nBody:\n${rest(message)}`,
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

/** Returns the answers of all forms that exist for a commit message. */
export function renderCommitAnswers(message: string, index: number): readonly CorpusAnswer[] {
  return commitForms.flatMap(([form, expectation, render, options]) => {
    const text = render(message, index);
    return text === undefined
      ? []
      : [{ expectation, name: form, text, isCutOff: options === 'cut' }];
  });
}
