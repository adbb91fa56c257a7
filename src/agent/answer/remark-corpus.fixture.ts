import {
  type CorpusAnswer,
  createRandom,
  removeIndentation,
  encloseInFence,
  getInfoString,
  joinLines,
  pickEdit,
  createSafeFence,
} from './answer-corpus.fixture.ts';
import type { EditTarget } from './edit-answer.ts';
import { laterRemarkPhrases, type RemarkPhrases, remarkPhrases } from './remark-phrases.fixture.ts';
import { remarkSamples } from './remark-samples.fixture.ts';

export const remarkLanguages: readonly string[] = Object.keys(remarkSamples);

/**
 * Selects remark phrases: those of the first collection with even or with odd indexes, or all phrases of the later
 * collection.
 */
export type PhraseSelection = 'even' | 'odd' | 'later';

interface RemarkInput {
  readonly target: EditTarget;
  readonly expectedLines: readonly string[];
  readonly pickPhrase: (kind: keyof RemarkPhrases) => string;
  readonly random: () => number;
}

const createFence = ({ target, expectedLines }: RemarkInput): string =>
  encloseInFence(expectedLines, getInfoString(target), createSafeFence(expectedLines));

/** Functions that write an edit as an answer with remarks, mostly without a fence, by name of the answer format. */
const remarkFormats: Readonly<Record<string, (input: RemarkInput) => string>> = {
  plain: ({ expectedLines }) => joinLines(expectedLines),
  'introduction, lines': ({ expectedLines, pickPhrase }) =>
    `${pickPhrase('introductions')}\n\n${joinLines(expectedLines)}`,
  'adjacent introduction, lines': ({ expectedLines, pickPhrase }) =>
    `${pickPhrase('introductions')}\n${joinLines(expectedLines)}`,
  'two introductions, lines': ({ expectedLines, pickPhrase }) =>
    `${pickPhrase('introductions')}\n${pickPhrase('introductions')}\n\n${joinLines(expectedLines)}`,
  'label, lines': ({ expectedLines, pickPhrase }) =>
    `${pickPhrase('labels')}\n\n${joinLines(expectedLines)}`,
  'adjacent label, lines': ({ expectedLines, pickPhrase }) =>
    `${pickPhrase('labels')}\n${joinLines(expectedLines)}`,
  'label, introduction, lines': ({ expectedLines, pickPhrase }) =>
    `${pickPhrase('labels')}\n\n${pickPhrase('introductions')}\n\n${joinLines(expectedLines)}`,
  'label, trimmed lines': ({ expectedLines, pickPhrase }) =>
    `${pickPhrase('labels')}\n${joinLines(expectedLines).trim()}`,
  'introduction, dedented lines': ({ expectedLines, pickPhrase }) =>
    `${pickPhrase('introductions')}\n\n${joinLines(removeIndentation(expectedLines))}`,
  'lines, conclusion': ({ expectedLines, pickPhrase }) =>
    `${joinLines(expectedLines)}\n\n${pickPhrase('conclusions')}`,
  'lines, adjacent conclusion': ({ expectedLines, pickPhrase }) =>
    `${joinLines(expectedLines)}\n${pickPhrase('conclusions')}`,
  'lines, two conclusions': ({ expectedLines, pickPhrase }) =>
    `${joinLines(expectedLines)}\n\n${pickPhrase('conclusions')}\n\n${pickPhrase('conclusions')}`,
  'lines, rule, conclusion': ({ expectedLines, pickPhrase }) =>
    `${joinLines(expectedLines)}\n\n---\n${pickPhrase('conclusions')}`,
  'lines, closing': ({ expectedLines, pickPhrase }) =>
    `${joinLines(expectedLines)}\n\n${pickPhrase('closings')}`,
  'lines, adjacent closing': ({ expectedLines, pickPhrase }) =>
    `${joinLines(expectedLines)}\n${pickPhrase('closings')}`,
  'lines, conclusion, closing': ({ expectedLines, pickPhrase }) =>
    `${joinLines(expectedLines)}\n\n${pickPhrase('conclusions')}\n${pickPhrase('closings')}`,
  'introduction, lines, conclusion': ({ expectedLines, pickPhrase }) =>
    `${pickPhrase('introductions')}\n\n${joinLines(expectedLines)}\n\n${pickPhrase('conclusions')}`,
  'introduction, lines, conclusion without blank lines': ({ expectedLines, pickPhrase }) =>
    `${pickPhrase('introductions')}\n${joinLines(expectedLines)}\n${pickPhrase('conclusions')}`,
  'label, lines, closing': ({ expectedLines, pickPhrase }) =>
    `${pickPhrase('labels')}\n${joinLines(expectedLines)}\n${pickPhrase('closings')}`,
  'lines with a token': ({ expectedLines, pickPhrase }) =>
    joinLines(expectedLines) + pickPhrase('closingTokens'),
  'lines, token': ({ expectedLines, pickPhrase }) =>
    `${joinLines(expectedLines)}\n${pickPhrase('closingTokens')}`,
  'lines, two tokens': ({ expectedLines, pickPhrase }) =>
    `${joinLines(expectedLines)}${pickPhrase('closingTokens')}\n${pickPhrase('closingTokens')}`,
  'token, lines': ({ expectedLines, pickPhrase }) =>
    pickPhrase('openingTokens') + joinLines(expectedLines),
  'token, lines, token': ({ expectedLines, pickPhrase }) =>
    `${pickPhrase('openingTokens')}${joinLines(expectedLines)}${pickPhrase('closingTokens')}`,
  'introduction, lines, token': ({ expectedLines, pickPhrase }) =>
    `${pickPhrase('introductions')}\n\n${joinLines(expectedLines)}${pickPhrase('closingTokens')}`,
  'lines, conclusion, token': ({ expectedLines, pickPhrase }) =>
    `${joinLines(expectedLines)}\n\n${pickPhrase('conclusions')}${pickPhrase('closingTokens')}`,
  'fence, token': (input) => createFence(input) + input.pickPhrase('closingTokens'),
  'label, fence, closing': (input) =>
    `${input.pickPhrase('labels')}\n${createFence(input)}\n${input.pickPhrase('closings')}`,
  'introduction, fence, conclusion': (input) =>
    `${input.pickPhrase('introductions')}\n\n${createFence(input)}\n\n${input.pickPhrase('conclusions')}`,
  'token, introduction, fence, token': (input) =>
    `${input.pickPhrase('openingTokens')}${input.pickPhrase('introductions')}\n${createFence(input)}\n${input.pickPhrase('closingTokens')}`,
  'introduction, whole document': ({ target, expectedLines, pickPhrase }) =>
    joinLines([
      pickPhrase('introductions'),
      '',
      ...target.before,
      ...expectedLines,
      ...target.after,
    ]),
  'context, lines, context, conclusion': ({ target, expectedLines, pickPhrase }) =>
    joinLines([
      ...target.before.slice(-2),
      ...expectedLines,
      ...target.after.slice(0, 2),
      '',
      pickPhrase('conclusions'),
    ]),
  'new text': ({ target, expectedLines, random }) =>
    joinLines(addText(target, expectedLines, random)),
  'new text, conclusion': ({ target, expectedLines, random, pickPhrase }) =>
    `${joinLines(addText(target, expectedLines, random))}\n\n${pickPhrase('conclusions')}`,
  'introduction, new text': ({ target, expectedLines, random, pickPhrase }) =>
    `${pickPhrase('introductions')}\n\n${joinLines(addText(target, expectedLines, random))}`,
  refusal: ({ pickPhrase }) => pickPhrase('refusals'),
  'refusal, conclusion': ({ pickPhrase }) =>
    `${pickPhrase('refusals')}\n\n${pickPhrase('conclusions')}`,
  'introduction only': ({ pickPhrase }) => pickPhrase('introductions'),
};

const formatsWithoutCode: ReadonlySet<string> = new Set([
  'refusal',
  'refusal, conclusion',
  'introduction only',
]);

/** Text that an edit can add as the first line of a document, and as the last line, by language id. */
const addedLines: Readonly<Record<string, readonly [string, string]>> = {
  python: ['# Counts are never negative.', 'logger.info("counted")'],
  typescript: ['// Heights are never negative.', "export const unit = 'cm';"],
  html: ['<p>Members can also borrow films.</p>', '<hr>'],
  latex: ['% Checked in spring.', 'The snow melts in April.'],
  markdown: ['The planner works offline.', '- Beans need a pole.'],
  yaml: ['# Checked in spring.', 'zone: north'],
  sql: ['-- Guests pay a fee.', 'DELETE FROM trips WHERE boat IS NULL;'],
  rust: ['// Trains never overlap.', 'const LIMIT: u32 = 12;'],
  c: ['/* Values are never negative. */', 'static int ready;'],
  shellscript: ['# Photos are never removed.', 'echo "copied"'],
  go: ['// Places start at one.', 'var ready bool'],
  css: ['/* Rooms have no color. */', '.shop { margin: 0; }'],
  plaintext: ['The party starts on Saturday.', 'Children are welcome.'],
};

/** Adds a line at the start or the end of the lines. Calls `random` only once. */
function addText(
  { language }: EditTarget,
  expectedLines: readonly string[],
  random: () => number,
): readonly string[] {
  const [first, last] = addedLines[language] ?? ['', ''];
  const indent = /^\s*/u.exec(expectedLines.find((line) => line.trim() !== '') ?? '')?.[0] ?? '';
  return random() < 0.5 ? [indent + first, ...expectedLines] : [...expectedLines, indent + last];
}

/** Generates model answers with unusual remarks, and a few without remarks. */
export function* generateRemarkCorpus(
  selection: PhraseSelection,
  { seed, answersPerFormat }: { readonly seed: number; readonly answersPerFormat: number },
): Generator<CorpusAnswer> {
  const offset = ['even', 'odd', 'later'].indexOf(selection);
  const phrases = selection === 'later' ? laterRemarkPhrases : remarkPhrases;
  for (const language of remarkLanguages) {
    const random = createRandom(seed + offset + remarkLanguages.indexOf(language) * 7_349);
    const pick = (kind: keyof RemarkPhrases): string => {
      const texts = phrases[kind].filter(
        (_, index) => selection === 'later' || index % 2 === offset,
      );
      return texts[Math.floor(random() * texts.length)] ?? '';
    };
    const document = (remarkSamples[language] ?? '').split('\n');
    for (const [form, write] of Object.entries(remarkFormats)) {
      for (
        let count = 0, attempts = 0;
        count < answersPerFormat && attempts < answersPerFormat * 30;
        attempts += 1
      ) {
        const edit = pickEdit(document, language, random);
        if (edit === undefined) continue;
        count += 1;
        const side = random();
        const hasInstruction = random() < 0.5;
        const expectedLines = form.includes('new text')
          ? addText(edit.target, edit.expectedLines, () => side)
          : edit.expectedLines;
        yield {
          format: form,
          language,
          target: hasInstruction
            ? { ...edit.target, instruction: 'Use better names, and add what is missing.' }
            : edit.target,
          expectedLines: formatsWithoutCode.has(form) ? undefined : expectedLines,
          answerText: write({ ...edit, pickPhrase: pick, random: () => side }),
        };
      }
    }
  }
}
