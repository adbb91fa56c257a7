import type { ChatBody, FunctionTool } from '../chat/body.ts';
import type { ChatCall } from '../chat/call.ts';
import type { ToolCall } from './answer.ts';
import { questionOf } from './question.ts';
import { bestTool, toolArguments } from './tool-matching.ts';
import { outcomesIn } from './tool-use/task.ts';
import { quoteResults } from './tool-use/quote-results.ts';
import type { Wanted } from './tool-use/toolbox.ts';
import { nextWork } from './tool-use/work.ts';

/** What a model says and calls; all is done when it calls nothing. */
export interface ToolUse {
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
}

/**
 * What comes next of what the person asked for in plain words: "A and B" are calls of one round, "A, then B" of two,
 * and some wishes take many. Undefined when no action is asked for, or the request lets no tool be called.
 */
export function useTools({ body }: ChatCall, random: () => number): ToolUse | undefined {
  const tools = (body.tools ?? []).filter((tool) => tool.type === 'function');
  if (tools.length === 0 || body.tool_choice === 'none') return undefined;
  const work = nextWork(body, tools);
  const calls = forced(body, tools, work?.calls ?? []) ?? work?.calls;
  if (calls === undefined) return undefined;
  return { content: work?.say ?? '', toolCalls: calls.map((call) => toolCall(call, random)) };
}

/** What the request demands at its beginning, when the words alone would not have led to it. */
function forced(
  body: ChatBody,
  tools: readonly FunctionTool[],
  planned: readonly Wanted[],
): readonly Wanted[] | undefined {
  const choice = body.tool_choice;
  if (choice === undefined || choice === 'auto' || body.messages.at(-1)?.role === 'tool') {
    return undefined;
  }
  const wanted = typeof choice === 'object' ? choice.function.name : undefined;
  const fitting = planned.filter(({ name }) => wanted === undefined || name === wanted);
  if (fitting.length > 0) return fitting;
  const text = questionOf(body);
  const tool = tools.find(({ function: { name } }) => name === wanted) ?? bestTool(text, tools, 0);
  return tool && [{ name: tool.function.name, args: toolArguments(tool, text) }];
}

function toolCall({ name, args }: Wanted, random: () => number): ToolCall {
  const suffix = Math.floor(random() * 2 ** 32).toString(16);
  return { id: `call_${suffix.padStart(8, '0')}`, name, arguments: JSON.stringify(args) };
}

/** An answer in words for results that no plan asked for; undefined when there are none. */
export function answerFromResults(body: ChatBody): string | undefined {
  const start = body.messages.findLastIndex(({ role }) => role === 'user');
  const outcomes = outcomesIn(body.messages.slice(start + 1));
  if (outcomes.length === 0) return undefined;
  return `${quoteResults(outcomes)}\n\nThat is all I needed; nothing else was called.`;
}
