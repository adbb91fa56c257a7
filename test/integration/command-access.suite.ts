import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, suiteSetup, suiteTeardown, test } from 'mocha';
import * as vscode from 'vscode';
import { disableAmd } from './environment.ts';
import { CommandFiles } from '../../src/agent/commands/vscode/command-files.ts';
import { createCommandParser } from '../../src/agent/commands/vscode/grammar-parser.ts';
import { Grants } from '../../src/agent/permissions/grants.ts';
import { PermissionRules } from '../../src/agent/permissions/permission-rules.ts';
import type { Tool } from '../../src/agent/tool.ts';
import type { Decision } from '../../src/workspace/verdict.ts';
import { WorkspacePaths } from '../../src/workspace/vscode/paths.ts';

const secretText = 'SECRET-IN-A-KEY-FILE';
const outsideText = 'TEXT-OUTSIDE-OF-THE-WORKSPACE';

/** File name whose length is close to the maximum that file systems allow. */
const longName = 'n'.repeat(252);

suite('permission checks:', () => {
  let parentFolder = '';
  let root = '';
  let rules: PermissionRules;
  let grants: Grants;
  let isReadOnlyAllowed = true;

  suiteSetup(async () => {
    parentFolder = realpathSync(mkdtempSync(join(tmpdir(), 'inference-service-access-')));
    root = join(parentFolder, 'app');
    createFiles();
    const paths = new WorkspacePaths({
      folders: () => [{ uri: vscode.Uri.file(root), name: 'app', index: 0 }],
      isTrusted: () => true,
      forbiddenFolders: [],
    });
    const extension = vscode.extensions.getExtension('inference-service.inference-service');
    using _ = disableAmd();
    const parser = createCommandParser(join(extension?.extensionPath ?? '', 'dist/host'));
    await parser.parse('bash', 'ls');
    grants = new Grants({ get: () => undefined, set: () => {} });
    rules = new PermissionRules({
      grants,
      inspectPath: async (path) => (await paths.resolvePath(path)).facts,
      parser,
      commandFiles: new CommandFiles(paths, () => [root]),
      getShell: () => 'bash',
      listUnreviewedEdits: () => Promise.resolve([]),
      confirmedEditStore: { get: () => undefined, set: () => {} },
      isReadOnlyAllowed: () => isReadOnlyAllowed,
    });
  });
  suiteTeardown(() => rmSync(parentFolder, { recursive: true, force: true, maxRetries: 5 }));

  /** Creates a repository with secret files, a folder outside of the repository, and symbolic links. */
  function createFiles(): void {
    const write = (path: string, text: string): void => {
      mkdirSync(join(root, path, '..'), { recursive: true });
      writeFileSync(join(root, path), text);
    };
    write('src/app.ts', 'export const needle = 1;\n');
    write('src/deep/b.ts', 'export const needle = 2;\n');
    write('config/.env', `needle=${secretText}\n`);
    write('config/app.json', '{ "needle": 3 }\n');
    write('old/a.txt', 'one\n');
    write('new/a.txt', 'two\n');
    write('package.json', '{}\n');
    write('tracked/.env', `needle=${secretText}\n`);
    write('linked/a.txt', 'needle\n');
    write('odd/a.txt', 'needle\n');
    writeFileSync(join(root, 'latin.txt'), Buffer.from([0xff]));
    write('glob.txt', `${parentFolder}/outside/*\n`);
    mkdirSync(join(parentFolder, 'outside'));
    writeFileSync(join(parentFolder, 'outside/x.txt'), `needle ${outsideText}\n`);
    symlinkSync(join(parentFolder, 'outside'), join(root, 'link-out'));
    symlinkSync(join(parentFolder, 'outside/x.txt'), join(root, 'odd/1'));
    symlinkSync(join(parentFolder, 'outside/x.txt'), join(root, 'odd/+1'));
    symlinkSync(join(parentFolder, 'outside/x.txt'), join(root, 'odd/-n'));
    symlinkSync(join(parentFolder, 'outside/x.txt'), join(root, 'linked/x.txt'));
    symlinkSync('../src', join(root, 'old/src'));
    mkdirSync(join(root, 'long'));
    symlinkSync(join(parentFolder, 'outside/x.txt'), join(root, 'long', longName));
    const runGit = (...args: string[]): void => {
      const identityArgs = ['-c', 'user.name=Test', '-c', 'user.email=test@example.test'];
      execFileSync('git', [...identityArgs, ...args], { cwd: root, stdio: 'ignore' });
    };
    runGit('init', '-q', '-b', 'main');
    runGit('add', '-A', '-f');
    runGit('commit', '-q', '-m', 'First');
    runGit('tag', 'blob-tag', 'HEAD:tracked/.env');
    write('src/app.ts', 'export const needle = 10;\n');
  }

  async function decidePermission(commandLine: string, cwd = '.'): Promise<Decision> {
    const runCommand = { name: 'run_command', kind: 'command', description: '' } as Tool;
    const resources = [{ type: 'command', commandLine, cwd }] as const;
    const chat = { conversationId: 'c1', level: 'ask' } as const;
    const plan = { verb: '', target: '', resources };
    const { decision, reasons } = await rules.evaluateCall(runCommand, plan, chat);
    assert.equal(reasons.length > 0, decision !== 'allow', commandLine);
    return decision;
  }

  /** Runs a command line in Bash and returns its output. */
  const run = (line: string): string =>
    execFileSync('/bin/bash', ['--noprofile', '--norc', '-c', `${line}\ntrue`], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, GIT_PAGER: 'cat' },
    });

  const linesWithoutApproval = [
    ...['ls', 'ls src -la', 'ls src/deep', 'cat src/app.ts', 'head -n 1 src/app.ts'],
    ...['cat package.json | head -1', 'cd src && ls', 'cd src && cat app.ts', 'ls old/src/'],
    ...['grep -rn needle src', 'grep -R needle src', 'rg needle src', 'grep needle src/app.ts'],
    ...['grep -R needle old', 'diff -r src/deep src/deep', 'find . -name "*.ts"', 'ls missing'],
    ...['git status --short', 'git log --oneline', 'git log --stat', 'git show --stat HEAD'],
    ...['git diff --stat', 'git diff --no-renames --no-ext-diff --no-textconv'],
    ...[
      'git diff --no-renames --no-ext-diff --no-textconv -- src',
      'wc -l src/app.ts',
      'du -sh src',
    ],
    ...['echo $(git log --oneline)', 'git log && echo $(git log)', 'cd src/deep && cat b.ts'],
    ...['echo "$(git rev-parse HEAD)"', 'echo $(cat $(ls src/app.ts))', 'echo hi & ls'],
    ...[
      'cat $(git ls-files src)',
      'stat src',
      'bash -c "cat src/app.ts | head -1"',
      "bash -c 'ls src'",
      "bash -lc 'ls src'",
      'seq 1 3 | paste -s -d +',
      'rg --files src',
      'git show --stat HEAD~0',
      'git show --stat main',
      'git diff --stat main HEAD',
      'cat src/app.ts | sort | uniq -c',
      'sed -n 1p src/app.ts',
    ],
  ];
  for (const line of linesWithoutApproval) {
    test(`a command that reads files runs without approval: ${line}`, async () => {
      assert.equal(await decidePermission(line), 'allow');
      const output = run(line);
      assert.ok(!output.includes(secretText) && !output.includes(outsideText), output);
    });
  }

  const linesWithApproval = [
    `cat long/${longName}`,
    ...['ls link-out/', 'ls link-out', 'cd link-out && ls', 'cat link-out/x.txt'],
    ...['grep -r needle link-out/', 'find link-out/', 'wc link-out/x.txt', 'ls -I link-out'],
    ...['cd odd && cat 1', 'cd odd && ls | tac 1', 'cd odd && head 1', 'cd odd && sort +1'],
    ...['cd odd && cat a.txt -n', 'cd odd && head -- -n', 'cd odd && nl </dev/null 1', 'tac odd/1'],
    ...['ls </dev / null', 'cat </ dev/null', 'echo x >/de v/null'],
    ...[
      'grep -r needle .',
      'grep -r needle',
      'grep needle -r',
      'grep -r needle --exclude-dir=src',
      'rg needle --hidden',
      'grep -R needle config',
      'rg needle',
      'rg needle -n',
      'grep -r needle -w',
      'rg needle config',
    ],
    ...['rg -g ".e*" needle', 'grep -r --include=".e*" needle .', 'diff -r config old'],
    ...['diff old config', 'cat config/.env', 'cd config && cat .env', 'cd config; cat .env'],
    ...['cat config/.e*', 'grep -R needle linked', 'diff -r linked old', 'git log -p', 'git show'],
    ...['git show HEAD', 'git grep needle', 'git diff', 'git show HEAD:tracked/.env'],
    ...['rg --files --json KEY', 'rg --type-list --json KEY', 'rg --files -c KEY'],
    ...['echo x | cat $(cat)', 'cat glob.txt | find $(cat)', 'cat $(sort -R glob.txt)'],
    ...['cat $(find src -mmin -1)', 'cat $(ls src/app.ts | head -1)', 'cat $(cat latin.txt)'],
    ...['sleep 9 && cat $(ls src/app.ts)', 'cat $(ls src/app.ts) &'],
    ...["cat $(git branch --format='%(refname)')", "cat $(git rev-parse '@{1.second.ago}')"],
    ...['cd missing && cat a', 'git show --stat blob-tag'],
    ...["bash -c 'cat config/.env'", "bash -c 'rm x'", 'bash -c ls config', 'bash -c "ls" >x'],
    ...[
      'bash -c "bash -c ls"',
      "bash -ic 'ls'",
      "bash -lc 'cat config/.env'",
      'bash -l -c ls',
      "FOO=1 bash -c 'ls'",
      'sha256sum -c list',
    ],
    ...['cd src && cat ../config/.env', 'cd config && ls && cat .env', 'base64 config/.env'],
    ...[
      'sed -n 1p config/.env',
      'cat $(ls -A config)',
      'cd odd && cat $(ls)',
      'echo $(cat glob.txt)',
    ],
    ...[
      'echo $(rm x)',
      'echo `ls`',
      'cd config && cat $(ls -A)',
      '$(echo rm) x',
      'cat $(date +%S)',
    ],
    ...[
      'npm test $(ls src)',
      'echo $(ls) $(ls)',
      'echo x > $(ls src)',
      'A=$(ls) ls',
      'grep -r needle $(ls)',
    ],
  ];
  for (const line of linesWithApproval) {
    test(`a command that reads files requires approval: ${line}`, async () =>
      assert.equal(await decidePermission(line), 'ask'));
  }

  // Command lines of the tests in `packages/core/src/policy` of google-gemini/gemini-cli.
  suite('command lines from the test suite of another coding agent:', () => {
    const safeLines = [
      ...['git log', 'git log --oneline', 'git log && echo $(git log)', 'echo $(git log)'],
      ...['echo hi && ls', 'echo hi | grep "hi"', 'echo hi & ls', 'echo $(cat $(ls))'],
    ];
    const unsafeLines = [
      ...['git logout', 'git log && rm -rf /', 'git log; rm -rf /', 'git log || rm -rf /'],
      ...['git log &&& rm -rf /', 'echo $(rm -rf /)', 'echo `rm -rf /`', 'tee >(rm -rf /)'],
      ...['diff <(git log) <(rm -rf /)', 'git log | rm -rf /', 'git log --format=$(rm -rf /)'],
      ...['git log && echo $(git log | rm -rf /)', 'git log > /tmp/test', 'echo hi > /tmp/test'],
      ...['git log @(Get-Process)', 'git commit -m "msg" && git push', 'echo $(dangerous_cmd)'],
      ...['git status && unknown_command', 'unknown_command_1 && another_unknown_command'],
      ...['echo `dangerous_cmd`', '(dangerous_cmd)', 'echo $(ls $(deep_danger))'],
    ];

    test('a read-only line runs without approval', async () => {
      const allowedLines = await filterAllowedLines(safeLines);
      assert.deepEqual(allowedLines, safeLines);
    });

    test('at least 90 percent of the read-only lines run without approval if grants replace the built-in list', async () => {
      isReadOnlyAllowed = false;
      const commands = ['git log', 'echo', 'ls', 'cat', 'grep'].flatMap((words) =>
        ['.', 'src/deep'].map((folder) => ({ folder, words: words.split(' ') })),
      );
      await grants.addGrant({ type: 'commands', commands }, 'conversation', 'c1');
      const allowedLines = await filterAllowedLines(safeLines);
      isReadOnlyAllowed = true;
      assert.ok(allowedLines.length >= safeLines.length * 0.9, allowedLines.join('\n'));
    });

    test('each line that is not safe to run requires approval', async () => {
      assert.deepEqual(await filterAllowedLines(unsafeLines), []);
    });
  });

  async function filterAllowedLines(lines: readonly string[]): Promise<string[]> {
    const allowedLines: string[] = [];
    for (const line of lines) {
      // The folder of this command line contains only plain files.
      const cwd = line.includes('$(cat $(ls))') ? 'src/deep' : '.';
      if ((await decidePermission(line, cwd)) === 'allow') allowedLines.push(line);
    }
    return allowedLines;
  }

  test('a recursive search that does not follow links runs without approval', async () => {
    assert.equal(await decidePermission('grep -r needle linked'), 'allow');
    assert.ok(!run('grep -r needle linked').includes(outsideText));
  });

  test('a diff requires approval if the diff includes a secret file, even a renamed one', async () => {
    const diff = 'git diff --no-renames --no-ext-diff --no-textconv';
    writeFileSync(join(root, 'tracked/.env'), 'needle=changed\n');
    assert.equal(await decidePermission(diff), 'ask');
    assert.equal(await decidePermission(`${diff} -- src`), 'allow');
    execFileSync('git', ['checkout', '-q', 'tracked/.env'], { cwd: root });
    execFileSync('git', ['mv', 'tracked/.env', 'tracked/plain.txt'], { cwd: root });
    assert.equal(await decidePermission(`${diff} HEAD`), 'ask');
    execFileSync('git', ['mv', 'tracked/plain.txt', 'tracked/.env'], { cwd: root });
    assert.equal(await decidePermission(`${diff} HEAD`), 'allow');
  });

  test('an always-allowed diff requires approval if the diff includes a secret file', async () => {
    const commands = [{ folder: '.', words: ['git', 'diff'] }];
    await grants.addGrant({ type: 'commands', commands }, 'conversation', 'c1');
    assert.equal(await decidePermission('git diff'), 'allow');
    writeFileSync(join(root, 'tracked/.env'), 'needle=changed\n');
    assert.equal(await decidePermission('git diff'), 'ask');
    assert.equal(await decidePermission('git diff -- src'), 'allow');
    execFileSync('git', ['checkout', '-q', 'tracked/.env'], { cwd: root });
    await grants.revokeGrant({ type: 'commands', commands });
  });

  test('a recursive search requires approval if a Git configuration in its folder contains a password or token', async () => {
    assert.equal(await decidePermission('grep -r needle linked src'), 'allow');
    const setGitConfig = (...args: string[]): void => {
      execFileSync('git', ['config', ...args], { cwd: join(root, 'vendor') });
    };
    mkdirSync(join(root, 'vendor'));
    execFileSync('git', ['init', '-q'], { cwd: join(root, 'vendor') });
    assert.equal(await decidePermission('grep -r needle vendor'), 'allow');
    setGitConfig('sendemail.smtpPass', 'hunter2');
    assert.equal(await decidePermission('grep -r needle vendor'), 'ask');
    setGitConfig('--unset', 'sendemail.smtpPass');
    assert.equal(await decidePermission('grep -r needle vendor'), 'allow');
    setGitConfig('remote.origin.url', 'https://user:token@example.test/x.git');
    assert.equal(await decidePermission('grep -r needle vendor'), 'ask');
  });

  test('a Git command requires approval if an argument identifies the content of a secret file, for example by object ID', async () => {
    const id = execFileSync('git', ['rev-parse', 'HEAD:tracked/.env'], {
      cwd: root,
      encoding: 'utf8',
    });
    const blobId = id.trim();
    const diff = 'git diff --no-renames --no-ext-diff --no-textconv';
    const objectNames = [
      blobId,
      blobId.slice(0, 8),
      `${blobId}^{blob}`,
      `x-1-g${blobId}`,
      'blob-tag',
    ];
    for (const objectName of objectNames) {
      assert.equal(await decidePermission(`git show --stat '${objectName}'`), 'ask', objectName);
      assert.equal(await decidePermission(`${diff} '${objectName}' src/app.ts`), 'ask', objectName);
      assert.equal(await decidePermission(`${diff} 'HEAD..${objectName}'`), 'ask', objectName);
      assert.equal(
        await decidePermission(`${diff} '^${objectName}' src/app.ts`),
        'ask',
        objectName,
      );
    }
    const commitId = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' });
    assert.equal(
      await decidePermission(`git show --stat ${commitId.trim().slice(0, 10)}`),
      'allow',
    );
  });

  test('an always-allowed compiler requires approval if its configuration extends a file that tools can change without approval', async () => {
    const commands = [{ folder: '.', words: ['tsc'] }];
    await grants.addGrant({ type: 'commands', commands }, 'conversation', 'c1');
    mkdirSync(join(root, 'project/config'), { recursive: true });
    const write = (name: string, value: object): void =>
      writeFileSync(join(root, 'project', name), JSON.stringify(value));
    write('tsconfig.json', {});
    assert.equal(await decidePermission('tsc --noEmit -p project'), 'allow');
    assert.equal(await decidePermission('tsc --noEmit -p project/tsconfig.json'), 'allow');
    write('tsconfig.base.json', { extends: './config/base' });
    write('config/base.json', { compilerOptions: { outDir: '../../.vscode' } });
    write('tsconfig.json', { extends: './tsconfig.base.json' });
    assert.equal(await decidePermission('tsc --noEmit -p project'), 'ask');
    const writeText = (text: string): void =>
      writeFileSync(join(root, 'project/tsconfig.json'), text);
    for (const text of [
      '{ "extends" /* c */ : "./config/base.json" }',
      String.raw`{ "\u0065xtends": "./config/base.json" }`,
      '{ "extends": "./tsconfig.base" }',
      '{ "extends": ["@tsconfig/node24", "./config/base.json"] }',
      'not JSON',
    ]) {
      writeText(text);
      assert.equal(await decidePermission('tsc --noEmit -p project'), 'ask', text);
    }
    writeText(
      '{ // A comment\n "extends": "@tsconfig/node24", "compilerOptions": { "strict": true, }, }',
    );
    assert.equal(await decidePermission('tsc --noEmit -p project'), 'allow');
    assert.equal(
      await decidePermission('tsc --noEmit -p src'),
      'ask',
      'a folder without a configuration',
    );
    for (const line of [
      'tsc --noEmit -p project/a.ts',
      'tsc --noEmit -p a.ts',
      'tsc --noEmit --project a.mts',
      'tsc -p project',
    ])
      assert.equal(await decidePermission(line), 'ask', line);
    for (const options of [
      { incremental: true, tsBuildInfoFile: '../../x.tsbuildinfo' },
      { incremental: true, tsBuildInfoFile: 'tasks.json' },
      { composite: true, outDir: '../../dist' },
      { composite: true, outDir: '../link-out' },
      { incremental: true, outFile: '/tmp/x.js' },
      { incremental: true, tsBuildInfoFile: 7 },
      { generateTrace: 'trace' },
      { GenerateCpuProfile: 'profile' },
    ]) {
      write('tsconfig.json', { compilerOptions: options });
      assert.equal(
        await decidePermission('tsc --noEmit -p project'),
        'ask',
        JSON.stringify(options),
      );
    }
    write('tsconfig.json', {
      compilerOptions: {
        ...{ incremental: true, outDir: '${configDir}/../dist' },
        tsBuildInfoFile: './node_modules/.tmp/app.tsbuildinfo',
      },
    });
    assert.equal(await decidePermission('tsc --noEmit -p project'), 'allow');
    assert.equal(await decidePermission('tsc --version'), 'allow');
    await grants.revokeGrant({ type: 'commands', commands });
  });

  test('an always-allowed compiler requires approval for an input file that may contain its configuration', async () => {
    const commands = [{ folder: '.', words: ['tsc'] }];
    await grants.addGrant({ type: 'commands', commands }, 'conversation', 'c1');
    writeFileSync(join(root, 'settings'), '{ "compilerOptions": { "outDir": ".vscode" } }');
    assert.equal(await decidePermission('tsc --noEmit -p settings'), 'ask');
    await grants.revokeGrant({ type: 'commands', commands });
  });

  test('a Git command requires approval if the repository configures a program, and the check does not run this program', async () => {
    const readGitOutput = (...args: readonly string[]): string =>
      execFileSync('git', args, { cwd: root, encoding: 'utf8' });
    const markerFile = join(parentFolder, 'marker');
    const lines = ['git status', 'git diff --stat', 'git ls-files -m', 'git describe --dirty'];
    for (const line of lines) assert.equal(await decidePermission(line), 'allow', line);
    readGitOutput('config', 'filter.prepared.clean', `touch '${markerFile}'; cat`);
    writeFileSync(join(root, '.git/info/attributes'), '* filter=prepared\n');
    try {
      utimesSync(join(root, 'src/app.ts'), new Date(), new Date(0));
      const diff = 'git diff --no-renames --no-ext-diff --no-textconv';
      for (const line of [...lines, diff, `echo "$(${lines[0]})"`])
        assert.equal(await decidePermission(line), 'ask', line);
      assert.equal(await decidePermission('git log --oneline'), 'allow');
      assert.equal(existsSync(markerFile), false);
      readGitOutput('status');
      assert.equal(existsSync(markerFile), true);
    } finally {
      readGitOutput('config', '--remove-section', 'filter.prepared');
      rmSync(join(root, '.git/info/attributes'));
    }
  });

  test('an always-allowed program requires approval for a secret file and for a file outside the workspace', async () => {
    const commands = [{ folder: '.', words: ['npm', 'test'] }];
    await grants.addGrant({ type: 'commands', commands }, 'conversation', 'c1');
    assert.equal(await decidePermission('npm test src'), 'allow');
    assert.equal(await decidePermission('npm test link-out/x.txt'), 'ask');
    assert.equal(await decidePermission('npm test a=link-out'), 'ask');
    assert.equal(await decidePermission('npm test config/.env'), 'ask');
  });
});
