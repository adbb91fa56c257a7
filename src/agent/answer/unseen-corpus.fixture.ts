import {
  type CorpusAnswer,
  createRandom,
  removeIndentation,
  encloseInFence,
  getInfoString,
  joinLines,
  type Phrasing,
  type PickedEdit,
  pickEdit,
  createSafeFence,
  toDiff,
} from './answer-corpus.fixture.ts';
import { unseenSamples } from './unseen-samples.fixture.ts';

export const unseenLanguages: readonly string[] = Object.keys(unseenSamples);

/** Sentences around answers, in wordings and languages that the main corpus does not contain. */
export const unseenPhrasing: Phrasing = {
  introductions: [
    'Below you will find the lines after the rename.',
    'I went ahead and swapped the identifier. The outcome looks like this:',
    'Got it — the replacement is as follows:',
    'The snippet with your adjustment applied:',
    "Here's how it looks now:",
    'Good call. Try this instead:',
    'Hier ist der aktualisierte Code:',
    'Voici la version modifiée :',
    'Aquí tienes el código actualizado:',
    '以下是修改后的代码：',
    '更新後のコードは次のとおりです。',
    '✅ Updated as requested:',
    '### Updated lines',
    '**Result**',
    'Thanks for the context. Based on it, this is the new text:',
    'No worries, that is an easy one:',
    "To follow the naming used elsewhere, I'd write it like so:",
    'Fair enough, have a look:',
    'Replace your block with the one beneath.',
    'Proposed edit (minimal):',
    'Happy to! This should do it:',
    'Understood, applying the change now.',
    'Rewritten passage follows.',
    'Modified content:',
    'Da ist die neue Fassung:',
    'Voilà le résultat :',
    'Claro, así quedaría:',
    'Ecco il codice aggiornato:',
    'Вот обновлённый код:',
    '수정된 코드는 다음과 같습니다:',
    "Let's make that clearer:",
    'My suggestion would be the following text.',
  ],
  conclusions: [
    'The rename touches only these lines, so callers need an update as well.',
    'Everything else stays exactly as it was.',
    'Only the identifier differs from your original.',
    'Just say the word if another name suits you better.',
    'Nothing outside the selection was touched.',
    'Tip: run your formatter afterwards.',
    'Happy to adapt it further!',
    'Ich habe nur den Namen geändert, der Rest bleibt gleich.',
    "J'ai uniquement renommé l'élément demandé.",
    'He cambiado solo el nombre; lo demás queda igual.',
    '只修改了名称，其余内容保持不变。',
    '名前だけを変更しました。',
    '- Renamed the identifier\n- Left the layout alone',
    '| Old | New |\n| --- | --- |\n| a | b |',
    '### What is different\n\nOne name was replaced, in all places.',
    '> **Note:** The name occurs in other files too.',
    '`Next` marks the new name.',
    'With this, the name says what it stands for. Other files may still use the old one.',
    'Done! 🎉',
    'Best regards,\nYour assistant',
    '(Only the name changed.)',
    'PS: You might want to rename the file too.',
    'That covers every occurrence within the chosen range.',
    'No logic was altered.',
    'Remember to update the imports in other modules.',
    'Shout if it breaks anything.',
    'I hope that helps.',
    'Reason: consistency with the remaining code base.',
    'Caution: untested.',
    'Alles andere ist unverändert.',
    'Le reste est identique.',
    'Todo lo demás permanece sin cambios.',
    'Остальное без изменений.',
    '나머지는 그대로입니다.',
    '* Name replaced\n* Spacing preserved',
    '1. Swapped the name.\n2. Checked the spelling.',
    '**Why?** Because shorter names read better.',
    'Both occurrences are covered now.',
    '🚀 Ready to go.',
    'Would another name be preferable?',
  ],
  refusals: [
    'That request is not clear to me. Which part should be different?',
    "As these lines are fine already, I'd leave them alone.",
    'More context would be necessary before I touch this.',
    'Es tut mir leid, dabei kann ich nicht helfen.',
    "Je ne peux pas effectuer cette modification sans plus d'informations.",
    '抱歉，我无法完成此请求。',
    'Nothing to do: the lines follow your instruction already.',
    "I'm not comfortable making that change.",
    'The instruction mentions a variable that does not occur in the selection.',
    'Request denied by policy.',
    'I am going to need the full file for that.',
    'This cannot be done safely.',
    'What should the new name be?',
    'Ich verstehe die Anweisung nicht.',
    'No entiendo la instrucción.',
    'Sorry, no.',
    'Your message seems to be empty.',
  ],
};

interface UnseenInput extends PickedEdit {
  readonly introduction: string;
  readonly otherIntroduction: string;
  readonly conclusion: string;
  readonly otherConclusion: string;
  readonly refusal: string;
  readonly random: () => number;
}

const createFence = (
  { target, expectedLines }: UnseenInput,
  info = getInfoString(target),
): string => encloseInFence(expectedLines, info, createSafeFence(expectedLines));

const addLineNumbers = (
  { target, expectedLines }: UnseenInput,
  format: (line: string, index: number) => string,
): string =>
  joinLines(expectedLines.map((line, index) => format(line, target.before.length + index + 1)));

const indentLines = (text: string, space: string): string => text.replaceAll(/^(?=.)/gmu, space);

const joinWithoutFirstIndent = (lines: readonly string[]): string => joinLines(lines).trimStart();

const listChangedLines = ({ target, expectedLines }: UnseenInput): readonly string[] => {
  const { original } = target;
  const start = original.findIndex((line, index) => line !== expectedLines[index]);
  let end = 0;
  while (
    end < Math.min(original.length, expectedLines.length) - start &&
    original.at(-1 - end) === expectedLines.at(-1 - end)
  )
    end += 1;
  return [
    ...original.slice(start, original.length - end).map((line) => `-${line}`),
    ...expectedLines.slice(start, expectedLines.length - end).map((line) => `+${line}`),
  ];
};

/** Functions that write an answer, by name of the answer format. The main corpus does not contain these formats. */
const unseenFormats: Readonly<Record<string, (input: UnseenInput) => string>> = {
  'introduction, plain, conclusion': ({ expectedLines, introduction, conclusion }) =>
    `${introduction}\n\n${joinLines(expectedLines)}\n\n${conclusion}`,
  'plain, adjacent conclusion': ({ expectedLines, conclusion }) =>
    `${joinLines(expectedLines)}\n${conclusion}`,
  'plain, several conclusions': ({ expectedLines, conclusion, otherConclusion }) =>
    `${joinLines(expectedLines)}\n\n${conclusion}\n\n${otherConclusion}`,
  'several introductions, plain': ({ expectedLines, introduction, otherIntroduction }) =>
    `${introduction}\n\n${otherIntroduction}\n\n${joinLines(expectedLines)}`,
  'several introductions, fence': (input) =>
    `${input.introduction}\n\n${input.otherIntroduction}\n\n${createFence(input)}\n`,
  'introduction directly before a fence': (input) => `${input.introduction}\n${createFence(input)}`,
  'fence directly before a conclusion': (input) => `${createFence(input)}\n${input.conclusion}`,
  'fence with a title': (input) =>
    `${createFence(input, `${getInfoString(input.target)} title="bread.txt"`)}\n\n${input.conclusion}`,
  'fence with a path': (input) =>
    createFence(input, `${getInfoString(input.target)}:src/bread.txt`),
  'fence with line numbers in its info': (input) =>
    `${input.introduction}\n\n${createFence(input, `${getInfoString(input.target)} {1-3}`)}`,
  'fence with CRLF and white space': (input) =>
    `${createFence(input)}  \n`.replaceAll('\n', '\r\n'),
  'file name, fence': (input) =>
    `**\`src/bread.txt\`**\n\n${createFence(input)}\n\n${input.conclusion}`,
  'headings, fence': (input) =>
    `## Solution\n\n${createFence(input)}\n\n## Explanation\n\n${input.conclusion}`,
  'fence in a list': (input) =>
    `1. Replace the lines:\n\n${indentLines(createFence(input), '   ')}\n\n2. Save the file.`,
  'plain, rule, conclusion': ({ expectedLines, conclusion }) =>
    `${joinLines(expectedLines)}\n\n---\n\n${conclusion}`,
  'fence, rule, conclusion': (input) => `${createFence(input)}\n\n---\n\n${input.conclusion}`,
  'numbers with bars': (input) => addLineNumbers(input, (line, index) => `${index} | ${line}`),
  'padded numbers with bars': (input) =>
    addLineNumbers(input, (line, index) => `${String(index).padStart(4)} | ${line}`),
  'numbers with colons': (input) => addLineNumbers(input, (line, index) => `${index}: ${line}`),
  'numbers with arrows': (input) => addLineNumbers(input, (line, index) => `${index}→${line}`),
  'numbers with tabs': (input) =>
    addLineNumbers(input, (line, index) => `${String(index).padStart(6)}\t${line}`),
  'numbers in a fence': (input) =>
    `${input.introduction}\n\n\`\`\`\`${getInfoString(input.target)}\n${addLineNumbers(input, (line, index) => `${index} | ${line}`)}\n\`\`\`\``,
  'numbers from one': ({ expectedLines }) =>
    joinLines(expectedLines.map((line, index) => `${index + 1} | ${line}`)),
  'answer tags': ({ expectedLines }) => `<answer>\n${joinLines(expectedLines)}\n</answer>`,
  'code tags, conclusion': ({ expectedLines, conclusion }) =>
    `<code>\n${joinLines(expectedLines)}\n</code>\n\n${conclusion}`,
  'updated_code tags around a fence': (input) =>
    `<updated_code>\n${createFence(input)}\n</updated_code>`,
  'lines marks in a fence': ({ target, expectedLines }) =>
    encloseInFence(
      ['<lines>', ...expectedLines, '</lines>'],
      getInfoString(target),
      createSafeFence(expectedLines),
    ),
  'lines marks with context': ({ target, expectedLines }) =>
    joinLines([
      ...target.before.slice(-2),
      '<lines>',
      ...expectedLines,
      '</lines>',
      ...target.after.slice(0, 2),
    ]),
  'introduction, lines marks, conclusion': ({ expectedLines, introduction, conclusion }) =>
    `${introduction}\n\n<lines>\n${joinLines(expectedLines)}\n</lines>\n\n${conclusion}`,
  'thinking in brackets, plain': ({ expectedLines }) =>
    `[THINK]The user wants another name.\nThat is simple.[/THINK]\n${joinLines(expectedLines)}`,
  'thinking in triangles, fence': (input) =>
    `◁think▷I look for the name.◁/think▷\n\n${createFence(input)}`,
  'channels, plain': ({ expectedLines }) =>
    `<|channel|>analysis<|message|>Rename it.<|end|><|start|>assistant<|channel|>final<|message|>${joinLines(expectedLines)}`,
  'reasoning tag, introduction, fence': (input) =>
    `<reasoning>\nShort.\n</reasoning>\n${input.introduction}\n\n${createFence(input)}`,
  'before and after': (input) =>
    `**Before:**\n\n${encloseInFence(input.target.original, getInfoString(input.target), '````')}\n\n**After:**\n\n${encloseInFence(input.expectedLines, getInfoString(input.target), '````')}`,
  'two options': (input) =>
    `Option 1:\n\n${createFence(input)}\n\nOption 2:\n\n${encloseInFence(
      input.expectedLines.map((line) => line.replaceAll('Next', 'Other')),
      getInfoString(input.target),
      createSafeFence(input.expectedLines),
    )}`,
  'unclosed fence, conclusion': ({ target, expectedLines, conclusion }) =>
    `${createSafeFence(expectedLines)}${getInfoString(target)}\n${joinLines(expectedLines)}\n\n${conclusion}`,
  'stray fence end, conclusion': ({ expectedLines, conclusion }) =>
    `${joinLines(expectedLines)}\n\`\`\`\n\n${conclusion}`,
  'language name, plain': ({ target, expectedLines }) =>
    `${getInfoString(target)}\n${joinLines(expectedLines)}`,
  'trimmed start, conclusion': ({ expectedLines, conclusion }) =>
    `${joinWithoutFirstIndent(expectedLines)}\n\n${conclusion}`,
  'introduction, dedented, conclusion': ({ expectedLines, introduction, conclusion }) =>
    `${introduction}\n\n${joinLines(removeIndentation(expectedLines))}\n\n${conclusion}`,
  'escaped line breaks': ({ expectedLines }) =>
    JSON.stringify(joinLines(expectedLines)).slice(1, -1),
  'JSON string': ({ expectedLines }) => JSON.stringify(joinLines(expectedLines)),
  'JSON object': ({ expectedLines }) => JSON.stringify({ code: joinLines(expectedLines) }, null, 2),
  'diff of changed lines, conclusion': (input) =>
    `${encloseInFence(listChangedLines(input), 'diff', '````')}\n\n${input.conclusion}`,
  'introduction, diff without a fence': (input) =>
    `${input.introduction}\n\n${joinLines(toDiff(input.target, input.expectedLines))}`,
  'git diff': ({ target, expectedLines }) =>
    joinLines(['diff --git a/x b/x', 'index 1..2 100644', ...toDiff(target, expectedLines)]),
  'SEARCH/REPLACE, conclusion': ({ target, expectedLines, conclusion }) =>
    joinLines([
      '<<<<<<< SEARCH',
      ...target.original,
      '=======',
      ...expectedLines,
      '>>>>>>> REPLACE',
      '',
      conclusion,
    ]),
  'quoted lines': ({ expectedLines }) => joinLines(expectedLines.map((line) => `> ${line}`)),
  'context and conclusion': ({ target, expectedLines, conclusion }) =>
    joinLines([
      ...target.before.slice(-3),
      ...expectedLines,
      ...target.after.slice(0, 3),
      '',
      conclusion,
    ]),
  'introduction, whole document': ({ target, expectedLines, introduction }) =>
    joinLines([introduction, '', ...target.before, ...expectedLines, ...target.after]),
  'whole document in a fence, conclusion': ({ target, expectedLines, conclusion }) =>
    `${encloseInFence([...target.before, ...expectedLines, ...target.after], getInfoString(target), '````')}\n\n${conclusion}`,
  'refusal in a fence': ({ refusal }) => encloseInFence([refusal], ''),
  refusal: ({ refusal }) => refusal,
  'several refusals': ({ refusal, otherConclusion }) => `${refusal}\n\n${otherConclusion}`,
  'conclusion only': ({ conclusion }) => conclusion,
  'empty fence': ({ introduction }) => `${introduction}\n\n\`\`\`\n\`\`\``,
};

/** Answer formats that do not show which lines are the replacement lines, so the parser must refuse them. */
const ambiguousFormats: ReadonlySet<string> = new Set([
  'two options',
  'refusal in a fence',
  'refusal',
  'several refusals',
  'conclusion only',
  'empty fence',
]);

/** Instruction that requests the edit of {@link addText}. */
const addTextInstruction =
  'Say that bakers check numbers each morning, bread has to cool, or that the miller has notes';

/** Adds a sentence or a comment after the last line, as {@link addTextInstruction} requests. */
function addText({ target, expectedLines }: PickedEdit, random: () => number): readonly string[] {
  const write = commentFormats[target.language];
  const indentOf = (line = ''): string => /^\s*/u.exec(line)?.[0] ?? '';
  const content = expectedLines.filter((line) => line.trim() !== '');
  const sentences = [
    'The bakers read the numbers every morning.',
    'Bread cools for one hour before it is sold.',
    'See the notes of the miller.',
  ];
  const sentence = sentences[Math.floor(random() * sentences.length)] ?? '';
  if (write === undefined) return [...expectedLines, '', indentOf(content.at(-1)) + sentence];
  return random() < 0.5
    ? [...expectedLines, indentOf(content.at(-1)) + write(sentence)]
    : [indentOf(content[0]) + write(sentence), ...expectedLines];
}

const commentFormats: Readonly<Record<string, (text: string) => string>> = {
  python: (text) => `# ${text}`,
  yaml: (text) => `# ${text}`,
  sql: (text) => `-- ${text}`,
  shellscript: (text) => `# ${text}`,
  makefile: (text) => `# ${text}`,
  dockerfile: (text) => `# ${text}`,
  ruby: (text) => `# ${text}`,
  typescript: (text) => `// ${text}`,
  go: (text) => `// ${text}`,
  rust: (text) => `// ${text}`,
  css: (text) => `/* ${text} */`,
  json: () => '',
};

/** Generates answers in formats and wordings that were not used to develop the parser. */
export function* generateUnseenCorpus(
  language: string,
  { seed, answersPerFormat }: { readonly seed: number; readonly answersPerFormat: number },
): Generator<CorpusAnswer> {
  const random = createRandom(seed + unseenLanguages.indexOf(language) * 6_089);
  const pick = (texts: readonly string[]): string =>
    texts[Math.floor(random() * texts.length)] ?? '';
  const document = (unseenSamples[language] ?? '').split('\n');
  for (const [form, write] of Object.entries(unseenFormats)) {
    for (
      let count = 0, attempts = 0;
      count < answersPerFormat && attempts < answersPerFormat * 30;
      attempts += 1
    ) {
      const edit = pickEdit(document, language, random);
      if (edit === undefined) continue;
      const expectedLines =
        random() < 0.2 && language !== 'json' ? addText(edit, random) : edit.expectedLines;
      count += 1;
      yield {
        format: form,
        language,
        target: {
          ...edit.target,
          ...(expectedLines === edit.expectedLines ? {} : { instruction: addTextInstruction }),
        },
        expectedLines: ambiguousFormats.has(form) ? undefined : expectedLines,
        answerText: write({
          target: edit.target,
          expectedLines,
          random,
          introduction: pick(unseenPhrasing.introductions),
          otherIntroduction: pick(unseenPhrasing.introductions),
          conclusion: pick(unseenPhrasing.conclusions),
          otherConclusion: pick(unseenPhrasing.conclusions),
          refusal: pick(unseenPhrasing.refusals),
        }),
      };
    }
  }
}
