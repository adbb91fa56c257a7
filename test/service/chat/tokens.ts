import type { ChatCall } from './call.ts';
import { listContentParts, getMessageText } from './messages.ts';

/** Average number of characters per token, for estimates. */
const charactersPerToken = 3.2;
const tokensPerImage = 1100;
const servicePromptTokenCount = 1700;

export const estimateTokens = (text: string): number => Math.ceil(text.length / charactersPerToken);

/** Counts the tokens of messages and tool definitions. Only these count toward the context length. */
export function countRequestTokens({ body }: ChatCall): number {
  const toolTokenCount = body.tools?.length ? estimateTokens(JSON.stringify(body.tools)) : 0;
  const messageTokenCount = body.messages.reduce((sum, message) => {
    const mediaCount = listContentParts(message).filter((part) => part.type !== 'text').length;
    const callsJson = message.role === 'assistant' ? JSON.stringify(message.tool_calls ?? '') : '';
    return (
      sum + 4 + mediaCount * tokensPerImage + estimateTokens(getMessageText(message) + callsJson)
    );
  }, 0);
  return toolTokenCount + messageTokenCount;
}

/** Counts the billed input tokens: those of the request, and those of the service's system prompt. */
export function countPromptTokens(call: ChatCall): number {
  const systemPromptTokenCount = call.settings.include_service_system_prompt
    ? servicePromptTokenCount
    : 0;
  return countRequestTokens(call) + systemPromptTokenCount;
}

/** Splits a text into tokens as a model would write them. The joined tokens equal the text. */
export function tokenizeText(text: string): string[] {
  return text.match(/\s*(?:[\p{L}\p{N}_]{1,8}|[^\s\p{L}\p{N}_]{1,3})|\s+$/gu) ?? [];
}
