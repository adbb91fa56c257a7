import { expect, test } from 'vitest';
import type { ContextSnippet } from '../ports.ts';
import { estimateTokens } from '../prompt/prompt-budget.ts';
import { selectContext } from './select-context.ts';

const createSnippet = (
  kind: ContextSnippet['kind'],
  path: string,
  text: string,
): ContextSnippet => ({
  kind,
  path,
  text,
});

const createLines = (count: number, word: string): string =>
  Array.from({ length: count }, (_, index) => `${word} = ${index};`).join('\n');

const selectSnippets = (
  candidates: readonly ContextSnippet[],
  fields: Partial<Parameters<typeof selectContext>[0]> = {},
) =>
  selectContext({
    candidates,
    surroundingText: { prefix: '', suffix: '' },
    maxTokens: 500,
    ...fields,
  });

const getSnippetPaths = (snippets: readonly ContextSnippet[]): string[] =>
  snippets.map(({ path }) => path);

const snippetA = createSnippet('similar', 'a.ts', 'const a = 1;');
const snippetB = createSnippet('similar', 'b.ts', 'const b = 2;');

test.each<[string, ContextSnippet[], string[]]>([
  ['returns no snippets without candidates', [], []],
  ['sorts by path regardless of the ranking', [snippetB, snippetA], ['a.ts', 'b.ts']],
  [
    'puts the most stable kinds first',
    [
      createSnippet('edit', 'e', '+e'),
      snippetA,
      createSnippet('definition', 'd', 'd()'),
      createSnippet('cell', 'c', 'cell()'),
      createSnippet('import', 'i', 'i'),
    ],
    ['i', 'c', 'd', 'a.ts', 'e'],
  ],
  [
    'keeps cells in notebook order',
    [createSnippet('cell', '2', 'two'), createSnippet('cell', '1', 'one')],
    ['1', '2'],
  ],
  [
    'puts the newest edit last',
    [createSnippet('edit', 'new', '+n'), createSnippet('edit', 'old', '+o')],
    ['old', 'new'],
  ],
  ['omits duplicate text', [snippetA, { ...snippetA, path: 'z.ts' }], ['a.ts']],
  [
    'omits text contained in another snippet',
    [createSnippet('import', 'i', 'x\nconst a = 1;\ny'), snippetA],
    ['i'],
  ],
  ['omits blank snippets', [createSnippet('similar', 'z', ' \n'), snippetA], ['a.ts']],
])(
  'selectContext returns distinct, non-blank snippets in a stable order: %s',
  (_, snippets, paths) => expect(getSnippetPaths(selectSnippets(snippets))).toEqual(paths),
);

test.each([
  ['before', { prefix: 'x\nconst a = 1;\n', suffix: '' }, ['b.ts']],
  ['after', { prefix: '', suffix: '\nconst b = 2;' }, ['a.ts']],
])(
  'selectContext omits a snippet that the text %s the cursor contains',
  (_, surroundingText, paths) => {
    expect(getSnippetPaths(selectSnippets([snippetA, snippetB], { surroundingText }))).toEqual(
      paths,
    );
  },
);

test.each(['definition', 'import', 'edit', 'similar', 'cell'] as const)(
  'selectContext truncates a long %s snippet at a line end, so that another snippet fits',
  (kind) => {
    const longSnippet = createSnippet(kind, 'long.ts', createLines(2_000, 'word'));
    const selectedSnippets = selectSnippets([
      longSnippet,
      createSnippet(kind === 'edit' ? 'similar' : 'edit', 'other', createLines(10, 'x')),
    ]);
    expect(getSnippetPaths(selectedSnippets)).toContain('other');
    const text = selectedSnippets.find(({ path }) => path === 'long.ts')?.text ?? '';
    expect(estimateTokens(text)).toBeGreaterThan(100);
    expect(text).toMatch(
      kind === 'cell' ? /^word = \d+;\n[^]*word = 1999;$/ : /^word = 0;\n[^]*;\n$/,
    );
  },
);

test.each([0, 3])(
  'selectContext keeps the total size of all snippets within the token budget, with %i extra characters per line',
  (charactersPerLine) => {
    const candidates = Array.from({ length: 60 }, (_, index) =>
      createSnippet(
        (['import', 'definition', 'cell', 'similar', 'edit'] as const)[index % 5]!,
        `${index}`,
        createLines(200, `w${index}`),
      ),
    );
    const selectedSnippets = selectSnippets(candidates, { charactersPerLine });
    const text = selectedSnippets.map(({ path, text }) => `${path}\n${text}`).join('\n');
    expect(
      estimateTokens(text) + (text.split('\n').length * charactersPerLine) / 3.2,
    ).toBeLessThanOrEqual(500);
    expect(selectedSnippets.length).toBeGreaterThan(1);
  },
);

test('selectContext omits a snippet of which only a few tokens would fit', () => {
  expect(
    selectSnippets([createSnippet('similar', 'a', createLines(100, 'word'))], { maxTokens: 60 }),
  ).toEqual([]);
});

test.each([
  'x'.repeat(10_000_000),
  '\n'.repeat(10_000_000),
  '\0'.repeat(1_000_000),
  '\uD83D'.repeat(1_000_000),
])('selectContext truncates a huge text to the token budget', (text) => {
  const selectedSnippets = selectSnippets([
    createSnippet('similar', 'a', text),
    createSnippet('cell', 'b', text),
  ]);
  expect(selectedSnippets.every(({ text }) => text.length < 2_000)).toBe(true);
});
