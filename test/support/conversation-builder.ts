import {
  type Answer,
  Conversation,
  type Message,
  type UserMessage,
} from '../../src/conversation/conversation.ts';

/** Creates a user message. The functions in this module fill in default values for messages and conversations. */
export const createUserMessage = (id: string, parentId: string | null, text = id): UserMessage => ({
  role: 'user',
  id,
  parentId,
  createdAt: 10,
  text,
  attachments: [],
});

export const createTextAnswer = (id: string, parentId: string, text = id): Answer => ({
  role: 'assistant',
  id,
  parentId,
  createdAt: 20,
  model: { id: 'model-1', name: 'Model One' },
  text,
  reasoning: '',
  status: 'complete',
  result: {},
  toolRuns: [],
});

export function createConversation(...messages: readonly Message[]): Conversation {
  const conversation = new Conversation({
    type: 'conversation-start',
    version: 1,
    id: 'c1',
    at: 5,
    folder: null,
  });
  for (const message of messages) conversation.applyRecord({ type: 'message-add', message });
  return conversation;
}
