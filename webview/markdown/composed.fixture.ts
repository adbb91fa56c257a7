import { splitText } from './render.fixture.ts';

/** Functions that generate a random Markdown block of each type, without a newline at its end. */
export const blockVariants = {
  paragraph: ({ word, repeat }) => repeat(() => word(), ' ', 4),
  lines: ({ word, repeat }) => repeat(() => word(), '\n', 3),
  heading: ({ word, pick }) => `${pick(['#', '##', '####'])} ${word()}`,
  setext: ({ word, pick }) => `${word()}\n${pick(['===', '---'])}`,
  rule: ({ pick }) => pick(['---', '***', '- - -']),
  bullets: ({ word, pick, repeat }) => {
    const marker = pick(['-', '*', '+']);
    return repeat(() => `${marker} ${word()}`, pick(['\n', '\n', '\n\n']), 3);
  },
  numbers: ({ word, pick, repeat }) => {
    let number = 0;
    return repeat(() => `${(number += 1)}. ${word()}`, pick(['\n', '\n', '\n\n']), 3);
  },
  'same items': ({ word, repeat }) => {
    const item = `- ${word()}`;
    return repeat(() => item, '\n', 5);
  },
  'turning loose': ({ word }) => `1. ${word()}\n2. ${word()}\n\n3. ${word()}`,
  'nested items': ({ word, pick }) => `- ${word()}\n  ${pick(['-', '1.'])} ${word()}\n- ${word()}`,
  'item with a block': ({ word, pick }) =>
    `- ${word()}\n${pick(['', '\n'])}  ${pick(['> a', '```\n  b\n  ```', '# c', '| d |\n  |-|\n  | e |', 'f'])}`,
  tasks: ({ word }) => `- [ ] ${word()}\n- [x] ${word()}`,
  table: ({ word, repeat }) =>
    `| a | b |\n|---|---|\n${repeat(() => `| ${word()} | ${word()} |`, '\n', 3)}`,
  'same rows': ({ word, repeat }) => {
    const row = `| ${word()} |`;
    return `| a |\n|---|\n${repeat(() => row, '\n', 5)}`;
  },
  fence: ({ word, pick, repeat }) => {
    const mark = pick(['```', '~~~', '````']);
    return `${mark}${pick(['', 'js', 'sh'])}\n${repeat(() => word(), '\n', 3)}\n${mark}`;
  },
  'open fence': ({ word }) => `\`\`\`js\n${word()}`,
  'indented code': ({ word }) => `    ${word()}\n    ${word()}`,
  quote: ({ word, repeat }) => repeat(() => `> ${word()}`, '\n', 3),
  'quoted list': ({ word }) => `> - ${word()}\n> - ${word()}`,
  formula: ({ pick }) =>
    pick(['$$\na\n$$', '\\[\n= a\n- b\n\\]', '$$\n+ a\n> b\n# c\n---\n$$', '$$ a $$']),
  'open formula': ({ pick }) => pick(['$$\na', '\\[\n- a\n- b', '$$\na\n\nb', 'so: $$\n1. a']),
  'formula in an item': ({ word, pick }) =>
    `- ${word()}\n  ${pick(['$$\n  a\n  - b\n  $$', '\\[ a\n  = b \\]', '$$\n  - a'])}`,
  'quoted formula': ({ word, pick }) =>
    `> ${word()}\n> ${pick(['$$\n> a\n> - b\n> $$', '\\[\n> a\n> \\]', '$$ a'])}`,
  definition: ({ pick }) => `[a]: http://b.c/${pick(['d', 'e'])}`,
  html: ({ word }) => `<div>\n${word()}\n</div>`,
} satisfies Record<string, (source: RandomSource) => string>;

const textVariants = [
  ...['one', 'two', 'The quick', '**bold**', '*em*', '`code`', '[a]', '[link](http://b.c)', '[1]'],
  ...[
    'http://a.b/c',
    'snake_case',
    '$5',
    '$x$',
    '$a_{*b*}$',
    '\\(c | d\\)',
    '$$e$$',
    '$open',
    '\\(open',
    '**open',
    '`open',
    'H<sub>2</sub>O',
    '<br>',
    '**注意：**请',
    'a | b',
    '1. x',
    '-',
    '3',
  ],
];

export interface RandomSource {
  readonly word: () => string;
  readonly pick: (values: readonly string[]) => string;
  /** Concatenates a random number of parts, from one to `maxCount`. */
  readonly repeat: (part: () => string, separator: string, maxCount: number) => string;
}

/**
 * Seeds of the random documents. Each seed has a separate short test, because one long test could exceed the time limit
 * on a busy machine.
 */
export const seeds = [2026, 7, 11, 23, 42];
/**
 * Number of documents that a test generates per seed. Two tests use every seed, one for whole documents and one for
 * their prefixes, so they compare 20,000 documents in total.
 */
export const roundsPerSeed = 2_000;

/**
 * Number of documents after which a test pauses. During the pause, queued microtasks run and the memory of removed
 * elements is released.
 */
export const batchLength = 100;
export const runMicrotasks = (): Promise<void> => new Promise(setImmediate);

/** Ways to split a text: into characters, into tokens as a model sends them, into lines, into two parts. */
export const splitters: readonly ((text: string, random: (bound: number) => number) => string[])[] =
  [
    (text, random) => splitText(text, () => 1 + random(4)),
    (text) => text.match(/\s*\S+|\s+$/gu) ?? [],
    (text) => text.match(/[^\n]*\n|[^\n]+$/gu) ?? [],
    (text, random) => {
      const cut = random(text.length);
      return [text.slice(0, cut), text.slice(cut)];
    },
  ];

export function createSource(random: (bound: number) => number): RandomSource {
  const pick = (values: readonly string[]): string => values[random(values.length)]!;
  return {
    pick,
    word: () => pick(textVariants),
    repeat: (part, separator, maxCount) =>
      Array.from({ length: 1 + random(maxCount) }, part).join(separator),
  };
}
