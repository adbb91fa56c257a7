import type { ChatBody } from '../chat/body.ts';
import type { ChatCall } from '../chat/call.ts';
import { getLastUserText, getMessageText } from '../chat/messages.ts';
import { hashText, pickRandom, createSeededRandom } from '../random.ts';
import { findDeclarations } from './code-reading.ts';
import { recipes } from './recipes.ts';
import { isAnswerContinueRequest, type ModelRequest, readRequest } from './request.ts';
import {
  formatDocumentsJson,
  type SearchResults,
  emptySearchResults,
  searchWebForCall,
} from '../web/search-results.ts';

/** Complete reply of a model, before it is split into tokens. */
export interface Answer {
  readonly reasoning: string;
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
  readonly searchResults: SearchResults;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** Arguments as JSON text. */
  readonly arguments: string;
}

/**
 * Returns the model's answer to a chat request for the choice with the index `choiceIndex`. Equal requests with
 * equal seeds have equal answers.
 */
export async function answerCall(call: ChatCall, choiceIndex: number): Promise<Answer> {
  const interruptedAnswer = findInterruptedAnswer(call.body);
  if (interruptedAnswer === undefined) return createAnswer(call, choiceIndex);
  const completeAnswer = await createAnswer({ ...call, body: interruptedAnswer.body }, choiceIndex);
  const { partialText: text } = interruptedAnswer;
  return completeAnswer.content.startsWith(text) && completeAnswer.content.length > text.length
    ? { ...completeAnswer, content: completeAnswer.content.slice(text.length) }
    : createAnswer(call, choiceIndex);
}

async function createAnswer(call: ChatCall, choiceIndex: number): Promise<Answer> {
  const { body, serviceSeed } = call;
  const { seed = 0, messages } = body;
  // The number of messages makes call ids differ between requests of a conversation.
  const key = `${serviceSeed} ${seed} ${choiceIndex} ${messages.length} ${getLastUserText(body)}`;
  const random = createSeededRandom(hashText(key));
  const requestWithoutSearch = readRequest(call, emptySearchResults, random());
  const isAnswerOnly = recipes.some(
    (recipe) => recipe.isAnswerOnly === true && recipe.matchesRequest(requestWithoutSearch),
  );
  const searchResults = isAnswerOnly ? emptySearchResults : await searchWebForCall(call);
  const request = { ...requestWithoutSearch, searchResults };
  const reasoning = isAnswerOnly ? '' : createReasoning(request);
  const reply = await recipes
    .find(({ matchesRequest }) => matchesRequest(request))!
    .createReply(request);
  const { content, calls } = typeof reply === 'string' ? { content: reply, calls: [] } : reply;
  const toolCalls = calls.map(({ name, args }): ToolCall => {
    const suffix = Math.floor(random() * 2 ** 32).toString(16);
    return { id: `call_${suffix.padStart(8, '0')}`, name, arguments: JSON.stringify(args) };
  });
  return {
    reasoning,
    content,
    toolCalls: [...toolCalls, ...createDocumentCalls(call, searchResults)],
    searchResults,
  };
}

function createDocumentCalls(
  { settings, web, naming }: ChatCall,
  searchResults: SearchResults,
): readonly ToolCall[] {
  if (!settings.return_search_results_as_documents || searchResults.lookupCount === 0) return [];
  const { documents } = web.options;
  const name = documents === 'web_search' ? documents : naming.getFieldName(`service_${documents}`);
  return [{ id: 'web_search_call', name, arguments: formatDocumentsJson(searchResults) }];
}

/** Returns the text of an incomplete answer that the request continues, and the messages before this answer. */
function findInterruptedAnswer(
  body: ChatBody,
): { body: ChatBody; partialText: string } | undefined {
  const [interruptedMessage, lastMessage] = body.messages.slice(-2);
  return interruptedMessage?.role === 'assistant' &&
    lastMessage?.role === 'user' &&
    isAnswerContinueRequest(lastMessage)
    ? {
        body: { ...body, messages: body.messages.slice(0, -2) },
        partialText: getMessageText(interruptedMessage),
      }
    : undefined;
}

const paragraphCountByEffort = {
  none: 0,
  minimal: 1,
  low: 2,
  medium: 4,
  high: 6,
  xhigh: 7,
  max: 7,
};

/**
 * Returns the reasoning text. Higher effort creates a longer text. Returns an empty string if the model or the request
 * disables reasoning.
 */
function createReasoning({ call, codeBlocks, question, variant }: ModelRequest): string {
  const { body, model, settings } = call;
  if (model.reasoningStyle === 'none') return '';
  if (settings.disable_thinking || settings.strip_thinking_response) return '';
  const effort = body.reasoning_effort ?? body.reasoning?.effort;
  if (effort === undefined && body.reasoning?.enabled === false) return '';
  const declaredNames = codeBlocks
    .slice(0, 1)
    .flatMap(({ text }) => findDeclarations(text).map(({ name }) => name));
  const openingSentence = pickRandom(
    () => variant,
    ['Okay, let me look at this.', "Let's see what is asked."],
  );
  const paragraphs = [
    `${openingSentence} The question is: "${question.slice(0, 120)}".`,
    declaredNames.length > 0
      ? `There is code attached. It declares ${declaredNames.slice(0, 4).join(', ')}; I should read those first.`
      : 'There is no code attached, so I answer from what I know.',
    'What matters most is the control flow: where values come in, where they change, and who sees the result.',
    'I should be concrete: name the parts, say what each does, and point at the lines that deserve attention.',
    'Is there an edge case I would miss? Empty input, a rejected promise, a value that is not a number. Worth a remark.',
    'A table will be easier to scan than prose here, and a short example helps more than another paragraph.',
    'Good. I have what I need; now write it down briefly.',
  ];
  return paragraphs.slice(0, paragraphCountByEffort[effort ?? 'medium']).join('\n\n');
}
