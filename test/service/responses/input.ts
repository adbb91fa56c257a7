import { type JsonRecord, readStringOr } from '../../../src/base/json.ts';
import { createCustomIssue, createInvalidRequestError } from '../validation.ts';
import type { InputItem } from './body.ts';

/**
 * Converts input items to chat messages. Omits reasoning items. Also omits references to stored items, because the
 * service stores no responses.
 */
export function convertInputToMessages(
  input: string | readonly InputItem[],
): readonly JsonRecord[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }];
  const messages: JsonRecord[] = [];
  for (const item of input) {
    if (item.type === 'message') messages.push(toMessage(item));
    if (item.type === 'function_call') addCall(messages, item);
    if (item.type === 'function_call_output') {
      messages.push({
        role: 'tool',
        tool_call_id: item.call_id,
        content: toPlainText(item.output),
      });
    }
  }
  return messages;
}

function toMessage({ role, content }: Extract<InputItem, { type: 'message' }>): JsonRecord {
  if (typeof content === 'string') return { role, content };
  return role === 'user'
    ? { role, content: content.map(toContentPart) }
    : { role, content: toPlainText(content) };
}

/** Adds a function call to the messages. Combines consecutive calls into one assistant message. */
function addCall(
  messages: JsonRecord[],
  item: Extract<InputItem, { type: 'function_call' }>,
): void {
  const { call_id: id, name, arguments: text } = item;
  const call = { id, type: 'function', function: { name, arguments: text } };
  const lastMessage = messages.at(-1);
  const isAnswer = lastMessage?.['role'] === 'assistant';
  const earlierCalls =
    isAnswer && Array.isArray(lastMessage['tool_calls']) ? lastMessage['tool_calls'] : [];
  const answer = { content: null, ...(isAnswer && lastMessage), role: 'assistant' };
  if (isAnswer) messages.pop();
  messages.push({ ...answer, tool_calls: [...(earlierCalls as unknown[]), call] });
}

function toContentPart(part: JsonRecord, index: number): JsonRecord {
  switch (part['type']) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return { type: 'text', text: part['text'] };
    case 'input_image':
      return { type: 'image_url', image_url: { url: part['image_url'] } };
    case 'input_file': {
      const data = part['file_data'] ?? part['file_url'];
      const name = part['filename'];
      return {
        type: 'file',
        file: { file_data: data, ...(name !== undefined && { filename: name }) },
      };
    }
    default:
      throw createInvalidRequestError([
        createCustomIssue(['input', index], 'Unknown part of a message'),
      ]);
  }
}

const toPlainText = (content: string | readonly JsonRecord[]): string =>
  typeof content === 'string'
    ? content
    : content.map(({ text }) => readStringOr(text, '')).join('\n');
