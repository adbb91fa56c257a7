import { execFile, execFileSync } from 'node:child_process';
import {
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { fc } from '../../../../test/support/property.ts';
import { createDiskRules } from './disk-rules.fixture.ts';

vi.mock('vscode', () => import('../../../../test/support/disk-vscode.ts'));

/** File contents that no allowed command may print. */
const secretText = 'TEXT-OF-A-SECRET-FILE';
const outsideText = 'TEXT-OUTSIDE-OF-THE-WORKSPACE';

/**
 * Number of command lines to generate. Override it with an environment variable: `GATE_FUZZ_LINES=100000` runs for
 * several minutes.
 */
const fuzzLineCount = Number(process.env['GATE_FUZZ_LINES'] ?? 1_500);

const programs =
  `cat head tail sort uniq nl rev tac wc grep find ls dir du stat basename dirname echo printf pwd
   readlink realpath file cut tr paste diff cmp column sha256sum md5sum base64 seq expr numfmt
   arch nproc uname whoami id true which tree`.split(/\s+/u);

/** First words of generated commands. */
const prefixes = [
  ...programs,
  ...['sed -n 1p', 'sed s/a/b/', 'grep needle', 'grep -r needle', 'find . -name', 'git status'],
  ...['git log', 'git log --stat', 'git show', 'git show --stat', 'git diff', 'git diff --stat'],
  ...['git diff --no-renames --no-ext-diff --no-textconv', 'git grep needle', 'git grep -l needle'],
  ...['git ls-files', 'git branch', 'git rev-parse'],
];

/** Placeholder in generated lines for the absolute path of a file outside the workspace. */
const outsidePathPlaceholder = 'OUTSIDE';

const operands =
  `${outsidePathPlaceholder} a.txt a.txt b.txt sub sub/c.txt . link link/c.txt missing needle 1 -1 +1 -5 -n - -- out
   odd/a.txt odd/1 link-out link-out/x.txt config config/.env .env .e* '.e*' list list0 sub/`.split(
    /\s+/u,
  );

const programOptions =
  `-n -c -l -la -r -R -rn -a -v -1 -z -o -f -i -e -L -H -d -w -s -u -k1 -t -x -h -p -b -D -m --help
   -exec -delete -fprint -name -type -print --output=out --files0-from=list0 -files0-from
   --from-file=list --file=list --filter --stat --name-only --short --oneline HEAD main status log show
   diff grep ls-files branch 1p s/a/b/ s/a/b/w 1,2p needle -A1 -C1 -I -P -E -q -y --no-index --hidden
   --include=*.env --include=.env --exclude=x --recursive --dereference-recursive --no-dereference
   --max-count=1 --color=always --unified=1 --stat=80 --pretty=%B HEAD:.env HEAD~0 :.env :/ --all -g
   -maxdepth -L1 -d1 -w1 -c1-3 -f1 -d: -name=x --block-size=1 --time=atime --exclude-from=list`.split(
    /\s+/u,
  );

/** Command substitutions whose output becomes words of a generated command. */
const substitutions = [
  ...['$(ls)', '$(ls sub)', '$(ls -A)', '$(cat list)', '$(find . -name c.txt)', '$(echo .env)'],
  ...['"$(ls odd)"', '$(git ls-files)', '$(git rev-parse HEAD)', '$(pwd)', '`ls sub`'],
];

const redirects = [
  '>/dev/null',
  '2>/dev/null',
  '</ dev/null',
  '>out',
  '< list',
  '2>&1',
  '>/dev/ null',
];

const anyCommand = fc
  .tuple(
    fc.constantFrom(
      ...['', '', '', '', 'cd sub && ', 'cd odd && ', 'cd link && ', 'cd link-out && '],
      ...['cd config && ', 'cd missing || ', 'cd sub; '],
    ),
    fc.constantFrom(...prefixes),
    fc.array(
      fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom(...operands) },
        { weight: 5, arbitrary: fc.constantFrom(...programOptions) },
        { weight: 1, arbitrary: fc.constantFrom(...redirects) },
        { weight: 1, arbitrary: fc.constantFrom(...substitutions) },
      ),
      { maxLength: 3 },
    ),
  )
  .map(([folder, program, args]) => folder + [program, ...args].join(' '));

const anyCommandLine = fc
  .tuple(anyCommand, fc.option(fc.tuple(fc.constantFrom(' | ', ' && ', ' || ', '; '), anyCommand)))
  .map(([firstCommand, continuation]) => firstCommand + (continuation?.join('') ?? ''));

let parent: string;
let root: string;

beforeAll(async () => {
  parent = await realpath(await mkdtemp(join(tmpdir(), 'real-programs-')));
  root = join(parent, 'app');
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(join(parent, path, '..'), { recursive: true });
    await writeFile(join(parent, path), text);
  };
  await write('outside/x.txt', `needle ${outsideText}\n`);
  await write('app/a.txt', 'needle a\nb\n');
  await write('app/b.txt', 'b\na\n');
  await write('app/sub/c.txt', 'needle c\n');
  await write('app/odd/a.txt', 'a\n');
  await write('app/.env', `needle=${secretText}\n`);
  await write('app/config/.env', `needle=${secretText}\n`);
  await write('app/list', 'config/.env\n');
  await write('app/list0', 'config/.env\0');
  await symlink('sub', join(root, 'link'));
  for (const folder of ['odd', 'config']) await symlink(folder, join(root, `link-${folder}`));
  await symlink(join(parent, 'outside'), join(root, 'link-out'));
  for (const name of ['1', '+1', '-n', '-1', '-', 'needle', '1p'])
    await symlink(join(parent, 'outside/x.txt'), join(root, 'odd', name));
  await symlink(join(root, '.env'), join(root, '1'));
  const identityArgs = ['-c', 'user.name=Test', '-c', 'user.email=test@example.test'];
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '-A', '-f'],
    ['commit', '-qm', 'First'],
  ])
    execFileSync('git', [...identityArgs, ...args], { cwd: root, stdio: 'ignore' });
  await writeFile(join(root, '.env'), `needle=other ${secretText}\n`);
});

afterAll(() => rm(parent, { recursive: true, force: true }));

test.runIf(process.platform === 'linux')(
  'the permission rules allow no line of real programs that changes a file, or prints a secret file or an outside file',
  async () => {
    const evaluateLine = createDiskRules({ root });
    const lines = [...new Set(fc.sample(anyCommandLine, fuzzLineCount))].map((line) =>
      line.replaceAll(outsidePathPlaceholder, join(parent, 'outside/x.txt')),
    );
    const allowedLines: string[] = [];
    for (const line of lines)
      if ((await evaluateLine(line)).decision === 'allow') allowedLines.push(line);
    // A test of only a few lines could miss errors.
    expect(allowedLines.length).toBeGreaterThan(fuzzLineCount / 20);
    const isUsed = (program: string): boolean =>
      allowedLines.some((line) => line.includes(program));
    const usedPrograms = [...programs, 'sed', 'git'].filter(isUsed);
    expect(usedPrograms.length).toBeGreaterThan(programs.length - 5);
    const filesBefore = await readWorkspaceFiles();
    const outputs = await runInBash(allowedLines);
    const leaks = allowedLines.filter(
      (_, index) =>
        outputs[index]?.includes(secretText) !== false || outputs[index].includes(outsideText),
    );
    expect(leaks).toEqual([]);
    expect(await readWorkspaceFiles()).toEqual(filesBefore);
  },
);

test.each([
  'grep -r needle',
  'grep -r needle -w',
  'grep needle -r',
  'rg needle -n',
  'rg -e needle -n',
])(
  'the permission rules require approval for "%s" in a folder that contains a secret file',
  async (line) => {
    const evaluateLine = createDiskRules({ root });
    expect((await evaluateLine(line)).decision).toBe('ask');
    expect((await evaluateLine(`${line} sub`)).decision).toBe('allow');
    expect((await evaluateLine(`cd sub && ${line}`)).decision).toBe('ask');
  },
);

test.each([
  ['odd', 'cat 1'],
  ['odd', 'cat $(echo 1)'],
  ['odd', 'cd . && cat 1'],
  ['config', 'grep -r needle'],
  ['config', 'rg needle'],
])(
  'the permission rules require approval in a link to the folder "%s" for "%s"',
  async (folder, line) => {
    const evaluateLine = createDiskRules({ root });
    expect((await evaluateLine(line, { cwd: `link-${folder}` })).decision).toBe('ask');
    expect((await evaluateLine('ls', { cwd: `link-${folder}` })).decision).toBe('allow');
    expect((await evaluateLine('cat c.txt', { cwd: 'link' })).decision).toBe('allow');
  },
);

test('the permission rules refuse a command in a missing folder', async () => {
  const evaluateLine = createDiskRules({ root });
  expect((await evaluateLine('cat c.txt', { cwd: 'missing' })).decision).toBe('refuse');
});

test.each([
  ['grep -r needle odd', 'grep -R needle odd'],
  ['grep -r needle odd', 'grep --dereference-recursive needle odd'],
  ['diff --no-dereference odd sub', 'diff odd sub'],
])(
  'the permission rules allow "%s", but require approval for "%s", which follows links out of the workspace',
  async (allowedLine, unapprovedLine) => {
    const evaluateLine = createDiskRules({ root });
    expect((await evaluateLine(allowedLine)).decision).toBe('allow');
    expect((await evaluateLine(unapprovedLine)).decision).toBe('ask');
  },
);

test.each(['pwd | column -', 'head -', 'rev -', 'pwd | cat -'])(
  'the permission rules require approval for "%s" in a folder that contains a link named "-"',
  async (line) => {
    const evaluateLine = createDiskRules({ root });
    expect((await evaluateLine(`cd odd && ${line}`)).decision).toBe('ask');
    expect((await evaluateLine(`cd sub && ${line}`)).decision).toBe('allow');
  },
);

test.each([
  'git grep -l needle',
  'git grep -c needle',
  'git grep -q needle HEAD',
  'git grep --count needle HEAD~0',
  'git grep --name-only -e needle',
  'git grep -L needle config',
  'git grep -l needle HEAD config',
  'git grep -l needle HEAD:config',
  'git grep -l needle HEAD -- config',
  'git grep -l --cached needle -- .env',
  'git grep --untracked -l needle -- config',
  'git grep -lE "needle=S" HEAD -- sub config',
  'git grep -l -- needle HEAD',
  'git grep -l -e -- -e needle HEAD',
  'git grep -l needle -- missing HEAD -- sub',
  'git grep -n needle',
  'git grep -q -e SECRET BLOB',
  'git grep -c -e SECRET BLOB -z',
  'git grep -l needle a.txt BLOB',
  'git grep needle HEAD',
])(
  'the permission rules require approval for "%s", which shows whether a secret file contains a text',
  async (line) => {
    const blobId = execFileSync('git', ['rev-parse', 'HEAD:.env'], { cwd: root, encoding: 'utf8' });
    const attackLine = line.replace('BLOB', blobId.slice(0, 12));
    const evaluateLine = createDiskRules({ root });
    expect((await evaluateLine(attackLine)).decision).toBe('ask');
    const evaluateWithGrants = createDiskRules({
      root,
      grantedCommands: ['git grep', 'git grep -l'],
    });
    expect((await evaluateWithGrants(attackLine)).decision).toBe('ask');
  },
);

test.each([
  'git grep -l needle sub',
  'git grep -l needle -- sub',
  'git grep -c needle a.txt sub',
  'git grep -q needle HEAD -- sub',
  'git grep -l --untracked -e needle -- sub',
  'git grep -L --cached needle a.txt',
])('the permission rules allow "%s", which searches no secret file', async (line) => {
  expect((await createDiskRules({ root })(line)).decision).toBe('allow');
});

test.each([
  'git diff HEAD:.env a.txt',
  'git diff BLOB a.txt',
  'git diff -p a.txt BLOB',
  'git show :.env',
  'git show :0:.env',
  'git show HEAD:config/.env',
  'git show BLOB',
])(
  'the permission rules require approval for "%s" despite a grant, because the command can show a secret file stored in Git',
  async (line) => {
    const options = { cwd: root, encoding: 'utf8' } as const;
    const blob = execFileSync('git', ['rev-parse', 'HEAD:.env'], options).trim();
    const evaluateLine = createDiskRules({
      root,
      grantedCommands: ['git diff', 'git diff -p', 'git show'],
    });
    expect((await evaluateLine(line.replace('BLOB', blob.slice(0, 12)))).decision).toBe('ask');
    expect((await evaluateLine('git diff HEAD -- a.txt')).decision).toBe('allow');
  },
);

test('the permission rules allow only a granted Git command to run a program of the repository, and run no program themselves', async () => {
  const runGit = (...args: string[]): void => void execFileSync('git', args, { cwd: root });
  await writeFile(join(root, '.gitattributes'), 'sub/c.txt filter=x\n');
  await writeFile(join(root, 'sub/c.txt'), 'changed\n');
  runGit('config', 'filter.x.clean', 'touch ran; cat');
  try {
    const isAllowed = async (line: string, grantedCommands: readonly string[]): Promise<boolean> =>
      (await createDiskRules({ root, grantedCommands })(line)).decision === 'allow';
    expect(await isAllowed('git status', [])).toBe(false);
    expect(await isAllowed('git status', ['git status'])).toBe(true);
    expect(await isAllowed('git diff -- sub', ['git diff'])).toBe(false);
    expect(await isAllowed('echo $(git ls-files -m)', ['git ls-files'])).toBe(false);
    expect(await readdir(root)).not.toContain('ran');
  } finally {
    runGit('config', '--unset', 'filter.x.clean');
    runGit('checkout', '-q', 'sub/c.txt');
    await rm(join(root, '.gitattributes'));
  }
});

test('the permission rules allow a diff without external programs, but not if a secret file has changed', async () => {
  const evaluateLine = createDiskRules({ root });
  const line = 'git diff --no-renames --no-ext-diff --no-textconv';
  expect((await evaluateLine(line)).decision).toBe('ask');
  expect((await evaluateLine(`${line} -- sub`)).decision).toBe('allow');
});

test.each([
  ['cat $(cat config/name)', 'seq 1 9 | tail -1; cat $(cat config/name)'],
  ['cat $(cat config/name)', 'find . -name zzz; cat $(cat config/name)'],
  ['cat $(cat config/name)', 'cat $(find . -name zzz) $(cat config/name)'],
  ['cat $(cat config/name)', "bash -c 'seq 1 9; cat $(cat config/name)'"],
  ['cat $(cat config/name)', 'sed "$(cat config/script)" a.txt'],
  ['echo $(cat $(cat config/name))', 'ls; cat $(ls; cat $(cat config/name))'],
  ['ls; echo $(cat config/name)', 'ls; echo $(cat $(cat config/name))'],
  ['ls; echo "$(cat config/name)"', 'ls; cat $(echo $(cat config/name))'],
  ['cat $(ls a.txt) $(cat config/name)', 'cat $(ls a.txt; find . -name zzz) $(cat config/name)'],
  ['cat $(cat config/name)', 'cat $(find . -name zzz; cat config/name)'],
  ['echo sed $(cat config/name)', 'sed -n $(cat config/script) a.txt'],
  ['cat "$(cat config/name)" && ls', 'ls\ncat "$(cat config/name)"'],
  ['cat $(cat config/name) | seq 3', 'seq 3 | cat - $(cat config/name)'],
])(
  'the permission rules allow "%s", but require approval for "%s", because a word can change between the check and the run',
  async (allowedLine, unapprovedLine) => {
    await writeFile(join(root, 'config/name'), 'a.txt\n');
    await writeFile(join(root, 'config/script'), 'p\n');
    const evaluateLine = createDiskRules({ root });
    expect((await evaluateLine(allowedLine)).decision).toBe('allow');
    expect((await evaluateLine(unapprovedLine)).decision).toBe('ask');
  },
);

test.each([
  ['a substitution after a slow command', 'sleep 9 && cat $(ls a.txt)'],
  ['a substitution in a background command', 'cat $(ls a.txt) &'],
  ['a redirect of a nested shell', 'bash -c "ls" >out'],
  ['unusual blanks before the option of a nested shell', 'bash          -c ls'],
  ['a change to a missing folder', 'cd missing && ls'],
  ['a line that continues after the change to a missing folder', 'cd missing; ls'],
  ['a command that runs only if the change of the folder fails', 'cd a.txt || ls'],
])('the permission rules require approval for %s: %s', async (_, line) => {
  const evaluateLine = createDiskRules({ root });
  expect((await evaluateLine(line)).decision).toBe('ask');
});

test('the permission rules require approval for a background command that contains a substitution', async () => {
  const evaluateLine = createDiskRules({ root });
  expect((await evaluateLine('cat $(ls a.txt)')).decision).toBe('allow');
  expect((await evaluateLine('cat $(ls a.txt)', { isBackground: true })).decision).toBe('ask');
});

test('the permission rules require approval for a line with more than 300 different words', async () => {
  const evaluateLine = createDiskRules({ root });
  const createListCommand = (count: number): string =>
    `ls ${Array.from({ length: count }, (_, index) => `missing${index}`).join(' ')}`;
  expect((await evaluateLine(createListCommand(300))).decision).toBe('allow');
  expect((await evaluateLine(createListCommand(301))).decision).toBe('ask');
});

/** Returns the mode and the content of each file, folder and link in the temporary folder, by path. */
async function readWorkspaceFiles(): Promise<Record<string, string>> {
  const names = await readdir(parent, { recursive: true });
  const entries = await Promise.all(
    names.toSorted().map(async (name) => {
      const path = join(parent, name);
      const { mode } = await lstat(path);
      // Git refreshes the times that its index contains.
      if (name === 'app/.git/index') return [name, String(mode)];
      return [name, `${mode} ${await readContent(path, mode)}`];
    }),
  );
  return Object.fromEntries(entries) as Record<string, string>;
}

async function readContent(path: string, mode: number): Promise<string> {
  const isType = (type: number): boolean => (mode & 0o170_000) === type;
  if (isType(0o120_000)) return readlink(path);
  return isType(0o040_000) ? '' : readFile(path, 'latin1');
}

/** Reads NUL-separated lines from standard input, runs each line, and separates their outputs with NUL. */
const runnerScript = `
  while IFS= read -r -d '' line; do
    ( eval "$line" ) </dev/null 2>&1 | tr -d '\\0'
    printf '\\0'
  done
`;

/** Runs lines in Bash and returns the output of each line. */
async function runInBash(lines: readonly string[]): Promise<readonly string[]> {
  const bashRun = promisify(execFile)('/bin/bash', ['--noprofile', '--norc', '-c', runnerScript], {
    cwd: root,
    env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', GIT_PAGER: 'cat', HOME: parent },
    encoding: 'latin1',
    maxBuffer: 100_000_000,
  });
  bashRun.child.stdin?.end(lines.map((line) => `${line}\0`).join(''));
  const { stdout } = await bashRun;
  return stdout.split('\0').slice(0, -1);
}
