import { expect, test, vi } from 'vitest';
import { startStrictDeployment } from '../../../test/support/deployment-context.ts';
import { streamChat } from '../../service/chat/stream-chat.ts';
import type { ServiceFailure } from '../../service/http/failure.ts';
import { Connection } from '../../service/http/connection.ts';
import { createActionHandlers } from './page-actions.ts';

vi.mock('../../platform/notifications.ts', () => ({
  confirm: () => {},
  showInformation: () => {},
}));

/** Sends a chat with web search, which the local service rejects. Returns the failure and the connection. */
async function createSearchRefusal(): Promise<{ failure: ServiceFailure; connection: Connection }> {
  await using server = await startStrictDeployment({ word: 'acme', shape: 'minimal' });
  const { signal } = new AbortController();
  const request = {
    model: 'maple-70b',
    messages: [{ role: 'user', content: 'What opened in the harbor?' }],
    parameters: { enable_web_search: 'on' },
  } as const;
  const options = { signal, areOptionsChosen: true };
  const events = (await Array.fromAsync(streamChat(server.context, request, options))).flat();
  const endEvent = events.at(-1);
  if (endEvent?.type !== 'stream-end' || endEvent.outcome.kind !== 'failed')
    throw new Error('not refused');
  return { failure: endEvent.outcome.failure, connection: server.connection };
}

/**
 * Clicks "Send without it" for a failure of `refusingConnection`, while `activeConnection` is in use. Returns the ids
 * of the messages that are sent again.
 */
async function clickSendWithoutSearch(
  failure: ServiceFailure,
  refusingConnection: Connection,
  activeConnection: Connection,
): Promise<readonly string[]> {
  const sentIds: string[] = [];
  const account = { connection: activeConnection, getConnection: () => refusingConnection };
  const message = { id: 'm1', role: 'assistant', result: { failure } };
  const session = {
    conversation: { findMessage: () => message },
    retry: async (id: string) => void sentIds.push(id),
  };
  const handlers = createActionHandlers({ host: { account } } as never);
  const clickMessage = { type: 'action-run', action: 'send-without', messageId: 'm1' } as const;
  await handlers['action-run'](clickMessage, { session } as never);
  return sentIds;
}

test('the chat host sends a message again without the option that the active service rejected', async () => {
  const { failure, connection } = await createSearchRefusal();
  expect(await clickSendWithoutSearch(failure, connection, connection)).toEqual(['m1']);
  expect(connection.facts.omitted).toEqual([failure.refusedField]);
});

test('the chat host does not send the message to another service that became active after the rejection', async () => {
  const { failure, connection } = await createSearchRefusal();
  const activeConnection = new Connection();
  expect(await clickSendWithoutSearch(failure, connection, activeConnection)).toEqual([]);
  expect(connection.facts.omitted).toEqual([failure.refusedField]);
  expect(activeConnection.facts).toEqual({});
});

test('the chat host omits no option if the service that rejected the option is unknown', async () => {
  const activeConnection = new Connection();
  const { connection: _, ...failure } = (await createSearchRefusal()).failure;
  expect(await clickSendWithoutSearch(failure, activeConnection, activeConnection)).toEqual([]);
  expect(activeConnection.facts).toEqual({});
});
