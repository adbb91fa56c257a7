import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createDiskRules } from './disk-rules.fixture.ts';

vi.mock('vscode', () => import('../../../../test/support/disk-vscode.ts'));

const secretText = 'TEXT-OF-A-SECRET-FILE';

let root: string;

const runGit = (...args: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.test', ...args], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
  });

const commitAll = (message: string): void => {
  runGit('add', '-A', '-f');
  runGit('commit', '-qm', message);
};

// Tags of commits: `first` adds a secret file, `renamed` gives it another name, `changed` changes another file, `merged`
// merges a branch that gives the secret file another name, and `shifted` changes it and renames the files that Git lists
// before and after it.
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'shown-files-')));
  runGit('init', '-q', '-b', 'main');
  const lines = Array.from({ length: 30 }, (_, index) => `KEY_${index}=${secretText}\n`);
  writeFileSync(join(root, '.env'), lines.join(''));
  writeFileSync(join(root, 'a.txt'), 'text\n');
  writeFileSync(join(root, 'k.txt'), 'other\n');
  for (const name of ['config/.env', 'config/id_rsa', '.ssh/notes']) {
    mkdirSync(join(root, name, '..'), { recursive: true });
    writeFileSync(join(root, name), `${name} ${secretText}\n`);
  }
  commitAll('one');
  runGit('tag', 'first');
  runGit('checkout', '-qb', 'side');
  runGit('mv', '.env', 'plain.txt');
  commitAll('two');
  runGit('tag', 'renamed');
  runGit('checkout', '-q', 'main');
  writeFileSync(join(root, 'b.txt'), 'text\n');
  commitAll('three');
  runGit('merge', '-q', '--no-edit', 'side');
  runGit('tag', 'merged');
  appendFileSync(join(root, 'a.txt'), 'more\n');
  commitAll('four');
  runGit('tag', 'changed');
  runGit('checkout', '-qb', 'other', 'first');
  runGit('mv', 'a.txt', '+a.txt');
  runGit('mv', 'k.txt', 'z.txt');
  appendFileSync(join(root, '.env'), 'more\n');
  commitAll('five');
  runGit('tag', 'shifted');
  runGit('checkout', '-q', 'main');
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

const checkCommandLine = async (
  line: string,
  grantedCommands: readonly string[] = [],
): Promise<string> => (await createDiskRules({ root, grantedCommands })(line)).decision;

const runGitLine = (line: string): string => runGit(...line.split(' ').slice(1));

const safeDiffOptions = '--no-renames --no-ext-diff --no-textconv';

describe('a diff with a filter that can hide the old name of a renamed secret file', () => {
  test.each(['--diff-filter=A', '--diff-filter A', '--diff-filter=d'])(
    'requires approval: %s',
    async (filter) => {
      const line = `git diff ${safeDiffOptions} ${filter} first renamed`;
      expect(runGitLine(line)).toContain(secretText);
      expect(await checkCommandLine(line)).toBe('ask');
      expect(await checkCommandLine(`git diff ${filter} -p first renamed`, ['git diff -p'])).toBe(
        'ask',
      );
    },
  );

  test('runs without approval if no secret file changed', async () => {
    expect(
      await checkCommandLine(`git diff ${safeDiffOptions} --diff-filter=M merged changed`),
    ).toBe('allow');
  });
});

test('a granted diff requires approval if its file list contains a secret file between renamed files', async () => {
  const line = 'git diff first shifted';
  expect(runGitLine(line)).toMatch(new RegExp(`rename to \\+a\\.txt[^]*${secretText}`, 'u'));
  expect(await checkCommandLine(line, ['git diff -p', 'git diff'])).toBe('ask');
});

describe('a diff with a path argument that can hide the old name of a renamed secret file', () => {
  test.each([
    'first renamed -- plain.txt',
    'first..renamed -- plain.txt',
    '-R first renamed plain.txt',
    'first -- plain.txt',
    'first plain.txt',
    '--cached first -- plain.txt',
  ])('requires approval: %s', async (operands) => {
    const line = `git diff ${safeDiffOptions} ${operands}`;
    expect(runGitLine(line)).toContain(secretText);
    expect(await checkCommandLine(line)).toBe('ask');
  });

  test('runs without approval if the path is that of another file in the same commits', async () => {
    expect(await checkCommandLine(`git diff ${safeDiffOptions} first changed -- a.txt`)).toBe(
      'allow',
    );
    expect(await checkCommandLine(`git diff ${safeDiffOptions} first renamed -- b.txt`)).toBe(
      'allow',
    );
    expect(await checkCommandLine(`git diff ${safeDiffOptions} first a.txt`)).toBe('allow');
    expect(await checkCommandLine(`git diff ${safeDiffOptions}`)).toBe('allow');
    expect(await checkCommandLine(`git diff ${safeDiffOptions} merged`)).toBe('allow');
  });
});

const grantedPrefixes = ['git log -p', 'git log -u', 'git log --patch', 'git show', 'git show -p'];

describe('a granted command that shows the changes in commits', () => {
  test.each([
    'git log -p --no-renames --diff-filter=A',
    'git log -p --no-renames --diff-filter=A -1 renamed',
    'git log -p --no-renames --diff-filter=A -n 1 renamed',
    'git log -p --no-renames --diff-filter=A --max-count=1 renamed',
    'git log -p --no-renames --diff-filter=A --skip=0 renamed',
    'git log -p --follow -- plain.txt',
    'git log -p -- plain.txt',
    'git show renamed -- plain.txt',
    'git log -p first',
    'git log -p --graph first',
    'git log -p --graph --oneline renamed',
    'git log -p --no-renames --first-parent -1 merged',
    'git show first',
    'git show --no-renames --diff-filter=A renamed',
    'git show -s -p first',
    'git show -p changed first',
    'git show BLOB',
    'git show first:.env',
    'git show first:./.env',
    'git show first^{tree}:.env',
    'git show first^{}:.env',
    'git show renamed~1:.env',
    'git show --no-patch changed first:.env',
    'git show --stat first:.env',
    'git show --name-only first:.env',
    'git show first:config/.env',
    'git show first:config/id_rsa',
    'git show first:.ssh/notes',
  ])('requires approval if it shows a secret file: %s', async (line) => {
    const blobId = runGit('rev-parse', 'first:.env').trim().slice(0, 12);
    const attackLine = line.replace('BLOB', blobId);
    expect(runGitLine(attackLine)).toContain(secretText);
    expect(await checkCommandLine(attackLine, grantedPrefixes)).toBe('ask');
  });

  test.each([
    'git log -p -1',
    'git log -p -1 changed',
    'git log -p merged..changed',
    'git log --patch --oneline -n1 -- a.txt',
    'git show',
    'git show changed',
    'git show -p merged^1',
    'git show changed:a.txt',
    'git show changed -- a.txt',
  ])('runs without approval if it shows no secret file: %s', async (line) => {
    expect(runGitLine(line)).not.toContain(secretText);
    expect(await checkCommandLine(line, grantedPrefixes)).toBe('allow');
    expect(await checkCommandLine(line)).toBe('ask');
  });

  test.each(['off', 'first-parent', 'combined', 'dense-combined', 'remerge'])(
    'requires approval for a merge that shows a secret file if the setting `log.diffMerges` is "%s"',
    async (format) => {
      runGit('config', 'log.diffMerges', format);
      try {
        for (const line of ['git log -p --first-parent -1 merged', 'git show merged'])
          expect(await checkCommandLine(line, grantedPrefixes), line).toBe('ask');
      } finally {
        runGit('config', '--unset', 'log.diffMerges');
      }
    },
  );

  test('requires approval if the setting `log.follow` makes Git show the file under its secret name', async () => {
    runGit('config', 'log.follow', 'true');
    try {
      expect(runGit('log', '-p', '--', 'plain.txt')).toContain('.env');
      expect(await checkCommandLine('git log -p -- plain.txt', grantedPrefixes)).toBe('ask');
    } finally {
      runGit('config', '--unset', 'log.follow');
    }
  });

  test.each(
    `oneline decorate reverse no-merges first-parent date-order left-right cherry-mark boundary full-history
     walk-reflogs abbrev-commit relative-date source parents children raw summary compact-summary
     stat shortstat numstat dirstat format=oneline format=raw color=always`.split(/\s+/u),
  )('requires approval for a secret file despite the option --%s', async (option) => {
    expect(runGit('log', '-p', `--${option}`)).toContain(secretText);
    expect(await checkCommandLine(`git log -p --${option}`, grantedPrefixes)).toBe('ask');
  });
});
