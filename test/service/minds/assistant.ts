import type { ChatBody } from '../chat/body.ts';
import { pick } from '../random.ts';
import { attachedCode, declarationsIn } from './code-reading.ts';
import { explain, type Reading } from './explain.ts';
import { knowHow } from './know-how.ts';
import { questionOf } from './question.ts';
import { review, writeDocs, writeTests } from './suggest.ts';
import { fenced } from './wording.ts';

/** A Markdown answer about the code that was attached, or to the question alone. */
export function converse(body: ChatBody, random: () => number): string {
  const question = questionOf(body);
  const attached = attachedCode(body);
  // Other material may be attached too, such as the problems of a file.
  const code = attached.find((each) => declarationsIn(each).length > 0) ?? attached[0];
  if (code === undefined) return withoutCode(question, random);
  const reading = { code, declarations: declarationsIn(code), random };
  const write = intents.find(({ pattern }) => pattern.test(question))?.write ?? explain;
  return write(reading).filter(Boolean).join('\n\n');
}

const intents: readonly {
  readonly pattern: RegExp;
  readonly write: (reading: Reading) => string[];
}[] = [
  { pattern: /\btests?\b|\bspec\b/i, write: writeTests },
  {
    pattern: /\b(?:bug|fix|wrong|problem|error|fail|review|improve|refactor|clean)/i,
    write: review,
  },
  { pattern: /\b(?:document|comment|docstring|jsdoc)/i, write: writeDocs },
];

function withoutCode(question: string, random: () => number): string {
  if (
    question.length < 20 &&
    /^(?:hi|hello|hey|good (?:morning|evening)|thanks?)\b/i.test(question)
  ) {
    return 'Hello! Ask me about your code: select some lines or attach a file, and I can explain it, review it, or write tests for it.';
  }
  const { advice, source } = knowHow(question);
  const opening = pick(random, [
    'Good question.',
    'Happy to help.',
    'Let us take it step by step.',
  ]);
  return [
    `${opening} ${advice}`,
    fenced('ts', source),
    [
      '1. **Pin down the behaviour.** Write one sentence that says what should happen, and one example.',
      '2. **Find the place.** Search for where the value enters the program, not for where it looks wrong.',
      '3. **Make it small.** Change one thing, run the tests, then look again.',
    ].join('\n'),
    '| Approach | Good for | Costs |\n| --- | --- | --- |\n| Small change | bugs with a clear cause | little |\n| Rewrite of one function | unclear control flow | an hour of tests |\n| New module | a new responsibility | a decision about names |',
    'Attach the file or select the lines you mean, and I will be more specific.',
  ].join('\n\n');
}
