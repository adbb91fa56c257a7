import { describe, expect, test } from 'vitest';
import {
  checkCommandLine,
  noGrants,
  commandParser,
  getCommandPrefixes,
} from './command-gate.fixture.ts';
import { listCommandPrefixes, isCoveredByPrefix } from './command-gate.ts';

describe('listCommandPrefixes', () => {
  test.each([
    ['ls -la src', [['ls']]],
    ['git log --oneline', [['git', 'log']]],
    ['git --no-pager log', [['git', '--no-pager', 'log']]],
    ['git commit -m "words"', [['git', 'commit']]],
    ['npm test', [['npm', 'test']]],
    ['npm run build -- fast', [['npm', 'run', 'build']]],
    ['yarn run-script lint', [['yarn', 'run-script', 'lint']]],
    ['cargo test --all', [['cargo', 'test']]],
    ['go test ./...', [['go', 'test']]],
    ['cargo fmt --check', [['cargo', 'fmt', '--check']]],
    ['cargo test --no-run', [['cargo', 'test', '--no-run']]],
    ['make test -n', [['make', 'test', '-n']]],
    ['git add --dry-run src', [['git', 'add', '--dry-run']]],
    ['tsc --version', [['tsc', '--version']]],
    ['tsc --showConfig -p test', [['tsc', '--showConfig']]],
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
    ['tsc --noEmit && tsc -p test --noEmit', [['tsc', '--noEmit']]],
  ])('given the line "%s", returns the prefixes %j', async (line, expected) => {
    expect(await getCommandPrefixes(line)).toEqual(expected);
  });
});

describe('listCommandPrefixes returns no prefix for a line', () => {
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
    ['network access', 'curl x'],
    ['a path outside the workspace', 'ls ..'],
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
  ])('with %s', async (_, line) => {
    expect(await getCommandPrefixes(line)).toBeUndefined();
  });
});

test('checkCommand offers "always allow" only if the prefixes that this choice stores allow the whole line', async () => {
  const lines = [
    'npm test',
    'npm run a && git log',
    'ls',
    'sudo ls',
    'git push',
    'tsc --noEmit -p x | tail',
  ];
  for (const line of lines) {
    const storedPrefixes = await getCommandPrefixes(line);
    expect((await checkCommandLine(line, noGrants)).isRememberable).toBe(
      storedPrefixes !== undefined,
    );
    if (!storedPrefixes) continue;
    expect(
      (await checkCommandLine(line, { prefixes: storedPrefixes, isReadOnlyAllowed: false }))
        .decision,
    ).toBe('allow');
  }
});

test('listCommandPrefixes omits prefixes that are already granted', async () => {
  const commandLine = 'npm test | tail -5';
  const tree = await commandParser.parse('bash', commandLine);
  const command = { shell: 'bash', commandLine, tree } as const;
  expect(listCommandPrefixes(command, { prefixes: [], isReadOnlyAllowed: true })).toEqual([
    ['npm', 'test'],
  ]);
});

test('isCoveredByPrefix compares whole words, and returns false for an empty prefix', () => {
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
  ['git', 'git commit -m a', false],
  ['git', 'git log', false],
  ['git --no-pager', 'git --no-pager log', false],
  ['npm', 'npm test', false],
  ['npm', 'npm run evil', false],
  ['npm run', 'npm run evil', false],
  ['npm run build', 'npm run build -- fast', true],
  ['node', 'node sub/x.js', false],
  ['node', 'node --test', false],
  ['python -m', 'python -m pytest', false],
  ['make', 'make deploy', false],
  ['ls', 'ls -la', true],
  ['git commit', 'git commit -m -- --amend', false],
  ['git commit', 'git commit -a --reset-author', false],
  ['git log', 'git log -p', false],
  ['git log -p', 'git log -p', true],
  ['git show --stat', 'git show', false],
  ['git grep -l', 'git grep KEY', false],
  ['git log', 'git log -wU5', false],
  ['git show --stat', 'git show --stat -wU5 HEAD', false],
  ['git show --stat', 'git show -p HEAD', false],
  ['git show --stat', 'git show --stat HEAD:a.txt', false],
  ['git show', 'git show HEAD:a.txt', true],
  ['git show', 'git show -p HEAD', true],
  ['git diff', 'git diff -p', true],
  ['git diff', 'git diff --stat -p', false],
  ['git diff -p', 'git diff -p', true],
  ['tsc', 'tsc --noEmit', true],
  ['tsc --noEmit', 'tsc -p test --noEmit', true],
  ['tsc --noEmit', 'tsc', false],
  ['tsc --noEmit', 'tsc --version', false],
  ['tsc --version', 'tsc --noEmit', false],
  ['tsc --noEmit', 'tsc -- --noEmit', false],
  ['cargo fmt --check', 'cargo fmt', false],
  ['cargo test --no-run', 'cargo test', false],
  ['make test -n', 'make test', false],
  ['make test -kn', 'make test -n', false],
  ['git add --dry-run', 'git add src', false],
  ['git add -n', 'git add src', false],
  ['git commit --dry-run', 'git commit -m a', false],
])(
  'isCoveredByPrefix checks whether a grant for "%s" covers "%s": %s',
  (prefix, command, isCovered) => {
    expect(isCoveredByPrefix(prefix.split(' '), command.split(' '))).toBe(isCovered);
  },
);

/**
 * Commands of compilers and formatters that write files to a folder set by a source file, an option or a configuration.
 */
const writingCommands = `
  tsc
  tsc .
  tsc -p test
  tsc src/a.ts
  tsc -- --noEmit
  tsc --noEmit false
  tsc --noEmit null
  tsc --noEmit --build
  tsc --build
  tsc -b --noEmit
  tsc --noEmit --incremental
  tsc --noEmit --tsBuildInfoFile .vscode/tasks.json
  tsc --noEmit --generateTrace trace
  tsc --noEmit --generateCpuProfile profile
  tsc --noEmit --outDir dist
  tsc --noEmit --init
  tsc --noEmit --watch
  tsc --noEmit -w
  tsc --init
  tsc --noEmit @options.txt
  tsc -p other.json
  tsc --noEmit -p other.json
  tsc -p src/config.x
  tsc --outDir .vscode
  tsc --version --outDir .vscode
  go build
  go build ./cmd/gradlew
  go build -o x ./...
  go install
  go fmt ./...
  cargo fmt
  cargo fmt --all
  cargo clippy --fix
  cargo build --out-dir x
  cargo doc --target-dir x
  eslint -o .vscode/tasks.json src
  eslint --output-file=x src
  eslint --fix src
  eslint --cache --cache-location x src
  prettier --write src
  prettier -w src
  prettier --cache --cache-location=x src
  oxlint --fix src
  vitest run -u
  vitest run --outputFile x
  vitest run --reporter=json
  jest -u
  jest --outputFile=x
  jest --json --outputFile x
  jest --coverage
  mocha --reporter-option output=x test/a.js
  pytest --junitxml=x
  pytest --basetemp=src
  node --test --test-reporter-destination=x test/a.js
  node --cpu-prof a.js
  babel src -d lib
  babel src --out-file x.js
  esbuild a.ts --outfile=b.js
  esbuild --bundle a.ts --outdir=.vscode
  swc src -d lib
  webpack
  webpack --output-path x
  rollup -c
  vite build
  vite build --outDir .vscode
  parcel build a.html
  tsup
  tsdown
  vue-tsc --noEmit
  gcc a.c
  clang -o x a.c
  javac -d x A.java
  rustc a.rs
  kotlinc a.kt
  scalac A.scala
  swiftc a.swift
  ghc a.hs
  zig build
  dart compile exe a.dart
  flutter build
  msbuild
  csc a.cs
  dotnet build -o x
  dotnet publish
  mvn package
  mvn test -DoutputDirectory=x
  gradle build --project-dir x
  sass a.scss a.css
  lessc a.less a.css
  pandoc a.md -o a.html
  protoc --js_out=. a.proto
  black .
  isort .
  ruff format
  gofmt -w .
  rustfmt a.rs
  clang-format -i a.c
`
  .trim()
  .split(/\n\s*/u);

test.each(writingCommands)(
  'a grant never covers "%s", which can write files anywhere',
  async (line) => {
    const words = line.split(' ');
    const prefixes = words.map((_, index) => words.slice(0, index + 1));
    const options = words.filter((word) => word.startsWith('-'));
    const grants = {
      prefixes: [...prefixes, ...options.map((option) => [words[0] ?? '', option])],
      isReadOnlyAllowed: true,
    };
    expect(await checkCommandLine(line, grants)).toMatchObject({
      decision: 'ask',
      isRememberable: false,
    });
  },
);
