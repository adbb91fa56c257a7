import type { ChatBody, Message } from './body.ts';

type UserMessage = Extract<Message, { role: 'user' }>;
export type MediaPart = Exclude<UserMessage['content'], string>[number];

/** Returns the text parts of a message, joined by line breaks. */
export function getMessageText(message: Message): string {
  const { content } = message;
  if (content === null || content === undefined) return '';
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

export function listContentParts(message: Message): readonly MediaPart[] {
  return message.role === 'user' && typeof message.content !== 'string' ? message.content : [];
}

export function findLastUserMessage(body: ChatBody): UserMessage | undefined {
  return body.messages.findLast((message) => message.role === 'user');
}

export function getLastUserText(body: ChatBody): string {
  const message = findLastUserMessage(body);
  return message === undefined ? '' : getMessageText(message);
}

/** Returns the URLs of the images in the last user message. */
export function listLastImages(body: ChatBody): readonly string[] {
  const message = findLastUserMessage(body);
  if (message === undefined) return [];
  return listContentParts(message).flatMap((part) =>
    part.type === 'image_url' ? [part.image_url.url] : [],
  );
}
