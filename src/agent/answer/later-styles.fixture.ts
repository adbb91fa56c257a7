import type { StyleInput, StyleSample } from './model-styles.fixture.ts';

/** Document samples for {@link laterFormats}. They do not occur in `model-styles.fixture.ts`. */
export const laterSamples: readonly StyleSample[] = [
  {
    language: 'swift',
    info: 'swift',
    path: 'Ferry.swift',
    textBefore: 'struct Ferry {',
    originalText: '    func seats() -> Int {\n        return rows * 4\n    }',
    textAfter: '}',
    expectedText:
      '    /// Number of seats, without the crew.\n    func seats() -> Int {\n        guard rows > 1 else { return 0 }\n        return (rows - 1) * 4\n    }',
    instruction: 'Exclude the first row, which is for the crew',
    commentMarks: ['// ', ''],
  },
  {
    language: 'cpp',
    info: 'cpp',
    path: 'src/ferry.cpp',
    textBefore: '#include "ferry.h"\n',
    originalText: 'int Ferry::seats() const {\n  return rows_ * 4;\n}',
    textAfter: '\nFerry::~Ferry() = default;',
    expectedText:
      'int Ferry::seats() const noexcept {\n  if (rows_ < 1) {\n    return 0;\n  }\n  return rows_ * 4;  // four per row\n}',
    instruction: 'Return 0 without rows, mark noexcept, say that there are four per row',
    commentMarks: ['// ', ''],
  },
  {
    language: 'svelte',
    info: 'svelte',
    path: 'Ferry.svelte',
    textBefore: '<script>\n  let seats = 4;\n</script>\n',
    originalText: '<p class="seats">{seats} seats</p>\n<button on:click={book}>Book</button>',
    textAfter: '',
    expectedText:
      '{#if seats}\n  <p class="seats">{seats} seats left</p>\n  <button on:click={book}>Book</button>\n{:else}\n  <p>Full</p>\n{/if}',
    instruction: 'Show "Full" if there are no seats left',
    commentMarks: ['<!-- ', ' -->'],
  },
  {
    language: 'toml',
    info: 'toml',
    path: 'ferry.toml',
    textBefore: '[ferry]',
    originalText: 'name = "Ella"\nseats = 40\nroutes = ["a", "b"]',
    textAfter: '\n[crew]\nsize = 3',
    expectedText: 'name = "Ella"\nseats = 48\nroutes = [\n  "a",\n  "b",\n  "c",\n]',
    instruction: '48 seats and route c',
    commentMarks: ['# ', ''],
  },
  {
    language: 'perl',
    info: 'perl',
    path: 'ferry.pl',
    textBefore: 'use strict;\n',
    originalText: 'sub seats {\n    my ($rows) = @_;\n    return $rows * 4;\n}',
    textAfter: '\nprint seats(10), "\\n";',
    expectedText:
      'sub seats {\n    my ($rows) = @_;\n    die "no rows\\n" unless $rows > 0;\n    return $rows * 4;\n}',
    instruction: 'Die without rows',
    commentMarks: ['# ', ''],
  },
  {
    language: 'haskell',
    info: 'haskell',
    path: 'Ferry.hs',
    textBefore: 'module Ferry where\n',
    originalText: 'seats :: Int -> Int\nseats rows = rows * 4',
    textAfter: '\ncrew :: Int\ncrew = 3',
    expectedText:
      '-- | Number of seats.\nseats :: Int -> Int\nseats rows\n  | rows <= 0 = 0\n  | otherwise = rows * 4',
    instruction: 'Guard against negative rows, with a Haddock comment',
    commentMarks: ['-- ', ''],
  },
  {
    language: 'elixir',
    info: 'elixir',
    path: 'lib/ferry.ex',
    textBefore: 'defmodule Ferry do',
    originalText: '  def seats(rows) do\n    rows * 4\n  end',
    textAfter: 'end',
    expectedText:
      '  @doc "Returns the number of seats."\n  @spec seats(integer) :: integer\n  def seats(rows) when rows > 0 do\n    rows * 4\n  end\n\n  def seats(_), do: 0',
    instruction: 'Add a doc, a spec and a clause for other values',
    commentMarks: ['# ', ''],
  },
  {
    language: 'graphql',
    info: 'graphql',
    path: 'schema.graphql',
    textBefore: 'type Query {',
    originalText: '  ferry(id: ID!): Ferry\n  ferries: [Ferry!]!',
    textAfter: '}',
    expectedText:
      '  "Finds a ferry."\n  ferry(id: ID!): Ferry\n  ferries(first: Int = 10): [Ferry!]!',
    instruction: 'Describe ferry and add first to ferries',
    commentMarks: ['# ', ''],
  },
  {
    language: 'r',
    info: 'r',
    path: 'ferry.R',
    textBefore: 'library(dplyr)\n',
    originalText: 'seats <- function(rows) {\n  rows * 4\n}',
    textAfter: '\nprint(seats(10))',
    expectedText:
      "#' Number of seats\n#' @param rows Number of rows.\nseats <- function(rows) {\n  stopifnot(rows > 0)\n  rows * 4\n}",
    instruction: 'Document it with roxygen and check the rows',
    commentMarks: ['# ', ''],
  },
  {
    language: 'scss',
    info: 'scss',
    path: 'ferry.scss',
    textBefore: '$gap: 4px;\n',
    originalText: '.ferry {\n  gap: $gap;\n  &:hover { color: blue; }\n}',
    textAfter: '\n.crew { margin: 0; }',
    expectedText: '.ferry {\n  gap: $gap * 2;\n\n  &:hover,\n  &:focus {\n    color: navy;\n  }\n}',
    instruction: 'Double the gap, navy on hover and focus',
    commentMarks: ['// ', ''],
  },
  {
    language: 'latex',
    info: 'tex',
    path: 'ferry.tex',
    textBefore: '\\begin{table}',
    originalText: '\\begin{tabular}{ll}\nFerry & Seats \\\\\nElla & 40 \\\\\n\\end{tabular}',
    textAfter: '\\end{table}',
    expectedText:
      '\\begin{tabular}{lr}\n\\hline\nFerry & Seats \\\\\n\\hline\nElla & 48 \\\\\nAda & 20 \\\\\n\\end{tabular}',
    instruction: 'Align the seats right, add rules, Ella has 48, add Ada with 20',
    commentMarks: ['% ', ''],
  },
  {
    language: 'markdown',
    info: 'markdown',
    path: 'docs/ferry.md',
    textBefore: '# Ferries\n',
    originalText: '- Ella: 40 seats\n- Ada: 20 seats',
    textAfter: '\n## Crew\n',
    expectedText: '| Ferry | Seats |\n|-------|-------|\n| Ella  | 40    |\n| Ada   | 20    |',
    instruction: 'Make it a table',
    commentMarks: ['<!-- ', ' -->'],
  },
  {
    language: 'plaintext',
    info: '',
    path: 'mail.txt',
    textBefore: 'Hello,\n',
    originalText: 'the ferry leave at 8. please be their at 7:30',
    textAfter: '\nBye',
    expectedText: 'The ferry leaves at 8. Please be there at 7:30.',
    instruction: 'Fix the grammar',
  },
  {
    language: 'bat',
    info: 'bat',
    path: 'run.bat',
    textBefore: '@echo off',
    originalText: 'set SEATS=40\nferry.exe %SEATS%',
    textAfter: 'pause',
    expectedText: 'set SEATS=48\nif not exist ferry.exe exit /b 1\nferry.exe %SEATS%',
    instruction: '48 seats, stop if ferry.exe is missing',
    commentMarks: ['REM ', ''],
  },
  {
    language: 'lua',
    info: 'lua',
    path: 'ferry.lua',
    textBefore: 'local M = {}\n',
    originalText: 'function M.seats(rows)\n  return rows * 4\nend',
    textAfter: '\nreturn M',
    expectedText: 'function M.seats(rows)\n  assert(rows > 0, "no rows")\n  return rows * 4\nend',
    instruction: 'Assert that there are rows',
    commentMarks: ['-- ', ''],
  },
];

const mapLines = (lines: readonly string[], change: (line: string) => string): string =>
  lines.map((line) => change(line)).join('\n');

/** Functions that write an answer, by name of the answer format. These formats are not in `model-styles.fixture.ts`. */
export const laterFormats: Readonly<Record<string, (input: StyleInput) => string>> = {
  'thought, then code': ({ code }) =>
    `Let me think about this step by step. The selection needs one change.\n\n${code}`,
  'code, then Changes bold': ({ code }) => `${code}\n\n**Changes**: guard added.`,
  'code, checkmarks': ({ code }) => `${code}\n\n✅ Guard added\n✅ Style kept`,
  'code, numbered notes': ({ code }) =>
    `${code}\n\n1. The guard was added.\n2. The rest was left alone.`,
  'code, tests pass': ({ code }) => `${code}\n\nAll tests should pass now.`,
  'code, warning': ({ code }) => `${code}\n\n⚠️ Make sure the callers handle 0.`,
  'code, tip': ({ code }) => `${code}\n\n> **Tip:** run the linter afterwards.`,
  'code, one word': ({ code }) => `${code}\nDone`,
  'code, hr and question': ({ code }) => `${code}\n\n***\n\nAnything else?`,
  'code, signature': ({ code }) => `${code}\n\n— Your assistant`,
  'fence, second fence with same code': ({ createFence }) =>
    `${createFence()}\n\nor, shorter:\n\n${createFence()}`,
  'fence in quote': ({ createFence }) =>
    createFence()
      .split('\n')
      .map((line) => `> ${line}`)
      .join('\n'),
  'two fences, file and selection': ({ createFence, sample }) =>
    `Full file:\n\n${createFence([sample.textBefore, sample.expectedText, sample.textAfter].join('\n'))}\n\nJust the selection:\n\n${createFence()}`,
  'comment: generated by': ({ code, formatComment, createFence }) =>
    createFence(`${formatComment('Generated by AI')}\n${code}`),
  'comment: see above': ({ code, formatComment, createFence }) =>
    createFence(`${code}\n${formatComment('See the explanation above.')}`),
  'comment: TODO verify': ({ code, formatComment, createFence }) =>
    createFence(`${code}\n${formatComment('TODO: verify this with your team')}`),
  'comment: fixed': ({ code, formatComment, createFence }) =>
    createFence(`${formatComment('FIXED: guard was missing')}\n${code}`),
  'comment: selection start': ({ code, formatComment, createFence }) =>
    createFence(
      `${formatComment('--- selection ---')}\n${code}\n${formatComment('--- end selection ---')}`,
    ),
  'comment: lines': ({ code, formatComment, createFence }) =>
    createFence(`${formatComment('lines 3-5')}\n${code}`),
  'comment: this function was': ({ code, formatComment, createFence }) =>
    createFence(`${code}\n${formatComment('This function was simplified for readability.')}`),
  'comment: German': ({ code, formatComment, createFence }) =>
    createFence(`${code}\n${formatComment('Ich habe die Prüfung ergänzt.')}`),
  'comment: Spanish': ({ code, formatComment, createFence }) =>
    createFence(`${code}\n${formatComment('He añadido la comprobación.')}`),
  'comment: before (old code)': ({ code, formatComment, createFence, sample }) =>
    createFence(
      `${sample.originalText
        .split('\n')
        .map((line) => formatComment(line))
        .join('\n')}\n${code}`,
    ),
  'old code, then new code': ({ code, sample }) => `${sample.originalText}\n\n${code}`,
  'old => new': ({ code, sample }) => `${sample.originalText}\n=>\n${code}`,
  strikethrough: ({ code, sample }) => `~~${sample.originalText}~~\n\n${code}`,
  'bold lines': ({ lines }) => mapLines(lines, (line) => (line ? `**${line}**` : '')),
  bullets: ({ lines }) => mapLines(lines, (line) => `- ${line}`),
  'backslash ends': ({ lines }) => lines.join('\\\n'),
  'tag with path': ({ code, sample }) => `<${sample.path}>\n${code}\n</${sample.path}>`,
  'function call text': ({ code }) => `replace_selection(${JSON.stringify(code)})`,
  'cut last line': ({ code }) => code.slice(0, -3),
  'inline code lines': ({ lines }) => mapLines(lines, (l) => (l ? `\`${l}\`` : '')),
  'quoted lines': ({ lines }) => mapLines(lines, (l) => `"${l}"`),
  'array of lines': ({ lines }) => JSON.stringify(lines, null, 2),
  'array of lines, one line': ({ lines }) => JSON.stringify(lines),
  'two spaces ends': ({ lines }) => lines.join('  \n'),
  'dots for spaces': ({ lines }) =>
    mapLines(lines, (l) => l.replace(/^ +/u, (spaces) => '·'.repeat(spaces.length))),
  'tabs shown as arrows': ({ lines }) =>
    mapLines(lines, (l) =>
      l.replace(/^(?: {2}|\t)+/u, (spaces) => '→'.repeat(Math.ceil(spaces.length / 2))),
    ),
  'full-width indentation': ({ lines }) =>
    mapLines(lines, (l) => l.replace(/^ +/u, (spaces) => '\u3000'.repeat(spaces.length))),
  'zero-width first': ({ code }) => `\u200B${code}`,
  'BOM first': ({ code }) => `\uFEFF${code}`,
  'CR only': ({ code }) => code.replaceAll('\n', '\r'),
  'minus diff only': ({ sample }) => mapLines(sample.originalText.split('\n'), (l) => `-${l}`),
  'plus minus in code': ({ lines, sample }) =>
    [
      ...sample.originalText.split('\n').map((line) => `- ${line}`),
      ...lines.map((line) => `+ ${line}`),
    ].join('\n'),
  'ed script': ({ code }) => `2,4c\n${code}\n.`,
  'sed range': ({ code }) => `@@ 2-4 @@\n${code}`,
  'vim command': ({ code }) => `:%s/old/new/g\n${code}`,
  'file header in brackets': ({ code, sample }) => `[${sample.path}]\n${code}`,
  'file header with equals': ({ code, sample }) =>
    `==== ${sample.path} ====\n${code}\n==== end ====`,
  'edit: prefix': ({ code }) => `edit:\n${code}`,
  'Result -> code': ({ code }) => `Result ->\n${code}`,
  'json lines key': ({ lines }) => JSON.stringify({ lines }),
  'html page': ({ code }) => `<html><body><pre>${code}</pre></body></html>`,
  'markdown indented': ({ lines }) =>
    `Here:\n\n${mapLines(lines, (l) => (l ? `    ${l}` : ''))}\n\nThat is all.`,
  'two newlines then stop token text': ({ code }) => `${code}\n\n</s>`,
  'im_end text': ({ code }) => `${code}\n<|im_end|>`,
  'User follow up': ({ code }) => `${code}\n\nUser: now add tests`,
  'Human follow up': ({ code }) => `${code}\n\nHuman: thanks`,
  'apply_patch heredoc': ({ code, sample }) =>
    `apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: ${sample.path}\n@@\n${mapLines(sample.originalText.split('\n'), (l) => `-${l}`)}\n${mapLines(code.split('\n'), (l) => `+${l}`)}\n*** End Patch\nEOF`,
};
