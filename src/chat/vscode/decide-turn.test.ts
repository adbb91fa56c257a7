import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createAgentFixture } from '../../../test/support/agent-fixture.ts';
import type { DecisionOutcome } from '../../agent/changes/vscode/agent-changes.ts';
import type { Agents } from '../../agent/vscode/agents.ts';
import { restoreToMessage, undoLastTurn } from './decide-turn.ts';

const turnHooks = { beforeAnswer: (): void => {}, afterUndo: (): void => {} };

vi.mock('vscode', async (importOriginal) => ({
  ...(await importOriginal<object>()),
  window: {
    showWarningMessage: async () => {
      turnHooks.beforeAnswer();
      return 'Restore';
    },
  },
}));

beforeEach(() => void Object.assign(turnHooks, { beforeAnswer() {}, afterUndo() {} }));

const undoneOutcome: DecisionOutcome = { isComplete: true, notice: undefined };

/**
 * Creates a chat of two turns. `outcomes` are the results of the attempts to undo a turn, in the order of the
 * attempts. The last turn is undone first.
 */
async function createChat(...outcomes: readonly DecisionOutcome[]) {
  const { session } = createAgentFixture({
    answers: [[{ type: 'text-delta', text: 'One.' }], [{ type: 'text-delta', text: 'Two.' }], []],
  });
  await session.send('First', []);
  await session.send('Second', []);
  const path = session.conversation.listPath().map(({ id }) => id);
  const answers = session.conversation.listPath().filter(({ role }) => role === 'assistant');
  const turnIds = answers.map(({ id }) => id);
  const undoneTurnIds: string[] = [];
  const changes = {
    turns: {
      load: async () => {},
      createChangesView: (_id: string, turnId: string) =>
        turnIds.includes(turnId) ? { undone: false, files: [{ label: turnId }] } : undefined,
    },
    tryDecide: async (_id: string, turnId: string) => {
      undoneTurnIds.push(turnId);
      turnHooks.afterUndo();
      return outcomes[undoneTurnIds.length - 1] ?? undoneOutcome;
    },
  };
  const agents = { getRuntime: async () => ({ changes }) } as unknown as Agents;
  const listCurrentPath = () => session.conversation.listPath().map(({ id }) => id);
  return { chat: { agents, session }, session, path, turnIds, undoneTurnIds, listCurrentPath };
}

describe('restoreToMessage', () => {
  test('undoes the turns from last to first, then rewinds the chat to the state before the message', async () => {
    const sensitiveOutcome = { isComplete: true, notice: 'Look at the file.' };
    const { chat, path, turnIds, undoneTurnIds, listCurrentPath } =
      await createChat(sensitiveOutcome);
    const outcome = await restoreToMessage(chat, path[0] ?? '');
    expect(outcome).toEqual({ isRestored: true, notice: 'Look at the file.' });
    expect(undoneTurnIds).toEqual(turnIds.toReversed());
    expect(listCurrentPath()).toEqual([]);
  });

  test('stops at the first turn that cannot be undone completely, and leaves the chat unchanged', async () => {
    const conflictOutcome = { isComplete: false, notice: 'a.txt was left as it is.' };
    const { chat, path, turnIds, undoneTurnIds, listCurrentPath } =
      await createChat(conflictOutcome);
    const outcome = await restoreToMessage(chat, path[0] ?? '');
    const notice = 'a.txt was left as it is. The chat stays as it was.';
    expect(outcome).toEqual({ isRestored: false, notice });
    expect(undoneTurnIds).toEqual(turnIds.slice(-1));
    expect(listCurrentPath()).toEqual(path);
  });

  test('undoes nothing if a turn started while the confirmation was open', async () => {
    const { chat, session, path, undoneTurnIds, listCurrentPath } = await createChat();
    turnHooks.beforeAnswer = () => void session.send('Third', []);
    const outcome = await restoreToMessage(chat, path[0] ?? '');
    expect(outcome).toEqual({
      isRestored: false,
      notice: 'Wait for the answer, or stop it first.',
    });
    expect(undoneTurnIds).toEqual([]);
    expect(listCurrentPath().slice(0, path.length)).toEqual(path);
    await session.waitUntilSettled();
  });

  test('does not rewind the chat if a turn started while the last of several turns was undone', async () => {
    const { chat, session, path, undoneTurnIds, listCurrentPath } = await createChat();
    turnHooks.afterUndo = () => {
      if (undoneTurnIds.length === 2) void session.send('Third', []);
    };
    const outcome = await restoreToMessage(chat, path[0] ?? '');
    expect(outcome.isRestored).toBe(false);
    expect(listCurrentPath().slice(0, path.length)).toEqual(path);
    await session.waitUntilSettled();
  });
});

test('undoLastTurn of a chat that changed no file reports that there is nothing to undo', async () => {
  const { session } = createAgentFixture({ answers: [[]] });
  const turns = { load: async () => {}, createChangesView: () => undefined };
  const agents = { getRuntime: async () => ({ changes: { turns } }) } as unknown as Agents;
  expect(await undoLastTurn({ agents, session })).toBe('There are no changes to undo.');
});
