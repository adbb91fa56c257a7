import { expect, test, vi } from 'vitest';
import { createAgent, createTool } from '../../../test/support/agent-fixture.ts';
import { createScriptedService } from '../../../test/support/scripted-transport.ts';
import { getContinueLabel, getStopLabel } from '../../agent/agent.ts';
import type { AgentRuntime } from '../../agent/vscode/agent-runtime.ts';
import { Agents } from '../../agent/vscode/agents.ts';
import type { LazyChatImages } from '../../image/image-generator.ts';
import { createChatsHost, useStorage } from './chats.fixture.ts';
import { Chats } from './chats.ts';

vi.mock('vscode', async () => {
  const { vscodeStub } = await import('./chats-vscode.fixture.ts');
  const createSubscription = () => ({ dispose: () => {} });
  return {
    ...vscodeStub,
    workspace: {
      ...vscodeStub.workspace,
      onDidGrantWorkspaceTrust: createSubscription,
      onDidChangeWorkspaceFolders: createSubscription,
    },
  };
});

let chats: Chats;
const getStorage = useStorage(() => chats.close());

/** Answer that calls a tool. A turn in which every answer calls a tool ends only at its maximum number of requests. */
const toolCallReply = {
  body: [
    `data: ${JSON.stringify({
      choices: [
        {
          delta: {
            tool_calls: [{ index: 0, id: 't0', function: { name: 'read', arguments: '{}' } }],
          },
        },
      ],
    })}\n\ndata: [DONE]\n\n`,
  ],
};

/** Opens the chats of a window in which each turn may make two requests. */
function openChats(): Agents {
  const { context } = createScriptedService(toolCallReply);
  const host = createChatsHost(getStorage(), {
    account: {
      profile: { baseUrl: 'https://api.service.test/api/v1' },
      unencryptedOrigins: [],
      reportOutcome: () => {},
    },
    models: { allModels: [], find: () => undefined, refresh: () => Promise.resolve() },
    service: context,
  });
  Object.assign(host.context, { workspaceState: { get: () => undefined } });
  const options = { tools: [createTool('read', () => 'x')], limits: { requests: 2 } };
  const runtime: Pick<AgentRuntime, 'createAgent'> = {
    createAgent: (pendingRequests, onUsage) =>
      createAgent(options, { pendingRequests, onUsage, logError: () => {} }),
  };
  const agents = new Agents(host, [], () =>
    Promise.resolve({
      ...runtime,
      changes: { turns: { waitForWrites: () => Promise.resolve() } },
      dispose: () => {},
    } as unknown as AgentRuntime),
  );
  chats = new Chats(host, agents, {} as LazyChatImages);
  return agents;
}

/**
 * Starts a turn in a new chat. Returns the turn, a function that reads its usage and its pending question, and a
 * function that answers this question.
 */
function startTurn(agents: Agents) {
  const chat = chats.create();
  const agent = agents.getConversationAgent(chat.id);
  const turnPromise = chat.session.send('Go', []);
  const getQuestion = () =>
    agent.pendingRequests.items.find((request) => request.kind === 'question');
  return {
    turn: turnPromise,
    getState: () => ({
      question: getQuestion()?.text,
      requests: agent.usage?.requests,
      maxRequests: agent.usage?.maxRequests,
    }),
    answer: (label: string) => agent.pendingRequests.answerQuestion(getQuestion()?.id ?? '', label),
  };
}

const createBudgetView = (requestCount: number, isWaiting = true) => ({
  question: isWaiting ? `This turn has used ${requestCount} requests. Continue?` : undefined,
  requests: requestCount,
  maxRequests: requestCount,
});

test('each of two running chats has a turn budget that the other chat cannot use, extend or end', async () => {
  const agents = openChats();
  const firstTurn = startTurn(agents);
  await expect.poll(firstTurn.getState).toEqual(createBudgetView(2));

  // The first chat has used up its budget. The second chat still has all of its own.
  const secondTurn = startTurn(agents);
  await expect.poll(secondTurn.getState).toEqual(createBudgetView(2));
  expect(firstTurn.getState()).toEqual(createBudgetView(2));

  firstTurn.answer(getContinueLabel());
  await expect.poll(firstTurn.getState).toEqual(createBudgetView(4));
  expect(secondTurn.getState()).toEqual(createBudgetView(2));

  secondTurn.answer(getStopLabel());
  await secondTurn.turn;
  expect(secondTurn.getState()).toEqual(createBudgetView(2, false));
  firstTurn.answer(getContinueLabel());
  await expect.poll(firstTurn.getState).toEqual(createBudgetView(6));
  expect(secondTurn.getState()).toEqual(createBudgetView(2, false));

  firstTurn.answer(getStopLabel());
  await firstTurn.turn;
  agents.dispose();
});
