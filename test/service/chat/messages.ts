import type { ChatBody, Message } from './body.ts';

type UserMessage = Extract<Message, { role: 'user' }>;
export type MediaPart = Exclude<UserMessage['content'], string>[number];

/** Returns the text parts of a message, joined by line breaks. */
export function messageText(message: Message): string {
  const { content } = message;
  if (content === null || content === undefined) return '';
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

export function contentParts(message: Message): readonly MediaPart[] {
  return message.role === 'user' && typeof message.content !== 'string' ? message.content : [];
}

export function lastUserMessage(body: ChatBody): UserMessage | undefined {
  return body.messages.findLast((message) => message.role === 'user');
}

export function lastUserText(body: ChatBody): string {
  const message = lastUserMessage(body);
  return message === undefined ? '' : messageText(message);
}

/** Returns the URLs of the images in the last user message. */
export function lastImages(body: ChatBody): readonly string[] {
  const message = lastUserMessage(body);
  if (message === undefined) return [];
  return contentParts(message).flatMap((part) =>
    part.type === 'image_url' ? [part.image_url.url] : [],
  );
}
