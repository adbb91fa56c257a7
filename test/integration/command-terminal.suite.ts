import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setup, suite, suiteSetup, suiteTeardown, teardown, test } from 'mocha';
import * as vscode from 'vscode';
import type { Tool, ToolArguments, ToolContext } from '../../src/agent/tool.ts';
import {
  type CommandTools,
  createCommandTools,
} from '../../src/agent/tools/vscode/workspace-tools.ts';
import { checkCommand } from '../../src/agent/commands/command-gate.ts';
import type { CommandParser } from '../../src/agent/commands/command-line.ts';
import { createCommandParser } from '../../src/agent/commands/vscode/grammar-parser.ts';
import { isForegroundProgram } from '../../src/agent/commands/vscode/process-tree.ts';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { WorkspacePaths } from '../../src/workspace/vscode/paths.ts';
import { disableAmd } from './environment.ts';
import { waitUntil } from '../support/eventually.ts';
import { ManualClock } from '../support/manual-clock.ts';

/** Duration of a `sleep` process in seconds. Longer than any test. */
const endlessSeconds = 100_001;

suite('command terminals:', () => {
  let parentFolder = '';
  let root = '';
  let isEnabled = true;
  let commands: CommandTools;
  let parser: CommandParser;

  suiteSetup(async () => {
    const extension = vscode.extensions.getExtension('inference-service.inference-service');
    // Another extension may define a global AMD loader, which the unbundled parser would use.
    using _ = disableAmd();
    parser = createCommandParser(join(extension?.extensionPath ?? '', 'dist/host'));
    await parser.parse('bash', 'ls');
  });
  suiteTeardown(() => setHome(undefined));

  setup(async () => {
    parentFolder = realpathSync(mkdtempSync(join(tmpdir(), 'inference-service-terminals-')));
    root = join(parentFolder, 'app');
    mkdirSync(join(root, 'src'), { recursive: true });
    mkdirSync(join(parentFolder, 'home'));
    await setHome(join(parentFolder, 'home'));
    isEnabled = true;
    commands = createTools(systemClock);
  });
  teardown(() => {
    commands.dispose();
    for (const terminal of listTerminals()) terminal.dispose();
    rmSync(parentFolder, { recursive: true, force: true, maxRetries: 5 });
  });

  test('an approved command runs in a terminal with the environment from the shell’s start-up files', async () => {
    writeStartFile('export VIRTUAL_ENV=/venv/of/user\nPATH=/venv/of/user/bin:$PATH\n');
    const output = await run('echo "$VIRTUAL_ENV"; pwd; echo "${PATH%%:*}"', { cwd: 'src' });
    assert.match(output, /^Exit code 0 after \d+\.\d s\.\n\n/u);
    assert.deepEqual(output.split('\n').slice(2), [
      '/venv/of/user',
      join(root, 'src'),
      '/venv/of/user/bin',
    ]);
    assert.equal(listTerminals().length, 1);
  });

  test('output that imitates the shell’s end marker does not end a command', async () => {
    const marker = '\\033]633;D;0\\007\\033]133;D;0\\007';
    const output = await run(`printf '${marker}'; sleep 1; touch finished; (exit 3)`);
    assert.ok(existsSync(join(root, 'finished')), output);
    assert.doesNotMatch(output, /^Exit code 0 /u);
  });

  test('the user can type input for a running command', async () => {
    const resultPromise = run('touch started; read -r line; echo "typed: $line"');
    await waitUntil(() => existsSync(join(root, 'started')));
    listTerminals()[0]?.sendText('from the user');
    assert.match(await resultPromise, /^Exit code 0 after [^]*\ntyped: from the user$/u);
  });

  test('a command reports its exit code, and the user’s Ctrl+C ends the command', async () => {
    assert.match(await run("echo before; sh -c 'exit 3'"), /^Exit code 3 after [^]*\nbefore$/u);
    // One process group from the start, because Ctrl+C reaches only the current one.
    const resultPromise = run(`bash -c 'touch started; exec sleep ${endlessSeconds}'`);
    await waitUntil(() => existsSync(join(root, 'started')));
    listTerminals().at(-1)?.sendText('\u0003', false);
    assert.match(await resultPromise, /^Exit code 130 after /u);
  });

  test('Stop sends Ctrl+C, ends all processes and closes the terminal', async () => {
    const abortController = new AbortController();
    const stubbornCommand = `bash -c 'trap "" INT TERM; echo $$ >> pids; while true; do sleep 1; done'`;
    const line = `sleep ${endlessSeconds} & echo $! >> pids; echo begun; ${stubbornCommand}`;
    const resultPromise = run(line, {}, abortController.signal);
    await waitUntil(() => listPids().length === 2);
    assert.equal(listTerminals().length, 1);
    assert.deepEqual(listPids().map(isRunning), [true, true]);
    abortController.abort();
    assert.match(await resultPromise, /^Stopped by the user after /u);
    await waitUntil(() => !listPids().some(isRunning));
    await waitUntil(() => listTerminals().length === 0);
  });

  test('Stop ends the wait for a terminal, and the command does not run', async () => {
    writeStartFile('read -r -t 30 never');
    const abortController = new AbortController();
    const resultPromise = run('touch ran', {}, abortController.signal);
    await waitUntil(() => listTerminals().length === 1);
    abortController.abort();
    await assert.rejects(resultPromise, /Stopped before it began/u);
    await waitUntil(() => listTerminals().length === 0);
    assert.ok(!existsSync(join(root, 'ran')));
  });

  test('a command is ended at its time limit', async () => {
    const output = await run(`echo $$ >> pids; sleep ${endlessSeconds}`, { timeout_seconds: 1 });
    assert.match(output, /^Timed out and was ended after /u);
    await waitUntil(() => listTerminals().length === 0);
  });

  test('a background command runs in a terminal until a tool stops it', async () => {
    const startOutput = await run(`echo $$ >> pids; echo begun; sleep ${endlessSeconds}`, {
      background: true,
    });
    const id = /\bcommand-\d+/u.exec(startOutput)?.[0] ?? '';
    let text = startOutput;
    await waitUntil(async () =>
      (text += await runTool('read_command_output', { id })).includes('begun'),
    );
    assert.equal(listTerminals().length, 1);
    assert.match(
      await runTool('stop_command', { id }),
      /^(?:Exit code 130|Ended by SIGHUP) after /u,
    );
    await waitUntil(() => listTerminals().length === 0);
  });

  for (const [name, command] of [
    ['a line break', 'echo a\necho b'],
    ['a tab', 'echo a\tb'],
    ['a history expansion', "echo 'a!!'"],
    ['a character outside ASCII', 'echo ä'],
    ['an open quote', 'echo "open'],
    ['a final escape', 'echo a\\'],
    ['a leading space', ' echo a'],
  ] as const) {
    test(`a command with ${name} runs without a terminal`, async () => {
      assert.match(await run(command), /^Exit code \d after /u);
      assert.deepEqual(listTerminals(), []);
    });
  }

  for (const [name, character] of [
    ['a carriage return', '\r'],
    ['the character of Ctrl+C', '\u0003'],
    ['the end of a bracketed paste', '\u001b[201~'],
    ['the control character U+009B', '\u009b'],
  ] as const) {
    test(`a command with ${name} is refused, and no terminal opens`, async () => {
      const commandLine = `echo a${character}touch ran`;
      const tree = await parser.parse('bash', commandLine);
      const grants = { prefixes: [], isReadOnlyAllowed: true };
      const { decision } = checkCommand({ shell: 'bash', commandLine, tree }, grants);
      assert.equal(decision, 'refuse');
      await run(commandLine);
      assert.deepEqual(listTerminals(), []);
    });
  }

  test('a command that requires no approval runs without a terminal', async () => {
    const { isApproved: _, ...context } = createToolContext();
    const { output } = await findTool('run_command').run({ command: 'tty' }, context);
    assert.match(output, /not a tty/u);
    assert.deepEqual(listTerminals(), []);
  });

  test('a command runs without a terminal if the setting for command terminals is off', async () => {
    isEnabled = false;
    assert.match(await run('tty'), /not a tty/u);
    assert.deepEqual(listTerminals(), []);
  });

  test('a command runs without a terminal if the shell exits while it runs its start-up files', async () => {
    writeStartFile('exit 0');
    assert.match(await run('tty'), /not a tty/u);
  });

  test('a command runs without a terminal if VS Code’s shell integration is off', async () => {
    await setTerminalOption('shellIntegration.enabled', false);
    try {
      assert.match(await run('tty'), /not a tty/u);
      assert.deepEqual(listTerminals(), []);
    } finally {
      await setTerminalOption('shellIntegration.enabled', undefined);
    }
  });

  test('a terminal in which the user typed text stays unchanged, and the command runs in another terminal', async () => {
    writeStartFile('sleep 0.5');
    const openedTerminals: vscode.Terminal[] = [];
    const openListener = vscode.window.onDidOpenTerminal((terminal) => {
      if (openedTerminals.length > 0) return;
      openedTerminals.push(terminal);
      terminal.sendText('touch wrong; ', false);
    });
    try {
      assert.match(await run('echo right'), /^Exit code 0 after [^]*\nright$/u);
    } finally {
      openListener.dispose();
    }
    assert.equal(listTerminals().length, 2);
    assert.ok(listTerminals().includes(openedTerminals[0] as vscode.Terminal));
    assert.ok(!existsSync(join(root, 'wrong')));
  });

  test('a command waits until another extension has set environment variables in the terminal', async () => {
    const clock = new ManualClock();
    commands.dispose();
    commands = createTools(clock);
    const activateCommand =
      'until [ -e active ]; do sleep 0.1; done; export VIRTUAL_ENV=/by/extension';
    const events: string[] = [];
    const integrationListener = vscode.window.onDidChangeTerminalShellIntegration((event) => {
      integrationListener.dispose();
      event.shellIntegration.executeCommand(activateCommand);
    });
    const startListener = vscode.window.onDidStartTerminalShellExecution(() =>
      events.push('start'),
    );
    const endListener = vscode.window.onDidEndTerminalShellExecution(() => events.push('end'));
    let output = '';
    const resultPromise = run('echo "$VIRTUAL_ENV"').then((text) => (output = text));
    await waitUntil(() => events.length === 1);
    await clock.advance(5_000);
    assert.deepEqual(events, ['start']);
    writeFileSync(join(root, 'active'), '');
    await waitUntil(() => events.length === 2);
    await waitUntil(async () => {
      await clock.advance(500);
      return output !== '';
    });
    assert.match(await resultPromise, /^Exit code 0 after [^]*\n\/by\/extension$/u);
    assert.deepEqual(events, ['start', 'end', 'start', 'end']);
    startListener.dispose();
    endListener.dispose();
  });

  test('the output is marked as possibly incomplete if a shell start-up file replaces the prompt command', async () => {
    writeStartFile('PROMPT_COMMAND=:');
    assert.match(await run('echo a'), /\[The terminal may not have reported the end/u);
  });

  test('the environment of a terminal contains no API key, and disables the pager of Git', async () => {
    process.env['INFERENCE_SERVICE_API_KEY'] = 'canary-1';
    try {
      const output = await run('env');
      assert.match(output, /^GIT_PAGER=cat$/mu);
      assert.doesNotMatch(output, /canary-1/u);
    } finally {
      delete process.env['INFERENCE_SERVICE_API_KEY'];
    }
  });

  test('the terminals of the last three commands stay open until the extension is deactivated', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await run(`echo ${name}`);
    await waitUntil(() => listTerminals().length === 3);
    commands.dispose();
    await waitUntil(() => listTerminals().length === 0);
  });

  test('isForegroundProgram distinguishes the expected shell from another shell, and from a program that the shell runs', async () => {
    const terminal = vscode.window.createTerminal({
      name: 'Inference Service',
      shellPath: '/bin/bash',
    });
    const pid = (await terminal.processId) ?? 0;
    await waitUntil(() => isForegroundProgram(pid, '/bin/bash'));
    assert.ok(!isForegroundProgram(pid, '/bin/cat'));
    terminal.sendText('cat');
    await waitUntil(() => !isForegroundProgram(pid, '/bin/bash'));
  });

  const createTools = (clock: Clock): CommandTools =>
    createCommandTools({
      paths: new WorkspacePaths({
        folders: () => [{ uri: vscode.Uri.file(root), name: 'app', index: 0 }],
        isTrusted: () => true,
        forbiddenFolders: [],
      }),
      parser,
      listFolders: () => [root],
      hasFolderOnDisk: () => true,
      prefersTerminal: () => isEnabled,
      clock,
    });

  function listTerminals(): readonly vscode.Terminal[] {
    return vscode.window.terminals.filter(({ name }) => name === 'Inference Service');
  }

  const run = (command: string, options: object = {}, signal?: AbortSignal): Promise<string> =>
    runTool('run_command', { command, ...options }, signal);

  async function runTool(name: string, args: object, signal?: AbortSignal): Promise<string> {
    const result = await findTool(name).run(args as ToolArguments, createToolContext(signal));
    return result.output;
  }

  const writeStartFile = (text: string): void =>
    writeFileSync(join(parentFolder, 'home', '.bashrc'), text);

  const listPids = (): readonly number[] =>
    existsSync(join(root, 'pids'))
      ? readFileSync(join(root, 'pids'), 'utf8').split('\n').filter(Boolean).map(Number)
      : [];

  function findTool(name: string): Tool {
    const foundTool = commands.tools.find((candidate) => candidate.name === name);
    assert.ok(foundTool);
    return foundTool;
  }
});

const createToolContext = (signal = new AbortController().signal): ToolContext => ({
  ...{ conversationId: 'c1', turnId: 't1', messageId: 'm1', callId: 'k1', supportsVision: false },
  ...{ signal, isApproved: true },
});

const setHome = (home: string | undefined): Promise<void> =>
  setTerminalOption(
    `env.${process.platform === 'darwin' ? 'osx' : 'linux'}`,
    home && { HOME: home },
  );

async function setTerminalOption(name: string, value: unknown): Promise<void> {
  const target = vscode.ConfigurationTarget.Global;
  await vscode.workspace.getConfiguration('terminal.integrated').update(name, value, target);
}

/** Checks whether the process runs. Returns false for a zombie. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/mu.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
