import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { maxSkills } from '../agent-files.ts';
import { maxInstructionLength } from '../chat-instructions.ts';
import { FileStates, readAgentFiles } from './read-agent-files.ts';

interface FileUri {
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
  readonly fsPath: string;
  readonly toString: () => string;
}

const createUri = vi.hoisted(() => (path: string): FileUri => ({
  scheme: 'file',
  authority: '',
  path,
  fsPath: path,
  toString: () => path,
}));
vi.mock('vscode', () => ({
  FileType: { File: 1, Directory: 2, SymbolicLink: 64 },
  Uri: {
    joinPath: ({ path }: FileUri, ...names: string[]) => createUri(join(path, ...names)),
    file: (path: string) => createUri(path),
  },
  workspace: {
    fs: {
      stat: async ({ path }: FileUri) => {
        const stats = await stat(path);
        const { size, ctimeMs: ctime, mtimeMs: mtime } = stats;
        return { type: stats.isDirectory() ? 2 : 1, size, ctime, mtime };
      },
      readFile: ({ path }: FileUri) => readFile(path),
      readDirectory: async ({ path }: FileUri) =>
        (await readdir(path, { withFileTypes: true })).map((entry) => [
          entry.name,
          entry.isDirectory() ? 2 : 1,
        ]),
    },
  },
}));

/** Creates a workspace with these files, and reads its agent files. */
async function readAgentFilesFrom(
  files: Readonly<Record<string, string>>,
  visiblePath = 'a.ts',
  { isTrusted = true, links = {} }: { isTrusted?: boolean; links?: Record<string, string> } = {},
) {
  const root = await mkdtemp(join(tmpdir(), 'agent-files-'));
  onTestFinished(() => rm(root, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  for (const [path, target] of Object.entries(links)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await symlink(target, join(root, path));
  }
  return readAgentFiles({
    folders: [{ uri: createUri(root), name: 'w' }] as never,
    isTrusted,
    visibleFile: createUri(join(root, visiblePath)) as never,
  });
}

test('readAgentFiles ignores AGENTS.md files of installed packages', async () => {
  const files = { 'node_modules/a/AGENTS.md': 'package', 'lib/AGENTS.md': 'own' };
  const packageFiles = await readAgentFilesFrom(files, 'node_modules/a/lib/a.ts');
  expect(packageFiles.instructions).toEqual([]);
  expect((await readAgentFilesFrom(files, 'lib/a.ts')).instructions).toEqual([
    { label: 'lib/AGENTS.md', text: 'own' },
  ]);
});

test('readAgentFiles truncates long globs in the description of scoped instructions', async () => {
  const text = `---\napplyTo: ${'docs/a,'.repeat(1_000)}\n---\nText`;
  const { skills } = await readAgentFilesFrom({
    '.github/instructions/docs.instructions.md': text,
  });
  expect(skills).toMatchObject([{ name: 'docs' }]);
  expect(skills[0]?.description.length).toBeLessThanOrEqual(300);
});

const skillText = '---\ndescription: d\n---\nText';

test.each([
  ['applies', 'src/**/*.ts', 'is src/deep/a.ts', 'src/deep/a.ts', ['T'], []],
  [
    'lists as a skill',
    'src/**/*.ts',
    'is docs/a.md, which does not match',
    'docs/a.md',
    [],
    ['rules'],
  ],
  ['applies', '**', 'is docs/a.md', 'docs/a.md', ['T'], []],
])(
  'readAgentFiles %s the instructions for "%s" if the visible file %s',
  async (_result, applyTo, _condition, visiblePath, expectedTexts, expectedSkills) => {
    const text = `---\napplyTo: '${applyTo}'\n---\nT`;
    const files = { '.github/instructions/rules.instructions.md': text };
    const { instructions, skills } = await readAgentFilesFrom(files, visiblePath);
    expect(instructions.map((file) => file.text)).toEqual(expectedTexts);
    expect(skills.map(({ name }) => name)).toEqual(expectedSkills);
  },
);

test('readAgentFiles reads nothing in an untrusted workspace', async () => {
  const files = { 'AGENTS.md': 'Text', '.claude/skills/a/SKILL.md': skillText };
  const agentFiles = await readAgentFilesFrom(files, 'a.ts', { isTrusted: false });
  expect(agentFiles).toEqual({ instructions: [], skills: [], agents: [], skippedFiles: [] });
});

test.skipIf(process.platform === 'win32')(
  'readAgentFiles ignores files behind links, except links between folders of skills',
  async () => {
    const links = {
      'CLAUDE.md': 'notes.md',
      '.github/agents/a.agent.md': '../../notes.md',
      '.claude/skills/out': '../../other',
      '.claude/skills/in': '../../.agents/skills/kept',
    };
    const files = {
      'notes.md': 'Text',
      'other/SKILL.md': skillText,
      '.agents/skills/kept/SKILL.md': skillText.replace('d\n', 'd\nname: kept\n'),
    };
    const { instructions, skills, agents } = await readAgentFilesFrom(files, 'a.ts', { links });
    expect([instructions, agents]).toEqual([[], []]);
    expect(skills.map(({ name }) => name)).toEqual(['kept']);
  },
);

test('readAgentFiles reports files that exceed the size limit instead of ignoring them silently', async () => {
  const largeText = 'x'.repeat(256 * 1024 + 1);
  const { instructions, skills, skippedFiles } = await readAgentFilesFrom({
    'AGENTS.md': largeText,
    'CLAUDE.md': 'Short.',
    '.claude/skills/a/SKILL.md': `---\ndescription: d\n---\n${largeText}`,
    'data/large.md': largeText,
  });
  expect(instructions).toEqual([{ label: 'CLAUDE.md', text: 'Short.' }]);
  expect(skills).toEqual([]);
  expect(skippedFiles).toEqual([
    { line: 1, label: '.claude/skills/a/SKILL.md' },
    { line: 1, label: 'AGENTS.md' },
  ]);
});

test.each([
  ['contains a line break', 'a\nb'],
  ['contains a text direction override', 'a\u{202E}b'],
  ['begins with a hyphen', '-a'],
])('readAgentFiles reports scoped instructions as unusable if their name %s', async (_, name) => {
  const path = `.github/instructions/${name}.instructions.md`;
  const { skills, skippedFiles } = await readAgentFilesFrom({
    [path]: '---\ndescription: d\n---\nText',
  });
  expect(skills).toEqual([]);
  expect(skippedFiles).toEqual([{ line: 1, label: path }]);
});

test('readAgentFiles limits the total length of instructions and reports the files that exceed the limit', async () => {
  const paths = ['a', 'b', 'c', 'd', 'e'].map(
    (name) => `.github/instructions/${name}.instructions.md`,
  );
  const createText = (path: string) =>
    `---\napplyTo: "**"\n---\n${path}${'x'.repeat(maxInstructionLength)}`;
  const { instructions, skippedFiles } = await readAgentFilesFrom({
    'AGENTS.md': 'root',
    ...Object.fromEntries(paths.map((path) => [path, createText(path)])),
  });
  expect(instructions.map(({ label }) => label)).toEqual(['AGENTS.md', ...paths.slice(0, 3)]);
  expect(skippedFiles).toEqual(paths.slice(3).map((label) => ({ line: 1, label })));
});

test('readAgentFiles lists a skill instead of scoped instructions with the same name, and reports these instructions as not used', async () => {
  const skillPath = '.github/skills/docs/SKILL.md';
  const instructionsPath = '.github/instructions/docs.instructions.md';
  const text = '---\ndescription: d\n---\nText';
  const { skills, skippedFiles } = await readAgentFilesFrom({
    [skillPath]: text,
    [instructionsPath]: text,
  });
  expect(skills.map(({ label }) => label)).toEqual([skillPath]);
  expect(skippedFiles).toEqual([{ line: 1, label: instructionsPath }]);
});

test('readAgentFiles limits the number of skills and reports the skills that exceed the limit', async () => {
  const paths = Array.from(
    { length: maxSkills + 2 },
    (_, index) => `.github/skills/s${index + 100}/SKILL.md`,
  );
  const text = '---\ndescription: d\n---\nText';
  const { skills, skippedFiles } = await readAgentFilesFrom(
    Object.fromEntries(paths.map((path) => [path, text])),
  );
  expect(skills.map(({ label }) => label)).toEqual(paths.slice(0, maxSkills));
  expect(skippedFiles).toEqual(paths.slice(maxSkills).map((label) => ({ line: 1, label })));
});

const skillFileText = '---\nname: mail\ndescription: Writes mails\n---\nSteps';
const agentFileText = '---\nname: reader\n---\nRead.';

test.each([
  { change: 'a new instruction file', path: 'w/AGENTS.md', text: 'new' },
  { change: 'a longer instruction file', path: 'w/CLAUDE.md', text: 'longer' },
  { change: 'a deleted instruction file', path: 'w/CLAUDE.md' },
  {
    change: 'the first agent of a new folder',
    path: 'w/.github/agents/b.agent.md',
    text: agentFileText,
  },
  { change: 'another agent in a known folder', path: 'w/.claude/agents/b.md', text: agentFileText },
  { change: 'a deleted agent', path: 'w/.claude/agents/a.md' },
  {
    change: 'a skill in a new folder',
    path: 'w/.agents/skills/mail/SKILL.md',
    text: skillFileText,
  },
  { change: 'an instruction file below the home folder', path: 'h/.agents/AGENTS.md', text: 'new' },
  {
    change: 'a skill below the home folder',
    path: 'h/.claude/skills/mail/SKILL.md',
    text: skillFileText,
  },
])('FileStates detects $change after readAgentFiles read the files', async ({ path, text }) => {
  const root = await mkdtemp(join(tmpdir(), 'agent-files-'));
  onTestFinished(() => rm(root, { recursive: true }));
  const write = async (name: string, content: string): Promise<void> => {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), content);
  };
  await write('w/CLAUDE.md', 'short');
  await write('w/.claude/agents/a.md', agentFileText);
  await mkdir(join(root, 'h'));
  const states = new FileStates();
  const context = {
    folders: [{ uri: createUri(join(root, 'w')), name: 'w' }] as never,
    isTrusted: true,
    visibleFile: createUri(join(root, 'w/src/a.ts')) as never,
    homeFolder: createUri(join(root, 'h')) as never,
  };
  await readAgentFiles(context, states);
  expect(await states.haveChanged()).toBe(false);
  await (text === undefined ? rm(join(root, path)) : write(path, text));
  expect(await states.haveChanged()).toBe(true);
});
