import * as vscode from 'vscode';
import { beforeEach, expect, test, vi } from 'vitest';
import { type CommandTable, registerCommands } from './commands.ts';
import type { Log } from './log.ts';

vi.mock('vscode', async (importOriginal) => ({
  ...(await importOriginal<typeof vscode>()),
  commands: { registerCommand: vi.fn() },
  window: { showErrorMessage: vi.fn(async () => undefined) },
}));

const commandId = 'inferenceService.showLog';
const handlers = new Map<string, (...args: unknown[]) => Promise<unknown>>();
const disposedCommands: string[] = [];
const loggedErrors: string[] = [];

beforeEach(() => {
  handlers.clear();
  disposedCommands.length = 0;
  loggedErrors.length = 0;
  vi.mocked(vscode.window.showErrorMessage).mockClear();
  vi.mocked(vscode.commands.registerCommand).mockImplementation((name, run) => {
    handlers.set(name, run);
    return { dispose: () => disposedCommands.push(name) };
  });
});

interface TestContext {
  readonly name: string;
}

const registerTable = (
  load: () => Promise<CommandTable<TestContext>>,
  title: unknown = 'Show Log…',
) => {
  const contributes = {
    commands: [{ command: commandId, title }, { command: 'inferenceService.newChat' }],
  };
  const context = { extension: { packageJSON: { contributes } } };
  const log = {
    error: (text: string, error: unknown) => loggedErrors.push(`${text}: ${String(error)}`),
  };
  return registerCommands(
    { context: context as unknown as vscode.ExtensionContext, log: log as unknown as Log },
    { name: 'parts' },
    load,
  );
};

const createCommandTable = (run: (testContext: TestContext, ...args: unknown[]) => unknown) =>
  ({ [commandId]: { run } }) as unknown as CommandTable<TestContext>;

test('registerCommands registers each manifest command but loads the command table only when a command runs', async () => {
  const load = vi.fn(async () => createCommandTable(({ name }, ...args) => [name, ...args]));
  const registration = registerTable(load);
  expect([...handlers.keys()]).toEqual([commandId, 'inferenceService.newChat']);
  expect(load).not.toHaveBeenCalled();
  expect(await handlers.get(commandId)?.(1, 'two')).toEqual(['parts', 1, 'two']);
  registration.dispose();
  expect(disposedCommands.toSorted()).toEqual([...handlers.keys()].toSorted());
});

test('registerCommands registers the other commands if another extension has registered one of the ids', () => {
  vi.mocked(vscode.commands.registerCommand).mockImplementationOnce(() => {
    throw new Error('command already exists');
  });
  const registration = registerTable(async () => createCommandTable(() => undefined));
  expect([...handlers.keys()]).toEqual(['inferenceService.newChat']);
  expect(loggedErrors).toEqual([`Could not register ${commandId}: Error: command already exists`]);
  registration.dispose();
  expect(disposedCommands).toEqual(['inferenceService.newChat']);
});

test.each<[what: string, load: () => Promise<CommandTable<TestContext>>]>([
  ['throws', async () => createCommandTable(() => expect.fail('no disk'))],
  ['rejects', async () => createCommandTable(async () => expect.fail('no disk'))],
  ['cannot be loaded', async () => expect.fail('no disk')],
])('registerCommands logs and reports the failure of a command that %s', async (_, load) => {
  registerTable(load);
  expect(await handlers.get(commandId)?.()).toBeUndefined();
  expect(loggedErrors).toEqual([`Could not run ${commandId}: AssertionError: no disk`]);
  expect(vi.mocked(vscode.window.showErrorMessage).mock.calls.flat()).toContain(
    'Show Log: That did not work. See the log for details.',
  );
});

test('registerCommands names a failed command by its translated title', async () => {
  registerTable(async () => expect.fail('no disk'), {
    value: 'Protokoll zeigen…',
    original: 'Show Log…',
  });
  await handlers.get(commandId)?.();
  expect(vi.mocked(vscode.window.showErrorMessage).mock.calls.flat()).toContain(
    'Protokoll zeigen: That did not work. See the log for details.',
  );
});
