import { estimateDocumentTokens, maxImageTokens } from '../conversation/media.ts';
import { estimateTokens } from '../base/token-estimate.ts';
import type {
  ChatRequest,
  ChatRequestMessage,
  ContentPart,
  ToolDefinition,
} from '../service/chat/chat-types.ts';

/** Tokens that a message needs in addition to its text, for its role and delimiters. */
const messageOverheadTokens = 4;

/** Estimates the tokens of a request: its messages, images and tool schemas. */
export function estimateRequestTokens({ messages, tools = [] }: ChatRequest): number {
  const toolTokens = tools.reduce(
    (sum, tool) => sum + getOrEstimateTokens(schemaTokens, tool.function, estimateSchemaTokens),
    0,
  );
  return messages.reduce((sum, message) => sum + estimateMessageTokens(message), toolTokens);
}

/** Cached token estimates of messages. Messages never change and occur in many requests. */
const messageTokens = new WeakMap<ChatRequestMessage, number>();
const schemaTokens = new WeakMap<ToolDefinition['function'], number>();

function getOrEstimateTokens<Key extends object>(
  tokenCounts: WeakMap<Key, number>,
  key: Key,
  estimate: (key: Key) => number,
): number {
  const tokenCount = tokenCounts.get(key) ?? estimate(key);
  tokenCounts.set(key, tokenCount);
  return tokenCount;
}

const estimateSchemaTokens = (tool: ToolDefinition['function']): number =>
  estimateTokens(JSON.stringify(tool));

const estimateMessageTokens = (message: ChatRequestMessage): number =>
  getOrEstimateTokens(messageTokens, message, estimateNewMessageTokens);

function estimateNewMessageTokens(message: ChatRequestMessage): number {
  const callTokens =
    message.role === 'assistant' && message.tool_calls !== undefined
      ? estimateTokens(JSON.stringify(message.tool_calls))
      : 0;
  const { reasoning_content: reasoningContent, reasoning = reasoningContent ?? '' } =
    message.role === 'assistant' ? message : {};
  const { reasoning_details: details, thought_signature: signature = '' } =
    message.role === 'assistant' ? message : {};
  const signedText = details === undefined ? signature : JSON.stringify(details) + signature;
  const reasoningTokens = estimateTokens(reasoning) + estimateTokens(signedText);
  return (
    messageOverheadTokens + callTokens + reasoningTokens + estimateContentTokens(message.content)
  );
}

function estimateContentTokens(content: ChatRequestMessage['content']): number {
  if (content === null) return 0;
  if (typeof content === 'string') return estimateTokens(content);
  return content.reduce((sum, part) => sum + estimatePartTokens(part), 0);
}

function estimatePartTokens(part: ContentPart): number {
  if (part.type === 'text') return estimateTokens(part.text);
  // Four characters of Base64 encode three bytes.
  return part.type === 'file'
    ? estimateDocumentTokens(part.file.file_data.length * 0.75)
    : maxImageTokens;
}

/**
 * Number of the most recent answers whose tool outputs and images {@link trimOldOutputs} retains, because the model is
 * still working with them.
 */
const recentAnswerCount = 2;
/**
 * Maximum length in characters of an old tool output that {@link trimOldOutputs} retains, because removing a short
 * output saves few tokens.
 */
const shortOutputLength = 400;

export const omittedOutput =
  '[This output was left out to save room. Call the tool again if it is needed.]';
const omittedDocument = '[This document was left out to save room.]';
const omittedImage = '[This image was left out to save room.]';

/**
 * Removes old tool outputs, then old images and documents, oldest first, while the request has more than `limit`
 * tokens. If removing all of them is not enough, the result still exceeds the limit.
 */
export function trimOldOutputs(request: ChatRequest, limit: number): ChatRequest {
  let excessTokens = estimateRequestTokens(request) - limit;
  if (excessTokens <= 0) return request;
  const messages = [...request.messages];
  const recentStart = findRecentAnswersIndex(messages);
  for (const omitContent of [removeOutput, removeMedia]) {
    for (let index = 0; index < recentStart && excessTokens > 0; index++) {
      const message = messages[index];
      if (message === undefined) continue;
      const shortenedMessage = omitContent(message);
      excessTokens -= estimateMessageTokens(message) - estimateMessageTokens(shortenedMessage);
      messages[index] = shortenedMessage;
    }
  }
  return { ...request, messages };
}

/**
 * Returns the index of the earliest of the {@link recentAnswerCount} most recent answers in `messages`. Returns the
 * number of messages if there are fewer answers.
 */
function findRecentAnswersIndex(messages: readonly ChatRequestMessage[]): number {
  let answerCount = 0;
  for (let index = messages.length - 1; index > 0; index--) {
    if (messages[index]?.role === 'assistant' && ++answerCount === recentAnswerCount) return index;
  }
  return messages.length;
}

const removeOutput = (message: ChatRequestMessage): ChatRequestMessage =>
  message.role === 'tool' && message.content.length > shortOutputLength
    ? { ...message, content: omittedOutput }
    : message;

const removeMedia = (message: ChatRequestMessage): ChatRequestMessage => {
  const { role, content } = message;
  if (role !== 'user' || typeof content === 'string') return message;
  return { ...message, content: content.map((part) => replaceDocument(replaceImage(part))) };
};

const removeImages = (message: ChatRequestMessage): ChatRequestMessage =>
  message.role === 'user' && typeof message.content !== 'string'
    ? { ...message, content: message.content.map(replaceImage) }
    : message;

const replaceImage = (part: ContentPart): ContentPart =>
  part.type === 'image_url' ? { type: 'text', text: omittedImage } : part;

const replaceDocument = (part: ContentPart): ContentPart =>
  part.type === 'file' ? { type: 'text', text: omittedDocument } : part;

/**
 * Removes the oldest images until the URLs of all images together have at most `maxCharacters`. Services limit the size
 * of a request in bytes, regardless of its tokens.
 */
export function limitImages(request: ChatRequest, maxCharacters: number): ChatRequest {
  let remainingCharacters = maxCharacters;
  const messages = request.messages.toReversed().map((message) => {
    const size = measureImages(message);
    if (size === 0) return message;
    if (size > remainingCharacters) return removeImages(message);
    remainingCharacters -= size;
    return message;
  });
  return { ...request, messages: messages.toReversed() };
}

/** Returns the total length of the image URLs in a request, in characters. */
export const sumImageSizes = ({ messages }: ChatRequest): number =>
  messages.reduce((sum, message) => sum + measureImages(message), 0);

const measureImages = ({ role, content }: ChatRequestMessage): number =>
  role !== 'user' || typeof content === 'string'
    ? 0
    : content.reduce(
        (sum, part) => sum + (part.type === 'image_url' ? part.image_url.url.length : 0),
        0,
      );

/** Minimum remaining length in characters of a text whose middle is cut. */
const minCharsAfterCut = 1_000;

/**
 * Removes all images, then cuts the middle of the longest texts, until the request has at most `limit` tokens. Used
 * after all other reductions, so that a single long file, output or pasted text does not block a conversation. Does not
 * change system messages and tools.
 */
export function truncateToFit(request: ChatRequest, limit: number): ChatRequest {
  const messages = request.messages.map(removeImages);
  let tokens = estimateRequestTokens(request);
  if (tokens <= limit) return request;
  tokens = estimateRequestTokens({ ...request, messages });
  while (tokens > limit) {
    const longestMessage = findLongestMessage(messages);
    if (longestMessage === undefined) break;
    const { index, message, text } = longestMessage;
    // Cuts a text to half of its length at most, to spread the reduction over several texts.
    const shortenedMessage = {
      ...removeReasoning(message),
      content: cutMiddle(text, Math.max(minCharsAfterCut, text.length / 2)),
    };
    tokens -= estimateMessageTokens(message) - estimateMessageTokens(shortenedMessage);
    messages[index] = shortenedMessage;
  }
  return { ...request, messages };
}

/**
 * Removes the reasoning of an answer with truncated text, because the signature of the reasoning may cover the complete
 * text.
 */
function removeReasoning(message: ChatRequestMessage): ChatRequestMessage {
  if (message.role !== 'assistant') return message;
  const {
    reasoning: _reasoning,
    reasoning_content: _content,
    reasoning_details: _details,
    thought_signature: _signature,
    ...rest
  } = message;
  return rest;
}

function findLongestMessage(
  messages: readonly ChatRequestMessage[],
): { index: number; message: ChatRequestMessage; text: string } | undefined {
  let longestMessage: { index: number; message: ChatRequestMessage; text: string } | undefined;
  for (const [index, message] of messages.entries()) {
    const text = getMessageText(message);
    if (message.role === 'system' || text.length <= minCharsAfterCut + omittedCharactersNote.length)
      continue;
    if (longestMessage === undefined || text.length > longestMessage.text.length)
      longestMessage = { index, message, text };
  }
  return longestMessage;
}

function getMessageText({ content }: ChatRequestMessage): string {
  if (content === null) return '';
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

const omittedCharactersNote = '\n[… left out to save room …]\n';

/** Cuts the middle of a text to a total of `length` characters. */
function cutMiddle(text: string, length: number): string {
  const halfLength = Math.floor((length - omittedCharactersNote.length) / 2);
  const head = text.slice(0, halfLength).replace(/[\uD800-\uDBFF]$/u, '');
  const tail = text.slice(-halfLength).replace(/^[\uDC00-\uDFFF]/u, '');
  return `${head}${omittedCharactersNote}${tail}`;
}
