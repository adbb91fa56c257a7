import type { ChatBody, Message } from '../chat/body.ts';
import { lastUserText, textOf } from '../chat/messages.ts';

const fenced = /^(`{3,}|~{3,})[^\n]*\n[\s\S]*?^\1[ \t]*$/gm;
const attachmentMark = /<\/?[a-z]+(?:[: ][^>\n]*)?>/gi;

/** What the person wrote in the last message, without what they attached. */
export function questionOf(body: ChatBody): string {
  return lastUserText(body).replace(fenced, '').replace(attachmentMark, '').trim();
}

/**
 * When the last message asks to go on with an interrupted answer: the conversation as it was before
 * that answer, and what of the answer was said.
 */
export function interruptedAnswer(body: ChatBody): { body: ChatBody; said: string } | undefined {
  const [answer, request] = body.messages.slice(-2);
  if (answer?.role !== 'assistant' || request === undefined || !asksToGoOn(request))
    return undefined;
  return { body: { ...body, messages: body.messages.slice(0, -2) }, said: textOf(answer) };
}

const asksToGoOn = (message: Message): boolean =>
  message.role === 'user' && /\b(?:go on|continue|cut off)\b/i.test(textOf(message).slice(0, 200));
