import { execFile, execFileSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseReadingGitCommand } from './git-commands.ts';
import { findConfiguredProgram, type GitPorts } from './git-settings.ts';
import { createCommandEnvironment } from './vscode/shell.ts';

/** Environment in which Git reads the user settings file of the test and ignores the settings of the machine. */
const environment = {
  ...createCommandEnvironment({ PATH: process.env['PATH'], HOME: '/nonexistent' }),
  GIT_CONFIG_GLOBAL: '/dev/null',
};

let parentFolder: string;
let templateFolder: string;
let root: string;
let markerFile: string;
/** File with the Git settings of the user. */
let userSettingsFile: string;
let repositoryCount = 0;

const runGit = (folder: string, ...args: readonly string[]): string =>
  execFileSync('git', ['-c', 'protocol.file.allow=always', ...args], {
    cwd: folder,
    env: environment,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });

/** Runs a Git command as the agent does. Ignores its exit code. */
const runIgnoringExitCode = (line: string, env: NodeJS.ProcessEnv): void => {
  try {
    execFileSync('git', ['--no-pager', ...line.split(' ').slice(1)], {
      cwd: root,
      env,
      stdio: 'ignore',
    });
  } catch {
    // A refused repository.
  }
};

const gitPorts: GitPorts = {
  runGit: async (folder, args, input) => {
    const options = { cwd: folder, env: environment };
    const gitRun = promisify(execFile)('git', [...args], options);
    gitRun.child.stdin?.end(input);
    return (await gitRun).stdout;
  },
  fileExists: (folder, path) => Promise.resolve(existsSync(resolve(folder, path))),
};

const findProgram = (line: string): Promise<string | undefined> =>
  findConfiguredProgram(root, line.split(' ')[1] ?? '', gitPorts);

const commitAllFiles = (folder: string, message: string): void => {
  runGit(folder, 'add', '.');
  runGit(folder, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', message);
};

/** Creates a shell command that creates the marker file and copies standard input to standard output. */
const createPayload = (): string => `touch ${markerFile}; cat`;
const setConfig = (key: string, value: string, folder = root): string =>
  runGit(folder, 'config', key, value);
const addHook = (gitFolder: string): void => {
  mkdirSync(join(gitFolder, 'hooks'), { recursive: true });
  writeFileSync(join(gitFolder, 'hooks/post-index-change'), `#!/bin/sh\ntouch ${markerFile}\n`, {
    mode: 0o755,
  });
};
/** Changes the modification time of a file, so that Git compares its content again. */
const resetModificationTime = (file: string): void =>
  utimesSync(join(root, file), new Date(), new Date(0));

beforeAll(() => {
  parentFolder = realpathSync(mkdtempSync(join(tmpdir(), 'git-settings-')));
  templateFolder = join(parentFolder, 'template');
  mkdirSync(templateFolder);
  runGit(templateFolder, 'init', '-q', '-b', 'main');
  writeFileSync(join(templateFolder, 'a.txt'), 'text\n');
  writeFileSync(join(templateFolder, '.gitattributes'), '*.txt filter=x diff=x\n');
  commitAllFiles(templateFolder, 'one');
  appendFileSync(join(templateFolder, 'a.txt'), 'more\n');
  commitAllFiles(templateFolder, 'two');
  runGit(templateFolder, 'config', 'uploadpack.allowFilter', 'true');
});

afterAll(() => rmSync(parentFolder, { recursive: true, force: true }));

beforeEach(() => {
  repositoryCount += 1;
  root = join(parentFolder, `repository-${repositoryCount}`);
  markerFile = join(parentFolder, `marker-${repositoryCount}`);
  userSettingsFile = join(parentFolder, `settings-${repositoryCount}`);
  writeFileSync(userSettingsFile, '');
  environment.GIT_CONFIG_GLOBAL = userSettingsFile;
  cpSync(templateFolder, root, { recursive: true });
});

function addSubmodule(): string {
  runGit(root, 'submodule', '--quiet', 'add', templateFolder, 'deep/sub');
  commitAllFiles(root, 'three');
  return join(root, 'deep/sub');
}

/** Replaces the repository with a partial clone, which lacks most objects. */
function replaceWithPartialClone(): void {
  rmSync(root, { recursive: true });
  runGit(
    parentFolder,
    'clone',
    '-q',
    '--no-checkout',
    '--filter=tree:0',
    `file://${templateFolder}`,
    root,
  );
  setConfig('remote.origin.uploadpack', `touch ${markerFile}; git-upload-pack`);
}

interface ProgramCase {
  readonly prepare: () => void;
  readonly commandLine: string;
  readonly settingKey: string;
  /** True if the configured program cannot start in the environment in which the agent runs commands. */
  readonly isPrevented?: true;
}

const programCases: Readonly<Record<string, ProgramCase>> = {
  'a filter': {
    prepare: () => setConfig('filter.x.clean', createPayload()),
    commandLine: 'git status',
    settingKey: 'filter.x.clean',
  },
  'a filter of unusual name': {
    prepare: () => {
      setConfig('filter.a.b c=d.clean', createPayload());
      writeFileSync(join(root, '.git/info/attributes'), 'a.txt "filter=a.b c=d"\n');
      setConfig('filter.x.clean', createPayload());
    },
    commandLine: 'git status',
    settingKey: 'filter.a.b c=d.clean',
  },
  'a filter process': {
    prepare: () => setConfig('filter.x.process', createPayload()),
    commandLine: 'git diff --stat',
    settingKey: 'filter.x.process',
  },
  'another program as the filter of Git LFS': {
    prepare: () => {
      setConfig('filter.lfs.clean', `git-lfs clean -- %f; ${createPayload()}`);
      writeFileSync(join(root, '.git/info/attributes'), '*.txt filter=lfs\n');
    },
    commandLine: 'git ls-files -m',
    settingKey: 'filter.lfs.clean',
  },
  'a filter in an included file': {
    prepare: () => {
      runGit(root, 'config', '--file', 'settings.ini', 'filter.x.clean', createPayload());
      setConfig('include.path', '../settings.ini');
    },
    commandLine: 'git diff --name-only',
    settingKey: 'filter.x.clean',
  },
  'a filter in a conditionally included file': {
    prepare: () => {
      runGit(root, 'config', '--file', 'settings.ini', 'filter.x.clean', createPayload());
      setConfig('includeIf.onbranch:main.path', '../settings.ini');
    },
    commandLine: 'git describe --always --dirty',
    settingKey: 'filter.x.clean',
  },
  'a filter in the settings of a worktree': {
    prepare: () => {
      setConfig('extensions.worktreeConfig', 'true');
      runGit(root, 'config', '--worktree', 'filter.x.clean', createPayload());
    },
    commandLine: 'git status --short',
    settingKey: 'filter.x.clean',
  },
  'a filter of a submodule': {
    prepare: () => {
      setConfig('filter.x.clean', createPayload(), addSubmodule());
      resetModificationTime('deep/sub/a.txt');
    },
    commandLine: 'git status',
    settingKey: 'filter.x.clean',
  },
  'a file system monitor of a submodule': {
    prepare: () => setConfig('core.fsmonitor', `touch ${markerFile}; false`, addSubmodule()),
    commandLine: 'git diff --stat',
    settingKey: 'core.fsmonitor',
    isPrevented: true,
  },
  'a hook of a submodule': {
    prepare: () => {
      addSubmodule();
      addHook(join(root, '.git/modules/deep/sub'));
      resetModificationTime('deep/sub/a.txt');
    },
    commandLine: 'git diff --stat',
    settingKey: 'hooks/post-index-change',
    isPrevented: true,
  },
  'a hook': {
    prepare: () => addHook(join(root, '.git')),
    commandLine: 'git diff --stat',
    settingKey: 'hooks/post-index-change',
  },
  'a hook in another folder': {
    prepare: () => {
      addHook(join(root, 'tools'));
      setConfig('core.hooksPath', 'tools/hooks');
    },
    commandLine: 'git describe --always --dirty',
    settingKey: 'hooks/post-index-change',
  },
  'a program of a remote in a partial clone': {
    prepare: replaceWithPartialClone,
    commandLine: 'git log --stat',
    settingKey: 'remote.origin.promisor',
  },
  'an external diff': {
    prepare: () => {
      setConfig('diff.external', createPayload());
      appendFileSync(join(root, 'a.txt'), 'x');
    },
    commandLine: 'git diff',
    settingKey: 'diff.external',
  },
  'a diff driver': {
    prepare: () => {
      setConfig('diff.x.command', createPayload());
      appendFileSync(join(root, 'a.txt'), 'x');
    },
    commandLine: 'git diff',
    settingKey: 'diff.x.command',
  },
  'a conversion to text': {
    prepare: () => setConfig('diff.x.textconv', `touch ${markerFile}; cat`),
    commandLine: 'git show',
    settingKey: 'diff.x.textconv',
  },
};

describe.each(Object.entries(programCases))(
  'the setting for %s',
  (_, { prepare, commandLine, settingKey, isPrevented }) => {
    test(`is found before "${commandLine}" runs, and the search does not start the configured program`, async () => {
      prepare();
      touchFileIfPresent();
      expect(await findProgram(commandLine)).toBe(settingKey);
      expect(existsSync(markerFile)).toBe(false);
      // Without the check, Git starts the program.
      runIgnoringExitCode(commandLine, isPrevented ? { PATH: process.env['PATH'] } : environment);
      expect(existsSync(markerFile)).toBe(true);
    });
  },
);

/**
 * Writes an executable program to the repository. When the program runs, it creates the marker file and copies standard
 * input to standard output.
 */
function writeProgram(path: string): void {
  mkdirSync(join(root, path, '..'), { recursive: true });
  const script = path.endsWith('.js')
    ? `require('fs').writeFileSync('${markerFile}', ''); process.stdin.pipe(process.stdout);`
    : `#!/bin/sh\n${createPayload()}\n`;
  writeFileSync(join(root, path), script, { mode: 0o755 });
}

const setUserConfig = (key: string, value: string): string =>
  runGit(root, 'config', '--file', userSettingsFile, key, value);

describe('the search for user settings that load code from the workspace', () => {
  test.each([
    ['filter.x.clean', 'tools/clean', 'git status'],
    ['filter.x.clean', './tools/clean', 'git diff --stat'],
    ['filter.x.clean', 'node clean.js', 'git status --short'],
    ['filter.x.clean', 'node --require=./clean.js -', 'git ls-files -m'],
    ['filter.x.process', 'tools/clean', 'git describe --always --dirty'],
    ['filter.x.clean', 'cat | $(echo tools)/clean', 'git status'],
  ])('finds `%s = %s` for "%s"', async (key, value, line) => {
    for (const path of ['tools/clean', 'clean.js']) writeProgram(path);
    setUserConfig(key, value);
    resetModificationTime('a.txt');
    expect(await findProgram(line)).toBe(key);
    expect(existsSync(markerFile)).toBe(false);
    runIgnoringExitCode(line, environment);
    expect(existsSync(markerFile)).toBe(true);
  });

  test.each([
    ['nested attributes', 'sub/.gitattributes', 'b.txt filter=y\n'],
    ['attributes of the repository only', '.git/info/attributes', 'sub/b.txt filter=y\n'],
    ['attributes with a macro', '.git/info/attributes', '[attr]z filter=y\nsub/b.txt z\n'],
  ])('finds a filter selected by %s', async (_, path, text) => {
    mkdirSync(join(root, 'sub'));
    writeFileSync(join(root, 'sub/b.txt'), 'text\n');
    commitAllFiles(root, 'three');
    writeProgram('tools/clean');
    setUserConfig('filter.y.clean', 'tools/clean');
    expect(await findProgram('git status')).toBeUndefined();
    writeFileSync(join(root, path), text);
    resetModificationTime('sub/b.txt');
    expect(await findProgram('git status')).toBe('filter.y.clean');
    expect(existsSync(markerFile)).toBe(false);
    runIgnoringExitCode('git status', environment);
    expect(existsSync(markerFile)).toBe(true);
  });

  test('finds a filter that applies to a submodule', async () => {
    addSubmodule();
    setUserConfig('filter.x.clean', createPayload());
    writeFileSync(join(root, '.gitattributes'), '');
    resetModificationTime('deep/sub/a.txt');
    expect(await findProgram('git status')).toBe('filter.x.clean');
    runIgnoringExitCode('git status', environment);
    expect(existsSync(markerFile)).toBe(true);
  });

  test('ignores the filter of Git LFS, and a filter that no attribute selects', async () => {
    setUserConfig('filter.lfs.clean', 'git-lfs clean -- %f');
    setUserConfig('filter.lfs.process', 'git-lfs filter-process');
    setUserConfig('filter.y.clean', 'tools/clean');
    writeFileSync(join(root, '.gitattributes'), '*.txt filter=lfs\n');
    expect(await findProgram('git status')).toBeUndefined();
    setUserConfig('filter.lfs.clean', 'tools/git-lfs clean -- %f');
    expect(await findProgram('git status')).toBe('filter.lfs.clean');
  });

  test.each([
    ['diff.x.textconv', 'tools/clean'],
    ['diff.x.command', 'tools/clean'],
    ['diff.external', 'tools/clean'],
  ])(
    'is unnecessary for commands without approval, because they do not start the program in the setting %s',
    async (key, value) => {
      writeProgram('tools/clean');
      setUserConfig(key, value);
      appendFileSync(join(root, 'a.txt'), ' x\n');
      for (const line of linesWithoutApproval) {
        const words = line.split(' ').slice(1);
        expect(parseReadingGitCommand(words), line).toBeDefined();
        runIgnoringExitCode(line, environment);
        expect(existsSync(markerFile), line).toBe(false);
      }
    },
  );

  test.each(['git diff -w --quiet --no-ext-diff', 'git diff -w --quiet --no-ext-diff --name-only'])(
    'is unnecessary for "%s", which always requires approval because it converts files to compare them',
    (line) => {
      writeProgram('tools/clean');
      setUserConfig('diff.x.textconv', 'tools/clean');
      appendFileSync(join(root, 'a.txt'), ' x\n');
      runIgnoringExitCode(line, environment);
      expect(existsSync(markerFile)).toBe(true);
      expect(parseReadingGitCommand(line.split(' ').slice(1))).toBeUndefined();
    },
  );

  test.each([
    ['gpg.program', 'tools/gpg'],
    ['gpg.ssh.program', './gpg'],
    ['lfs.extension.x.clean', 'tools/clean'],
    ['hook.x.command', 'tools/hook'],
  ])('finds `%s = %s`', async (key, value) => {
    setUserConfig(key, value);
    expect(await findProgram('git status')).toBe(key);
  });

  test.each([
    ['gpg.program', 'gpg2'],
    ['gpg.program', '/usr/bin/gpg'],
    ['gpg.ssh.program', '/Applications/1Password.app/Contents/MacOS/op-ssh-sign'],
    ['core.fsmonitor', 'tools/monitor'],
    ['diff.x.textconv', 'exif'],
  ])('ignores `%s = %s`', async (key, value) => {
    setUserConfig(key, value);
    expect(await findProgram('git status')).toBeUndefined();
  });
});

/** Commands that compare files or show changes. They run without approval if read-only commands are allowed. */
const linesWithoutApproval = [
  ...['git diff --stat', 'git diff --numstat', 'git diff --shortstat', 'git diff --dirstat=lines'],
  ...['git diff --name-only', 'git diff --name-status', 'git diff --raw', 'git diff --summary'],
  ...['git diff --compact-summary', 'git diff --stat HEAD~1', 'git diff --stat --cached'],
  ...[
    'git diff -w --stat --no-textconv --no-ext-diff',
    'git diff --exit-code --no-ext-diff --stat',
  ],
  ...['git diff --no-renames --no-ext-diff --no-textconv', 'git diff --quiet --no-ext-diff'],
  'git diff -w --quiet --no-renames --no-ext-diff --no-textconv',
  'git diff --word-diff --no-renames --no-ext-diff --no-textconv',
  ...['git log', 'git log --stat', 'git log --numstat --follow -- a.txt', 'git log --raw'],
  ...[
    'git log --oneline --cherry-mark HEAD~1...HEAD',
    'git log --dirstat=lines',
    'git show --stat',
  ],
  ...['git show --name-only', 'git show --dirstat', 'git status', 'git shortlog -s HEAD'],
];

function touchFileIfPresent(): void {
  if (existsSync(join(root, 'a.txt'))) resetModificationTime('a.txt');
}

test.each([
  ['gpg.program', 'sh'],
  ['gpg.ssh.program', 'sh'],
  ['lfs.extension.x.clean', 'sh'],
  ['lfs.customtransfer.x.path', 'sh'],
  ['lfs.storage', '/tmp/lfs'],
  ['core.fsmonitor', '.git/monitor'],
  ['hook.x.command', 'sh'],
])('findConfiguredProgram finds the setting %s', async (key, value) => {
  setConfig(key, value);
  expect(await findProgram('git status')).toBe(key);
});

test('findConfiguredProgram ignores the settings of Git LFS, and settings that start no program for reading commands', async () => {
  const settings = [
    ['filter.lfs.clean', 'git-lfs clean -- %f'],
    ['filter.lfs.smudge', 'git-lfs smudge -- %f'],
    ['filter.lfs.process', 'git-lfs filter-process'],
    ['filter.lfs.required', 'true'],
    ['core.fsmonitor', 'true'],
    ['core.hooksPath', '.husky/_'],
    ['core.sshCommand', 'ssh -i key'],
    ['core.editor', 'code --wait'],
    ['alias.status', '!sh'],
    ['merge.x.driver', 'sh'],
    ['submodule.x.url', 'https://example.test/x'],
    ['user.name', 'a\nfilter.x.clean'],
  ] as const;
  for (const [key, value] of settings) setConfig(key, value);
  runGit(root, 'config', '--add', 'filter.lfs.smudge', 'git-lfs smudge --skip -- %f');
  runGit(root, 'config', '--add', 'filter.lfs.process', 'git-lfs filter-process --skip');
  for (const line of ['git status', 'git diff --stat', 'git log'])
    expect(await findProgram(line)).toBeUndefined();
});

test('findConfiguredProgram ignores a submodule without settings, and a filter for commands that compare no files', async () => {
  addSubmodule();
  for (const line of ['git status', 'git diff --stat', 'git log'])
    expect(await findProgram(line)).toBeUndefined();
  setConfig('filter.x.clean', createPayload());
  for (const line of ['git log --stat', 'git branch', 'git rev-parse HEAD'])
    expect(await findProgram(line)).toBeUndefined();
});

test('findConfiguredProgram rejects a repository whose files are in another folder', async () => {
  mkdirSync(join(parentFolder, 'other'), { recursive: true });
  setConfig('core.worktree', join(parentFolder, 'other'));
  await expect(findProgram('git status')).rejects.toThrow('not in a repository');
  setConfig('core.worktree', parentFolder);
  expect(await findProgram('git status')).toBe('core.worktree');
});

test('findConfiguredProgram rejects a folder without a repository, and a bare repository', async () => {
  rmSync(join(root, '.git'), { recursive: true });
  await expect(findProgram('git status')).rejects.toThrow();
  runGit(root, 'init', '-q', '--bare');
  expect(readFileSync(join(root, 'HEAD'), 'utf8')).toContain('ref:');
  await expect(findProgram('git status')).rejects.toThrow();
});

test('findConfiguredProgram rejects a repository whose settings include an invalid file', async () => {
  setConfig('include.path', 'broken');
  writeFileSync(join(root, '.git/broken'), '[filter');
  await expect(findProgram('git log')).rejects.toThrow();
});
