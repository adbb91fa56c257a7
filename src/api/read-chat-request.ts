import { isRecord } from '../base/json.ts';
import type { ChatRequest, ChatRequestMessage } from '../service/chat/chat-types.ts';

const mostMessages = 500;
const mostCharacters = 2_000_000;
const longestId = 200;

/** What another extension asks a model, as it will be sent. */
export interface ReadRequest {
  readonly request: ChatRequest;
  readonly caller: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/**
 * Copies what another extension asks for: it may be anything, and change while the person reads what it is.
 * @param model What is asked when the request names none.
 * @returns a sentence when it cannot be sent
 */
export function readChatRequest(asked: unknown, model: string): ReadRequest | string {
  if (!isRecord(asked)) return 'The request is no object.';
  const messages = readMessages(asked['messages']);
  if (typeof messages === 'string') return messages;
  const { temperature, maxTokens, model: named = model, signal } = asked;
  if (typeof named !== 'string' || named === '' || named.length > longestId)
    return '`model` is no id of a model.';
  if (temperature !== undefined && !isBetween(temperature, 0, 2))
    return '`temperature` is no number from 0 to 2.';
  if (
    maxTokens !== undefined &&
    !(isBetween(maxTokens, 1, 1_000_000) && Number.isInteger(maxTokens))
  )
    return '`maxTokens` is no whole number from 1 to 1,000,000.';
  return {
    request: {
      model: named,
      messages,
      parameters: { include_system_prompt: false },
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxTokens === undefined ? {} : { max_completion_tokens: maxTokens }),
    },
    caller: callerIn(asked),
    signal: signal instanceof AbortSignal ? signal : undefined,
  };
}

/** The id that an extension gives for itself; undefined when it is none. */
export function callerIn(asked: unknown): string | undefined {
  const caller = isRecord(asked) ? asked['caller'] : undefined;
  const isId = typeof caller === 'string' && /^[\w-]{1,100}\.[\w-]{1,100}$/u.test(caller);
  return isId ? caller : undefined;
}

function readMessages(messages: unknown): readonly ChatRequestMessage[] | string {
  if (!Array.isArray(messages) || messages.length === 0 || messages.length > mostMessages)
    return '`messages` is no list of 1 to 500 messages.';
  const read = messages.map(readMessage);
  const whole = read.filter((each) => each !== undefined);
  if (whole.length < read.length)
    return 'A message has a `role` (system, user or assistant) and `content`, which is text.';
  const characters = whole.reduce((sum, { content }) => sum + content.length, 0);
  return characters > mostCharacters ? 'The messages are longer than 2,000,000 characters.' : whole;
}

type Message = { readonly role: 'system' | 'user' | 'assistant'; readonly content: string };

function readMessage(message: unknown): Message | undefined {
  if (!isRecord(message)) return undefined;
  const { role, content } = message;
  const isRole = role === 'system' || role === 'user' || role === 'assistant';
  return isRole && typeof content === 'string' ? { role, content } : undefined;
}

const isBetween = (value: unknown, least: number, most: number): value is number =>
  typeof value === 'number' && value >= least && value <= most;
