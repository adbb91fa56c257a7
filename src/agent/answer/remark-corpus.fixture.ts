import {
  type CorpusAnswer,
  createRandom,
  removeIndentation,
  encloseInFence,
  getInfoString,
  join,
  pickEdit,
  getSafeMarks,
} from './answer-corpus.fixture.ts';
import type { EditTarget } from './edit-answer.ts';
import { laterRemarkPhrases, type RemarkPhrases, remarkPhrases } from './remark-phrases.fixture.ts';
import { remarkSamples } from './remark-samples.fixture.ts';

export const remarkLanguages: readonly string[] = Object.keys(remarkSamples);

/** Selection of remark phrases: the even or odd entries of the first list, or the second list. */
export type RemarkPart = 'even' | 'odd' | 'later';

interface RemarkInput {
  readonly target: EditTarget;
  readonly right: readonly string[];
  readonly pick: (kind: keyof RemarkPhrases) => string;
  readonly random: () => number;
}

const createFence = ({ target, right }: RemarkInput): string =>
  encloseInFence(right, getInfoString(target), getSafeMarks(right));

/** Forms of answers, most of them without a fence. */
const remarkForms: Readonly<Record<string, (input: RemarkInput) => string>> = {
  plain: ({ right }) => join(right),
  'introduction, lines': ({ right, pick }) => `${pick('introductions')}\n\n${join(right)}`,
  'adjacent introduction, lines': ({ right, pick }) => `${pick('introductions')}\n${join(right)}`,
  'two introductions, lines': ({ right, pick }) =>
    `${pick('introductions')}\n${pick('introductions')}\n\n${join(right)}`,
  'label, lines': ({ right, pick }) => `${pick('labels')}\n\n${join(right)}`,
  'adjacent label, lines': ({ right, pick }) => `${pick('labels')}\n${join(right)}`,
  'label, introduction, lines': ({ right, pick }) =>
    `${pick('labels')}\n\n${pick('introductions')}\n\n${join(right)}`,
  'label, trimmed lines': ({ right, pick }) => `${pick('labels')}\n${join(right).trim()}`,
  'introduction, dedented lines': ({ right, pick }) =>
    `${pick('introductions')}\n\n${join(removeIndentation(right))}`,
  'lines, conclusion': ({ right, pick }) => `${join(right)}\n\n${pick('conclusions')}`,
  'lines, adjacent conclusion': ({ right, pick }) => `${join(right)}\n${pick('conclusions')}`,
  'lines, two conclusions': ({ right, pick }) =>
    `${join(right)}\n\n${pick('conclusions')}\n\n${pick('conclusions')}`,
  'lines, rule, conclusion': ({ right, pick }) => `${join(right)}\n\n---\n${pick('conclusions')}`,
  'lines, closing': ({ right, pick }) => `${join(right)}\n\n${pick('closings')}`,
  'lines, adjacent closing': ({ right, pick }) => `${join(right)}\n${pick('closings')}`,
  'lines, conclusion, closing': ({ right, pick }) =>
    `${join(right)}\n\n${pick('conclusions')}\n${pick('closings')}`,
  'introduction, lines, conclusion': ({ right, pick }) =>
    `${pick('introductions')}\n\n${join(right)}\n\n${pick('conclusions')}`,
  'introduction, lines, conclusion without blank lines': ({ right, pick }) =>
    `${pick('introductions')}\n${join(right)}\n${pick('conclusions')}`,
  'label, lines, closing': ({ right, pick }) =>
    `${pick('labels')}\n${join(right)}\n${pick('closings')}`,
  'lines with a token': ({ right, pick }) => join(right) + pick('closingTokens'),
  'lines, token': ({ right, pick }) => `${join(right)}\n${pick('closingTokens')}`,
  'lines, two tokens': ({ right, pick }) =>
    `${join(right)}${pick('closingTokens')}\n${pick('closingTokens')}`,
  'token, lines': ({ right, pick }) => pick('openingTokens') + join(right),
  'token, lines, token': ({ right, pick }) =>
    `${pick('openingTokens')}${join(right)}${pick('closingTokens')}`,
  'introduction, lines, token': ({ right, pick }) =>
    `${pick('introductions')}\n\n${join(right)}${pick('closingTokens')}`,
  'lines, conclusion, token': ({ right, pick }) =>
    `${join(right)}\n\n${pick('conclusions')}${pick('closingTokens')}`,
  'fence, token': (input) => createFence(input) + input.pick('closingTokens'),
  'label, fence, closing': (input) =>
    `${input.pick('labels')}\n${createFence(input)}\n${input.pick('closings')}`,
  'introduction, fence, conclusion': (input) =>
    `${input.pick('introductions')}\n\n${createFence(input)}\n\n${input.pick('conclusions')}`,
  'token, introduction, fence, token': (input) =>
    `${input.pick('openingTokens')}${input.pick('introductions')}\n${createFence(input)}\n${input.pick('closingTokens')}`,
  'introduction, whole document': ({ target, right, pick }) =>
    join([pick('introductions'), '', ...target.before, ...right, ...target.after]),
  'context, lines, context, conclusion': ({ target, right, pick }) =>
    join([
      ...target.before.slice(-2),
      ...right,
      ...target.after.slice(0, 2),
      '',
      pick('conclusions'),
    ]),
  'new text': ({ target, right, random }) => join(addText(target, right, random)),
  'new text, conclusion': ({ target, right, random, pick }) =>
    `${join(addText(target, right, random))}\n\n${pick('conclusions')}`,
  'introduction, new text': ({ target, right, random, pick }) =>
    `${pick('introductions')}\n\n${join(addText(target, right, random))}`,
  refusal: ({ pick }) => pick('refusals'),
  'refusal, conclusion': ({ pick }) => `${pick('refusals')}\n\n${pick('conclusions')}`,
  'introduction only': ({ pick }) => pick('introductions'),
};

const unanswered: ReadonlySet<string> = new Set([
  'refusal',
  'refusal, conclusion',
  'introduction only',
]);

/** First and last lines that an edit can add to a document. */
const additions: Readonly<Record<string, readonly [string, string]>> = {
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

/** Adds a line at the start or the end of the lines. The line depends only on the random number. */
function addText(
  { language }: EditTarget,
  right: readonly string[],
  random: () => number,
): readonly string[] {
  const [first, last] = additions[language] ?? ['', ''];
  const indent = /^\s*/u.exec(right.find((line) => line.trim() !== '') ?? '')?.[0] ?? '';
  return random() < 0.5 ? [indent + first, ...right] : [...right, indent + last];
}

/** Generates model answers with unusual remarks, and a few answers without remarks. */
export function* generateRemarkCorpus(
  part: RemarkPart,
  { seed, perForm }: { readonly seed: number; readonly perForm: number },
): Generator<CorpusAnswer> {
  const offset = ['even', 'odd', 'later'].indexOf(part);
  const phrases = part === 'later' ? laterRemarkPhrases : remarkPhrases;
  for (const language of remarkLanguages) {
    const random = createRandom(seed + offset + remarkLanguages.indexOf(language) * 7_349);
    const pick = (kind: keyof RemarkPhrases): string => {
      const texts = phrases[kind].filter((_, index) => part === 'later' || index % 2 === offset);
      return texts[Math.floor(random() * texts.length)] ?? '';
    };
    const document = (remarkSamples[language] ?? '').split('\n');
    for (const [form, write] of Object.entries(remarkForms)) {
      for (let count = 0, attempts = 0; count < perForm && attempts < perForm * 30; attempts += 1) {
        const edit = pickEdit(document, language, random);
        if (edit === undefined) continue;
        count += 1;
        const side = random();
        const hasInstruction = random() < 0.5;
        const right = form.includes('new text')
          ? addText(edit.target, edit.right, () => side)
          : edit.right;
        yield {
          form,
          language,
          target: hasInstruction
            ? { ...edit.target, instruction: 'Use better names, and add what is missing.' }
            : edit.target,
          right: unanswered.has(form) ? undefined : right,
          answer: write({ ...edit, pick, random: () => side }),
        };
      }
    }
  }
}
