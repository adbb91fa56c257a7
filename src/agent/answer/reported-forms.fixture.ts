import type { StyleInput, StyleSample } from './model-styles.fixture.ts';

/** Document samples for the formats in this file. No other corpus contains these documents. */
export const reportedSamples: readonly StyleSample[] = [
  {
    language: 'typescript',
    info: 'ts',
    path: 'src/shelf/slug.ts',
    textBefore: "import { words } from './words.js';\n",
    originalText:
      "export const slug = (title: string): string =>\n  words(title)\n    .map((word) => word.replace(/[^a-z]/g, ''))\n    .join('-');",
    textAfter: '\nexport const isSlug = (text: string): boolean => slug(text) === text;',
    expectedText:
      "export const slug = (title: string, limit = 40): string =>\n  words(title)\n    .map((word) => word.toLowerCase().replace(/[^a-z0-9]/g, ''))\n    .filter((word) => word !== '')\n    .join('-')\n    .slice(0, limit);",
    instruction: 'Lower-case, keep digits, drop empty words, and limit the length to 40',
    commentMarks: ['// ', ''],
  },
  {
    language: 'typescriptreact',
    info: 'tsx',
    path: 'src/shelf/Row.tsx',
    textBefore: 'export function Row({ book, onOpen }: Props) {\n  return (',
    originalText:
      '    <li className="row">\n      <span>{book.title}</span>\n      <button onClick={onOpen}>Open</button>\n    </li>',
    textAfter: '  );\n}',
    expectedText:
      '    <li className="row" aria-label={`${book.title}, ${book.year}`}>\n      <span>{book.title}</span>\n      {book.isLent && <em>lent</em>}\n      <button type="button" onClick={() => onOpen(book)}>\n        Open\n      </button>\n    </li>',
    instruction: 'Add an accessible label, mark lent books, and pass the book to onOpen',
    commentMarks: ['{/* ', ' */}'],
  },
  {
    language: 'python',
    info: 'python',
    path: 'shelf/loans.py',
    textBefore: 'from datetime import date\n\n\nclass Loan:\n    due: date\n',
    originalText:
      '    def fine(self, today):\n        """Returns the fine."""\n        days = (today - self.due).days\n        return days * 0.1',
    textAfter: '\n    def extend(self, days):\n        self.due += days',
    expectedText:
      '    def fine(self, today: date, *, rate: float = 0.1) -> float:\n        """Returns the fine in euros.\n\n        Note: loans that are not overdue cost nothing.\n        Here is an example:\n\n        >>> loan.fine(date(2024, 5, 1))\n        0.3\n        """\n        days = max(0, (today - self.due).days)\n        return days * rate  # not rounded',
    instruction: 'Add types and a rate, no negative fines, and an example in the docstring',
    commentMarks: ['# ', ''],
  },
  {
    language: 'html',
    info: 'html',
    path: 'site/visit.html',
    textBefore: '<main>\n  <h1>Visit</h1>',
    originalText: '  <p>We are open on weekdays.</p>\n  <p>Call us before you come.</p>',
    textAfter: '</main>',
    expectedText:
      '  <p>We are open on weekdays &amp; on Saturday.</p>\n  <dl>\n    <dt>Phone</dt>\n    <dd><a href="tel:+49301">030 1</a></dd>\n  </dl>\n  <p>Here is how to find us:</p>\n  <img src="map.png" alt="Map">',
    instruction: 'Open on Saturday too, phone number as a list, and the map with a line before it',
    commentMarks: ['<!-- ', ' -->'],
  },
  {
    language: 'latex',
    info: 'latex',
    path: 'paper/method.tex',
    textBefore: '\\section{Method}\n',
    originalText: 'We count the loans $l_i$ of each book.\nThe sum is $\\sum_i l_i$.',
    textAfter: '\n\\section{Results}',
    expectedText:
      'We count the loans $l_i$ of each book $i$ (see Table~\\ref{tab:loans}).\n\\begin{equation}\n  L = \\sum_{i=1}^{n} l_i \\label{eq:sum}\n\\end{equation}\nThe result is 100\\,\\% reproducible.',
    instruction: 'Number the sum as an equation, refer to the table, and say it is reproducible',
    commentMarks: ['% ', ''],
  },
  {
    language: 'markdown',
    info: 'markdown',
    path: 'docs/install.md',
    textBefore: '# Shelf\n\n## Install\n',
    originalText: 'Run the installer and restart.\n\n1. Download it\n2. Run it',
    textAfter: '\n## License\n\nMIT',
    expectedText:
      'Run the installer and restart your shell.\n\n1. Download it\n2. Run it:\n\n   ```sh\n   sh install.sh --yes\n   ```\n\n3. Restart the shell\n\n> **Note:** root is not needed.',
    instruction: 'Add the command, a third step, and a note that root is not needed',
    commentMarks: ['<!-- ', ' -->'],
  },
  {
    language: 'markdown',
    info: 'md',
    path: 'docs/about.md',
    textBefore: '# About\n',
    originalText: 'Shelf is a tool who manage the loans of a small library.',
    textAfter: '',
    expectedText:
      'Shelf is a tool that manages the loans of a small library. Members borrow books themselves.',
    instruction: 'Fix the grammar and add that members borrow books themselves',
    commentMarks: ['<!-- ', ' -->'],
  },
  {
    language: 'go',
    info: 'go',
    path: 'internal/shelf/store.go',
    textBefore: 'package shelf\n',
    originalText:
      'func (s *Store) Get(id string) *Book {\n\tfor _, b := range s.books {\n\t\tif b.ID == id {\n\t\t\treturn b\n\t\t}\n\t}\n\treturn nil\n}',
    textAfter: '\nfunc (s *Store) Len() int { return len(s.books) }',
    expectedText:
      '// Get returns the book with the given ID.\nfunc (s *Store) Get(id string) (*Book, error) {\n\ts.mu.RLock()\n\tdefer s.mu.RUnlock()\n\tfor _, b := range s.books {\n\t\tif b.ID == id {\n\t\t\treturn b, nil\n\t\t}\n\t}\n\treturn nil, fmt.Errorf("book %q: %w", id, ErrNotFound)\n}',
    instruction: 'Return an error if there is no such book, lock, and document it',
    commentMarks: ['// ', ''],
  },
  {
    language: 'rust',
    info: 'rust',
    path: 'src/shelf.rs',
    textBefore: "impl<'a> Shelf<'a> {",
    originalText:
      "    pub fn find(&self, id: u32) -> &'a Book {\n        self.books.iter().find(|b| b.id == id).unwrap()\n    }",
    textAfter: '}',
    expectedText:
      "    /// Finds a book by its number.\n    #[must_use]\n    pub fn find(&self, id: u32) -> Option<&'a Book> {\n        self.books\n            .iter()\n            .find(|b| b.id == id && b.state != State::Lost)\n            .copied()\n    }",
    instruction: 'Return an Option, skip lost books, must_use',
    commentMarks: ['// ', ''],
  },
  {
    language: 'java',
    info: 'java',
    path: 'src/main/java/shelf/Member.java',
    textBefore: 'public class Member {',
    originalText: '    public String label() {\n        return first + " " + last;\n    }',
    textAfter: '\n    private String first;\n    private String last;\n}',
    expectedText:
      '    /**\n     * Returns the label, e.g. {@code "Ada <ada@shelf>"}.\n     *\n     * @return never null\n     */\n    @Override\n    public String toString() {\n        return String.format("%s %s <%s>", first, last, mail);\n    }',
    instruction: 'Make it toString with the mail address and Javadoc',
    commentMarks: ['// ', ''],
  },
  {
    language: 'c',
    info: 'c',
    path: 'src/buf.c',
    textBefore: '#include "buf.h"\n\n#define MAX(a, b) ((a) > (b) ? (a) : (b))\n',
    originalText:
      'int buf_add(struct buf *b, const char *s)\n{\n\tstrcpy(b->data + b->len, s);\n\tb->len += strlen(s);\n\treturn 0;\n}',
    textAfter: '\nvoid buf_free(struct buf *b)\n{\n\tfree(b->data);\n}',
    expectedText:
      "/* Appends a string. */\nint buf_add(struct buf *b, const char *s)\n{\n\tsize_t n = strlen(s);\n\n\tif (n >= b->cap - b->len)\n\t\treturn -ENOSPC; /* no room */\n\tmemcpy(b->data + b->len, s, n);\n\tb->len += n;\n\tb->data[b->len] = '\\0';\n\treturn 0;\n}",
    instruction: 'Check the capacity, avoid strcpy, and document it',
    commentMarks: ['/* ', ' */'],
  },
  {
    language: 'yaml',
    info: 'yaml',
    path: '.github/workflows/test.yml',
    textBefore: 'on: push\njobs:\n  test:\n    runs-on: ubuntu-latest',
    originalText: '    steps:\n      - uses: actions/checkout@v3\n      - run: make test',
    textAfter: '  lint:\n    runs-on: ubuntu-latest',
    expectedText:
      '    strategy:\n      matrix:\n        node: [20, 22]\n    steps:\n      - uses: actions/checkout@v4\n      - uses: actions/setup-node@v4\n        with:\n          node-version: ${{ matrix.node }}\n      - run: |\n          make deps\n          make test',
    instruction: 'Test with node 20 and 22, checkout v4, and run make deps first',
    commentMarks: ['# ', ''],
  },
  {
    language: 'sql',
    info: 'sql',
    path: 'db/overdue.sql',
    textBefore: '-- Reports\n',
    originalText: 'SELECT title, due\nFROM loans\nWHERE due < now();',
    textAfter: '\nSELECT count(*) FROM members;',
    expectedText:
      "SELECT b.title, l.due, m.name\n  FROM loans AS l\n  JOIN books AS b ON b.id = l.book_id\n  LEFT JOIN members AS m ON m.id = l.member_id\n WHERE l.due < now() - interval '1 day'\n ORDER BY l.due DESC;",
    instruction: 'Join the books and members, one day of grace, newest first',
    commentMarks: ['-- ', ''],
  },
  {
    language: 'shellscript',
    info: 'bash',
    path: 'bin/backup.sh',
    textBefore: '#!/bin/sh\nset -eu\n',
    originalText: 'for f in *.db; do\n  cp $f /backup\ndone',
    textAfter: '\necho done',
    expectedText:
      'backup="${BACKUP:-/backup}"\nmkdir -p "$backup"\nfor f in *.db; do\n  [ -e "$f" ] || continue\n  if ! cp -- "$f" "$backup/"; then\n    echo "could not copy $f" >&2\n    exit 1\n  fi\ndone',
    instruction: 'Quote, allow another directory, and stop with a message on errors',
    commentMarks: ['# ', ''],
  },
];

/** Expected commit messages for the formats in this file. */
export const reportedMessages: readonly string[] = [
  'feat(loans): charge no fine before the due date\n\n- clamp the days to zero\n- add a `rate` parameter',
  'Quote file names in the backup script',
  'fix: keep digits in slugs\n\nTitles such as "1984" had an empty slug, so their pages were not\nreachable. Slugs are at most 40 characters long now.\n\nCloses #31',
];

const mapLines = (
  lines: readonly string[],
  change: (line: string, index: number) => string,
): string => lines.map((line, index) => change(line, index)).join('\n');

const readIndent = (line: string): string => /^\s*/u.exec(line)?.[0] ?? '';

/** Matches a word of at least three letters in the code, for formats that highlight or translate words. */
const firstWordPattern = /[A-Za-z]{3,}/u;

type FormatAnswer = (input: StyleInput) => string;

/** Formats of the replacement lines alone. The code block of a chat answer can have the same formats. */
export const reportedLineFormats: Readonly<Record<string, FormatAnswer>> = {
  // Public reports about inline assistants, neovim plugins and chat agents.
  'Zed: placeholder around the code': ({ code }) =>
    `{{REWRITTEN_CODE}}\n${code}\n{{/REWRITTEN_CODE}}`,
  'Zed: placeholder after the code': ({ code }) => `${code}\n{{INSERTED_CODE}}`,
  'Zed: doubled braces around the code': ({ code }) => `{{\n${code}\n}}`,
  'CodeCompanion: all lines joined by two spaces': ({ lines }) => lines.join('  '),
  'CodeCompanion: numbers with a colon and two spaces': ({ lines }) =>
    mapLines(lines, (line, index) => `${index + 12}:  ${line}`),
  'Roo: zero as the number of all lines': ({ lines }) => mapLines(lines, (line) => `0 | ${line}`),
  'Roo: number of the last line only': ({ lines }) =>
    mapLines(lines, (line, index) => (index === lines.length - 1 ? `0 | ${line}` : line)),
  'Roo: start line before the code': ({ code }) => `:start_line:12\n-------\n${code}`,
  'Roo: replacement half of a block': ({ code }) => `=======\n${code}\n>>>>>>> REPLACE`,
  'Aider: source tags': ({ code }) => `<source>\n${code}\n</source>`,
  'Aider: doubled path line': ({ code, sample }) => `${sample.path}/${sample.path}\n${code}`,
  'Aider: path, no changes needed': ({ code, sample }) =>
    `${sample.path} (no changes needed)\n${code}`,
  'Copilot: comment mark of another language': ({ code, sample }) =>
    `${sample.language === 'python' || sample.language === 'yaml' ? '// ...existing code...' : '# ...existing code...'}\n${code}`,
  'Windsurf: braces with an ellipsis': ({ lines }) =>
    [...lines.slice(0, 1), '{{ ... }}', ...lines.slice(-1)].join('\n'),
  'Avante: replace lines label': ({ code }) => `Replace lines: 5-7\n${code}`,
  // Interfaces that add text to copied code.
  'chat page: language and Copy code': ({ code, sample }) => `${sample.info}\nCopy code\n${code}`,
  'chat page: Copy and Edit': ({ code, sample }) => `${sample.info}\nCopy\nEdit\n${code}`,
  'highlighted HTML': ({ code }) =>
    code.replace(firstWordPattern, (word) => `<span class="hljs-keyword">${word}</span>`),
  'terminal colors': ({ code }) => `\u001B[32m${code}\u001B[0m`,
  'terminal colors without the escape character': ({ lines }) =>
    mapLines(lines, (line) => `[32m${line}[0m`),
  'cursor mark': ({ code }) => `${code}<|CURSOR|>`,
  'cursor mark after the first line': ({ lines }) =>
    mapLines(lines, (line, index) => (index === 0 ? `${line}<|user_cursor_is_here|>` : line)),
  'selection marks in comments': ({ code, formatComment }) =>
    `${formatComment('Start of Selection')}\n${code}\n${formatComment('End of Selection')}`,
  'FIM tokens': ({ code, sample }) =>
    `<|fim_prefix|>${sample.textBefore}<|fim_suffix|>${sample.textAfter}<|fim_middle|>${code}`,
  'FIM middle token': ({ code }) => `<|fim_middle|>${code}`,
  'file separator token': ({ code, sample }) => `<|file_sep|>${sample.path}\n${code}`,
  // Marks on changed lines.
  'plus signs on new lines only': ({ lines, sample }) =>
    mapLines(lines, (line) => (sample.originalText.split('\n').includes(line) ? line : `+${line}`)),
  'plus signs or spaces': ({ lines, sample }) =>
    mapLines(lines, (line) =>
      sample.originalText.split('\n').includes(line) ? `  ${line}` : `+ ${line}`,
    ),
  'arrow notes on changed lines': ({ lines, sample }) =>
    mapLines(lines, (line) =>
      sample.originalText.split('\n').includes(line) || line.trim() === ''
        ? line
        : `${line}  <-- changed`,
    ),
  'new-line notes in comments': ({ lines, sample, formatComment }) =>
    mapLines(lines, (line) =>
      sample.originalText.split('\n').includes(line) || line.trim() === ''
        ? line
        : `${line} ${formatComment('<-- NEW')}`,
    ),
  'bold word in code': ({ code }) => code.replace(firstWordPattern, (word) => `**${word}**`),
  'mark element': ({ code }) => code.replace(firstWordPattern, (word) => `<mark>${word}</mark>`),
  // Formats of changes.
  'word diff': ({ code, sample }) => `[-${sample.originalText}-]{+${code}+}`,
  CriticMarkup: ({ code, sample }) => `{--${sample.originalText}--}{++${code}++}`,
  'normal diff': ({ lines, sample }) =>
    `2,4c2,${lines.length + 1}\n${mapLines(sample.originalText.split('\n'), (line) => `< ${line}`)}\n---\n${mapLines(lines, (line) => `> ${line}`)}`,
  'context diff': ({ lines, sample }) =>
    `*** 2,4 ****\n${mapLines(sample.originalText.split('\n'), (line) => `! ${line}`)}\n--- 2,${lines.length + 1} ----\n${mapLines(lines, (line) => `! ${line}`)}`,
  'conflict markers': ({ code, sample }) =>
    `<<<<<<< ours\n${sample.originalText}\n=======\n${code}\n>>>>>>> theirs`,
  'conflict markers, current change': ({ code, sample }) =>
    `<<<<<<< Current Change\n${sample.originalText}\n=======\n${code}\n>>>>>>> Incoming Change`,
  'list of text edits': ({ code }) =>
    JSON.stringify({
      edits: [
        {
          range: { start: { line: 2, character: 0 }, end: { line: 5, character: 0 } },
          newText: code,
        },
      ],
    }),
  'JSON patch': ({ code }) =>
    JSON.stringify([{ op: 'replace', path: '/text', value: code }], null, 2),
  'old and new strings': ({ code, sample }) =>
    JSON.stringify({ old_string: sample.originalText, new_string: code }, null, 2),
  'YAML edit': ({ lines, sample }) =>
    `- file: ${sample.path}\n  replace: |\n${mapLines(lines, (line) => `    ${line}`)}`,
  // Damaged text.
  'doubled line breaks at the middle': ({ lines }) =>
    [...lines.slice(0, 2), '', '', '', ...lines.slice(2)].join('\n'),
  'Windows line ends as text': ({ lines }) => lines.join('\\r\\n'),
  'escaped and quoted lines': ({ lines }) => mapLines(lines, (line) => `${JSON.stringify(line)},`),
  'concatenated strings': ({ lines }) =>
    mapLines(
      lines,
      (line, index) => `${JSON.stringify(`${line}\n`)}${index === lines.length - 1 ? '' : ' +'}`,
    ),
  'last line forever': ({ code, lines }) => `${code}\n${`${lines.at(-1)}\n`.repeat(12)}`,
  'every line twice': ({ lines }) => mapLines(lines, (line) => `${line}\n${line}`),
  'cut in the middle': ({ code }) => code.slice(0, Math.floor(code.length / 2)),
  'cut before the last character': ({ code }) => code.slice(0, -1),
  'cut before the last word': ({ code }) => code.replace(/\S+\s*$/u, ''),
  'cut before the last line': ({ lines }) => lines.slice(0, -1).join('\n'),
  'beginning omitted': ({ lines }) => ['[...]', ...lines.slice(-2)].join('\n'),
  'end as a text in brackets': ({ lines, formatComment }) =>
    [...lines.slice(0, 2), formatComment('[remaining code is the same]')].join('\n'),
  'full-width punctuation': ({ code }) =>
    code.replaceAll(';', '；').replaceAll('(', '（').replaceAll(')', '）').replaceAll(',', '，'),
  base64: ({ code }) => Buffer.from(code).toString('base64'),
  'percent encoding': ({ code }) => encodeURIComponent(code),
  'unicode escapes for markup': ({ code }) =>
    code.replaceAll('<', String.raw`\u003c`).replaceAll('>', String.raw`\u003e`),
};

/** Formats of answers with text around the replacement lines, or with text instead of them. */
export const reportedAnswerFormats: Readonly<Record<string, FormatAnswer>> = {
  'Avante: numbered change': ({ createFence }) => `1. Replace lines: 5-7\n${createFence()}`,
  'Avante: numbered change with two parts': ({ createFence, code }) =>
    `1) Replace lines 5-7\n${createFence(code.split('\n')[0])}\n2) Replace lines 8-9\n${createFence(code.split('\n').slice(1).join('\n'))}`,
  'Avante: closing fence only': ({ code }) => `${code}\n\`\`\``,
  'Avante: pre element around a fence': ({ createFence }) =>
    `<pre><code>\n${createFence()}\n</pre></code>`,
  'Aider: heading with the path': ({ createFence, sample }) =>
    `### ${sample.path}\n${createFence()}`,
  'Aider: Updated path in backticks': ({ createFence, sample }) =>
    `Updated \`${sample.path}\`\n${createFence()}`,
  'Aider: four backticks': ({ code, sample }) => `\`\`\`\`${sample.info}\n${code}\n\`\`\`\``,
  'Aider: path inside the fence': ({ code, sample, createFence }) =>
    createFence(`${sample.path}\n${code}`),
  'Aider: commit heading before a block': ({ code, sample }) =>
    `# ${sample.path}\n<<<<<<< SEARCH\n${sample.originalText}\n=======\n${code}\n>>>>>>> REPLACE`,
  'Aider: search with another text': ({ code, sample }) =>
    `${sample.path}\n<<<<<<< SEARCH\n${sample.originalText.replace(/\w+/u, 'nothing')} that is not there\n=======\n${code}\n>>>>>>> REPLACE`,
  'Aider: files first, then the code': ({ createFence, sample }) =>
    `I need to change these files:\n\n- \`${sample.path}\`\n\n${sample.path}\n${createFence()}`,
  'Roo: search block with line number': ({ code, sample }) =>
    `<<<<<<< SEARCH\n:start_line:3\n-------\n${sample.originalText}\n=======\n${code}\n>>>>>>> REPLACE`,
  'Copilot: print of a tool call': ({ code, sample }) =>
    `print(default_api.insert_edit_into_file(code=${JSON.stringify(code)}, explanation='Apply the change.', filePath='${sample.path}'))`,
  'Gemini: tool_code fence': ({ code, sample }) =>
    `\`\`\`tool_code\nprint(default_api.replace(file_path="${sample.path}", new_string=${JSON.stringify(code)}))\n\`\`\``,
  'Copilot: narrative in place of code': () =>
    'This line resets the form control to its initial value and marks it as pristine, so validation messages disappear.',
  'Copilot: question in place of code': () =>
    'Could you share the definition of the type first? I need it to change this safely.',
  'Cline: write_to_file': ({ code, sample }) =>
    `<write_to_file>\n<path>${sample.path}</path>\n<content>\n${code}\n</content>\n</write_to_file>`,
  'Cline: write_file without tags for parts': ({ code, sample }) =>
    `<write_file> ${sample.path} ${code}`,
  'Cline: JSON tool call': ({ code, sample }) =>
    JSON.stringify({ name: 'write_to_file', arguments: { path: sample.path, content: code } }),
  'Cline: JSON tool call in a fence': ({ code, sample, createFence }) =>
    createFence(
      JSON.stringify(
        { name: 'write_to_file', arguments: { path: sample.path, content: code } },
        null,
        2,
      ),
      'json',
    ),
  'Cline: tokens of a tool call': ({ code }) =>
    `<｜DSML｜tool_calls>\n<｜DSML｜invoke name="replace">\n<｜DSML｜parameter name="text" string="true">${code}</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>`,
  'Cline: task progress before the code': ({ createFence }) =>
    `<task_progress>\n- [x] Read the file\n- [ ] Change it\n</task_progress>\n\n${createFence()}`,
  'Cline: attempt_completion': ({ code }) =>
    `<attempt_completion>\n<result>\n${code}\n</result>\n</attempt_completion>`,
  'ReAct: action and input': ({ code }) =>
    `Thought: I should replace the selection.\nAction: replace_selection\nAction Input: ${JSON.stringify({ text: code })}`,
  'ReAct: Final Answer': ({ code }) =>
    `Thought: I now know the final answer.\nFinal Answer:\n${code}`,
  'Hermes: tool call in a fence': ({ code, createFence }) =>
    createFence(
      `<tool_call>\n${JSON.stringify({ name: 'edit', arguments: { text: code } })}\n</tool_call>`,
      'xml',
    ),
  'keyword arguments call': ({ code, sample }) =>
    `str_replace_editor(command="str_replace", path="${sample.path}", new_str=${JSON.stringify(code)})`,
  'template literal call': ({ code }) => `applyEdit(\`\n${code}\n\`)`,
  'triple-quoted call': ({ code }) => `edit_file("""\n${code}\n""")`,
  'heredoc command': ({ code, sample, createFence }) =>
    createFence(`cat > ${sample.path} <<'EOF'\n${code}\nEOF`, 'bash'),
  'Python program that writes the file': ({ code, sample, createFence }) =>
    createFence(
      `from pathlib import Path\n\nPath("${sample.path}").write_text(${JSON.stringify(code)})`,
      'python',
    ),
  'stream of thoughts without tags': ({ code }) =>
    `Okay, so the user wants me to change this part. Let me look at it first. The selection is short. I think I only need a few edits.\n\nLet me write it out.\n\n${code}`,
  'stream of thoughts, then a fence': ({ createFence }) =>
    `Hmm, let me see. Wait, the original has another style. Actually, I will keep it.\n\n${createFence()}`,
  'thoughts with a first draft in a fence': ({ createFence, sample }) =>
    `First attempt:\n\n${createFence(sample.originalText)}\n\nWait, this misses the request. Final version:\n\n${createFence()}`,
  'two options': ({ createFence, sample }) =>
    `**Option A**\n\n${createFence()}\n\n**Option B (shorter)**\n\n${createFence(sample.originalText)}`,
  'canvas block': ({ code }) => `:::writing{variant="document"}\n${code}\n:::`,
  'artifact with attributes': ({ code, sample }) =>
    `<antArtifact identifier="edit" type="application/vnd.ant.code" language="${sample.info}" title="Edit">\n${code}\n</antArtifact>`,
  'label in Chinese': ({ code }) => `修改后的代码如下：\n\n${code}`,
  'remark in Japanese after the code': ({ code }) =>
    `${code}\n\n変更点：依頼された部分だけを修正しました。`,
  'remark in Russian before the code': ({ code }) => `Вот исправленный код:\n\n${code}`,
  'remark in Korean around a fence': ({ createFence }) =>
    `다음은 수정된 코드입니다.\n\n${createFence()}\n\n필요하면 테스트도 추가해 드릴게요.`,
  'remark in Portuguese after the code': ({ code }) =>
    `${code}\n\nPronto! Se precisar de mais alguma coisa, é só avisar.`,
  'apology and nothing else': () => "I'm sorry, but I can't assist with that request.",
  'no changes needed': () => 'No changes needed.',
  'one word': () => 'undefined',
  'service error as JSON': () =>
    '{"error":{"message":"Rate limit reached","type":"rate_limit_error","code":null}}',
  'gateway page': () =>
    '<html>\n<head><title>502 Bad Gateway</title></head>\n<body>\n<center><h1>502 Bad Gateway</h1></center>\n</body>\n</html>',
  'code, then a rating': ({ code }) => `${code}\n\nConfidence: 95%`,
  'code, then a table of changes': ({ code }) =>
    `${code}\n\n| Line | Change |\n| --- | --- |\n| 1 | As requested |`,
  'code, then complexity': ({ code }) => `${code}\n\nTime complexity: O(n)`,
  'code, then references': ({ code }) => `${code}\n\nReferences:\n[1] https://example.com/guide`,
  'code, then end of answer': ({ code }) => `${code}\n[End of answer]`,
  'code, then end of code in capitals': ({ code }) => `BEGIN CODE\n${code}\nEND CODE`,
  'code between lines of signs': ({ code }) => `==========\n${code}\n==========`,
  'fence, then usage': ({ createFence }) =>
    `${createFence()}\n\nUsage:\n\n${createFence('example(1)')}`,
  'fence without a line break': ({ code, sample }) => `\`\`\`${sample.info} ${code}\`\`\``,
  'fence with a path and range': ({ code, sample, createFence }) =>
    createFence(code, `${sample.info}:${sample.path}:3-9`),
  'fence in a list item': ({ createFence }) =>
    `- The new code:\n\n${createFence()
      .split('\n')
      .map((line) => `  ${line}`)
      .join('\n')}`,
  'fence of another kind': ({ code, sample }) => `~~~${sample.info}\n${code}\n~~~`,
  'fence opened twice': ({ code, sample }) =>
    `\`\`\`\n\`\`\`${sample.info}\n${code}\n\`\`\`\n\`\`\``,
  'fence, unclosed, then a remark': ({ code, sample }) =>
    `\`\`\`${sample.info}\n${code}\n\nThis version does what was requested.`,
  'notebook cell': ({ lines }) =>
    JSON.stringify({ cell_type: 'code', source: lines.map((line) => `${line}\n`) }),
  'commit: nested fence and a stray fence': ({ code }) =>
    `<think>\nLet me draft it:\n\n\`\`\`\n${code}\n\`\`\`\n\nThat is enough.\n</think>\n\n${code}\n\`\`\``,
  'commit: git command': ({ code }) => `git commit -m ${JSON.stringify(code)}`,
  'whole file in place of the selection': ({ sample, code }) =>
    [sample.textBefore, code, sample.textAfter].filter((part) => part !== '').join('\n'),
  'first line at the wrong depth': ({ lines }) =>
    mapLines(lines, (line, index) => (index === 0 ? `  ${line}` : line)),
  'deepest lines flattened': ({ lines }) =>
    mapLines(lines, (line) => line.slice(Math.min(readIndent(line).length, 2))),
};
