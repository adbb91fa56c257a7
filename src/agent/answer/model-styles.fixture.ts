/** Lines of a document, and the lines with which the answers of the test replace them. */
export interface StyleSample {
  readonly language: string;
  /** Info string of the code fence around the replacement lines in an answer. */
  readonly info: string;
  readonly path: string;
  readonly textBefore: string;
  readonly originalText: string;
  readonly textAfter: string;
  readonly expectedText: string;
  readonly instruction: string;
  /** Characters that begin and end a comment; absent for a language without comments. */
  readonly commentMarks?: readonly [string, string];
}

export const styleSamples: readonly StyleSample[] = [
  {
    language: 'python',
    info: 'python',
    path: 'bakery/oven.py',
    textBefore: 'import time\n\n',
    originalText:
      'def bake(loaf, minutes):\n    """Bake a loaf."""\n    time.sleep(minutes * 60)\n    return loaf',
    textAfter: '\n\ndef cool(loaf):\n    return loaf',
    expectedText:
      'def bake(loaf: Loaf, minutes: int) -> Loaf:\n    """Bake a loaf.\n\n    Args:\n        loaf: The loaf to bake.\n        minutes: The time in the oven.\n    """\n    time.sleep(minutes * 60)\n    return loaf',
    instruction: 'Add type hints and a Google style docstring',
    commentMarks: ['# ', ''],
  },
  {
    language: 'typescript',
    info: 'typescript',
    path: 'src/oven.ts',
    textBefore: 'export class Oven {\n  #heat = 0;\n',
    originalText: '  heat(degrees: number): void {\n    this.#heat = degrees;\n  }',
    textAfter: '\n  cool(): void {\n    this.#heat = 0;\n  }\n}',
    expectedText:
      '  heat(degrees: number): void {\n    if (degrees > 300) throw new RangeError("Too hot");\n    this.#heat = degrees;\n  }',
    instruction: 'Throw above 300 degrees',
    commentMarks: ['// ', ''],
  },
  {
    language: 'html',
    info: 'html',
    path: 'public/menu.html',
    textBefore: '<body>\n  <main>',
    originalText: '    <ul>\n      <li>Bread</li>\n      <li>Rolls</li>\n    </ul>',
    textAfter: '  </main>\n</body>',
    expectedText:
      '    <ul class="menu">\n      <li>Bread &amp; butter</li>\n      <li>Rolls<br>with seeds</li>\n    </ul>',
    instruction: 'Add the class menu, butter to the bread, and a line "with seeds" under the rolls',
    commentMarks: ['<!-- ', ' -->'],
  },
  {
    language: 'latex',
    info: 'latex',
    path: 'recipe.tex',
    textBefore: '\\section{Dough}',
    originalText: 'Mix the flour with water.\nKnead it for ten minutes.',
    textAfter: '\n\\section{Oven}',
    expectedText:
      'Mix \\SI{500}{\\gram} of flour with water.\n\nKnead the dough for twelve minutes, until it is smooth.',
    instruction: 'Give the amount of flour, and knead for twelve minutes until smooth',
    commentMarks: ['% ', ''],
  },
  {
    language: 'markdown',
    info: 'markdown',
    path: 'README.md',
    textBefore: '# Bakery\n\n## Install\n',
    originalText: 'Run `npm install bakery`.\n\n```js\nbake(loaf);\n```',
    textAfter: '\n## License\n\nMIT',
    expectedText:
      'Run `npm install --save-dev bakery`.\n\n```js\nimport { bake } from "bakery";\n\nbake(loaf);\n```',
    instruction: 'Install it as a development dependency and import bake',
    commentMarks: ['<!-- ', ' -->'],
  },
  {
    language: 'markdown',
    info: 'md',
    path: 'docs/dough.md',
    textBefore: '# Dough\n',
    originalText: 'Mix flour and water. Wait for an hour.',
    textAfter: '\n## Oven\n',
    expectedText: 'Mix flour, water and salt. Wait for two hours, or until the dough has doubled.',
    instruction: 'Add salt, and wait for two hours or until the dough has doubled',
    commentMarks: ['<!-- ', ' -->'],
  },
  {
    language: 'vue',
    info: 'vue',
    path: 'src/Menu.vue',
    textBefore: '<template>\n  <section>',
    originalText: '    <button class="order" @click="order">Order</button>\n    <p>{{ total }}</p>',
    textAfter: '  </section>\n</template>',
    expectedText:
      '    <button class="order" :disabled="!total" @click="order">Order</button>\n    <p v-if="total">{{ total }}</p>',
    instruction: 'Disable the button and hide the total if it is zero',
    commentMarks: ['<!-- ', ' -->'],
  },
  {
    language: 'yaml',
    info: 'yaml',
    path: 'deploy/oven.yml',
    textBefore: 'services:',
    originalText: '  oven:\n    image: "oven:1"\n    ports:\n      - "80:80"',
    textAfter: '  cooler:\n    image: "cooler:1"',
    expectedText:
      '  oven:\n    image: "oven:2"\n    ports:\n      - "80:80"\n      - "443:443"\n    restart: always',
    instruction: 'Version 2, port 443, always restart',
    commentMarks: ['# ', ''],
  },
  {
    language: 'makefile',
    info: 'makefile',
    path: 'Makefile',
    textBefore: '.PHONY: all\n',
    originalText: 'all: oven\n\tcp oven bin/\n\techo "baked"',
    textAfter: '\nclean:\n\trm -f oven',
    expectedText: 'all: oven dough\n\tmkdir -p bin\n\tcp oven dough bin/\n\techo "baked"',
    instruction: 'Create bin and also copy dough',
    commentMarks: ['# ', ''],
  },
  {
    language: 'git-commit',
    info: '',
    path: '.git/COMMIT_EDITMSG',
    textBefore: '',
    originalText: 'update oven',
    textAfter: '',
    expectedText: 'fix(oven): limit the heat to 300 degrees\n\nHigher values burn the bread.',
    instruction: 'Explain that the heat is limited to 300 degrees because bread burns',
  },
  {
    language: 'go',
    info: 'go',
    path: 'oven/oven.go',
    textBefore: 'package oven\n',
    originalText: 'func Heat(d int) {\n\theat = d\n}',
    textAfter: '\nvar heat int',
    expectedText:
      '// Heat sets the heat and returns an error above 300 degrees.\nfunc Heat(d int) error {\n\tif d > 300 {\n\t\treturn errors.New("too hot")\n\t}\n\theat = d\n\treturn nil\n}',
    instruction: 'Return an error above 300 degrees and document it',
    commentMarks: ['// ', ''],
  },
  {
    language: 'rust',
    info: 'rust',
    path: 'src/oven.rs',
    textBefore: 'impl Oven {',
    originalText: '    pub fn heat(&mut self, d: u32) {\n        self.heat = d;\n    }',
    textAfter: '}',
    expectedText:
      '    pub fn heat(&mut self, d: u32) -> Result<(), &\'static str> {\n        if d > 300 {\n            return Err("too hot");\n        }\n        self.heat = d;\n        Ok(())\n    }',
    instruction: 'Return an error above 300',
    commentMarks: ['// ', ''],
  },
  {
    language: 'php',
    info: 'php',
    path: 'menu.php',
    textBefore: '<?php',
    originalText: 'echo "Bread: $price";\nreturn true;',
    textAfter: '',
    expectedText: 'echo "Bread: $price EUR";\nlog_order("bread");\nreturn true;',
    instruction: 'Add the currency and log the order',
    commentMarks: ['// ', ''],
  },
  {
    language: 'css',
    info: 'css',
    path: 'menu.css',
    textBefore: 'body {\n  margin: 0;\n}\n',
    originalText: '.menu {\n  color: brown;\n}',
    textAfter: '\n.order {\n  color: red;\n}',
    expectedText:
      '.menu {\n  color: brown;\n  /* Room for the price. */\n  padding-right: 4rem;\n}',
    instruction: 'Leave room for the price on the right, with a comment',
    commentMarks: ['/* ', ' */'],
  },
  {
    language: 'shellscript',
    info: 'bash',
    path: 'bake.sh',
    textBefore: '#!/bin/bash\n',
    originalText: 'oven start\nsleep 60\noven stop',
    textAfter: '\necho done',
    expectedText: 'set -e\noven start --heat "$1"\nsleep 3600 # an hour\noven stop',
    instruction: 'Stop on errors, take the heat as an argument, and bake for an hour',
    commentMarks: ['# ', ''],
  },
  {
    language: 'sql',
    info: 'sql',
    path: 'orders.sql',
    textBefore: '-- Orders of today',
    originalText: 'SELECT name, price\nFROM orders\nWHERE day = CURRENT_DATE;',
    textAfter: '',
    expectedText:
      'SELECT name, SUM(price) AS total\nFROM orders\nWHERE day = CURRENT_DATE\nGROUP BY name\nORDER BY total DESC;',
    instruction: 'Sum the price per name, highest first',
    commentMarks: ['-- ', ''],
  },
  {
    language: 'csharp',
    info: 'csharp',
    path: 'Oven.cs',
    textBefore: 'namespace Bakery\n{\n    public class Oven\n    {',
    originalText: '        public int Heat { get; set; }',
    textAfter: '    }\n}',
    expectedText:
      '        /// <summary>Heat in degrees, at most 300.</summary>\n        public int Heat\n        {\n            get => heat;\n            set => heat = Math.Min(value, 300);\n        }',
    instruction: 'Limit the heat to 300 and document it',
    commentMarks: ['// ', ''],
  },
  {
    language: 'json',
    info: 'json',
    path: 'package.json',
    textBefore: '{\n  "name": "bakery",',
    originalText: '  "scripts": {\n    "bake": "node bake.js"\n  },',
    textAfter: '  "license": "MIT"\n}',
    expectedText: '  "scripts": {\n    "bake": "node bake.js",\n    "test": "node --test"\n  },',
    instruction: 'Add a test script',
  },
  {
    language: 'typescriptreact',
    info: 'tsx',
    path: 'src/Menu.tsx',
    textBefore: 'export const Menu = ({ items }: Props) => (',
    originalText: '  <ul>\n    {items.map((i) => <li>{i.name}</li>)}\n  </ul>',
    textAfter: ');',
    expectedText:
      '  <ul className="menu">\n    {items.map((i) => (\n      <li key={i.id}>{i.name}</li>\n    ))}\n  </ul>',
    instruction: 'Add the class menu and keys',
  },
  {
    language: 'plaintext',
    info: 'text',
    path: 'notes.txt',
    textBefore: 'Notes\n',
    originalText: 'the oven is to hot on monday\nbread burns',
    textAfter: '\nOrders: 12',
    expectedText: 'The oven is too hot on Monday.\nThe bread burns.',
    instruction: 'Fix the spelling',
  },
  {
    language: 'ruby',
    info: 'ruby',
    path: 'oven.rb',
    textBefore: 'class Oven',
    originalText: '  def heat(degrees)\n    @heat = degrees\n  end',
    textAfter: 'end',
    expectedText:
      '  def heat(degrees)\n    raise ArgumentError, "too hot" if degrees > 300\n\n    @heat = degrees\n  end',
    instruction: 'Raise above 300',
    commentMarks: ['# ', ''],
  },
  {
    language: 'javascript',
    info: 'js',
    path: 'oven.js',
    textBefore: "'use strict';\n",
    originalText: 'const a = 1;\nconst b = 2;\nbake(a, b);',
    textAfter: '',
    expectedText: 'const heat = 1;\nconst minutes = 2;\nbake(heat, minutes); // minutes, not hours',
    instruction: 'Rename a to heat and b to minutes, and comment that b are minutes',
    commentMarks: ['// ', ''],
  },
  {
    language: 'restructuredtext',
    info: 'rst',
    path: 'docs/oven.rst',
    textBefore: 'Oven\n====\n',
    originalText: 'Heat the oven::\n\n   oven start',
    textAfter: '\nDough\n=====',
    expectedText: 'Heat the oven to 300 degrees::\n\n   oven start --heat 300',
    instruction: 'Heat to 300 degrees',
  },
  {
    language: 'ini',
    info: 'ini',
    path: 'oven.ini',
    textBefore: '[oven]',
    originalText: 'heat=200\nfan=on',
    textAfter: '\n[dough]\nsalt=2',
    expectedText: 'heat=300\nfan=on\ntimer=60',
    instruction: 'Heat 300 and a timer of 60',
    commentMarks: ['; ', ''],
  },
  {
    language: 'dockerfile',
    info: 'dockerfile',
    path: 'Dockerfile',
    textBefore: 'FROM python:3.12',
    originalText: 'COPY . /app\nRUN pip install -r /app/requirements.txt',
    textAfter: 'CMD ["python", "/app/oven.py"]',
    expectedText:
      'COPY requirements.txt /app/\nRUN pip install -r /app/requirements.txt\nCOPY . /app',
    instruction: 'Cache the dependencies',
    commentMarks: ['# ', ''],
  },
  {
    language: 'xml',
    info: 'xml',
    path: 'menu.xml',
    textBefore: '<menu>',
    originalText: '  <item price="2">Bread</item>\n  <item price="1">Roll</item>',
    textAfter: '</menu>',
    expectedText:
      '  <item price="2.50">Bread</item>\n  <item price="1">Roll</item>\n  <item price="3">Cake</item>',
    instruction: 'Bread costs 2.50, add cake for 3',
    commentMarks: ['<!-- ', ' -->'],
  },
];

export interface StyleInput {
  readonly sample: StyleSample;
  /** Expected replacement lines as one text. */
  readonly code: string;
  readonly lines: readonly string[];
  /** Encloses text, by default the code, in a fence that is longer than all fences in the text. */
  readonly createFence: (text?: string, info?: string) => string;
  /** Formats text as a comment in the document's language; returns it unchanged for a language without comments. */
  readonly formatComment: (text: string) => string;
}

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const getIndent = (line = ''): string => /^\s*/u.exec(line)?.[0] ?? '';

const mapLines = (
  lines: readonly string[],
  change: (line: string, index: number) => string,
): string => lines.map(change).join('\n');

/**
 * Functions that write only the replacement lines, by name of the format. The code block of a chat answer can have the
 * same formats.
 */
export const lineFormats: Readonly<Record<string, (input: StyleInput) => string>> = {
  plain: ({ code }) => code,
  fence: ({ createFence }) => createFence(),
  'remark as a comment in the last line': ({ code, formatComment }) =>
    `${code}\n${formatComment('I renamed the variables and kept the rest as it was.')}`,
  'remark as a comment in the last line of a fence': ({ code, formatComment, createFence }) =>
    createFence(`${code}\n${formatComment('I added the check that you asked for.')}`),
  'remark as a comment after a blank line': ({ code, formatComment, createFence }) =>
    createFence(
      `${code}\n\n${formatComment('Changes made: limited the value, kept everything else.')}`,
    ),
  'remark as an indented comment in the last line': ({ code, formatComment, lines, createFence }) =>
    createFence(`${code}\n${getIndent(lines[0])}${formatComment('I changed this as requested.')}`),
  'remark as a comment in the first line': ({ code, formatComment }) =>
    `${formatComment("Here's the updated code:")}\n${code}`,
  'remark as a comment in the first line of a fence': ({ code, formatComment, createFence }) =>
    createFence(`${formatComment('Updated version with the requested change')}\n${code}`),
  'remark as a comment at the end of the last line': ({ code, formatComment }) =>
    `${code} ${formatComment('<- changed as requested')}`,
  'comment about the end': ({ code, formatComment, createFence }) =>
    createFence(`${code}\n${formatComment('End of updated code')}`),
  'comment about the start': ({ code, formatComment, createFence }) =>
    createFence(
      `${formatComment('Start of the modified section')}\n${code}\n${formatComment('End of the modified section')}`,
    ),
  'comment that nothing else changed': ({ code, formatComment }) =>
    `${code}\n${formatComment('Rest of the file remains unchanged')}`,
  'comment with the instruction': ({ code, formatComment, sample, createFence }) =>
    createFence(`${formatComment(`Instruction: ${sample.instruction}`)}\n${code}`),
  'several comments at the end': ({ code, formatComment, createFence }) =>
    createFence(
      `${code}\n\n${formatComment('Explanation:')}\n${formatComment('- I changed the first line.')}\n${formatComment('- You can now run it.')}`,
    ),
  'note as a comment': ({ code, formatComment }) =>
    `${code}\n${formatComment('Note: you may need to import this first.')}`,
  'indented as a whole by four': ({ lines }) =>
    mapLines(lines, (line) => (line ? `    ${line}` : '')),
  'indented as a whole by two': ({ lines }) => mapLines(lines, (line) => (line ? `  ${line}` : '')),
  'indented as a whole by a tab': ({ lines }) =>
    mapLines(lines, (line) => (line ? `\t${line}` : '')),
  'indented as a whole in a fence': ({ lines, createFence }) =>
    createFence(mapLines(lines, (line) => (line ? `    ${line}` : ''))),
  'indented except the first line': ({ lines }) =>
    mapLines(lines, (line, index) => (line && index > 0 ? `    ${line}` : line)),
  'one space before each line': ({ lines }) => mapLines(lines, (line) => (line ? ` ${line}` : '')),
  dedented: ({ lines }) => {
    const width = Math.min(
      ...lines.filter((line) => line.trim()).map((line) => getIndent(line).length),
    );
    return mapLines(lines, (line) => line.slice(width));
  },
  'first line without indentation': ({ code }) => code.trimStart(),
  'blank lines around': ({ code }) => `\n\n\n${code}\n\n\n`,
  'trailing spaces': ({ lines }) => mapLines(lines, (line) => `${line}  `),
  'blank lines between all lines': ({ lines }) => lines.join('\n\n'),
  'blank lines between all lines in a fence': ({ lines, createFence }) =>
    createFence(lines.join('\n\n')),
  'two blank lines between all lines': ({ lines }) => lines.join('\n\n\n'),
  'HTML escapes': ({ code }) => escapeHtml(code),
  'HTML escapes in a fence': ({ code, createFence }) => createFence(escapeHtml(code)),
  'HTML escapes with quotes': ({ code }) => escapeHtml(code).replaceAll('"', '&quot;'),
  'numeric HTML escapes': ({ code }) => code.replaceAll('"', '&#34;').replaceAll("'", '&#39;'),
  'HTML spaces': ({ lines }) =>
    mapLines(lines, (line) => line.replace(/^ +/u, (spaces) => '&nbsp;'.repeat(spaces.length))),
  'line breaks of HTML': ({ lines }) => mapLines(lines, (line) => `${line}<br>`),
  'closed line breaks of HTML': ({ lines }) => mapLines(lines, (line) => `${line}<br/>`),
  'line breaks of HTML in one line': ({ lines }) => lines.join('<br>'),
  'line breaks of HTML in a fence': ({ lines, createFence }) => createFence(lines.join('<br />\n')),
  'line breaks except the last line': ({ lines }) => lines.join('<br>\n'),
  'escaped quotes': ({ code }) => code.replaceAll('"', '\\"'),
  'escaped quotes in a fence': ({ code, createFence }) => createFence(code.replaceAll('"', '\\"')),
  'escaped line breaks': ({ code }) => code.replaceAll('\n', '\\n'),
  'escaped as a string': ({ code }) => JSON.stringify(code),
  'escaped as a string without marks': ({ code }) => JSON.stringify(code).slice(1, -1),
  'escaped Markdown': ({ code }) => code.replaceAll(/[*_#]/gu, String.raw`\$&`),
  'typographic quotes': ({ code }) => code.replaceAll(/"([^"\n]*)"/gu, '“$1”'),
  'escaped dollars': ({ code }) => code.replaceAll('$', String.raw`\$`),
  'doubled backslashes': ({ code }) => code.replaceAll('\\', '\\\\'),
  'doubled braces': ({ code }) => code.replaceAll(/[{}]/gu, '$&$&'),
  'GPT: canvas': ({ code, sample }) =>
    `:::writing{variant="code" id="1"}\n${code}\n:::\n${sample.path}`,
  'GPT: citation marks': ({ code }) => `${code} 【1†source】`,
  'Claude: updated_code tags': ({ code }) => `<updated_code>\n${code}\n</updated_code>`,
  'Qwen: Chinese comment at the end': ({ code, formatComment, createFence }) =>
    createFence(`${code}\n${formatComment('其他代码保持不变')}`),
  'tilde fence': ({ code, sample }) => `~~~${sample.info}\n${code}\n~~~`,
  'fence of five marks': ({ code, sample }) => `\`\`\`\`\`${sample.info}\n${code}\n\`\`\`\`\``,
  'LaTeX verbatim': ({ code }) => `\\begin{verbatim}\n${code}\n\\end{verbatim}`,
  'LaTeX lstlisting': ({ code, sample }) =>
    `\\begin{lstlisting}[language=${sample.info}]\n${code}\n\\end{lstlisting}`,
  'reST code block': ({ lines, sample }) =>
    `.. code-block:: ${sample.info}\n\n${mapLines(lines, (line) => (line ? `   ${line}` : ''))}`,
  'Org source block': ({ code, sample }) => `#+BEGIN_SRC ${sample.info}\n${code}\n#+END_SRC`,
  BBCode: ({ code }) => `[code]\n${code}\n[/code]`,
  'Jira code': ({ code, sample }) => `{code:${sample.info}}\n${code}\n{code}`,
  'XML script element': ({ code }) => `<script>\n${code}\n</script>`,
  'triple single quotes with a language': ({ code, sample }) => `'''${sample.info}\n${code}\n'''`,
  'conflict marks': ({ code, sample }) =>
    `<<<<<<< HEAD\n${sample.originalText}\n=======\n${code}\n>>>>>>> edit`,
  'SEARCH/REPLACE': ({ code, sample }) =>
    `<<<<<<< SEARCH\n${sample.originalText}\n=======\n${code}\n>>>>>>> REPLACE`,
  'plus marks on all lines of a fence': ({ lines, createFence }) =>
    createFence(mapLines(lines, (line) => `+${line}`)),
  'diff without headers': ({ lines, sample, createFence }) =>
    createFence(
      `${mapLines(sample.originalText.split('\n'), (line) => `-${line}`)}\n${mapLines(lines, (line) => `+${line}`)}`,
      'diff',
    ),
  'diff with wrong numbers': ({ lines, sample }) =>
    `--- a/${sample.path}\n+++ b/${sample.path}\n@@ -100,9 +100,9 @@\n${mapLines(sample.originalText.split('\n'), (line) => `-${line}`)}\n${mapLines(lines, (line) => `+${line}`)}`,
  'changed lines marked with arrows': ({ lines }) => mapLines(lines, (line) => `→ ${line}`),
  'line numbers with a dot': ({ lines }) =>
    mapLines(lines, (line, index) => `${index + 1}. ${line}`),
  'line numbers from zero with a colon': ({ lines }) =>
    mapLines(lines, (line, index) => `${index}: ${line}`),
  'padded line numbers': ({ lines }) =>
    mapLines(lines, (line, index) => `${String(index + 1).padStart(4)}\t${line}`),
  'JavaScript template': ({ code }) => `const newText = \`${code}\`;`,
  'JSON edits': ({ code }) => JSON.stringify({ edits: [{ new: code }], summary: 'done' }),
  'YAML block': ({ lines }) =>
    `new_lines: |\n${mapLines(lines, (line) => (line ? `  ${line}` : ''))}`,
  'echo to a file': ({ code, sample }) => `echo '${code}' > ${sample.path}`,
  'ellipsis before and after': ({ code, createFence }) => createFence(`...\n${code}\n...`),
  'comment ellipsis after': ({ code, formatComment, createFence }) =>
    createFence(`${code}\n${formatComment('...')}`),
  'cut in the middle': ({ lines }) =>
    `${lines.slice(0, Math.ceil(lines.length / 2)).join('\n')}\n[truncated]`,
  continued: ({ lines }) => `${lines.slice(0, -1).join('\n')}\n(continued in the next message)`,
};

/**
 * Functions that write an answer with text or additional blocks around the replacement lines. The parser must refuse
 * such an answer if it cannot distinguish these lines from the other text.
 */
export const surroundedFormats: Readonly<Record<string, (input: StyleInput) => string>> = {
  'Test it with': ({ code, createFence }) =>
    `${code}\n\nTest it with:\n\n${createFence('npm test', 'bash')}`,
  'Test it with, after a fence': ({ createFence }) =>
    `${createFence()}\n\nTest it with:\n\n${createFence('npm test', 'bash')}`,
  'Usage example': ({ code, createFence, sample }) =>
    `${code}\n\nUsage example:\n\n${createFence('bake(1)', sample.info)}`,
  'You can run it like this': ({ createFence }) =>
    `${createFence()}\n\nYou can run it like this:\n\n${createFence('$ bake --now', 'console')}\n\nEnjoy!`,
  'Then install': ({ createFence, code }) =>
    `${code}\n\nThen install the dependency:\n\n${createFence('npm i bakery', 'sh')}`,
  'Expected output': ({ createFence }) =>
    `${createFence()}\n\nExpected output:\n\n${createFence('ok', 'text')}`,
  'Output without a language': ({ createFence, code }) =>
    `${code}\n\nOutput:\n\n${createFence('baked 12 loaves', '')}`,
  'Also add to another file': ({ createFence }) =>
    `${createFence()}\n\nAlso add this to \`config.json\`:\n\n${createFence('{ "heat": 300 }', 'json')}`,
  'Do not forget the import': ({ createFence, sample }) =>
    `${createFence()}\n\nDon't forget the import:\n\n${createFence('import bakery', sample.info)}`,
  'For reference, the original': ({ createFence, sample }) =>
    `${createFence()}\n\nFor reference, the original was:\n\n${createFence(sample.originalText)}`,
  'Verification step': ({ code, createFence }) =>
    `${code}\n\n### Verification\n\n${createFence('npm run check', 'bash')}`,
  'Try it': ({ code, createFence }) => `${code}\n\nTry it:\n${createFence('curl localhost', '')}`,
  'indented as a whole after a remark': ({ lines }) =>
    `Here is the code:\n\n${mapLines(lines, (line) => (line ? `    ${line}` : ''))}`,
  'blank lines between all lines, after a remark': ({ lines }) =>
    `Sure! Here's the new version:\n\n${lines.join('\n\n')}`,
  'escaped underscores and stars in a paragraph': ({ code }) =>
    `Here is the result:\n\n${code.replaceAll('_', String.raw`\_`).replaceAll('<', String.raw`\<`)}`,
  'escaped backticks': ({ code }) => `Sure:\n\n${code.replaceAll('`', '\\`')}`,
  'GPT: heading, fence, bullets': ({ createFence }) =>
    `Here’s a refined version:\n\n${createFence()}\n\n**What changed**\n\n- Tightened the logic\n- No behavior was altered elsewhere`,
  'GPT: If you want': ({ createFence }) =>
    `${createFence()}\n\nIf you want, I can also add unit tests — just say the word.`,
  'GPT: code, If you’d like': ({ code }) =>
    `${code}\n\nIf you’d like, I can also walk through the change.`,
  'Claude: I’ll, then fence': ({ createFence }) =>
    `I'll make that change for you.\n\n${createFence()}\n\nThe change is minimal: only the requested part differs.`,
  'Claude: two paragraphs after code': ({ code }) =>
    `${code}\n\nThis keeps the public interface the same.\n\nI wasn't able to run it here, so please check it once.`,
  'Claude: antml invoke': ({ code, sample }) =>
    `<invoke name="str_replace"><parameter name="path">${sample.path}</parameter><parameter name="new_str">${code}</parameter></invoke>`,
  'Claude: analysis, then code': ({ code }) =>
    `<analysis>\nThe user wants a small change.\n</analysis>\n\n${code}`,
  'Llama: Here is the edited text': ({ code }) =>
    `Here is the edited text:\n\n${code}\n\nNote: I only changed what you asked for.`,
  'Llama: assistant header': ({ code }) => `assistant\n\n${code}`,
  'Llama: answer twice': ({ code }) => `${code}\n\n${code}`,
  'Llama: continues with another task': ({ code }) =>
    `${code}\n\n### Instruction:\nAdd tests\n\n### Response:\nSure.`,
  'Qwen: empty think': ({ code }) => `<think>\n\n</think>\n\n${code}`,
  'Qwen: Chinese remark after a fence': ({ createFence }) =>
    `${createFence()}\n\n**修改说明：**\n1. 增加了检查\n2. 其他部分保持不变`,
  'Qwen: Chinese remark after code': ({ code }) => `${code}\n\n说明：只修改了必要的部分。`,
  'DeepSeek: think with code': ({ code, createFence }) =>
    `<think>\nLet me write it:\n${createFence('wrong()')}\n</think>\n\n${createFence(code)}`,
  'DeepSeek: Modified Code': ({ createFence }) =>
    `### Modified Code:\n${createFence()}\n\n### Key Changes:\n1. **Check**: added.\n2. **Rest**: as before.\n\nThis ensures correctness.`,
  'DeepSeek: end token': ({ code }) => `${code}<｜end▁of▁sentence｜>`,
  'Gemini: bold headings': ({ createFence }) =>
    `**Revised Code:**\n${createFence()}\n\n**Explanation of Changes:**\n\n*   **Check:** Added a check.\n*   **Rest:** The rest is unchanged.`,
  'Gemini: code, then bold headings': ({ code }) =>
    `${code}\n\n**Explanation of Changes:**\n\n*   **Check:** Added a check.`,
  'Gemini: title of the file in the fence': ({ code, sample, createFence }) =>
    createFence(code, `${sample.info} title="${sample.path}"`),
  'Gemini: Use code with caution': ({ createFence }) =>
    `${createFence()}\n\nUse code with caution.`,
  'Gemini: Use code with caution after code': ({ code }) => `${code}\nUse code with caution.`,
  'Mistral: thinking marks': ({ code }) => `[THINK]Small change.[/THINK]${code}`,
  'Phi: solution label': ({ code }) => `Solution:\n\n${code}\n\nFollow-up: none.`,
  'Grok: summary line': ({ createFence }) =>
    `${createFence()}\n\nChanged: 2 lines. Tests: not run.`,
  'fence, closing mark with text': ({ code, sample }) =>
    `\`\`\`${sample.info}\n${code}\n\`\`\` done`,
  'details element': ({ createFence }) =>
    `<details>\n<summary>Updated code</summary>\n\n${createFence()}\n\n</details>`,
  'table cell': ({ code }) => `| Code |\n|---|\n| \`${code.replaceAll('\n', '<br>')}\` |`,
  'line ranges': ({ code, lines }) => `Lines 3-${lines.length + 2}:\n${code}`,
};

/**
 * Writes an answer in one format.
 * @param join Adds the sample's lines before and after the replacement lines.
 */
export function writeStyleAnswer(
  form: (input: StyleInput) => string,
  sample: StyleSample,
  join = (text: string): string => text,
): string {
  const code = join(sample.expectedText);
  const [open, close] = sample.commentMarks ?? ['', ''];
  return form({
    sample: { ...sample, originalText: join(sample.originalText) },
    code,
    lines: code.split('\n'),
    createFence: (text = code, info = sample.info) => {
      const marks = text.includes('```') ? '````' : '```';
      return `${marks}${info}\n${text}\n${marks}`;
    },
    formatComment: (text) => `${open}${text}${close}`,
  });
}

/** Returns the finish reason that servers report with an answer in a format: `length` if the format cuts off the end. */
export const getFinishReason = (form: string): 'stop' | 'length' =>
  form.startsWith('cut ') ? 'length' : 'stop';
