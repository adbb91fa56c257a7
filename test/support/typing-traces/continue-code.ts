import type { SuggestionRequest } from '../../../src/completion/ports.ts';
import type { ChatRequestMessage } from '../../../src/service/chat/chat-types.ts';
import { completeCode } from '../../service/models/completion/complete-code.ts';
import { hashText } from '../../service/random.ts';

/**
 * Number of answers, on average, per answer that is too long. An answer is too long if it continues after the end of
 * the completed code, as answers of chat models sometimes do.
 */
const answersPerOverlongAnswer = 4;

/** Returns the answer of the local service's code model to a suggestion request. Equal requests get equal answers. */
export function continueCode({ route, request }: SuggestionRequest): string {
  if (route !== 'chat') throw new Error('Traces are played by chat.');
  const { model, messages } = request;
  const messagesWithText = messages.map((message) => ({
    role: message.role === 'system' ? ('system' as const) : ('user' as const),
    content: getMessageText(message),
  }));
  const isOverlong = hashText(messages.map(getMessageText).join()) % answersPerOverlongAnswer === 0;
  return completeCode({ model, messages: messagesWithText }, { ignoresScope: isOverlong });
}

export const getMessageText = ({ content }: ChatRequestMessage): string =>
  typeof content === 'string' ? content : '';
