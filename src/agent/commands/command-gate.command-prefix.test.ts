import { describe, expect, test } from 'vitest';
import { judge, noGrants, parser, prefixesOf } from './command-gate.fixture.ts';
import { commandPrefixes, isCoveredByPrefix } from './command-gate.ts';

describe('prefixes stored by "always allow"', () => {
  test.each([
    ['ls -la src', [['ls']]],
    ['git log --oneline', [['git', 'log']]],
    ['git --no-pager log', [['git', '--no-pager', 'log']]],
    ['git commit -m "words"', [['git', 'commit']]],
    ['npm test', [['npm', 'test']]],
    ['npm run build -- fast', [['npm', 'run', 'build']]],
    ['yarn run-script lint', [['yarn', 'run-script', 'lint']]],
    ['cargo test --all', [['cargo', 'test']]],
    ['go build ./...', [['go', 'build']]],
    ['make check', [['make', 'check']]],
    ['node --test', [['node', '--test']]],
    ['node tools/check.js src', [['node', 'tools/check.js']]],
    ['python -m pytest -x', [['python', '-m', 'pytest']]],
    ['tsc --noEmit', [['tsc', '--noEmit']]],
    ['tsc -p test --noEmit', [['tsc', '--noEmit']]],
    ['git commit --amend -m "words"', [['git', 'commit', '--amend']]],
    ['git log -p', [['git', 'log', '-p']]],
    ['git show --stat HEAD', [['git', 'show', '--stat']]],
    ['git commit -am "words"', [['git', 'commit', '-am']]],
    ['npm test 2>&1 | tail -20', [['npm', 'test'], ['tail']]],
    ['tsc && tsc -p test', [['tsc']]],
  ])('for %s are %j', async (line, expected) => {
    expect(await prefixesOf(line)).toEqual(expected);
  });
});

describe('commands without stored prefixes', () => {
  test.each([
    ['a password', 'PGPASSWORD=s3cret psql x'],
    ['an API key as an argument', 'deploy --token s3cretvalue'],
    ['a password in a URL', 'psql2 postgres://user:s3cret@example.test'],
    ['a wrapper', 'sudo ls'],
    ['an installation', 'npm install x'],
    ['a redirect', 'ls > f'],
    ['a substitution', 'echo $(id)'],
    ['code in an option', 'node -e 1'],
    ['a program by its path', './x'],
    ['the network', 'curl x'],
    ['a place outside', 'ls ..'],
    ['hidden characters', 'ls a\u200Bb'],
    ['a syntax error', 'ls "'],
    ['options for a script', 'npm test -- --import=data:text/javascript,x'],
    ['the compiler of C', 'gcc -wrapper sh,-c,id x.c'],
    ['a debugger', 'valgrind x'],
    ['another account', 'pkexec ls'],
    ['another group', 'sg users ls'],
    ['another context', 'runcon x ls'],
    ['a shell’s word for completions', 'compgen -C id'],
    ['variables for another command', 'cross-env A=1 ls'],
    ['a watcher', 'nodemon x.js'],
    ['an interpreter with its version', 'python3.12 x.py'],
    ['Node with its version', 'node18 x.js'],
    ['another Python', 'pypy3 x.py'],
    ['R', 'Rscript x.R'],
    ['Julia', 'julia x.jl'],
    ['a Python with a prompt', 'ipython x.py'],
    ['an unknown program', 'frobnicate'],
    ['two targets', 'make test deploy'],
    ['a script that starts other programs', 'python setup.py'],
    ['an empty line', ''],
    ['only a comment', '# x'],
  ])('include %s', async (_, line) => {
    expect(await prefixesOf(line)).toBeUndefined();
  });
});

test('offers to remember a line if and only if its prefixes then allow the line', async () => {
  const lines = [
    'npm test',
    'npm run a && git log',
    'ls',
    'sudo ls',
    'git push',
    'tsc -p x | tail',
  ];
  for (const line of lines) {
    const stored = await prefixesOf(line);
    expect((await judge(line, noGrants)).rememberable).toBe(stored !== undefined);
    if (!stored) continue;
    expect((await judge(line, { prefixes: stored, allowReadOnly: false })).decision).toBe('allow');
  }
});

test('does not store granted prefixes again', async () => {
  const commandLine = 'npm test | tail -5';
  const tree = await parser.parse('bash', commandLine);
  const command = { shell: 'bash', commandLine, tree } as const;
  expect(commandPrefixes(command, { prefixes: [], allowReadOnly: true })).toEqual([
    ['npm', 'test'],
  ]);
});

test('a prefix covers whole words only, and an empty prefix covers nothing', () => {
  expect(isCoveredByPrefix(['git', 'log'], ['git', 'log', '-1'])).toBe(true);
  expect(isCoveredByPrefix(['git', 'log'], ['git', 'logout'])).toBe(false);
  expect(isCoveredByPrefix(['git', 'log'], ['git'])).toBe(false);
  expect(isCoveredByPrefix([], ['git'])).toBe(false);
});

test.each([
  ['git commit', 'git commit -m a', true],
  ['git commit', 'git commit --amend', false],
  ['git commit --amend', 'git commit --amend --no-edit', true],
  ['git commit --amend', 'git commit -m a', false],
  ['git', 'git commit --amend', false],
  ['git commit', 'git commit -m -- --amend', false],
  ['git commit', 'git commit -a --reset-author', false],
  ['git log', 'git log -p', false],
  ['git log -p', 'git log -p', true],
  ['git show --stat', 'git show', false],
  ['git grep -l', 'git grep KEY', false],
  ['git log', 'git log -wU5', false],
  ['git show --stat', 'git show --stat -wU5 HEAD', false],
  ['tsc', 'tsc -p test', true],
  ['tsc', 'tsc --noEmit', true],
  ['tsc --noEmit', 'tsc -p test --noEmit', true],
  ['tsc --noEmit', 'tsc', false],
  ['tsc --noEmit', 'tsc -- --noEmit', false],
])('checks whether a grant for "%s" covers "%s": %s', (prefix, command, isCovered) => {
  expect(isCoveredByPrefix(prefix.split(' '), command.split(' '))).toBe(isCovered);
});

test.each([
  'tsc --noEmit false',
  'tsc -p other.json',
  'tsc -p src/config.x',
  'tsc --outDir .vscode',
])('no grant for tsc covers "%s"', async (line) => {
  const grants = { prefixes: [['tsc'], ['tsc', '--noEmit']], allowReadOnly: true };
  expect(await judge(line, grants)).toMatchObject({ decision: 'ask', rememberable: false });
});
