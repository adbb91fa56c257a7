import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createFileTextFromBlock } from './new-file-text.ts';
import { stripHiddenCharacters } from '../../base/hidden-characters.ts';

const createFileText = (code: string, path = 'src/a.ts', info = '') =>
  createFileTextFromBlock({ code, info, lineBefore: '' }, path);

const text = 'import { b } from "b";\n\nexport function a() {\n  return b("x");\n}\n';
const lines = text.trimEnd().split('\n');
const numberLines = (format: (number: number) => string): string =>
  lines.map((line, index) => `${format(index + 1)}${line}`).join('\n');

describe('createFileTextFromBlock removes from a new file', () => {
  test.each<[name: string, code: string]>([
    ['line numbers with a tab', numberLines((number) => `${number}\t`)],
    ['line numbers with a bar', numberLines((number) => `${String(number).padStart(4)} | `)],
    ['line numbers with an arrow', numberLines((number) => `${String(number).padStart(6)}→`)],
    ['line numbers with a colon', numberLines((number) => `${number}: `)],
    ['a sentence before the code', `Here's the new file:\n\n${text}`],
    ['tokens of a chat template', `<|im_start|>assistant\n${text}<|im_end|>`],
    ['an outer fence', `\`\`\`ts\n${text}\`\`\``],
    ['escapes of the whole text', JSON.stringify(text).slice(1, -1)],
    ['quotation marks and escapes', JSON.stringify(text)],
    ['plus signs', lines.map((line) => `+${line}`).join('\n')],
    ['a comment with its path', `// src/a.ts\n${text}`],
  ])('%s', (_, code) => {
    expect(createFileText(code)).toEqual({ kind: 'created', text });
  });

  test('escapes of a JSON file', () => {
    const json = '{\n  "tide": "ebb"\n}\n';
    expect(createFileText(JSON.stringify(json).slice(1, -1), 'a.json')).toEqual({
      kind: 'created',
      text: json,
    });
  });
});

describe('createFileTextFromBlock refuses a new file, and returns the cause, for', () => {
  test.each<[name: string, code: string, cause: string, path?: string]>([
    ['line numbers of a part', numberLines((number) => `${number + 40}\t`), 'marks'],
    ['line numbers of a YAML file', '1: tide: ebb\n2: level: 3', 'marks', 'a.yaml'],
    ['line numbers of quoted keys', '1: "tide": ebb\n2: "level": 3', 'marks', 'a.yaml'],
    ['line numbers of a list', '1: - flood\n2: - ebb', 'marks', 'a.yaml'],
    ['line numbers of settings', '1: tide=ebb\n2: level=3', 'marks', 'a.properties'],
    ['line numbers that skip a colon', '1 flood\n2 ebb', 'marks', 'a.yaml'],
    [
      'settings of a server that end inside a block',
      'server {\n  listen 80;',
      'incomplete',
      'a.conf',
    ],
    ['a cut-off script whose name resembles settings', 'run({', 'incomplete', 'vite.env.ts'],
    ['numbers that can be data', '1 flood\n2 ebb', 'marks', 'tides.conf'],
    ['columns of numbers', '1 2\n2 3\n3 4', 'marks', 'm.dat'],
    ['escapes that can be a path', String.raw`cd C:\new\node\net`, 'escapes', 'a.bat'],
    ['escapes that can be a pattern', String.raw`s/\n\n/x/g`, 'escapes', 'a.sed'],
    ['escapes that can be a comment', String.raw`// Joins with \n or \n.`, 'escapes'],
    ['escapes outside and inside strings', String.raw`a();\nb("x\ny");\nc();`, 'escapes'],
    ['a sentence after the code', `${text}\nLet me know if you need anything else!`, 'remark'],
    ['a sentence before prose', "Here's the updated file:\n\n# Tides\n\nMore.", 'remark', 'a.md'],
    ['an escaped comment before code', String.raw`// See the docs.\n\nrun("id");\n`, 'escapes'],
    ['an escaped comment after code', String.raw`a(); // See b.\nc();\nd();`, 'escapes'],
    ['an escaped comment of Python', String.raw`# See b.\n\nimport os\n`, 'escapes', 'a.py'],
    ['escapes of a shell script', String.raw`echo a\nb\nc`, 'escapes', 'a.sh'],
    ['a token after code on the same line', 'a();\nb();</s>', 'tokens'],
    ['a token before code on the same line', '<s>a();\nb();', 'tokens'],
    ['a token on the last line of a text', 'Be brief.\n[/INST]\n', 'tokens', 'prompt.txt'],
    ['a token on the last line of a template', 'Hi\n<|im_start|>assistant\n', 'tokens', 'a.j2'],
    ['tokens on the first lines of data', '<s>\n</s>\nthe\n', 'tokens', 'vocab.dat'],
    [
      'tokens in a string of several lines',
      'A = """<|im_start|>user\nB\n"""\nuse(A)\n',
      'tokens',
      'a.py',
    ],
    ['tokens outside strings', '<|im_start|>system\nBe brief.\n<|im_end|>\n', 'tokens', 'a.tmpl'],
    ['reasoning of the model', `<think>\nA file.\n</think>\n${text}`, 'remark'],
    ['code that ends inside a block', lines.slice(0, -1).join('\n'), 'incomplete'],
    ['code that ends after an opening bracket', lines.slice(0, 3).join('\n'), 'incomplete'],
  ])('%s', (_, code, kind, path) => {
    const result = createFileText(code, path);
    expect(result).toMatchObject({ kind: 'refused', cause: { kind } });
  });
});

test.each<[path: string, code: string]>([
  ['a.csv', '1\tflood\n2\tebb\n'],
  ['a.md', '1. flood\n2. ebb\n'],
  ['a.yaml', '1: flood\n2: ebb\n'],
  ['a.yaml', '1: "10:30"\n2: [ebb, flood]\n3: https://example.com/a\n'],
  ['a.toml', '1 = "flood"\n2 = "ebb"\n'],
  ['a.properties', '1: flood\n2 = ebb\n'],
  ['a.csv', 'name,mark\ntide,(,\n'],
  ['a.tsv', 'tide\t{\n'],
  ['.env', 'A=1\nB={\n'],
  ['app/.env.local', 'A=[\n'],
  ['a.ini', '[tide]\nmark=(\n'],
  ['macros.sty', '\\newcommand{\\norm}[1]{\\nu}\n'],
  ['a.tex', '\\newcommand{\\nat}{\\nabla \\neq}\n'],
  ['a.env', 'KEY=-----BEGIN\\nabc\\ndef\\n-----END\n'],
  ['a.properties', 'msg=Hello\\nWorld\\nBye\n'],
  ['a.json', '{"text":"a\\nb"}\n'],
  ['a.json', '{"code": "let a;"}\n'],
  ['a.js', 'const lines = text.split(/\\n/);\n'],
  ['a.js', 'console.log("a\\nb");\n'],
  ['a.py', 'if a and b:\n    c()\n'],
  ['a.py', 'class Tide(Base):\n    pass\n'],
  ['a.yaml', 'files of this:\n  - a\n'],
  ['a.xml', '<?xml version="1.0"?>\n<tides>\n  <response>\n    <b/>\n  </response>\n</tides>\n'],
  ['a.md', '# Tides\n\n<code>npm install</code>\n\nMore.\n'],
  ['a.ts', 'const html = `\n<code>\n  flood\n</code>\n`;\n'],
  ['a.ts', '/** From [0, 1) on. */\nconst tide =\n  flood(1);\n'],
  ['tide.c', '/* tide.c\n *\n * Computes tides.\n */\nint tide;\n'],
  ['a.ts', 'const marks = [\n  "<|start_header_id|>user<|end_header_id|>",\n];\nuse(marks);\n'],
  ['a.py', 'ROLE = "<|im_start|>user"\nprint(ROLE)\n'],
  ['a.py', 'a = "[INST] user"\nb = 2\n'],
  ['a.py', 'END = "</s>"\nUSER = "</s> user: "\nprint(END)\n'],
  ['a.yaml', 'turn: </s>\nend: </s>\n'],
  ['a.html', '<p>\n<s>flood</s>\n'],
  ['a.xml', '<answer>\n  <b/>\n</answer>\n'],
  ['tide.html', '<!-- tide.html\nTides -->\n<p>\n'],
])('createFileTextFromBlock creates %s from %j unchanged', (path, code) => {
  expect(createFileText(code, path)).toEqual({ kind: 'created', text: code });
});

test.each([
  ['an edit in JSON', '{"old_text": "a", "new_text": "b"}'],
  ['conflict markers', '<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main'],
  ['a diff', '@@ -1 +1 @@\n-a\n+b'],
])('createFileTextFromBlock refuses to change a missing file with %s', (_, code) => {
  expect(createFileText(code)).toMatchObject({ reason: 'no-file' });
});

test('createFileTextFromBlock creates files of public packages unchanged', () => {
  const modulesFolder = join(import.meta.dirname, '../../../node_modules');
  const packageNames = [
    'marked',
    'fastify',
    'hono',
    'lit',
    'valibot',
    'katex',
    '@vscode',
    'undici-types',
  ];
  const extensionPattern = /\.(?:[cm]?[jt]s|json|md|ya?ml|css|html|svg)$/u;
  const paths = packageNames.flatMap((packageName) =>
    readdirSync(join(modulesFolder, packageName), { recursive: true, encoding: 'utf8' })
      .filter((path) => extensionPattern.test(path))
      .toSorted()
      .map((path) => join(modulesFolder, packageName, path)),
  );
  const failures: string[] = [];
  let count = 0;
  for (const [index, path] of paths.entries()) {
    if (index % 7 > 0) continue;
    const code = readFileSync(path, 'utf8');
    if (code.length > 60_000 || code.trim() === '') continue;
    count += 1;
    const result = createFileText(code, path);
    const visibleCode = stripHiddenCharacters(code).text.replaceAll('\r', '');
    const expected = `${visibleCode.replaceAll(/^(?:[^\S\n]*\n)+|\s+$/gu, '')}\n`;
    if (result.kind === 'refused') failures.push(`${result.cause?.rule ?? result.reason} ${path}`);
    else if (result.text !== expected) failures.push(`changed ${path}`);
  }
  expect(failures).toEqual([]);
  expect(count).toBeGreaterThan(200);
});
