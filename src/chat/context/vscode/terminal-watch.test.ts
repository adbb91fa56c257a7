import { expect, test, vi } from 'vitest';
import { TerminalWatch } from './terminal-watch.ts';

vi.mock('vscode', async () => ({
  ...(await import('../../../../test/support/vscode-stub.ts')),
  workspace: { isTrusted: true },
}));

test('TerminalWatch reads only the clicked terminal, even if another terminal ran a command more recently', () => {
  const [quietTerminal, busyTerminal] = [{ name: 'quiet' }, { name: 'busy' }];
  const start = vi.fn();
  const createSubscription = (): { dispose: () => void } => ({ dispose: () => {} });
  const watch = new TerminalWatch({
    activeTerminal: busyTerminal,
    onDidStartTerminalShellExecution: (listener: unknown) => {
      start.mockImplementation(listener as () => void);
      return createSubscription();
    },
    onDidEndTerminalShellExecution: createSubscription,
    onDidCloseTerminal: createSubscription,
  } as never);
  const execution = { commandLine: { value: 'printenv' }, read: () => [] };
  start({ terminal: busyTerminal, execution });
  expect(watch.gatherLastCommand()).toMatchObject({
    kind: 'terminal',
    text: '$ printenv\n\n[It still runs.]',
  });
  expect(watch.gatherLastCommand(busyTerminal as never)).toEqual(watch.gatherLastCommand());
  expect(watch.gatherLastCommand(quietTerminal as never)).toHaveProperty('refusal');
});
