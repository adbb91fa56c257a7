import type { CompletionAsk } from '../../../src/completion/completion-ask.ts';
import type { ChatRequestMessage } from '../../../src/service/chat-types.ts';
import { completeCode } from '../../service/minds/code-completion.ts';

/** What the local service's code model says to a request. */
export function continueCode({ route, request }: CompletionAsk): string {
  if (route === 'completions') throw new Error('Traces are played by chat.');
  const { model, messages } = request;
  return completeCode({
    model,
    messages: messages.map((message) => ({
      role: message.role === 'system' ? 'system' : 'user',
      content: textOf(message),
    })),
  });
}

export const textOf = ({ content }: ChatRequestMessage): string =>
  typeof content === 'string' ? content : '';
