import { inCharacter } from '../characters/in-character.ts';
import type { ChatBody } from '../chat/body.ts';
import type { ChatCall } from '../chat/call.ts';
import { lastImages, lastUserText } from '../chat/messages.ts';
import { hashOf, randomFrom } from '../random.ts';
import { converse } from './assistant.ts';
import { completeCode, isCompletionPrompt } from './code-completion.ts';
import { commitMessage } from './commit-message.ts';
import { documentsCall } from './documents-call.ts';
import { editedLines } from './edit-in-place.ts';
import { valueFor } from './from-schema.ts';
import { interruptedAnswer, questionOf } from './question.ts';
import { thoughtsFor } from './reasoning.ts';
import { answerFromResults, useTools } from './tool-calls.ts';
import { asksForRecap, recap } from './tool-use/recap.ts';
import { outcomesIn, taskOf } from './tool-use/task.ts';
import { describeImages } from './vision.ts';
import { answerFromWeb } from './web-answer.ts';
import { type Findings, nothingFound, searchFor } from './web-search.ts';

/** What a model says in reply; how fast and in which pieces is decided elsewhere. */
export interface Answer {
  readonly reasoning: string;
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
  readonly found: Findings;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
}

/** The reply of the called model. The same call, seed and choice give the same answer. */
export async function answer(call: ChatCall, choice: number): Promise<Answer> {
  const bare = bareAnswer(call.body);
  if (bare !== undefined)
    return { reasoning: '', content: bare, toolCalls: [], found: nothingFound };
  // Code may speak of anything, also of going on.
  if (completesCode(call)) return answerAnew(call, choice);
  // The request for a summary may speak of going on.
  const interrupted = asksForRecap(call.body) ? undefined : interruptedAnswer(call.body);
  if (interrupted === undefined) return answerAnew(call, choice);
  const whole = await answerAnew({ ...call, body: interrupted.body }, choice);
  const { said } = interrupted;
  const isPart = whole.content.startsWith(said) && whole.content.length > said.length;
  return isPart
    ? { ...whole, content: whole.content.slice(said.length) }
    : answerAnew(call, choice);
}

async function answerAnew(call: ChatCall, choice: number): Promise<Answer> {
  const { seed = 0, messages } = call.body;
  // The number of messages, so that the rounds of one question differ in their ids.
  const start = `${call.serviceSeed} ${seed} ${choice} ${messages.length} ${lastUserText(call.body)}`;
  const random = randomFrom(hashOf(start));
  const found = await searchFor(call);
  const documents = documentsOf(call, found);
  const reasoning = thoughtsFor(call, random);
  const use = asksForRecap(call.body) ? undefined : useTools(call, random);
  if (use !== undefined) {
    const content = use.toolCalls.length > 0 ? use.content : await withPictures(call, use.content);
    return { reasoning, content, toolCalls: [...use.toolCalls, ...documents], found };
  }
  const content = await contentOf(call, random, found);
  return { reasoning, content, toolCalls: documents, found };
}

function documentsOf({ settings, web, words }: ChatCall, found: Findings): readonly ToolCall[] {
  if (!settings.return_search_results_as_documents || found.lookups === 0) return [];
  const { documents: name } = web.manners;
  return [documentsCall(found, name === 'web_search' ? name : words.field(`service_${name}`))];
}

/** What goes into a file or a box as it is: nothing is said around it, and no tool is called. */
const bareAnswer = (body: ChatBody): string | undefined => editedLines(body) ?? commitMessage(body);

/** A model for code goes on with what it is sent, unless it is told what else to do. */
const completesCode = ({ body, model }: ChatCall): boolean =>
  isCompletionPrompt(lastUserText(body)) ||
  (model.mind === 'code-completion' && body.messages.every(({ role }) => role !== 'system'));

/** What was read may be pictures, which the words of a tool say little of. */
async function withPictures({ body }: ChatCall, content: string): Promise<string> {
  const { images } = taskOf(body);
  return images.length === 0 ? content : `${content}\n\n${await describeImages(images)}`;
}

async function contentOf(call: ChatCall, random: () => number, found: Findings): Promise<string> {
  const { body, settings } = call;
  const question = questionOf(body);
  if (asksForRecap(body)) return recap(body, outcomesIn(body.messages));
  if (completesCode(call)) {
    return completeCode(body, call.habits);
  }
  const format = body.response_format;
  if (format?.type === 'json_schema') {
    return JSON.stringify(valueFor(format.json_schema.schema ?? {}, { text: question }));
  }
  if (format?.type === 'json_object') return JSON.stringify({ answer: question.slice(0, 200) });
  const results = answerFromResults(body);
  if (results !== undefined) return results;
  const images = lastImages(body);
  if (images.length > 0) return describeImages(images);
  if (found.citations.length + found.unread.length > 0) {
    return answerFromWeb(question, found, settings.enable_web_citations);
  }
  return inCharacter(settings.character_slug, converse(body, random));
}
