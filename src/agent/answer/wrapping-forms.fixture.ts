import type { EditTarget } from './edit-answer.ts';

/** Lines of a document, and the lines with which the answers of the test replace them. */
interface WrappingSample {
  readonly language: string;
  /** Info string of the code fence around the replacement lines in an answer. */
  readonly info: string;
  readonly path: string;
  readonly textBefore?: string;
  readonly originalText: string;
  readonly textAfter?: string;
  readonly expectedText: string;
  readonly instruction: string;
}

export const wrappingSamples: readonly WrappingSample[] = [
  {
    language: 'typescript',
    info: 'ts',
    path: 'src/tide.ts',
    textBefore: "import { moon } from './moon.ts';\n",
    originalText:
      'export function height(hour: number): number {\n  const phase = moon(hour);\n  return phase * 2;\n}',
    textAfter: '\nexport const low = 0;',
    expectedText:
      'export function height(hour: number): number {\n  // The moon pulls twice a day.\n  const phase = moon(hour % 12);\n  return phase * 2 + low;\n}',
    instruction: 'Consider that the moon pulls twice a day',
  },
  {
    language: 'python',
    info: 'python',
    path: 'tide.py',
    textBefore: 'from moon import phase\n\n',
    originalText: 'def height(hour):\n    """Return the height."""\n    return phase(hour) * 2',
    textAfter: '\n\nLOW = 0',
    expectedText:
      'def height(hour: int) -> float:\n    """Return the height in meters.\n\n    The moon pulls twice a day.\n    """\n    return phase(hour % 12) * 2 + LOW',
    instruction: 'Add types and a docstring',
  },
  {
    language: 'html',
    info: 'html',
    path: 'tide.html',
    textBefore: '<main>',
    originalText: '  <h1>Tides</h1>\n  <p>The flood comes at noon.</p>',
    textAfter: '  <footer>Low</footer>\n</main>',
    expectedText:
      '  <h1>Tides of the week</h1>\n  <p>The flood comes at <b>dawn</b>.</p>\n  <p>Take your boots.</p>',
    instruction: 'Say that the flood comes at dawn and that the reader takes boots',
  },
  {
    language: 'latex',
    info: 'latex',
    path: 'tide.tex',
    textBefore: '\\begin{document}',
    originalText: '\\section{Tides}\nThe flood comes at noon. It is \\emph{high}.',
    textAfter: '\\end{document}',
    expectedText:
      '\\section{Tides of the week}\nThe flood comes at dawn. It is \\emph{very high}.\n\nThe ebb follows six hours later.',
    instruction: 'Say that the flood comes at dawn and that the ebb follows six hours later',
  },
  {
    language: 'markdown',
    info: 'markdown',
    path: 'docs/tide.md',
    textBefore: '# Guide\n',
    originalText: '## Tides\n\nThe flood comes at noon.',
    textAfter: '\n## Moons',
    expectedText:
      '## Tides\n\nThe flood comes at dawn, and the ebb at noon.\n\n- flood: 6\n- ebb: 12',
    instruction: 'Say that the flood comes at dawn and the ebb at noon, and list both',
  },
  {
    language: 'css',
    info: 'css',
    path: 'tide.css',
    textBefore: 'body { margin: 0; }\n',
    originalText: '.tide {\n  color: blue;\n  height: 10px;\n}',
    textAfter: '\n.moon { color: white; }',
    expectedText:
      '.tide {\n  color: var(--sea);\n  height: 12px;\n  /* The flood is slow. */\n  transition: height 1s;\n}',
    instruction: 'Use the sea color and make the flood slow',
  },
  {
    language: 'yaml',
    info: 'yaml',
    path: 'tide.yml',
    textBefore: 'name: tides',
    originalText: 'jobs:\n  flood:\n    hour: 12\n    steps:\n      - run: rise',
    textAfter: 'moon: full',
    expectedText:
      'jobs:\n  flood:\n    hour: 6\n    # Wait for the moon.\n    steps:\n      - run: wait\n      - run: rise --slow',
    instruction: 'Run at 6, and wait for the moon first',
  },
  {
    language: 'sql',
    info: 'sql',
    path: 'tide.sql',
    textBefore: '-- Tides of a port\n',
    originalText: 'SELECT hour, height\nFROM tides\nWHERE port = 1;',
    textAfter: '\nSELECT * FROM ports;',
    expectedText:
      'SELECT hour, max(height) AS flood\nFROM tides\nWHERE port = 1\nGROUP BY hour\nORDER BY flood DESC;',
    instruction: 'Return the flood of each hour',
  },
  {
    language: 'go',
    info: 'go',
    path: 'tide/tide.go',
    textBefore: 'package tide\n',
    originalText: 'func Height(hour int) float64 {\n\treturn phase(hour) * 2\n}',
    textAfter: '\nconst low = 0',
    expectedText:
      '// Height returns the height in meters.\nfunc Height(hour int) (float64, error) {\n\tif hour < 0 {\n\t\treturn 0, errHour\n\t}\n\treturn phase(hour)*2 + low, nil\n}',
    instruction: 'Return an error for a negative hour',
  },
  {
    language: 'rust',
    info: 'rust',
    path: 'src/tide.rs',
    originalText: 'pub fn height(hour: u32) -> f64 {\n    phase(hour) * 2.0\n}',
    expectedText:
      '/// Returns the height in meters.\npub fn height(hour: u32) -> Option<f64> {\n    let phase = phase(hour)?;\n    Some(phase * 2.0)\n}',
    instruction: 'Return an option and document it',
  },
  {
    language: 'json',
    info: 'json',
    path: 'tide.json',
    textBefore: '{',
    originalText: '  "flood": { "hour": 12, "note": "The flood is high." },',
    textAfter: '  "ebb": 18\n}',
    expectedText: '  "flood": { "hour": 6, "note": "The flood is very high." },\n  "moon": "full",',
    instruction: 'Change the hour to 6 and add a full moon',
  },
  {
    language: 'shellscript',
    info: 'bash',
    path: 'tide.sh',
    textBefore: '#!/bin/sh',
    originalText: 'for port in $PORTS; do\n  echo "$port"\ndone',
    textAfter: 'exit 0',
    expectedText:
      '# List the height of each port.\nfor port in $PORTS; do\n  echo "$port: $(height "$port")"\ndone || exit 1',
    instruction: 'Print the height of each port too',
  },
  {
    language: 'plaintext',
    info: 'text',
    path: 'tide.txt',
    textBefore: 'Guide to the coast\n',
    originalText: 'The flood comes at noon. Take a boat.',
    textAfter: '\nThe ebb follows.',
    expectedText: 'The flood comes at dawn. Take a boat and a lamp, because it is dark.',
    instruction: 'The flood comes at dawn, when it is dark and a lamp is useful',
  },
  {
    language: 'typescript',
    info: 'typescript',
    path: 'src/texts.ts',
    textBefore: 'export const texts = {',
    originalText: "  ask: 'Do you want to continue?',\n  done: 'Done!',",
    textAfter: '};',
    expectedText:
      "  // Here is the question that the user sees first.\n  ask: 'Would you like me to continue?',\n  done: 'Done! Let me know if you need anything else.',",
    instruction: 'Make the texts more polite',
  },
  {
    language: 'python',
    info: 'py',
    path: 'texts.py',
    textBefore: 'TEXT = """',
    originalText: 'Here is the updated code.\nI changed the name.',
    textAfter: '"""',
    expectedText:
      'Here is the updated code for you.\nI changed the name and the color.\nLet me know.',
    instruction: 'Mention the color, and ask the user to reply',
  },
];

/** Input of a function that writes an answer in one format. */
export interface FormatInput {
  readonly code: string;
  readonly lines: readonly string[];
  readonly info: string;
  readonly path: string;
  readonly target: EditTarget;
  /** Encloses text, by default the code, in a fence that is longer than all fences in the code. */
  readonly createFence: (text?: string, info?: string) => string;
  readonly formatComment: (text: string) => string;
}

const commentFormats: Readonly<Record<string, (text: string) => string>> = {
  python: (text) => `# ${text}`,
  yaml: (text) => `# ${text}`,
  shellscript: (text) => `# ${text}`,
  sql: (text) => `-- ${text}`,
  latex: (text) => `% ${text}`,
  html: (text) => `<!-- ${text} -->`,
  markdown: (text) => `<!-- ${text} -->`,
  css: (text) => `/* ${text} */`,
};

/** Converts a sample to the input of the format functions. */
export function toFormatInput({ path, info, ...sample }: WrappingSample): FormatInput {
  const split = (text?: string): readonly string[] => (text === undefined ? [] : text.split('\n'));
  const { language, instruction, expectedText: code } = sample;
  return {
    code,
    lines: code.split('\n'),
    info,
    path,
    target: {
      language,
      instruction,
      path,
      original: split(sample.originalText),
      before: split(sample.textBefore),
      after: split(sample.textAfter),
      usesTabs: language === 'go',
      tabSize: 4,
    },
    createFence: (text = code, name = info) => `\`\`\`${name}\n${text}\n\`\`\``,
    formatComment: commentFormats[language] ?? ((text) => `// ${text}`),
  };
}

const createSearchReplace = ({ code, target }: FormatInput): string =>
  `<<<<<<< SEARCH\n${target.original.join('\n')}\n=======\n${code}\n>>>>>>> REPLACE`;

const createPatch = ({ lines, target, path }: FormatInput): string =>
  [
    '*** Begin Patch',
    `*** Update File: ${path}`,
    '@@',
    ...target.original.map((line) => `-${line}`),
    ...lines.map((line) => `+${line}`),
    '*** End Patch',
  ].join('\n');

const createDiff = ({ lines, target, path }: FormatInput): string => {
  const start = target.before.length + 1;
  return [
    `--- a/${path}`,
    `+++ b/${path}`,
    `@@ -${start},${target.original.length} +${start},${lines.length} @@`,
    ...target.original.map((line) => `-${line}`),
    ...lines.map((line) => `+${line}`),
  ].join('\n');
};

/** Functions that write an answer with the replacement lines, by name of the answer format. */
export const answerFormats: Readonly<Record<string, (input: FormatInput) => string>> = {
  'Answer: before code': ({ code }) => `Answer:\n${code}`,
  'Answer: and a blank line before code': ({ code }) => `Answer:\n\n${code}`,
  'Answer: on the line of the code': ({ code }) => `Answer: ${code.trimStart()}`,
  'Answer in bold before a fence': ({ createFence }) => `**Answer:**\n${createFence()}`,
  'Output: before code': ({ code }) => `Output:\n${code}`,
  'Result before code': ({ code }) => `Result:\n\n${code}`,
  'Code: before code': ({ code }) => `Code:\n${code}`,
  'New code: before code': ({ code }) => `New code:\n\n${code}`,
  'Replacement: before code': ({ code }) => `Replacement:\n${code}`,
  'Assistant: before code': ({ code }) => `Assistant: ${code}`,
  'assistant on a line before code': ({ code }) => `assistant\n${code}`,
  'Solution heading and fence': ({ createFence }) => `# Solution\n\n${createFence()}`,
  'emoji line before code': ({ code }) => `✨ Updated!\n\n${code}`,
  'emoji after code': ({ code }) => `${code}\n\n🎉 All set!`,
  'check mark list after code': ({ code }) => `${code}\n\n✅ The hour changed\n✅ The rest stayed`,
  'bold sentence before code': ({ code }) => `**Here is the updated code:**\n\n${code}`,
  'bold sentence after code': ({ code }) => `${code}\n\n**Note:** the behavior changed slightly.`,
  'italic remark after code': ({ code }) => `${code}\n\n*I changed only what you asked for.*`,
  'bold file heading and fence': ({ createFence, path }) => `**${path}**\n\n${createFence()}`,
  'bold file heading in backticks and fence': ({ createFence, path }) =>
    `**\`${path}\`**:\n${createFence()}`,
  'Markdown file heading and fence': ({ createFence, path }) => `### ${path}\n${createFence()}`,
  'file heading before code': ({ code, path }) => `**${path}**\n\n${code}`,
  'File: before code': ({ code, path }) => `File: ${path}\n\n${code}`,
  'path alone before a fence': ({ createFence, path }) => `${path}\n${createFence()}`,
  'filepath comment in a fence': ({ code, createFence, path }) =>
    createFence(`// filepath: ${path}\n${code}`),
  'filepath comment of the language in a fence': ({ code, createFence, path, formatComment }) =>
    createFence(`${formatComment(`filepath: ${path}`)}\n${code}`),
  'filepath comment before code': ({ code, path }) => `// filepath: ${path}\n${code}`,
  'path comment in a fence': ({ code, createFence, path, formatComment }) =>
    createFence(`${formatComment(path)}\n${code}`),
  'comment of the file in a fence': ({ code, createFence, path, formatComment }) =>
    createFence(`${formatComment(`File: ${path}`)}\n${code}`),
  patch: createPatch,
  'patch in a fence': (input) => input.createFence(createPatch(input), 'diff'),
  'patch with a remark': (input) => `Here is the patch:\n\n${createPatch(input)}\n\nLet me know!`,
  'patch in a fence without a language': (input) => input.createFence(createPatch(input), ''),
  'unified diff': createDiff,
  'unified diff with a remark': (input) => `Apply this diff:\n\n${createDiff(input)}`,
  'unified diff in a fence and an explanation': (input) =>
    `${input.createFence(createDiff(input), 'diff')}\n\nExplanation:\n- The hour changed.`,
  'SEARCH/REPLACE': createSearchReplace,
  'SEARCH/REPLACE in a fence': (input) => input.createFence(createSearchReplace(input)),
  'SEARCH/REPLACE with a path': (input) =>
    `${input.path}\n${input.createFence(createSearchReplace(input))}`,
  'nested fence': ({ code, info }) => `\`\`\`\`markdown\n\`\`\`${info}\n${code}\n\`\`\`\n\`\`\`\``,
  'fence in a fence of the same length': ({ code, info }) =>
    `\`\`\`\n\`\`\`${info}\n${code}\n\`\`\`\n\`\`\``,
  tildes: ({ code, info }) => `~~~${info}\n${code}\n~~~`,
  'tildes and remarks': ({ code, info }) =>
    `Sure!\n\n~~~~${info}\n${code}\n~~~~\n\nHope this helps!`,
  'five backticks': ({ code, info }) => `\`\`\`\`\`${info}\n${code}\n\`\`\`\`\``,
  'fence with attributes': ({ createFence, code, info, path }) =>
    createFence(code, `${info} title="${path}" showLineNumbers {1,3}`),
  'fence with braces': ({ createFence, code, info }) =>
    createFence(code, `{.${info} .numberLines}`),
  'fence with a path': ({ createFence, code, info, path }) => createFence(code, `${info}:${path}`),
  'fence with line numbers and a path': ({ createFence, code, path }) =>
    createFence(code, `12:18:${path}`),
  'fence with an upper case language': ({ createFence, code, info }) =>
    createFence(code, info.toUpperCase()),
  'fence without a language': ({ createFence, code }) => createFence(code, ''),
  'fence with text': ({ createFence, code }) => createFence(code, 'text'),
  'indented fence': ({ createFence }) => createFence().replaceAll(/^(?=.)/gmu, '   '),
  'fence in a list': ({ createFence }) =>
    `1. Replace the lines:\n\n${createFence().replaceAll(/^(?=.)/gmu, '   ')}\n2. Save.`,
  'closed fence on the last line': ({ code, info }) => `\`\`\`${info}\n${code}\`\`\``,
  'fence that is not closed': ({ code, info }) => `\`\`\`${info}\n${code}`,
  'fence that is not opened': ({ code }) => `${code}\n\`\`\``,
  'fence, text directly before and after': ({ createFence }) =>
    `Here is the new version.\n${createFence()}\nOnly these lines changed.`,
  'text directly before and after code': ({ code }) =>
    `Here is the updated version:\n${code}\nThis handles the hours as requested.`,
  'Explanation: list after a fence': ({ createFence }) =>
    `${createFence()}\n\nExplanation:\n\n- Changed the hour\n- Kept the rest`,
  'Explanation: list after code': ({ code }) =>
    `${code}\n\nExplanation:\n\n- Changed the hour\n- Kept the rest`,
  'Explanation heading and numbered list after code': ({ code }) =>
    `${code}\n\n### Explanation\n\n1. **Hour**: changed.\n2. **Rest**: the same.`,
  'Explanation: directly after code': ({ code }) =>
    `${code}\nExplanation: the hour changed, and nothing else.`,
  'Changes made: list after a fence': ({ createFence }) =>
    `${createFence()}\n\nChanges made:\n1. Changed the hour.\n2. Kept the rest.`,
  'Changes made: list after code': ({ code }) =>
    `${code}\n\nChanges made:\n1. Changed the hour.\n2. Kept the rest.`,
  'Changes: list directly after code': ({ code }) =>
    `${code}\nChanges:\n- Changed the hour.\n- Kept the rest.`,
  'Key changes list in bold': ({ code }) =>
    `${code}\n\n**Key changes:**\n\n* **Hour** – changed\n* **Rest** – kept`,
  'Summary after a rule': ({ code }) => `${code}\n\n---\n\n**Summary:** Only the hour changed.`,
  'code tags': ({ code }) => `<code>\n${code}\n</code>`,
  'answer tags': ({ code }) => `<answer>\n${code}\n</answer>`,
  'answer tags around a fence': ({ createFence }) => `<answer>\n${createFence()}\n</answer>`,
  'think tags before answer tags': ({ code }) =>
    `<think>\nThe user wants another hour.\n</think>\n<answer>\n${code}\n</answer>`,
  'think tags before a fence': ({ createFence }) => `<think>Hm.</think>\n\n${createFence()}`,
  'think tags with a fence': ({ code, createFence }) =>
    `<think>\nMaybe:\n${createFence('wrong();')}\nNo.\n</think>\n${code}`,
  'end of thinking alone': ({ createFence }) =>
    `The hour must change.\n</think>\n\n${createFence()}`,
  'lines marks': ({ code }) => `<lines>\n${code}\n</lines>`,
  'lines marks in a fence': ({ code, createFence }) => createFence(`<lines>\n${code}\n</lines>`),
  'lines marks with a remark': ({ code }) => `Sure!\n<lines>\n${code}\n</lines>\nDone.`,
  'replacement tags with attributes': ({ code, path }) => `<file path="${path}">\n${code}\n</file>`,
  'code tags with a language': ({ code, info }) => `<code language="${info}">\n${code}\n</code>`,
  'CDATA in tags': ({ code }) => `<answer><![CDATA[\n${code}\n]]></answer>`,
  'artifact tags': ({ code, info }) =>
    `<artifact identifier="tide" type="application/code" language="${info}">\n${code}\n</artifact>`,
  'pre and code tags': ({ code }) => `<pre><code>\n${code}\n</code></pre>`,
  'end token of ChatML': ({ code }) => `${code}<|im_end|>`,
  'tokens of ChatML': ({ code }) => `<|im_start|>assistant\n${code}\n<|im_end|>`,
  'end token of Llama': ({ createFence }) => `${createFence()}<|eot_id|>`,
  'header tokens of Llama': ({ code }) =>
    `<|start_header_id|>assistant<|end_header_id|>\n\n${code}<|eot_id|>`,
  'tokens of Gemma': ({ code }) => `<start_of_turn>model\n${code}<end_of_turn>`,
  'another turn after the answer': ({ code }) =>
    `${code}<|im_end|>\n<|im_start|>user\nThanks<|im_end|>`,
  channels: ({ code }) =>
    `<|channel|>analysis<|message|>Change the hour.<|end|><|start|>assistant<|channel|>final<|message|>${code}<|return|>`,
  'German remarks': ({ code }) =>
    `Hier ist der geänderte Abschnitt:\n\n${code}\n\nIch habe nur die Stunde geändert.`,
  'German remarks and a fence': ({ createFence }) =>
    `Gerne! Hier die neue Fassung:\n\n${createFence()}\n\nSoll ich noch etwas anpassen?`,
  'French remarks': ({ code }) =>
    `Voici la version corrigée :\n\n${code}\n\nN’hésitez pas à me demander d’autres changements.`,
  'French remarks and a fence': ({ createFence }) =>
    `Bien sûr !\n\n${createFence()}\n\nJ’ai changé l’heure et gardé le reste.`,
  'Spanish remarks': ({ code }) =>
    `Aquí tienes la versión actualizada:\n\n${code}\n\nAvísame si quieres más cambios.`,
  'Portuguese remarks': ({ code }) =>
    `Aqui está a versão atualizada:\n\n${code}\n\nAlterei apenas a hora.`,
  'Chinese remarks': ({ code }) => `以下是修改后的内容：\n\n${code}\n\n我只修改了时间。`,
  'Japanese remarks and a fence': ({ createFence }) =>
    `修正後のコードです。\n\n${createFence()}\n\n時刻だけを変更しました。`,
  'Korean remarks': ({ code }) => `수정된 내용입니다:\n\n${code}\n\n시간만 바꿨습니다.`,
  'Russian remarks': ({ code }) => `Вот исправленный вариант:\n\n${code}\n\nИзменено только время.`,
  'Polish remarks and a fence': ({ createFence }) =>
    `Oto poprawiona wersja:\n\n${createFence()}\n\nZmieniłem tylko godzinę.`,
  'question after code': ({ code }) =>
    `${code}\n\nWould you like me to change the other lines as well?`,
  'question directly after code': ({ code }) => `${code}\nShould I also update the tests?`,
  'question after a fence': ({ createFence }) =>
    `${createFence()}\n\nDo you want me to add a test?`,
  'offer after code': ({ code }) => `${code}\n\nI can also add a test if you want.`,
  'several remarks before code': ({ code }) =>
    `Great question!\n\nThe moon pulls twice a day, so the hour has to change.\n\nHere's the code:\n\n${code}`,
  'several remarks after code': ({ code }) =>
    `${code}\n\nThe hour is changed now.\n\nEverything else is as before.\n\nLet me know if it works!`,
  'original and new block': ({ createFence, target }) =>
    `Before:\n${createFence(target.original.join('\n'))}\n\nAfter:\n${createFence()}`,
  'usage block after the code': ({ createFence }) =>
    `${createFence()}\n\nUsage:\n\n\`\`\`bash\nnpm start\n\`\`\``,
  'install block before the code': ({ createFence }) =>
    `First install it:\n\n\`\`\`bash\nnpm install tides\n\`\`\`\n\nThen:\n\n${createFence()}`,
  'JSON object': ({ code }) => JSON.stringify({ code }),
  'JSON object in a fence': ({ code }) =>
    `\`\`\`json\n${JSON.stringify({ replacement: code }, null, 2)}\n\`\`\``,
  'JSON object with an explanation': ({ code }) =>
    JSON.stringify({ code, explanation: 'Changed the hour.' }),
  'numbered lines': ({ lines, target }) =>
    lines.map((line, index) => `${target.before.length + index + 1} | ${line}`).join('\n'),
  'quoted lines': ({ lines }) => lines.map((line) => `> ${line}`).join('\n'),
  'whole document': ({ code, target }) => [...target.before, code, ...target.after].join('\n'),
  'whole document in a fence with a remark': ({ code, createFence, target }) =>
    `Here is the full file:\n\n${createFence([...target.before, code, ...target.after].join('\n'))}`,
  'context and explanation': ({ code, target }) =>
    `${[...target.before.slice(-1), code, ...target.after.slice(0, 2)].join('\n')}\n\nExplanation: the hour changed.`,
  'language name before code': ({ code, info }) => `${info}\n${code}`,
  'language name and a colon before code': ({ code, info }) => `${info}:\n${code}`,
  'remark, language name, code': ({ code, info }) =>
    `Here is the code:\n\n${info}\nCopy code\n${code}`,
  'single backticks': ({ code }) => `\`${code}\``,
  'end mark after code': ({ code }) => `${code}\n\n[END]`,
  'EOF after code': ({ code }) => `${code}\nEOF`,
};

/**
 * Functions that write answers that contain no replacement lines or several alternatives, so the parser must refuse
 * them.
 */
export const refusedFormats: Readonly<Record<string, (input: FormatInput) => string>> = {
  'two alternatives': ({ createFence, code }) =>
    `Option A:\n${createFence()}\n\nOption B:\n${createFence(code.replaceAll(/hour|flood/gu, 'time'))}`,
  'question alone': () => 'Could you tell me which hour you mean?',
  'question in German': () => 'Welche Stunde meinen Sie?',
  refusal: () => "I'm sorry, but I can't help with that.",
  'refusal in a fence': ({ createFence }) => createFence("I can't change these lines.", ''),
  'explanation alone': () =>
    'To do this, change the hour in the first line, and then run the tests.',
  'explanation list alone': () => '1. Change the hour.\n2. Run the tests.\n3. Commit.',
  'open thinking': ({ code }) => `<think>\nI will write:\n${code}`,
  'no change needed': () => 'No changes are needed: the lines already do this.',
  'tool call': ({ path }) =>
    `<tool_call>\n{"name": "edit_file", "arguments": {"path": "${path}"}}\n</tool_call>`,
  'function call as JSON': ({ path }) => `{"name": "read_file", "arguments": {"path": "${path}"}}`,
  'patch of another file': ({ lines }) =>
    [
      '*** Begin Patch',
      '*** Add File: other.txt',
      ...lines.map((line) => `+${line}`),
      '*** End Patch',
    ].join('\n'),
  'patch that deletes the file': ({ path }) =>
    `*** Begin Patch\n*** Delete File: ${path}\n*** End Patch`,
  'open patch': (input) => createPatch(input).replace('\n*** End Patch', '').slice(0, -3),
  'shell command alone': ({ path }) => `\`\`\`bash\nsed -i 's/12/6/' ${path}\n\`\`\``,
  'empty fence': ({ info }) => `\`\`\`${info}\n\`\`\``,
  'link alone': () => 'See https://example.com/tides for the solution.',
};

const originalList = [
  '- Check the tide table before leaving the harbor.',
  '- Bring a lamp if you return after sunset.',
  '- Never anchor where the seabed is rocky.',
].join('\n');

/** Lists that replace {@link originalList} and share few words with it. */
const rewrittenLists: readonly string[] = [
  '- Read the water levels first.\n- Pack a light for the night.\n- Drop anchor only over sand.',
  '1. Read the water levels first.\n2. Pack a light for the night.\n3. Drop anchor only over sand.',
  '- **Levels:** read the table first.\n- **Light:** pack one.\n- **Anchor:** only over sand.',
  '- Before leaving\n  - Read the water levels.\n  - Pack a light.\n- At sea\n  - Anchor over sand.',
  '- [ ] Read the water levels\n- [ ] Pack a light\n- [ ] Drop anchor over sand',
  '* Levels\n* Light\n* Anchor',
];

/** Explanations that a model writes after a list. */
const listExplanations: readonly string[] = [
  'I shortened each item.',
  "I've made the list shorter and more direct.",
  'Let me know if you want another tone!',
  'This version is shorter and easier to scan.',
  '**Changes:**\n- Shortened the items\n- Used active verbs',
  'Changes made:\n\n1. Shortened the items.\n2. Used active verbs.',
  'Explanation: the items are shorter now.',
  '### Explanation\n\nThe items now start with a verb.',
  'Would you like me to add more items?',
  '---\n\nThe list is now shorter.',
  'Hope this helps!',
  'Each item now begins with a verb, which makes the list easier to read.',
  'I kept the order and the meaning.',
  'Ich habe die Punkte gekürzt.',
  "J'ai raccourci chaque point.",
  '**Note:** The order is unchanged.',
  'I shortened each item.\n\nLet me know if you want another tone!',
  'Feel free to adjust the wording.',
  'Key changes:\n- Shorter items\n- Active verbs',
];

/** An answer to an edit of text, and the new text that it contains. */
export interface TextAnswer {
  readonly answerText: string;
  readonly expectedText: string;
  readonly target: EditTarget;
}

const toTextTarget = (language: string, original: string, instruction: string): EditTarget => ({
  language,
  instruction,
  original: original.split('\n'),
  before: ['# Coast', ''],
  after: ['', '## Moons'],
  usesTabs: false,
  tabSize: 2,
});

/** Answers with a rewritten list and an explanation after it. */
export const listAnswers: readonly TextAnswer[] = [
  'Make it shorter',
  'Rewrite the list',
  'Start each item with a verb',
].flatMap((instruction) =>
  rewrittenLists.flatMap((expectedText) =>
    listExplanations.flatMap((end) =>
      ['', "Here's the rewritten list:\n\n"].map((start) => ({
        answerText: `${start}${expectedText}\n\n${end}`,
        expectedText,
        target: toTextTarget('markdown', originalList, instruction),
      })),
    ),
  ),
);

/** Language id, instruction, original text, and its translation. */
const translations: readonly (readonly [string, string, string, string])[] = [
  ['markdown', 'Translate to German', 'The flood comes at noon.', 'Die Flut kommt mittags.'],
  [
    'markdown',
    'Translate to German',
    '- Check the tide.\n- Bring a lamp.',
    '- Prüfe die Gezeiten.\n- Nimm eine Lampe mit.',
  ],
  ['plaintext', 'Auf Deutsch', 'The flood comes at noon.', 'Die Flut kommt mittags.'],
  ['markdown', 'Ins Englische', 'Die Flut kommt mittags.', 'The tide rises at midday.'],
  ['markdown', '翻译成中文', 'The flood comes at noon.', '洪水在中午到来。'],
  ['plaintext', '日本語にして', 'The flood comes at noon.', '満潮は正午に来ます。'],
  ['latex', 'Traduis en français', 'The flood comes at noon.', 'La marée monte à midi.'],
  [
    'markdown',
    'Translate to French',
    'Take your boots, please. It is wet.',
    'Prenez vos bottes, s’il vous plaît. C’est mouillé.',
  ],
  [
    'html',
    'Translate to Spanish',
    '  <p>The flood comes at noon.</p>',
    '  <p>La marea sube al mediodía.</p>',
  ],
  ['plaintext', 'Spanish', 'Would you like a boat?', '¿Quiere usted un barco?'],
  [
    'markdown',
    'Translate to Russian',
    'The flood comes at noon. Take a boat.',
    'Прилив приходит в полдень. Возьмите лодку.',
  ],
  [
    'plaintext',
    'Translate',
    'Le bateau part à midi.\nPrenez vos bottes.',
    'The boat leaves at noon.\nTake your boots.',
  ],
  ['markdown', 'Write it in Dutch', 'The boat leaves at noon.', 'De boot vertrekt om twaalf uur.'],
  [
    'typescript',
    'Translate the comment to German',
    '// The boat leaves at noon.\nconst a = 1;',
    '// Das Boot fährt mittags ab.\nconst a = 1;',
  ],
  [
    'python',
    'Translate the docstring to German',
    '    """The boat leaves at noon."""',
    '    """Das Boot fährt mittags ab."""',
  ],
  [
    'markdown',
    'Swedish',
    'The boat leaves at noon.\n\nTake a lamp.',
    'Båten går klockan tolv.\n\nTa med en lampa.',
  ],
];

/** Answers with a translation, which shares no words with the original. */
export const translationAnswers: readonly TextAnswer[] = translations.flatMap(
  ([language, instruction, original, expectedText]) =>
    [
      expectedText,
      `Here is the translation:\n\n${expectedText}`,
      `\`\`\`\n${expectedText}\n\`\`\``,
      `${expectedText}\n\nLet me know if you need another language.`,
      `${expectedText}\n\n**Note:** I used the informal form.`,
      `Hier ist die Übersetzung:\n\n${expectedText}`,
      `Sure! Here's the translation:\n\n${expectedText}\n\nI kept the tone of the original.`,
    ].map((answerText) => ({
      answerText,
      expectedText,
      target: toTextTarget(language, original, instruction),
    })),
);
