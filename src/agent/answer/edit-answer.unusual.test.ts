import { expect, test } from 'vitest';
import { readOfferedAnswer } from './offered-answer.fixture.ts';

/** Lines of a document, and the lines with which the answers of the test replace them. */
interface UnusualSample {
  language: string;
  info: string;
  path: string;
  textBefore: string;
  originalText: string;
  textAfter: string;
  expectedText: string;
  instruction: string;
}
const unusualSamples: readonly UnusualSample[] = [
  {
    language: 'java',
    info: 'java',
    path: 'src/Ship.java',
    textBefore: 'public class Ship {',
    originalText: '    public int load() {\n        return crates.size();\n    }',
    textAfter: '}',
    expectedText:
      '    /** Returns the number of crates that are not empty. */\n    public long load() {\n        return crates.stream().filter(c -> !c.isEmpty()).count();\n    }',
    instruction: 'Count only crates that are not empty',
  },
  {
    language: 'c',
    info: 'c',
    path: 'ship.c',
    textBefore: '#include <stdio.h>\n',
    originalText: 'int load(struct ship *s)\n{\n\treturn s->crates;\n}',
    textAfter: '\nint main(void) { return 0; }',
    expectedText:
      '/* Number of crates, or -1. */\nint load(const struct ship *s)\n{\n\tif (!s)\n\t\treturn -1;\n\treturn s->crates;\n}',
    instruction: 'Handle null',
  },
  {
    language: 'ruby',
    info: 'ruby',
    path: 'ship.rb',
    textBefore: 'class Ship',
    originalText: '  def load\n    @crates.size\n  end',
    textAfter: 'end',
    expectedText:
      '  # Number of full crates.\n  def load\n    @crates.count { |c| c.full? }\n  end',
    instruction: 'Count only full crates',
  },
  {
    language: 'php',
    info: 'php',
    path: 'ship.php',
    textBefore: '<?php\nclass Ship {',
    originalText: '    public function load() {\n        return count($this->crates);\n    }',
    textAfter: '}',
    expectedText:
      '    public function load(): int\n    {\n        return count(array_filter($this->crates));\n    }',
    instruction: 'Add a return type and skip empty crates',
  },
  {
    language: 'toml',
    info: 'toml',
    path: 'ship.toml',
    textBefore: '[ship]',
    originalText: 'name = "Ann"\ncrates = 3',
    textAfter: '\n[port]\nname = "Kiel"',
    expectedText: 'name = "Ann B"\ncrates = 4\n# Harbor taxes are included.\ntax = true',
    instruction: 'Four crates and tax',
  },
  {
    language: 'dockerfile',
    info: 'dockerfile',
    path: 'Dockerfile',
    textBefore: 'FROM node:20',
    originalText: 'RUN npm install\nCOPY . .',
    textAfter: 'CMD ["node", "ship.js"]',
    expectedText: 'COPY package*.json ./\nRUN npm ci\nCOPY . .',
    instruction: 'Cache the dependencies',
  },
  {
    language: 'vue',
    info: 'vue',
    path: 'Ship.vue',
    textBefore: '<template>',
    originalText: '  <p>{{ crates }} crates</p>',
    textAfter: '</template>',
    expectedText: '  <p v-if="crates">{{ crates }} crates on board</p>\n  <p v-else>Empty</p>',
    instruction: 'Show Empty if there are none',
  },
  {
    language: 'lua',
    info: 'lua',
    path: 'ship.lua',
    textBefore: 'local Ship = {}\n',
    originalText: 'function Ship:load()\n  return #self.crates\nend',
    textAfter: '\nreturn Ship',
    expectedText:
      '-- Returns the number of crates, at most ten.\nfunction Ship:load()\n  return math.min(#self.crates, 10)\nend',
    instruction: 'At most ten',
  },
  {
    language: 'typescriptreact',
    info: 'tsx',
    path: 'Ship.tsx',
    textBefore: 'export const Ship = () => (',
    originalText: '  <section>\n    <p>Loading</p>\n  </section>',
    textAfter: ');',
    expectedText:
      '  <section aria-busy>\n    <p>Loading the ship…</p>\n    <progress />\n  </section>',
    instruction: 'Add a progress element',
  },
  {
    language: 'restructuredtext',
    info: 'rst',
    path: 'ship.rst',
    textBefore: 'Ships\n=====\n',
    originalText: 'A ship carries crates.',
    textAfter: '\nPorts\n-----',
    expectedText: 'A ship carries up to forty crates.\n\n.. note:: Crates are checked in port.',
    instruction: 'Say that a ship carries up to forty crates, checked in port',
  },
  {
    language: 'git-commit',
    info: '',
    path: 'COMMIT_EDITMSG',
    textBefore: '',
    originalText: 'fix: ship',
    textAfter: '',
    expectedText: 'fix(ship): count only full crates\n\nEmpty crates were counted too.',
    instruction: 'Explain that empty crates were counted',
  },
  {
    language: 'markdown',
    info: 'md',
    path: 'README.md',
    textBefore: '# Ship\n',
    originalText: '```sh\nnpm start\n```',
    textAfter: '\n## License',
    expectedText: '```sh\nnpm install\nnpm start\n```\n\nThen open the port.',
    instruction: 'Add npm install, and say to open the port',
  },
  {
    language: 'kotlin',
    info: 'kotlin',
    path: 'Ship.kt',
    textBefore: 'class Ship {',
    originalText: '    fun load() = crates.size',
    textAfter: '}',
    expectedText: '    fun load(): Int = crates.count { it.isFull }',
    instruction: 'Only full crates',
  },
  {
    language: 'javascript',
    info: 'js',
    path: 'ship.js',
    textBefore: '',
    originalText: 'const text = `\n  Answer:\n  ${load}\n`;',
    textAfter: '',
    expectedText:
      'const text = `\n  Answer:\n  ${load()} crates\n  Explanation: full ones only.\n`;',
    instruction: 'Call load and explain that only full crates count',
  },
];
/** Function that writes an answer with the code. `createFence` encloses text in a code fence. */
type AnswerWriter = (
  code: string,
  sample: UnusualSample,
  createFence: (text?: string, info?: string) => string,
) => string;

const answerWriters: readonly AnswerWriter[] = [
  (code) => `Here you go 👇\n\n${code}`,
  (_code, _, createFence) => `Here you go 👇\n${createFence()}\nCheers! 🚀`,
  (code) => `Output:\n\n${code}\n\nNotes:\n- nothing else changed`,
  (code) => `### Updated Code\n\n${code}\n\n### Notes\n\nNothing else changed.`,
  (_code, _, createFence) =>
    `### Updated Code\n${createFence()}\n### What changed?\n1. Counting\n2. Naming`,
  (code) => `Edited lines:\n${code}\n---\nLet me know what you think.`,
  (code, sample) => `--- ${sample.path}\n${code}`,
  (code, sample) => `=== ${sample.path} ===\n${code}`,
  (code, sample) => `>>> ${sample.path}\n${code}`,
  (code, sample) => `# ${sample.path}\n\n${code}`,
  (code, sample) => `\`${sample.path}\`:\n\n${code}`,
  (_code, sample, createFence) =>
    `In \`${sample.path}\`, replace the selection with:\n${createFence()}`,
  (code, sample, createFence) => createFence(`/* ${sample.path} */\n${code}`),
  (code, sample, createFence) => createFence(`// File: ${sample.path} (lines 2-4)\n${code}`),
  (code, sample, createFence) => createFence(`// ${sample.path}\n\n${code}`),
  (code, sample, createFence) => createFence(`# filename: ${sample.path}\n${code}`),
  (code, sample, createFence) => createFence(`<!-- ${sample.path} -->\n${code}`),
  (code, _sample, createFence) =>
    createFence(`// ... existing code ...\n${code}\n// ... existing code ...`),
  (code, sample, createFence) =>
    createFence(`// BEFORE\n${sample.originalText}\n\n// AFTER\n${code}`),
  (code, sample) => `Original:\n${sample.originalText}\n\nNew:\n${code}`,
  (code, sample) => `OLD:\n${sample.originalText}\nNEW:\n${code}`,
  (code) => `BEGIN\n${code}\nEND`,
  (code) => `[START]\n${code}\n[END]`,
  (code) => `---\n${code}\n---`,
  (code) => `"""\n${code}\n"""`,
  (code) => `'''\n${code}\n'''`,
  (code) => `«${code}»`,
  (code) => `<replace>\n${code}\n</replace>`,
  (code) => `<new>\n${code}\n</new>`,
  (code) => `<search>\nx\n</search>\n<replace>\n${code}\n</replace>`,
  (code, sample) => `<edit><path>${sample.path}</path><content>\n${code}\n</content></edit>`,
  (code) => `<response><code>\n${code}\n</code><explanation>Changed.</explanation></response>`,
  (code) => `<lines>${code}</lines>`,
  (code) => `<LINES>\n${code}\n</LINES>\n\nThe count is different now.`,
  (code) => `<output>\n<![CDATA[\n${code}\n]]>\n</output>`,
  (code) => `{"edits":[{"text":${JSON.stringify(code)}}]}`,
  (code) => JSON.stringify([code]),
  (code) => JSON.stringify({ new_text: code, notes: ['a'] }),
  (code) => `code: |\n${code.replaceAll(/^/gmu, '  ')}`,
  (_code, _sample, createFence) => `${createFence()}\n${createFence()}`,
  (_code, _sample, createFence) => `Draft:\n${createFence('x')}\nFinal:\n${createFence()}`,
  (_code, _sample, createFence) => `1. First\n2. Second\n\n${createFence()}`,
  (_code, _sample, createFence) => `| a | b |\n|---|---|\n\n${createFence()}`,
  (_code, _sample, createFence) => `> ${createFence().replaceAll('\n', '\n> ')}`,
  (code) => `${code}\n\n*(unchanged otherwise)*`,
  (code) => `${code}\n\n(Only the count changed.)`,
  (code) => `${code}\n\nP.S. Consider a test.`,
  (code) => `${code}\n\nSources:\n[1] https://example.com`,
  (code) => `${code}[^1]\n\n[^1]: https://example.com`,
  (code) => `${code}\n\n참고: 다른 줄은 그대로입니다.`,
  (code) => `Natürlich. So sieht es aus:\n\n${code}\n\nViel Erfolg!`,
  (code) => `Ok, voilà :\n\n${code}\n\nBonne journée !`,
  (code) => `Sí, claro:\n${code}\nEspero que ayude.`,
  (_code, _sample, createFence) => `当然可以！\n${createFence()}\n希望对你有帮助。`,
  (_code, _sample, createFence) => `<think>${createFence('wrong')}</think>${createFence()}`,
  (code) => `<|assistant|>\n${code}<|end|>`,
  (code) => `[INST] edit [/INST] ${code}</s>`,
  (code) => `### Assistant:\n${code}\n\n### User:\nthanks`,
  (code) => `Assistant:\n${code}\n\nUser: thanks\nAssistant: welcome`,
  (code) => `Model: ${code}`,
  (code) => `AI: ${code}`,
  (_code, sample) =>
    `*** ${sample.path}\n--- ${sample.path}\n***************\n*** 1,2 ****\n- x\n--- 1,2 ----\n+ y`,
  (code, sample) =>
    `*** Update File: ${sample.path}\n@@\n${sample.originalText.replaceAll(/^/gmu, '-')}\n${code.replaceAll(/^/gmu, '+')}`,
  (_code, sample) => `sed -i 's/a/b/' ${sample.path}`,
  (code, sample) => `cat > ${sample.path} <<'EOF'\n${code}\nEOF`,
  (code, sample, createFence) => createFence(`cat > ${sample.path} <<'EOF'\n${code}\nEOF`, 'bash'),
  (code) =>
    code
      .split('\n')
      .map((l, i) => `L${i + 1}: ${l}`)
      .join('\n'),
  (code) =>
    code
      .split('\n')
      .map((l, i) => `[${i + 1}] ${l}`)
      .join('\n'),
  (code) =>
    code
      .split('\n')
      .map((l) => `+ ${l}`)
      .join('\n'),
  (code) =>
    code
      .split('\n')
      .map((l) => `+${l}`)
      .join('\n'),
  (code) =>
    code
      .split('\n')
      .map((l) => `| ${l}`)
      .join('\n'),
  (code) =>
    code
      .split('\n')
      .map((l) => `$ ${l}`)
      .join('\n'),
  (code) => `${code}\n\n${code}`,
  (code) => `${code.split('\n')[0]}\n...`,
  () => 'I need to see the whole file before I can change it.',
  () => 'TODO',
  () => '```\n// your code here\n```',
  (_code, sample) => `The file ${sample.path} was updated successfully.`,
  () => 'Error: rate limit exceeded. Try again later.',
  () => '{"error":{"message":"overloaded"}}',
  () => 'I will now edit the file.\n\nDone.',
  () => 'undefined',
  (_code, sample) =>
    `Replace ${JSON.stringify(sample.originalText.split('\n')[0])} with the new count.`,
];

test('readEditAnswer never returns wrong lines for unusual answer formats and languages', () => {
  const failures: string[] = [];
  let correctCount = 0;
  for (const writeAnswer of answerWriters)
    for (const sample of unusualSamples) {
      const createFence = (text = sample.expectedText, info = sample.info): string => {
        const marks = text.includes('```') ? '````' : '```';
        return `${marks}${info}\n${text}\n${marks}`;
      };
      const splitLines = (text: string): readonly string[] => (text === '' ? [] : text.split('\n'));
      const answer = writeAnswer(sample.expectedText, sample, createFence);
      const result = readOfferedAnswer(answer, {
        ...sample,
        before: splitLines(sample.textBefore),
        original: splitLines(sample.originalText),
        after: splitLines(sample.textAfter),
        usesTabs: sample.language === 'c',
        tabSize: 4,
      });
      if (result.kind === 'refused') continue;
      if (result.lines.join('\n') === sample.expectedText) correctCount += 1;
      else failures.push(`${sample.language}\n${answer}\n--- read\n${result.lines.join('\n')}`);
    }
  expect(failures).toEqual([]);
  // Before these forms were used: 396 right, 354 wrong. Half of the forms have no certain lines.
  expect(correctCount / (answerWriters.length * unusualSamples.length)).toBeGreaterThan(0.3);
});
