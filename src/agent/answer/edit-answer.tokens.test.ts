import { expect, test } from 'vitest';
import { applyBlock } from './apply-block.ts';
import type { EditTarget } from './edit-answer.ts';
import { readOfferedAnswer } from './offered-answer.fixture.ts';
import { readCommitMessage } from './commit-message.ts';

type EditCase = readonly [
  language: string,
  path: string,
  original: string,
  answer: string,
  context?: { readonly before?: string; readonly after?: string; readonly instruction?: string },
];

/**
 * Correct answers whose replacement lines contain text, such as `<EOF>`, that models also add around such lines by
 * mistake.
 */
const editCases: readonly EditCase[] = [
  // Front matter.
  ['markdown', 'post.md', '# Hello', '---\nlanguage: en\n---\n# Hello'],
  ['markdown', 'post.md', '# Hello', '---\nlang: de\n---\n\n# Hello\n\nText.'],
  [
    'markdown',
    'post.md',
    '# Hello\n\nText.',
    '---\nlanguage: en\nfile: hello.txt\n---\n\n# Hello\n\nText.',
    { instruction: 'Add front matter with the language' },
  ],
  ['mdx', 'post.mdx', '# Hello', '---\nfilename: cover.png\n---\n\n# Hello'],
  ['yaml', 'site.yml', 'language: de', '---\nlanguage: en\n---\nlanguage: de'],
  ['yaml', 'site.yml', 'title: a', '---\npath: /var/www\nlang: fr\n---\ntitle: b'],
  ['quarto', 'a.qmd', '# Plot', '---\nlang: en\n---\n\n# Plot'],
  ['rmd', 'a.Rmd', '# Plot', '---\nlanguage: en\n---\n\n# Plot'],
  ['html', 'index.html', '<p>Hello</p>', '---\nlang: en\n---\n<p>Hello</p>\n<p>World</p>'],
  ['astro', 'a.astro', '<p>Hello</p>', '---\nlang: en\n---\n<p>Hello</p>\n<p>World</p>'],
  ['scss', 'main.scss', '@import "a";', '---\nfile: main\n---\n@import "a";\n@import "b";'],
  ['plaintext', 'notes.txt', 'Hello', '---\nlanguage: en\n---\nHello'],
  // Last lines.
  ['typescript', 'src/a.ts', 'a', 'a\n<EOF>', { before: 'const text = `', after: '`;' }],
  ['typescript', 'src/a.ts', 'one', 'one two\n[END]', { before: 'const text = `', after: '`;' }],
  ['python', 'a.py', 'one', 'one two\n[DONE]', { before: 'text = """', after: '"""' }],
  ['plaintext', 'grammar.txt', 'program: line*', 'program: line*\n\n<EOF>'],
  ['markdown', 'todo.md', 'Write it', 'Write it all\n\n[DONE]'],
  ['plaintext', 'script.txt', 'He leaves.', 'He leaves the room.\n\n[END]'],
  ['shellscript', 'a.sh', 'echo a', 'cat <<EOF\nEOF\necho a'],
  [
    'javascript',
    'sse.js',
    "res.write('x');",
    "res.write('data: x\\n\\n');\nres.write('data: [DONE]\\n\\n');",
  ],
  ['http', 'a.http', 'data: a', 'data: a\n\ndata: [DONE]'],
  ['plaintext', 'stream.txt', 'data: {}', 'data: {}\n\ndata: {"a": 1}\n\ndata: [DONE]'],
  ['python', 'a.py', 'yield x', 'yield x\nyield "[DONE]"'],
  [
    'typescript',
    'sse.ts',
    'return parse(data);',
    "if (data === '[DONE]') return undefined;\nreturn parse(data);",
  ],
  ['ebnf', 'a.ebnf', 'file = line ;', 'file = { line }\n<EOF>'],
  // Tags of reasoning, and tokens of models.
  ['typescript', 'a.ts', 'const end = "";', 'const start = "";\nconst end = "</think>";'],
  [
    'typescript',
    'a.ts',
    "const tags = ['a'];",
    "const first = 1;\nconst tags = ['<think>', '</think>'];\nuse(tags);",
  ],
  ['python', 'a.py', 'return text', 'text = text.split("</think>")[-1]\nreturn text'],
  ['markdown', 'models.md', 'Models think.', 'Models think before `</think>`, and then answer.'],
  ['markdown', 'models.md', 'Models think.', 'The end is `</think>`.\nThe text follows it.'],
  ['rust', 'a.rs', 'let a = 1;', 'let a = 1;\nlet end = text.find("</thinking>");\nlet b = 2;'],
  ['go', 'a.go', 'x := 1', 'x := 1\ns = strings.Split(s, "[/THINK]")[1]'],
  ['json', 'a.json', '"stop": []', '"stop": ["</think>", "<|im_end|>"]'],
  ['python', 'a.py', 'MIDDLE = ""', 'MIDDLE = "<|fim_middle|>"\nSUFFIX = "<|fim_suffix|>"'],
  ['markdown', 'fim.md', 'Tokens:', 'Tokens:\n\n- `<|fim_prefix|>`\n- `<|fim_middle|>`'],
  // Callouts and forum markup.
  ['plaintext', 'post.txt', 'Read it.', '[NOTE]\nRead it first.\n[/NOTE]'],
  ['plaintext', 'post.txt', 'a = 1', '[code]\na = 1\nb = 2\n[/code]'],
  ['bbcode', 'post.bbcode', 'Read it.', '[QUOTE]\nRead it first.\n[/QUOTE]'],
  ['markdown', 'a.md', 'Read it.', '> [!NOTE]\n> Read it first.'],
  ['markdown', 'a.md', 'Read it.', ':::note\nRead it first.\n:::'],
  ['markdown', 'a.md', 'Read it.', ':::writing{id="1"}\nRead it first.\n:::'],
  ['jira', 'a.jira', 'a = 1', '{code:python}\na = 1\nb = 2\n{code}'],
  ['org', 'a.org', 'a = 1', '#+begin_src python\na = 1\nb = 2\n#+end_src'],
  ['asciidoc', 'a.adoc', 'Read it.', '[NOTE]\n====\nRead it first.\n===='],
  ['html', 'a.html', '<p>a</p>', '<source>\n<p>a</p>\n</source>'],
  ['ini', 'a.ini', 'a=1', '[USER]\na=1\nb=2\n[/USER]'],
  // Underlines and lines of signs.
  ['markdown', 'a.md', 'Title', 'Title\n====='],
  ['restructuredtext', 'a.rst', 'Title', '=====\nTitle\n====='],
  ['plaintext', 'a.txt', 'Title', '==========\nTitle\n=========='],
  ['python', 'a.py', 'a = 1', '# =====\n# Part\n# =====\na = 1'],
  ['restructuredtext', 'a.rst', 'a  b', '=====  =====\na      b\n=====  ====='],
  ['log', 'a.log', 'started', '=====\nstarted\nstopped\n====='],
  // Quotation marks.
  ['python', 'a.py', 'text = ""', "text = '''\nHello\n'''"],
  ['toml', 'a.toml', 'text = ""', "text = '''\nHello\n'''"],
  ['python', 'a.py', 'x = 1', "'''hello\nx = 1\n'''"],
  ['toml', 'a.toml', 'a', "'''toml\na\n'''", { before: 'text =' }],
  ['nix', 'a.nix', 'a', "''\n  a\n  b\n''", { before: 'text =' }],
  // Labels and headings.
  ['markdown', 'quiz.md', 'It is 4.', '## Answer\n\nIt is 4, as 2 + 2 is 4.'],
  ['markdown', 'quiz.md', 'It is 4.', '## begin answer\n\nIt is 4.\n\n## end answer'],
  ['plaintext', 'quiz.txt', 'It is 4.', '--- BEGIN CODE ---\nIt is 4.\n--- END CODE ---'],
  ['typescript', 'a.ts', 'run();', '// Start of code\nrun();\nstop();\n// End of code'],
  ['shellscript', 'a.sh', 'run', '# start of edit\nrun\n# end of edit'],
  ['plaintext', 'menu.txt', 'Paste', 'Copy\nEdit\nPaste'],
  ['plaintext', 'labels.txt', 'Paste', 'Copy code\nPaste'],
  ['plaintext', 'notes.txt', 'One', 'One two\n[end of result]'],
  ['asciidoc', 'a.adoc', 'Text.', ':start_line: 3\n---\nText.'],
  ['markdown', 'template.md', 'Code:', 'Code:\n{{INSERTED_CODE}}'],
  // File names and paths as lines.
  ['ignore', 'config/.gitignore', '*.log', 'config/.gitignore\n*.log\n*.tmp'],
  ['ignore', '.gitignore', '*.log', '.gitignore\n*.log\n*.tmp'],
  ['plaintext', 'dist/files.txt', 'a.txt', 'dist/files.txt\na.txt\nb.txt'],
  ['plaintext', 'MANIFEST', 'README', 'MANIFEST\nREADME\nLICENSE'],
  ['yaml', 'ci/paths.yml', 'a: 1', 'ci/paths.yml:\n  a: 1'],
  ['markdown', 'docs/a.md', 'Text.', '`docs/a.md`:\n\nText of this file.'],
  // Strings in arrays.
  ['javascript', 'a.js', 'first', '["first step", "second step"]', { before: 'run(', after: ');' }],
  ['python', 'a.py', 'x', '["first step", "second step"]', { before: 'run(', after: ')' }],
  ['yaml', 'a.yml', '- a', '["first step", "second step"]'],
];

const toLines = (text?: string): readonly string[] => (text === undefined ? [] : text.split('\n'));

test('readEditAnswer never drops lines of an edit with tokens that also delimit model answers', () => {
  expect(editCases.length).toBeGreaterThan(60);
  const failures: string[] = [];
  let exactCount = 0;
  for (const [language, path, original, answer, context = {}] of editCases) {
    const target: EditTarget = {
      language,
      path,
      original: toLines(original),
      before: toLines(context.before),
      after: toLines(context.after),
      usesTabs: false,
      tabSize: 4,
      ...(context.instruction === undefined ? {} : { instruction: context.instruction }),
    };
    for (const text of [answer, `\`\`\`\`${language}\n${answer}\n\`\`\`\``]) {
      const result = readOfferedAnswer(text, target);
      const readText = result.kind === 'lines' ? result.lines.join('\n') : undefined;
      if (readText === answer) exactCount += 1;
      else if (readText !== undefined) failures.push(`${language}\n${text}\n--- read\n${readText}`);
    }
  }
  expect(failures).toEqual([]);
  expect(exactCount).toBeGreaterThanOrEqual(50);
});

test('applyBlock never drops lines of a block with tokens that also delimit model answers', () => {
  const failures: string[] = [];
  for (const [, path, original, code, { before, after } = {}] of editCases) {
    const joinWithContext = (text: string): string =>
      [before, text, after].filter((textPart) => textPart !== undefined).join('\n');
    const block = { code: joinWithContext(code), info: '', lineBefore: '' };
    const result = applyBlock(`${joinWithContext(original)}\n`, block, path);
    if (result.kind === 'applied' && result.text !== `${joinWithContext(code)}\n`)
      failures.push(`${code}\n--- applied\n${result.text}`);
  }
  expect(failures).toEqual([]);
});

test.each([
  'feat: read the end of a file\n\nThe parser now accepts the token\n<EOF>',
  'fix: end the stream\n\nThe server sends a last line\n[DONE]',
  'docs: end the play\n\n[END]',
  'feat: accept a placeholder\n\n{{INSERTED_CODE}}',
  'fix: read reasoning\n\nThe closing tag </think> ended the message.',
  'docs: add a note\n\n[NOTE]\nRead it first.\n[/NOTE]',
  'docs: underline the title\n\n=====\nTitle\n=====',
  '[NOTE]\ndocs: add a note\n[/NOTE]',
])('readCommitMessage never drops lines of %j', (message) => {
  const result = readCommitMessage(message);
  expect([message, 'refused']).toContain(result.kind === 'message' ? result.text : result.kind);
});
