import type { ChatBody } from '../chat/body.ts';
import type { ChatCall } from '../chat/call.ts';
import { lastUserText, messageText } from '../chat/messages.ts';
import { hashText, seededRandom } from '../random.ts';
import { reasoningFor } from './reasoning.ts';
import { recipes } from './recipes.ts';
import { type PlannedCall, readRequest } from './request.ts';
import { documentsJson, type SearchResults, noResults, searchFor } from './web-search.ts';

/** A model's reply. Pace and token boundaries are decided elsewhere. */
export interface Answer {
  readonly reasoning: string;
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
  readonly found: SearchResults;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
}

/** Returns the reply of the called model, equal for equal calls, seeds and choices. */
export async function answerCall(call: ChatCall, choice: number): Promise<Answer> {
  const interrupted = interruptedAnswer(call.body);
  if (interrupted === undefined) return newAnswer(call, choice);
  const whole = await newAnswer({ ...call, body: interrupted.body }, choice);
  const { said } = interrupted;
  return whole.content.startsWith(said) && whole.content.length > said.length
    ? { ...whole, content: whole.content.slice(said.length) }
    : newAnswer(call, choice);
}

async function newAnswer(call: ChatCall, choice: number): Promise<Answer> {
  const { body, serviceSeed } = call;
  const { seed = 0, messages } = body;
  // The number of messages makes the call ids of each round different.
  const key = `${serviceSeed} ${seed} ${choice} ${messages.length} ${lastUserText(body)}`;
  const random = seededRandom(hashText(key));
  const bare = readRequest(call, noResults, random());
  const isBare = recipes.some((recipe) => recipe.isBare === true && recipe.matches(bare));
  const found = isBare ? noResults : await searchFor(call);
  const request = { ...bare, found };
  const reasoning = isBare ? '' : reasoningFor(request);
  const reply = await recipes.find(({ matches }) => matches(request))!.answer(request);
  const { content, calls } = typeof reply === 'string' ? { content: reply, calls: [] } : reply;
  const toolCalls = calls.map((each) => toolCallOf(each, random));
  return { reasoning, content, toolCalls: [...toolCalls, ...documentCalls(call, found)], found };
}

function toolCallOf({ name, args }: PlannedCall, random: () => number): ToolCall {
  const suffix = Math.floor(random() * 2 ** 32).toString(16);
  return { id: `call_${suffix.padStart(8, '0')}`, name, arguments: JSON.stringify(args) };
}

function documentCalls(
  { settings, web, naming }: ChatCall,
  found: SearchResults,
): readonly ToolCall[] {
  if (!settings.return_search_results_as_documents || found.lookups === 0) return [];
  const { documents } = web.options;
  const name = documents === 'web_search' ? documents : naming.field(`service_${documents}`);
  return [{ id: 'web_search_call', name, arguments: documentsJson(found) }];
}

/** For a request to continue: the conversation before the interrupted answer, and the text of that answer. */
function interruptedAnswer(body: ChatBody): { body: ChatBody; said: string } | undefined {
  const [cut, last] = body.messages.slice(-2);
  const asksToContinue =
    last?.role === 'user' &&
    /^\s*(?:please\s+)?(?:go on|continue|your answer was cut off)\b/i.test(messageText(last));
  return cut?.role === 'assistant' && asksToContinue
    ? { body: { ...body, messages: body.messages.slice(0, -2) }, said: messageText(cut) }
    : undefined;
}
