import type { ChatBody, FunctionTool, Message } from '../chat/body.ts';
import type { ChatCall } from '../chat/call.ts';
import { listLastImages, getLastUserText, getMessageText } from '../chat/messages.ts';
import { addDeferredTools } from './listed-tools.ts';
import type { SearchResults } from '../web/search-results.ts';

/** Chat request in the form that the recipes use. */
export interface ModelRequest {
  readonly call: ChatCall;
  readonly body: ChatBody;
  /** Text of the last user message. */
  readonly text: string;
  /** Text of the last user message, without its attachments. */
  readonly question: string;
  /** Functions that the model may call, including those that only the description of the tool `more_tools` lists. */
  readonly tools: readonly FunctionTool[];
  /** URLs of the images in the last user message. */
  readonly images: readonly string[];
  /** Code blocks to which the question refers. */
  readonly codeBlocks: readonly CodeBlock[];
  readonly searchResults: SearchResults;
  /** Number in [0, 1) that depends only on the request and its seeds, and selects between wordings. */
  readonly variant: number;
}

/** Function call that a recipe requests. The service adds its id. */
export interface PlannedCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Reply of a model: a text, optionally with function calls. */
export type ModelReply =
  | string
  | { readonly content: string; readonly calls: readonly PlannedCall[] };

/** Rule that answers matching requests. In a list of recipes, the first match is used. */
export interface Recipe {
  readonly name: string;
  readonly matchesRequest: (request: ModelRequest) => boolean;
  readonly createReply: (request: ModelRequest) => ModelReply | Promise<ModelReply>;
  /**
   * True if the client inserts the answer into a file or an input box. Such an answer contains no reasoning, search
   * results or calls.
   */
  readonly isAnswerOnly?: true;
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
    text: getLastUserText(body),
    question: getQuestion(body),
    tools: addDeferredTools(tools.filter((tool) => tool.type === 'function')),
    images: listLastImages(body),
    codeBlocks: findAttachedCode(body),
    searchResults,
    variant,
  };
}

const fencedBlockPattern = /^(`{3,}|~{3,})([^\n]*)\n([\s\S]*?)^\1[ \t]*$/gm;

/** Returns the text of the last user message without fenced blocks and attachment tags. */
export const getQuestion = (body: ChatBody): string =>
  getLastUserText(body)
    .replace(fencedBlockPattern, '')
    .replace(/<\/?[a-z]+(?:[: ][^>\n]*)?>/gi, '')
    .trim();

/** Fenced code block in a message. */
export interface CodeBlock {
  readonly text: string;
  readonly language: string;
  readonly path?: string;
}

/**
 * Returns the code blocks of the last user message. If the message has none and refers to earlier code, returns those
 * of the last user message that has some.
 */
function findAttachedCode({ messages }: ChatBody): readonly CodeBlock[] {
  const [lastText = '', ...earlierTexts] = messages
    .filter(({ role }) => role === 'user')
    .map(getMessageText)
    .toReversed();
  const earlierBlocks = earlierTexts.map(listCodeBlocks).find((blocks) => blocks.length > 0) ?? [];
  const blocks = listCodeBlocks(lastText);
  return blocks.length === 0 && backReferencePattern.test(lastText) ? earlierBlocks : blocks;
}

const backReferencePattern =
  /\b(?:its?|this|that|these|those|again|above|line|code|function|file)\b/i;

/** Checks whether the user asks for the rest of an answer that ended early. */
export const isAnswerContinueRequest = (message: Message): boolean =>
  /^\s*(?:please\s+)?(?:go on|continue|your answer was cut off)\b/i.test(getMessageText(message));

/** Checks whether the message only asks to continue the work, such as "Continue". */
export const isContinueRequest = (message: Message): boolean =>
  /^(?:please |yes,? |ok(?:ay)?,? )*(?:go on|continue|yes|your answer was cut off\b.*)[.!\s]*$/is.test(
    getMessageText(message).trim(),
  );

const pathPattern = /[\w./-]*[\w-]\.[a-z]\w{0,4}\b/i;

function listCodeBlocks(text: string): CodeBlock[] {
  return [...text.matchAll(fencedBlockPattern)].map(({ index, 2: info = '', 3: code = '' }) => {
    const heading = text.slice(0, index).trimEnd().split('\n').at(-1) ?? '';
    const path = pathPattern.exec(info)?.[0] ?? pathPattern.exec(heading)?.[0];
    const [language = ''] = info.trim().split(/[\s:]/);
    return { text: code.trimEnd(), language: language || 'text', ...(path && { path }) };
  });
}
