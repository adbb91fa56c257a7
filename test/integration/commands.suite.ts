import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setup, suite, teardown, test } from 'mocha';
import * as vscode from 'vscode';
import { checkCommand } from '../../src/agent/commands/command-gate.ts';
import { Grants } from '../../src/agent/permissions/grants.ts';
import { PermissionRules } from '../../src/agent/permissions/permission-rules.ts';
import {
  type Tool,
  type ToolArguments,
  type ToolContext,
  selectTools,
} from '../../src/agent/tool.ts';
import { ToolError, type ToolErrorCode } from '../../src/workspace/tool-error.ts';
import {
  type CommandTools,
  createCommandTools,
} from '../../src/agent/tools/vscode/workspace-tools.ts';
import type { CommandParser } from '../../src/agent/commands/command-line.ts';
import { createCommandParser } from '../../src/agent/commands/vscode/grammar-parser.ts';
import { backgroundLimits } from '../../src/agent/commands/vscode/running-commands.ts';
import { WorkspacePaths } from '../../src/workspace/vscode/paths.ts';
import { disableAmd } from './environment.ts';
import { waitUntil } from '../support/eventually.ts';

/** Duration of a `sleep` process in seconds. Longer than any test, so the process ends only if it is killed. */
const endlessSeconds = 100_000;

suite('the command runner', () => {
  let parentFolder = '';
  let root = '';
  let isOnDisk = true;
  let commands: CommandTools;
  let parser: CommandParser;

  suiteSetup(async () => {
    const extension = vscode.extensions.getExtension('inference-service.inference-service');
    // Another extension may define a global AMD loader, which the unbundled parser would use.
    using _ = disableAmd();
    parser = createCommandParser(join(extension?.extensionPath ?? '', 'dist/host'));
    for (const shell of ['bash', 'powershell'] as const) await parser.parse(shell, 'ls');
  });

  setup(() => {
    parentFolder = realpathSync(mkdtempSync(join(tmpdir(), 'inference-service-commands-')));
    root = join(parentFolder, 'app');
    mkdirSync(join(root, 'src'), { recursive: true });
    isOnDisk = true;
    const folders = [{ uri: vscode.Uri.file(root), name: 'app', index: 0 }];
    const paths = new WorkspacePaths({
      folders: () => folders,
      isTrusted: () => true,
      forbiddenFolders: [],
    });
    commands = createCommandTools({
      paths,
      parser,
      listFolders: () => [root],
      hasFolderOnDisk: () => isOnDisk,
    });
  });
  teardown(() => {
    commands.dispose();
    rmSync(parentFolder, { recursive: true, force: true, maxRetries: 5 });
  });

  test('returns the output of both streams in order, and the exit code', async () => {
    const line = 'for i in 1 2 3; do echo out$i; echo err$i >&2; done; exit 3';
    const [status, ...outputLines] = (await run(line)).split('\n').filter(Boolean);
    assert.match(status ?? '', /^Exit code 3 after \d+\.\d s\.$/);
    assert.deepEqual(outputLines, ['out1', 'err1', 'out2', 'err2', 'out3', 'err3']);
  });

  test('reports empty output, success, a syntax error and termination by a signal', async () => {
    assert.match(await run('true'), /^Exit code 0 after .*\n\n\(no output\)$/);
    assert.match(await run('echo "open'), /^Exit code [12] after [^]*unexpected/);
    assert.match(await run('no-such-program'), /^Exit code 127 after [^]*not found/);
    assert.match(await run('kill -9 $$'), /^Ended by SIGKILL after/);
  });

  test('gives each command empty input, so that no command waits for input', async () => {
    assert.match(await run('cat; read -r line; echo "end:$line"'), /^Exit code 0 [^]*\nend:$/);
  });

  test('runs a command in the approved folder, unless another folder has replaced this folder', async () => {
    assert.ok((await run('pwd', { cwd: 'src' })).endsWith(`\n${join(root, 'src')}`));
    assert.ok((await run('pwd')).endsWith(`\n${root}`));
    const args = { command: 'echo ran > ran.txt', cwd: 'src' };
    await findTool('run_command').plan(args, createToolContext());
    mkdirSync(join(parentFolder, 'elsewhere'));
    renameSync(join(root, 'src'), join(root, 'old'));
    symlinkSync(join(parentFolder, 'elsewhere'), join(root, 'src'));
    await assertRejects(findTool('run_command').run(args, createToolContext()), 'refused-path');
    assert.ok(!existsSync(join(parentFolder, 'elsewhere/ran.txt')));
  });

  test('shows the whole command and its folder in the approval', async () => {
    const command = `echo ${'long '.repeat(200)}\necho second`;
    const claims = { requires_approval: false, safe: true };
    const plan = await findTool('run_command').plan(
      { command, cwd: 'src', ...claims },
      createToolContext(),
    );
    assert.deepEqual(plan.resources, [{ type: 'command', commandLine: command, cwd: 'src' }]);
    const preview = { language: 'shellscript', text: command, cwd: 'src', files: [] };
    assert.deepEqual(plan.preview, preview);
    const outsidePlan = await findTool('run_command').plan(
      { command: 'ls', cwd: '..' },
      createToolContext(),
    );
    assert.deepEqual(outsidePlan.resources, [
      { type: 'command', commandLine: 'ls', cwd: parentFolder },
    ]);
  });

  const invalidPlans: readonly (readonly [string, ToolArguments, ToolErrorCode])[] = [
    ['no command', {}, 'bad-arguments'],
    ['an empty command', { command: ' \n' }, 'bad-arguments'],
    ['a list', { command: ['ls'] }, 'bad-arguments'],
    ['a very long command', { command: 'x'.repeat(30_001) }, 'too-large'],
    ['a missing folder', { command: 'ls', cwd: 'nowhere' }, 'not-found'],
    ['a folder of another machine', { command: 'ls', cwd: '//evil/share' }, 'refused-path'],
    ['a number as folder', { command: 'ls', cwd: 1 }, 'bad-arguments'],
    ['an invalid time limit', { command: 'ls', timeout_seconds: 'x' }, 'bad-arguments'],
    ['a text as a boolean', { command: 'ls', background: 'yes' }, 'bad-arguments'],
  ];
  for (const [name, args, code] of invalidPlans) {
    test(`rejects a call with ${name}`, () =>
      assertRejects(findTool('run_command').plan(args, createToolContext()), code));
  }

  test('starts each command with the initial folder, variables, functions and aliases, whatever earlier commands changed', async () => {
    await run('export CANARY=1; canary() { :; }; cd src; umask 000; alias x=y');
    const nextOutput = await run('echo "[$CANARY]"; pwd; type canary; alias');
    assert.match(nextOutput, /\n\[\]\n/);
    assert.ok(nextOutput.includes(`\n${root}\n`));
    assert.match(nextOutput, /canary: not found/);
    assert.doesNotMatch(nextOutput, /alias x/);
  });

  test('removes the API key and VS Code’s IPC variables from the environment', async () => {
    const secrets = { INFERENCE_SERVICE_API_KEY: 'canary-1', VSCODE_IPC_HOOK_CLI: 'canary-2' };
    const environment = { MY_OWN_VARIABLE: 'canary-3' };
    const environmentBefore = { ...process.env };
    Object.assign(process.env, secrets, environment);
    try {
      const output = await run('env');
      assert.match(output, /^MY_OWN_VARIABLE=canary-3$/m);
      assert.match(output, /^GIT_TERMINAL_PROMPT=0$/m);
      assert.match(output, /^TERM=dumb$/m);
      assert.doesNotMatch(
        output,
        /canary-[12]|^(?:VSCODE|ELECTRON)_|INFERENCE_SERVICE_(?!COMMAND)/m,
      );
    } finally {
      for (const name of Object.keys({ ...secrets, ...environment })) delete process.env[name];
      Object.assign(process.env, environmentBefore);
    }
  });

  test('runs no program from the Git configuration of a fake repository', async () => {
    const folder = join(root, 'src');
    for (const name of ['objects', 'refs']) mkdirSync(join(folder, name));
    writeFileSync(join(folder, 'HEAD'), 'ref: refs/heads/main\n');
    const settings = [
      '[core]',
      'repositoryformatversion = 0',
      'bare = false',
      'worktree = ..',
      `fsmonitor = "touch ${root}/ran; false"`,
    ];
    writeFileSync(join(folder, 'config'), settings.join('\n'));
    const execOptions = { cwd: folder, env: { PATH: process.env['PATH'], HOME: root } };
    spawnSync('git', ['status'], execOptions);
    assert.ok(existsSync(join(root, 'ran')), 'without these settings it runs');
    rmSync(join(root, 'ran'));
    assert.match(await run('git status', { cwd: 'src' }), /bare repository|not a git repository/);
    assert.match(await run('cd src && git status'), /bare repository|not a git repository/);
    assert.ok(!existsSync(join(root, 'ran')));
  });

  test('starts no file system monitor from the Git configuration of a repository', async () => {
    const execOptions = { cwd: root, env: { PATH: process.env['PATH'], HOME: root } };
    spawnSync('git', ['init', '-q'], execOptions);
    spawnSync('git', ['config', 'core.fsmonitor', `touch ${root}/ran; false`], execOptions);
    spawnSync('git', ['status'], execOptions);
    assert.ok(existsSync(join(root, 'ran')), 'without these settings it runs');
    rmSync(join(root, 'ran'));
    assert.match(await run('git status'), /^Exit code 0 after/);
    assert.ok(!existsSync(join(root, 'ran')));
  });

  test('removes terminal control sequences', async () => {
    const printedText = String.raw`\033[31mred\033[0m \033]52;c;eA==\007\033]8;;http://evil.test\033\\link\033]8;;\033\\ \302\2331m\n10%%\r100%%\r\ndone`;
    const output = await run(`printf '${printedText}'`);
    assert.ok(output.endsWith('\n\nred link \n100%\ndone'), JSON.stringify(output));
  });

  test('limits the memory for very long output, and keeps the start and the end of the output', async () => {
    const memoryBefore = process.memoryUsage().rss;
    const output = await run(
      "echo first; head -c 100000000 /dev/zero | tr '\\0' a; echo; echo last",
    );
    assert.match(
      output,
      /^Exit code 0 after .*\n\nfirst\na+\n\[… 99,\d{3},\d{3} bytes left out …\]\na+\nlast$/,
    );
    assert.ok(output.length < 300_000, `${output.length} characters`);
    assert.ok(process.memoryUsage().rss - memoryBefore < 90_000_000, 'most of it would be 100 MB');
  });

  test('kills a command at its time limit, and reports its output', async () => {
    const output = await settleBeforeSleep(
      run(`echo $$; sleep ${endlessSeconds}`, { timeout_seconds: 1 }),
    );
    assert.match(output, /^Timed out and was ended after \d+\.\d s\.\n\n\d+$/);
    await assertExited([Number(output.split('\n').at(-1))]);
  });

  test('kills all processes of a command within seconds after Stop', async () => {
    const abortController = new AbortController();
    const pidsFile = join(root, 'pids');
    // The first process is the shell, the second leaves its group, the third loses its parent, the
    // fourth ignores SIGTERM.
    const line = `
      echo $$ >> pids
      setsid sleep ${endlessSeconds} & echo $! >> pids
      ( setsid bash -c 'echo $$ >> pids; exec sleep ${endlessSeconds}' & )
      bash -c 'trap "" TERM; echo $$ >> pids; while true; do sleep 1; done' &
      wait`;
    const resultPromise = findTool('run_command').run(
      { command: line },
      createToolContext(abortController.signal),
    );
    await waitUntil(() => existsSync(pidsFile) && readLines(pidsFile).length === 4);
    const processIds = readLines(pidsFile).map(Number);
    assert.deepEqual(processIds.filter(isRunning), processIds);
    abortController.abort();
    const { output } = await settleBeforeSleep(resultPromise);
    assert.match(output, /^Stopped by the user after/);
    assert.deepEqual(processIds.filter(isRunning), []);
  });

  test('does not start a queued command that the user stopped', async () => {
    const args = { command: 'echo ran > ran.txt' };
    await assertRejects(
      findTool('run_command').run(args, createToolContext(AbortSignal.abort())),
      'stopped',
    );
    assert.ok(!existsSync(join(root, 'ran.txt')));
  });

  test('kills the remaining processes of a command after the command ends', async () => {
    const output = await settleBeforeSleep(run(`sleep ${endlessSeconds} & echo $!`));
    await assertExited([Number(output.split('\n').at(-1))]);
  });

  test('kills a process that left the process group of the command', async () => {
    const output = await run('setsid sleep 307 </dev/null >/dev/null 2>&1 & echo $!');
    await assertExited([Number(output.split('\n').at(-1))]);
  });

  test('kills on Stop a process that cleared its environment and left the process group of the command', async () => {
    const abortController = new AbortController();
    const line = 'env -i setsid sleep 308 & echo $! > pids; wait';
    const resultPromise = findTool('run_command').run(
      { command: line },
      createToolContext(abortController.signal),
    );
    const pidsFile = join(root, 'pids');
    await waitUntil(() => existsSync(pidsFile) && readLines(pidsFile).length === 1);
    const [pid = 0] = readLines(pidsFile).map(Number);
    await waitUntil(() => readFileSync(`/proc/${pid}/environ`).length === 0 && isRunning(pid));
    abortController.abort();
    await resultPromise;
    assert.ok(!isRunning(pid));
  });

  test('runs a background command, returns its output in parts, and stops the command on request', async () => {
    const line = 'echo begun $$; until [ -e go ]; do sleep 0.05; done; echo gone on; sleep 304';
    const { id, text } = await startBackgroundCommand(line, /begun \d+/);
    const pid = Number(/begun (?<pid>\d+)/u.exec(text)?.groups?.['pid']);
    assert.match(
      await readOutput(id),
      /^command-\d+ has been running for .*\n\n\(no new output\)$/,
    );
    await run('touch go');
    let outputText = '';
    await waitUntil(async () => (outputText += await readOutput(id)).includes('gone on'));
    assert.doesNotMatch(outputText, /begun/);
    assert.ok(isRunning(pid));
    const { output } = await findTool('stop_command').run({ id }, createToolContext());
    assert.match(output, /^Ended by SIGTERM after [^]*\(no new output\)$/);
    await assertExited([pid]);
    assert.match(await readOutput(id), /^Ended by SIGTERM/);
  });

  test('reports the end of a background command, and then stops waiting for its output', async () => {
    const { text } = await startBackgroundCommand('echo no; exit 4', /Exit code 4 after/);
    assert.match(text, /\nno(?:\n|$)/);
    const { id } = await startBackgroundCommand(
      'echo begun; until [ -e go ]; do sleep 0.05; done; echo end',
      /begun/,
    );
    const resultPromise = findTool('read_command_output').run(
      { id, wait_seconds: 20 },
      createToolContext(),
    );
    await run('touch go');
    assert.match((await resultPromise).output, /^Exit code 0 after .*\n\nend$/);
    const unknownPlanPromise = findTool('read_command_output').plan(
      { id: 'command-99' },
      createToolContext(),
    );
    await assertRejects(unknownPlanPromise, 'not-found');
  });

  test('stops waiting for the output of a background command when the user selects Stop, and the command continues', async () => {
    const { id } = await startBackgroundCommand('echo begun; sleep 305', /begun/);
    const abortController = new AbortController();
    const resultPromise = findTool('read_command_output').run(
      { id, wait_seconds: 60 },
      createToolContext(abortController.signal),
    );
    abortController.abort();
    assert.match((await resultPromise).output, /has been running/);
  });

  test('does not let another conversation read, list or stop a background command', async () => {
    const { id } = await startBackgroundCommand('echo begun; sleep 307', /begun/);
    const otherContext = createToolContext(undefined, 'c2');
    for (const name of ['read_command_output', 'stop_command']) {
      for (const attemptPromise of [
        findTool(name).plan({ id }, otherContext),
        findTool(name).run({ id }, otherContext),
      ]) {
        await assert.rejects(
          attemptPromise,
          (error) => error instanceof ToolError && /There are none/.test(error.message),
        );
      }
    }
    assert.match(await readOutput(id), /has been running/);
  });

  test('limits the number of background commands separately for each conversation', async () => {
    const commandPromises = Array.from({ length: backgroundLimits.running }, () =>
      run('sleep 308', { background: true }),
    );
    await Promise.all(commandPromises);
    await assertRejects(run('sleep 308', { background: true }), 'failed');
    const args = { command: 'sleep 308', background: true };
    const { output } = await findTool('run_command').run(args, createToolContext(undefined, 'c2'));
    assert.match(output, /^Running in the background/);
  });

  test('ends a background command when the user stops its turn', async () => {
    const abortController = new AbortController();
    const args = { command: 'echo $$ > pid; sleep 309', background: true };
    const { output } = await findTool('run_command').run(
      args,
      createToolContext(abortController.signal),
    );
    const id = /\bcommand-\d+/u.exec(output)?.[0] ?? '';
    const pid = join(root, 'pid');
    await waitUntil(() => existsSync(pid) && readLines(pid).length === 1);
    const nextTurnController = new AbortController();
    await findTool('read_command_output').run({ id }, createToolContext(nextTurnController.signal));
    nextTurnController.abort();
    assert.match(await readOutput(id), /has been running/, 'the stop of another turn');
    abortController.abort();
    await assertExited(readLines(pid).map(Number));
    await waitUntil(async () => (await readOutput(id)).startsWith('Ended by SIGTERM'));
  });

  test('ends a background command only when its own conversation is deleted', async () => {
    const deletedCommand = await startBackgroundCommand('echo $$; sleep 310', /^\d+$/m);
    const args = { command: 'echo $$ > kept; sleep 310', background: true };
    await findTool('run_command').run(args, createToolContext(undefined, 'c2'));
    await waitUntil(
      () => existsSync(join(root, 'kept')) && readLines(join(root, 'kept')).length === 1,
    );
    commands.forgetConversation('c1');
    await assertExited([Number(/^\d+$/mu.exec(deletedCommand.text)?.[0])]);
    await assertRejects(
      findTool('read_command_output').plan({ id: deletedCommand.id }, createToolContext()),
      'not-found',
    );
    assert.ok(readLines(join(root, 'kept')).map(Number).every(isRunning));
  });

  test('runs stop_command without approval, but does not offer the tool in Ask mode', async () => {
    const { id } = await startBackgroundCommand('echo begun; sleep 311', /begun/);
    const stopTool = findTool('stop_command');
    const names = [
      ...selectTools(commands.tools, { mode: 'ask', disabledNames: new Set() }).keys(),
    ];
    assert.deepEqual(names, ['read_command_output']);
    const rules = new PermissionRules({
      grants: new Grants({ get: () => undefined, set: () => {} }),
      inspectPath: () => assert.fail('no path is asked about'),
      parser: { parse: () => assert.fail('no command is asked about') },
      commandFiles: {
        inspectOperand: () => assert.fail('no command is asked about'),
        startSearch: () => () => assert.fail('no command is asked about'),
        listChangedFiles: () => assert.fail('no command is asked about'),
        isStoredFileName: () => assert.fail('no command is asked about'),
        findConfiguredProgram: () => assert.fail('no command is asked about'),
        findListedSecretReason: () => assert.fail('no command is asked about'),
        findUnprotectedConfiguration: () => assert.fail('no command is asked about'),
        readOutput: () => assert.fail('no command is asked about'),
      },
      getShell: () => 'bash',
      listUnreviewedEdits: () => assert.fail('no command is asked about'),
      confirmedEditStore: { get: () => undefined, set: () => {} },
      isReadOnlyAllowed: () => false,
    });
    const plan = await stopTool.plan({ id }, createToolContext());
    assert.equal(
      (await rules.evaluateCall(stopTool, plan, { conversationId: 'c1', level: 'ask' })).decision,
      'allow',
    );
  });

  test('limits the number of background commands, and ends all of them when the extension is deactivated', async () => {
    const line = 'echo $$; sleep 306';
    const results = await Promise.all(
      Array.from({ length: backgroundLimits.running }, () =>
        startBackgroundCommand(line, /^\d+$/m),
      ),
    );
    const pids = results.map(({ text }) => Number(/^\d+$/mu.exec(text)?.[0]));
    assert.deepEqual(pids.filter(isRunning), pids);
    await assertRejects(run(line, { background: true }), 'failed');
    commands.dispose();
    await assertExited(pids);
  });

  test('offers no command tool without a folder on disk', () => {
    isOnDisk = false;
    assert.deepEqual(commands.tools, []);
  });

  test('classifies command lines with the packaged grammars', async () => {
    for (const shell of ['bash', 'powershell'] as const) {
      const decidePermission = async (commandLine: string): Promise<string> => {
        const tree = await parser.parse(shell, commandLine);
        const grants = { prefixes: [], isReadOnlyAllowed: true };
        const { decision, reasons } = checkCommand({ shell, commandLine, tree }, grants);
        return [decision, ...reasons.map(({ code }) => code)].join(' ');
      };
      assert.equal(await decidePermission('git status'), 'allow', shell);
      assert.match(await decidePermission('git status; rm x'), /^ask/u, shell);
      assert.match(await decidePermission('git status\rrm x'), /^refuse/u, shell);
    }
  });

  function findTool(name: string): Tool {
    const matchingTool = commands.tools.find((tool) => tool.name === name);
    assert.ok(matchingTool, name);
    return matchingTool;
  }

  /** Plans and runs a command as the agent does. Returns the result for the model. */
  async function run(command: string, extraArguments: ToolArguments = {}): Promise<string> {
    const args = { command, ...extraArguments };
    await findTool('run_command').plan(args, createToolContext());
    return (await findTool('run_command').run(args, createToolContext())).output;
  }

  /** Starts a background command, and reads its output until it contains the expected text. */
  async function startBackgroundCommand(
    command: string,
    expected: RegExp,
  ): Promise<{ id: string; text: string }> {
    let text = await run(command, { background: true });
    const id = /\bcommand-\d+/u.exec(text)?.[0] ?? '';
    await waitUntil(
      async () => expected.test(text) || expected.test((text += `\n${await readOutput(id)}`)),
    );
    return { id, text };
  }

  const readOutput = async (id: string): Promise<string> =>
    (await findTool('read_command_output').run({ id }, createToolContext())).output;
});

const createToolContext = (
  signal: AbortSignal = new AbortController().signal,
  conversationId = 'c1',
): ToolContext => ({
  conversationId,
  turnId: 't1',
  messageId: 'm1',
  callId: 'call-1',
  signal,
  supportsVision: false,
});

const readLines = (file: string): string[] =>
  readFileSync(file, 'utf8').split('\n').filter(Boolean);

async function assertRejects(promise: Promise<unknown>, code: ToolErrorCode): Promise<void> {
  await assert.rejects(promise, (error) => error instanceof ToolError && error.code === code);
}

/**
 * Resolves with the result of the promise if it settles before a `sleep 5` process that starts now. Otherwise rejects.
 * A busy machine delays both, so this limit is more reliable than a fixed time.
 */
async function settleBeforeSleep<T>(promise: Promise<T>): Promise<T> {
  const sleepProcess = spawn('sleep', ['5'], { stdio: 'ignore' });
  try {
    const lateErrorPromise = once(sleepProcess, 'exit').then(() =>
      Promise.reject(new Error('sleep 5 ended first')),
    );
    return await Promise.race([promise, lateErrorPromise]);
  } finally {
    sleepProcess.kill();
  }
}

/** Waits until the processes with these ids no longer exist. */
async function assertExited(pids: readonly number[]): Promise<void> {
  assert.ok(
    pids.every((pid) => pid > 0),
    String(pids),
  );
  await waitUntil(() => !pids.some(isRunning));
}

/** Checks whether the process runs. Returns false for a zombie. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/mu.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
