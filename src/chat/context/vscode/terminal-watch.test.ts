import { expect, test, vi } from 'vitest';
import { TerminalWatch } from './terminal-watch.ts';

vi.mock('vscode', async () => ({
  ...(await import('../../../../test/support/vscode-stub.ts')),
  workspace: { isTrusted: true },
}));

test('TerminalWatch reads only the clicked terminal, even if another terminal ran a command more recently', () => {
  const [quiet, busy] = [{ name: 'quiet' }, { name: 'busy' }];
  const start = vi.fn();
  const ignore = (): { dispose: () => void } => ({ dispose: () => {} });
  const watch = new TerminalWatch({
    activeTerminal: busy,
    onDidStartTerminalShellExecution: (listener: unknown) => {
      start.mockImplementation(listener as () => void);
      return ignore();
    },
    onDidEndTerminalShellExecution: ignore,
    onDidCloseTerminal: ignore,
  } as never);
  const execution = { commandLine: { value: 'printenv' }, read: () => [] };
  start({ terminal: busy, execution });
  expect(watch.gatherLastCommand()).toMatchObject({
    kind: 'terminal',
    text: '$ printenv\n\n[It still runs.]',
  });
  expect(watch.gatherLastCommand(busy as never)).toEqual(watch.gatherLastCommand());
  expect(watch.gatherLastCommand(quiet as never)).toHaveProperty('refusal');
});
