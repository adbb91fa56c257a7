import type { ChatBody } from '../chat/body.ts';
import { pick } from '../random.ts';
import { attachedCode, declarationsIn } from './code-reading.ts';
import { explain, type Reading } from './explain.ts';
import { knowHow } from './know-how.ts';
import { isProse, summarize } from './prose.ts';
import { questionOf } from './question.ts';
import { quotes } from './quote.ts';
import { review, writeDocs, writeTests } from './suggest.ts';
import { fenced } from './wording.ts';

/** A Markdown answer about the code that was attached, or to the question alone. */
export function converse(body: ChatBody, random: () => number): string {
  const question = questionOf(body);
  const attached = attachedCode(body);
  // Other material may be attached too, such as the problems of a file.
  const code = attached.find((each) => declarationsIn(each).length > 0) ?? attached[0];
  if (code === undefined) return withoutCode(question, random);
  if (isProse(code) && declarationsIn(code).length === 0) {
    return [...quotes(attached, question), ...summarize(code)].filter(Boolean).join('\n\n');
  }
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
  const long = longList(question);
  if (long !== undefined) return long;
  const known = knowHow(question);
  if (known === undefined) return unknown(question, random);
  const { advice, source } = known;
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

/** What was asked to be long is long, so that one can watch it come. */
function longList(question: string): string | undefined {
  const asked = /\b(?:count (?:up )?to|list|write)\s+(\d{2,3})\b/i.exec(question)?.[1];
  if (asked === undefined && !/\b(?:long|detailed) (?:answer|text|story|list)\b/i.test(question)) {
    return undefined;
  }
  const lines = Array.from({ length: Math.min(500, Number(asked ?? 120)) }, (_, index) => {
    return `${index + 1}. This is line ${index + 1} of what you asked for.`;
  });
  return `Here it is, line by line:\n\n${lines.join('\n')}`;
}

/** It knows little by heart, and says so rather than answering another question. */
function unknown(question: string, random: () => number): string {
  const opening = pick(random, [
    'I cannot tell you about that.',
    'That is beyond me.',
    'I do not know that.',
  ]);
  const topic = question.replaceAll(/\s+/g, ' ').slice(0, 80);
  return [
    `${opening} I am the local service's stand-in for a model: I know the code you attach, and a few recipes by heart. You asked: *${topic || 'nothing'}*.`,
    'What I can do:',
    [
      '- **Explain** code: select some lines, then choose *Ask About Selection*',
      '- **Review** it, or write **tests** and **comments** for it',
      '- Show how to **retry**, **debounce**, **sort** or **cache** in TypeScript',
      '- **Work** in your workspace when I get tools: `find where total is defined and rename it to sum`',
      '- Count, when you ask for a long answer: `count to 200`',
    ].join('\n'),
    'With `npm run service -- --upstream URL` a real model answers in my place.',
  ].join('\n\n');
}
