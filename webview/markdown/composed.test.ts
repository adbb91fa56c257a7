// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import { createRandom, render, renderOpen, splitText } from './render.fixture.ts';

/** Composes a block of each type, without a newline at the end. */
const blocks = {
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
} satisfies Record<string, (source: Source) => string>;

const words = [
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

interface Source {
  readonly word: () => string;
  readonly pick: (values: readonly string[]) => string;
  /** Joins one to `most` parts. */
  readonly repeat: (part: () => string, separator: string, most: number) => string;
}

/** Several short tests, so that a loaded machine does not exceed the time limit. */
const seeds = [2026, 7, 11, 23, 42];
/** Rounds per seed. Both tests together compare 20,000 documents. */
const rounds = 2_000;

test.each(seeds)(
  'composed documents are rendered the same in random chunks as in one chunk (seed %i)',
  async (seed) => {
    const random = createRandom(seed);
    const source = createSource(random);
    const types = Object.values(blocks);
    const composeBlocks = (): string => {
      const parts = Array.from({ length: 2 + random(2) }, () =>
        types[random(types.length)]!(source),
      );
      return parts.reduce(
        (text, part) => `${text}${source.pick(['\n', '\n', '\n\n', '\n\n\n'])}${part}`,
      );
    };
    const failures: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const text = composeBlocks();
      const parts = splitters[random(splitters.length)]!(text, random);
      if (render(parts) !== render([text])) failures.push(JSON.stringify(parts));
      if (round % batchLength === 0) await runMicrotasks();
    }
    expect(failures.slice(0, 5)).toEqual([]);
  },
);

test.each(seeds)(
  'each prefix of a composed document is rendered the same, regardless of the chunks in which it arrived (seed %i)',
  async (seed) => {
    const random = createRandom(seed);
    const source = createSource(random);
    // Omits link definitions, because they change the links before them only when the text ends.
    const types = Object.entries(blocks).flatMap(([type, compose]) =>
      type === 'definition' ? [] : [compose],
    );
    const failures: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const text = Array.from({ length: 2 }, () => types[random(types.length)]!(source)).join(
        source.pick(['\n', '\n\n']),
      );
      const parts = splitters[random(splitters.length)]!(text, random);
      const seen = parts.slice(0, 1 + random(parts.length));
      if (renderOpen(seen).innerHTML !== renderOpen([seen.join('')]).innerHTML)
        failures.push(JSON.stringify(seen));
      if (round % batchLength === 0) await runMicrotasks();
    }
    expect(failures.slice(0, 5)).toEqual([]);
  },
);

/**
 * Number of rounds between two pauses. A pause runs the queued microtasks, so that the elements to which they refer are
 * released.
 */
const batchLength = 100;
const runMicrotasks = (): Promise<void> => new Promise(setImmediate);

/** Ways to cut a text: by characters, as tokens of a model, by lines, in two. */
const splitters: readonly ((text: string, random: (bound: number) => number) => string[])[] = [
  (text, random) => splitText(text, () => 1 + random(4)),
  (text) => text.match(/\s*\S+|\s+$/gu) ?? [],
  (text) => text.match(/[^\n]*\n|[^\n]+$/gu) ?? [],
  (text, random) => {
    const cut = random(text.length);
    return [text.slice(0, cut), text.slice(cut)];
  },
];

test.each(Object.entries(blocks))(
  'a block of type "%s" and each other block are rendered the same in two chunks, regardless of the split position',
  (_type, composeFirst) => {
    const source = createSource(createRandom(1));
    const failures: string[] = [];
    for (const composeSecond of Object.values(blocks)) {
      const text = `${composeFirst(source)}${source.pick(['\n', '\n\n'])}${composeSecond(source)}`;
      const whole = render([text]);
      for (let cut = 1; cut < text.length; cut += 1) {
        const parts = [text.slice(0, cut), text.slice(cut)];
        if (render(parts) !== whole) failures.push(JSON.stringify(parts));
      }
    }
    expect(failures.slice(0, 5)).toEqual([]);
  },
);

function createSource(random: (bound: number) => number): Source {
  const pick = (values: readonly string[]): string => values[random(values.length)]!;
  return {
    pick,
    word: () => pick(words),
    repeat: (part, separator, most) =>
      Array.from({ length: 1 + random(most) }, part).join(separator),
  };
}
