import { expect, test, vi } from 'vitest';
import type { HostMessage } from '../protocol/host-message.ts';
import { createSendHandlers } from './composer-messages.ts';
import { OpenChat } from './open-chat.ts';

vi.mock('vscode', () => import('../../../test/support/vscode-stub.ts'));

const noStorage = { saveDraft: () => {}, saveAttachments: () => {}, saveQueue: () => {} };

/** Creates a chat whose session has the given `send` method. The method returns false or rejects. */
function createChat(draft: string, send: () => Promise<boolean>): OpenChat {
  const session = { conversation: { id: 'c1', head: undefined }, send, dispose: () => {} };
  return new OpenChat(session as never, { draft, attachments: [], queuedMessages: [] }, noStorage);
}

/** Handles a `message-send` message with `text`. Returns the posted messages, and the error if the handler fails. */
async function sendDraft(
  text: string,
  chat: OpenChat,
  currentChat = chat,
): Promise<{ readonly postedMessages: readonly HostMessage[]; readonly error: unknown }> {
  const postedMessages: HostMessage[] = [];
  const context = {
    getCurrentChat: () => currentChat,
    post: (message: HostMessage) => postedMessages.push(message),
    prepareSend: () => Promise.reject(new Error('no chunk')),
  };
  const message = { type: 'message-send', conversationId: chat.id, text } as const;
  const noticePromise = Promise.resolve(
    createSendHandlers(context as never)['message-send'](message, chat),
  );
  const error: unknown = await noticePromise
    .then(() => undefined)
    .catch((reason: unknown) => reason);
  return { postedMessages, error };
}

const refuseToSend = async (): Promise<boolean> => false;

test.each([
  ['the check before sending fails', 'Hello', () => Promise.reject(new Error('no disk'))],
  ['the context of the message fails to load', '/explain Hello', refuseToSend],
])(
  'the page message `message-send` returns its text to the composer if %s',
  async (_, text, reply) => {
    const { postedMessages, error } = await sendDraft(text, createChat('', reply));
    expect(postedMessages).toEqual([{ type: 'draft-set', text, replace: false }]);
    expect(error).toBeInstanceOf(Error);
  },
);

test.each([
  ['', 'Hello'],
  ['Hel', 'Hello'],
  ['Hello', 'Hello'],
  ['Other', 'Other\n\nHello'],
])(
  'the page message `message-send` changes the draft %j of a hidden chat to %j if the text "Hello" is not sent',
  async (draft, expected) => {
    const chat = createChat(draft, refuseToSend);
    const { postedMessages } = await sendDraft('Hello', chat, createChat('', refuseToSend));
    expect(chat.draft).toBe(expected);
    expect(postedMessages).toEqual([]);
  },
);
