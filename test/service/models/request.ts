import type { ChatBody, FunctionTool, Message } from '../chat/body.ts';
import type { ChatCall } from '../chat/call.ts';
import { lastImages, lastUserText, messageText } from '../chat/messages.ts';
import type { SearchResults } from './web-search.ts';

/** The parts of a chat request that recipes use. */
export interface ModelRequest {
  readonly call: ChatCall;
  readonly body: ChatBody;
  /** Text of the last user message. */
  readonly text: string;
  /** The same text without attachments. */
  readonly question: string;
  /** Functions that may be called. */
  readonly tools: readonly FunctionTool[];
  /** URLs of the images in the last user message. */
  readonly images: readonly string[];
  /** Code blocks that the question is about. */
  readonly code: readonly Code[];
  /** Results of the web search. */
  readonly searchResults: SearchResults;
  /** A number in [0, 1) that depends on the request and its seed alone. Varies the wording. */
  readonly variant: number;
}

/** A function call; the service adds the id. */
export interface PlannedCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The text of a reply, or text with function calls. */
export type Reply = string | { readonly content: string; readonly calls: readonly PlannedCall[] };

/** Matches requests and answers them. The first matching recipe of a list is used. */
export interface Recipe {
  readonly name: string;
  readonly matches: (request: ModelRequest) => boolean;
  readonly answer: (request: ModelRequest) => Reply | Promise<Reply>;
  /** The answer is the text for a file or an input box, without reasoning, search and calls. */
  readonly isBare?: true;
}

export function readRequest(
  call: ChatCall,
  searchResults: SearchResults,
  variant: number,
): ModelRequest {
  const { body } = call;
  const tools = body.tool_choice === 'none' ? [] : (body.tools ?? []);
  return {
    call,
    body,
    text: lastUserText(body),
    question: questionOf(body),
    tools: tools.filter((tool) => tool.type === 'function'),
    images: lastImages(body),
    code: attachedCode(body),
    searchResults,
    variant,
  };
}

const fencedBlock = /^(`{3,}|~{3,})([^\n]*)\n([\s\S]*?)^\1[ \t]*$/gm;

/** Text of the last user message without fenced blocks and attachment tags. */
export const questionOf = (body: ChatBody): string =>
  lastUserText(body)
    .replace(fencedBlock, '')
    .replace(/<\/?[a-z]+(?:[: ][^>\n]*)?>/gi, '')
    .trim();

/** A fenced block of a message. */
export interface Code {
  readonly text: string;
  readonly language: string;
  readonly path?: string;
}

/** Code blocks of the last user message; of an earlier one when the last message refers to it. */
function attachedCode({ messages }: ChatBody): readonly Code[] {
  const [last = '', ...earlier] = messages.flatMap(userText).toReversed();
  const earlierBlocks = earlier.map(codeBlocks).find((blocks) => blocks.length > 0) ?? [];
  const blocks = codeBlocks(last);
  return blocks.length === 0 && backReference.test(last) ? earlierBlocks : blocks;
}

const backReference = /\b(?:its?|this|that|these|those|again|above|line|code|function|file)\b/i;

const userText = (message: Message): string[] =>
  message.role === 'user' ? [messageText(message)] : [];

const pathLike = /[\w./-]*[\w-]\.[a-z]\w{0,4}\b/i;

function codeBlocks(text: string): Code[] {
  return [...text.matchAll(fencedBlock)].map(({ index, 2: info = '', 3: code = '' }) => {
    const heading = text.slice(0, index).trimEnd().split('\n').at(-1) ?? '';
    const path = pathLike.exec(info)?.[0] ?? pathLike.exec(heading)?.[0];
    const [language = ''] = info.trim().split(/[\s:]/);
    return { text: code.trimEnd(), language: language || 'text', ...(path && { path }) };
  });
}
