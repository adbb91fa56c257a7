import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { root } from '../../../../test/support/paths.ts';
import {
  requestAnswer,
  workspaceTools,
} from '../../../../test/service/models/workspace.fixture.ts';
import { SuggestedPrompts } from './suggested-prompts.ts';

const folder = join(root, 'test/support/sample-workspace');

interface FakeUri {
  readonly path: string;
  toString(): string;
}

const createUri = (path: string): FakeUri => ({ path, toString: () => `file://${path}` });
const editor = vi.hoisted(() => ({
  shown: undefined as unknown,
  problemCount: 0,
  trusted: true,
  hasFolder: true,
}));

vi.mock('../../../platform/window.ts', () => ({ findActiveOrVisibleEditor: () => editor.shown }));
vi.mock('vscode', async () => ({
  ...(await import('../../../../test/support/vscode-stub.ts')),
  Uri: { joinPath: (base: FakeUri, name: string) => createUri(join(base.path, name)) },
  languages: { getDiagnostics: () => Array.from({ length: editor.problemCount }) },
  workspace: {
    get workspaceFolders() {
      return editor.hasFolder ? [{ name: 'sample-workspace', uri: createUri(folder) }] : undefined;
    },
    get isTrusted() {
      return editor.trusted;
    },
    asRelativePath: ({ path }: FakeUri) => relative(folder, path),
    fs: { readDirectory: async () => readdirSync(folder).map((name) => [name, 1]) },
  },
}));

beforeEach(() =>
  Object.assign(editor, { shown: undefined, problemCount: 0, trusted: true, hasFolder: true }),
);

/**
 * Lists the prompts that are suggested while the file `path` is open. The editor can have a selection, and the file
 * can have problems.
 */
async function listPrompts(path?: string, { hasSelection = false, problemCount = 0 } = {}) {
  editor.problemCount = problemCount;
  if (path !== undefined) editor.shown = createEditor(path, hasSelection);
  const prompts = new SuggestedPrompts();
  await prompts.loadFolderFiles();
  return prompts.listPrompts();
}

const createEditor = (path: string, hasSelection = false) => ({
  document: {
    uri: createUri(join(folder, path)),
    isUntitled: false,
    languageId: languages[path.split('.').at(-1) ?? ''],
  },
  selection: { isEmpty: !hasSelection },
});

const languages: Readonly<Record<string, string>> = {
  md: 'markdown',
  json: 'json',
  ts: 'typescript',
  py: 'python',
};

/** Sends a prompt with its attachment to the local service. Returns the text and the tool calls of the answer. */
async function sendPrompt(
  { text, attachmentSource }: Awaited<ReturnType<typeof listPrompts>>[number],
  hasTools: boolean,
) {
  const path = attachmentSource === undefined ? '' : relative(folder, attachmentSource.uri.path);
  const extension = path.split('.').at(-1) ?? '';
  const code = attachmentSource === undefined ? '' : readFileSync(join(folder, path), 'utf8');
  const attachment = `<attachment: ${path}>\n\`\`\`${languages[extension]}\n${code}\n\`\`\`\n</attachment>\n\n`;
  const content = attachmentSource === undefined ? text : attachment + text;
  const { content: answer, toolCalls } = await requestAnswer(
    [{ role: 'user', content }],
    hasTools ? { tools: workspaceTools } : {},
  );
  return { answer, toolCalls };
}

/** Functions that list the suggested prompts of an empty chat, by a description of the editor and the workspace. */
const promptSituations = {
  'no editor': () => listPrompts(),
  'a TypeScript file': () => listPrompts('src/tide.ts'),
  'a Python file': () => listPrompts('scripts/import_stations.py'),
  'a selection with problems': () =>
    listPrompts('src/server.ts', { hasSelection: true, problemCount: 1 }),
  'an untrusted folder': () => ((editor.trusted = false), listPrompts('src/tide.ts')),
  'no folder': () => ((editor.hasFolder = false), listPrompts()),
};

describe.each(Object.entries(promptSituations))('SuggestedPrompts with %s', (_name, load) => {
  test('names only paths that exist', async () => {
    const prompts = await load();
    expect(prompts).toHaveLength(3);
    for (const { text, attachmentSource } of prompts) {
      const paths = text.match(/[\w./-]+\.\w+/gu) ?? [];
      expect(paths).toHaveLength(attachmentSource === undefined ? 0 : 1);
      for (const path of paths) expect(existsSync(join(folder, path)), path).toBe(true);
    }
  });

  test.each([
    ['without tools', false],
    ['with tools', true],
  ])(
    'offers only prompts that the local service does not refuse to answer %s',
    async (_, hasTools) => {
      for (const prompt of await load()) {
        const { answer, toolCalls } = await sendPrompt(prompt, hasTools);
        expect(answer, prompt.text).not.toMatch(/stand-in|cannot tell|beyond me|do not know/u);
        expect(answer.length + toolCalls.length, prompt.text).toBeGreaterThan(40);
      }
    },
  );
});

test.each([
  ['Summarize README.md', /when the water is high/u],
  ['What is missing in README.md?', /Installation[\s\S]*License/u],
  ['Explain package.json', /scripts|dependencies/u],
  ['Explain src/tide.ts', /src\/tide\.ts/u],
  ['Write tests for src/tide.ts', /expect\(/u],
  ['What could go wrong in src/tide.ts?', /unusual `count`/u],
])(
  'the local service answers the suggested prompt %j from the content of the attached file',
  async (text, expected) => {
    const allPrompts = [...(await listPrompts()), ...(await listPrompts('src/tide.ts'))];
    const prompt = allPrompts.find((candidate) => candidate.text === text);
    expect(prompt).toBeDefined();
    expect((await sendPrompt(prompt!, false)).answer).toMatch(expected);
  },
);

test('the local service answers the suggested prompt about a date with a correct regular expression', async () => {
  editor.trusted = false;
  const prompt = (await listPrompts()).find(({ text }) => text.includes('ISO date'));
  const { answer } = await sendPrompt(prompt!, false);
  const pattern = new RegExp(/^\/(.*)\/$/mu.exec(answer)?.[1] ?? 'none', 'u');
  expect(
    ['2026-11-28', '2026-13-01', '26-1-1', '2026-01-32'].map((date) => pattern.test(date)),
  ).toEqual([true, false, false, false]);
});

test.each([
  ['no tests', 'README.md', false],
  ['no tests', 'package.json', false],
  ['tests', 'src/tide.ts', true],
  ['tests', 'scripts/import_stations.py', true],
])('SuggestedPrompts suggests %s for the file %s', async (_, path, isOffered) => {
  const texts = (await listPrompts(path)).map(({ text }) => text);
  expect(texts.includes(`Write tests for ${path}`)).toBe(isOffered);
});

test('SuggestedPrompts finds a prompt and its attached file even after another file was opened', () => {
  const prompts = new SuggestedPrompts();
  editor.shown = createEditor('src/tide.ts');
  const [listedPrompt] = prompts.listPrompts();
  expect(listedPrompt?.text).toBe('Explain src/tide.ts');
  editor.shown = createEditor('src/server.ts');
  expect(prompts.findPrompt('Explain src/tide.ts')).toBe(listedPrompt);
  expect(prompts.findPrompt('Explain src/server.ts')).toBeUndefined();
  prompts.listPrompts();
  expect(prompts.findPrompt('Explain src/tide.ts')).toBe(listedPrompt);
  expect(prompts.findPrompt('Explain src/server.ts')?.attachmentSource?.uri.path).toMatch(
    /server\.ts$/u,
  );
});
