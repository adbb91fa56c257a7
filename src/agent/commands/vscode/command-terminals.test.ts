import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CommandTerminals } from './command-terminals.ts';

const fakeWindow = vi.hoisted(() => ({
  terminals: [] as { isDisposed: boolean }[],
  configurationListeners: [] as (() => void)[],
  shellIntegration: undefined as { executeCommand(line: string): object } | undefined,
}));

vi.mock('vscode', () => {
  const listen = () => ({ dispose: () => {} });
  return {
    ThemeIcon: Object,
    window: {
      onDidStartTerminalShellExecution: listen,
      onDidEndTerminalShellExecution: listen,
      onDidChangeTerminalShellIntegration: listen,
      onDidCloseTerminal: listen,
      createTerminal: () => {
        const terminal = {
          isDisposed: false,
          processId: Promise.resolve(1),
          shellIntegration: fakeWindow.shellIntegration,
          state: { isInteractedWith: false },
          show: () => {},
          dispose: () => (terminal.isDisposed = true),
        };
        fakeWindow.terminals.push(terminal);
        return terminal;
      },
    },
    workspace: {
      getConfiguration: () => ({ inspect: () => undefined }),
      onDidChangeConfiguration: (listener: () => void) => {
        fakeWindow.configurationListeners.push(listener);
        return { dispose: () => {} };
      },
    },
  };
});

vi.mock('./process-tree.ts', () => ({
  endLeftoverProcesses: async () => {},
  endProcessTree: async () => {},
  findTreePids: () => [],
  isForegroundProgram: () => true,
  killProcessTree: () => {},
}));

let folder = '';
const { signal } = new AbortController();
const startOptions = { program: '/bin/bash', cwd: '/', commandLine: 'ls', signal };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'command-terminals-'));
  vi.stubEnv('TMPDIR', folder);
  vi.useFakeTimers();
  fakeWindow.terminals.length = 0;
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

async function startCommand(terminals: CommandTerminals) {
  const commandPromise = terminals.startCommand(startOptions);
  commandPromise.catch(() => {});
  await vi.runAllTimersAsync();
  return commandPromise;
}

test('CommandTerminals uses no shell whose shell integration failed, until a setting changes', async () => {
  fakeWindow.shellIntegration = undefined;
  const terminals = new CommandTerminals();
  expect(await startCommand(terminals)).toBeUndefined();
  expect(await startCommand(terminals)).toBeUndefined();
  expect(fakeWindow.terminals).toEqual([expect.objectContaining({ isDisposed: true })]);
  for (const listener of fakeWindow.configurationListeners) listener();
  expect(await startCommand(terminals)).toBeUndefined();
  expect(fakeWindow.terminals).toHaveLength(2);
});

test('CommandTerminals leaves no temporary file of a command that ends because the window closes', async () => {
  fakeWindow.shellIntegration = { executeCommand: () => ({}) };
  const command = await startCommand(new CommandTerminals());
  expect(readdirSync(folder)).toHaveLength(1);
  command?.kill();
  expect(readdirSync(folder)).toEqual([]);
});

test('CommandTerminals closes the terminal of a command that cannot start', async () => {
  fakeWindow.shellIntegration = { executeCommand: () => ({}) };
  vi.stubEnv('TMPDIR', join(folder, 'missing'));
  await expect(startCommand(new CommandTerminals())).rejects.toThrow(/ENOENT/u);
  expect(fakeWindow.terminals).toEqual([expect.objectContaining({ isDisposed: true })]);
});
