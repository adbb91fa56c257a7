import { parseJson } from '../../../src/base/json.ts';
import type { ChatBody, FunctionTool, Message } from '../chat/body.ts';
import type { ChatCall } from '../chat/call.ts';
import { sinceLastUser, textOf } from '../chat/messages.ts';
import type { ToolCall } from './answer.ts';
import { valueFor } from './from-schema.ts';
import { questionOf } from './question.ts';

/**
 * The tool calls the last user message asks for in plain words. "A, then B" makes two rounds,
 * "A and B" one round of two calls. No calls when all rounds are done or no tool fits.
 */
export function chooseToolCalls({ body }: ChatCall, random: () => number): ToolCall[] {
  const tools = (body.tools ?? []).filter((tool) => tool.type === 'function');
  if (tools.length === 0 || body.tool_choice === 'none') return [];
  const rounds = questionOf(body).split(/\b(?:and )?then\b/i);
  const done = sinceLastUser(body).filter(isCallingTools).length;
  const round = rounds[done];
  if (round === undefined) return [];
  const wanted = forced(body, tools, done) ?? matches(round, tools, body.parallel_tool_calls);
  return wanted.map(({ tool, text }) => toolCall(tool, text, random));
}

interface Match {
  readonly tool: FunctionTool;
  readonly text: string;
}

function forced(body: ChatBody, tools: readonly FunctionTool[], done: number): Match[] | undefined {
  const choice = body.tool_choice;
  if (done > 0 || choice === undefined || choice === 'auto' || choice === 'none') return undefined;
  const text = questionOf(body);
  const named = typeof choice === 'object' ? choice.function.name : undefined;
  const tool = tools.find(({ function: { name } }) => name === named) ?? best(text, tools, 0);
  return tool && [{ tool, text }];
}

function matches(round: string, tools: readonly FunctionTool[], parallel = true): Match[] {
  const clauses = round.split(/\band\b/i);
  const found = clauses.flatMap((text) => {
    const tool = best(text, tools, 2);
    return tool ? [{ tool, text }] : [];
  });
  // "Find a and b" is one request, "find a and read c" two.
  if (found.length === clauses.length && parallel) return found;
  const tool = best(round, tools, 2);
  return tool ? [{ tool, text: round }] : [];
}

function best(
  text: string,
  tools: readonly FunctionTool[],
  threshold: number,
): FunctionTool | undefined {
  const words = new Set(stems(text));
  const score = ({ function: { name, description = '' } }: FunctionTool): number => {
    const inName = stems(name).filter((word) => words.has(word)).length;
    const inDescription = new Set(stems(description).filter((word) => words.has(word))).size;
    return inName * 2 + inDescription;
  };
  const [first] = tools
    .map((tool) => ({ tool, points: score(tool) }))
    .filter(({ points }) => points >= threshold)
    .sort((a, b) => b.points - a.points);
  return first?.tool;
}

const commonWords = new Set(
  'a an the and or of to in on at is are be it this that with for from by as all any your you me my i please can could what which use using used given when returns return'.split(
    ' ',
  ),
);

const stems = (text: string): string[] =>
  text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 1 && !commonWords.has(word))
    .map((word) => word.replace(/(?:ing|es|s)$/, ''));

function toolCall(tool: FunctionTool, text: string, random: () => number): ToolCall {
  const value = valueFor(tool.function.parameters ?? { type: 'object' }, { text });
  const suffix = Math.floor(random() * 2 ** 32).toString(16);
  return {
    id: `call_${suffix.padStart(8, '0')}`,
    name: tool.function.name,
    arguments: JSON.stringify(value),
  };
}

export interface ToolResult {
  readonly name: string;
  readonly text: string;
}

/** What the tools called for the last user message gave back. */
export function toolResults(body: ChatBody): ToolResult[] {
  const messages = sinceLastUser(body);
  const names = new Map(
    messages
      .filter(isCallingTools)
      .flatMap(({ tool_calls }) =>
        tool_calls.map((call) => [call.id, call.function.name] as const),
      ),
  );
  return messages.flatMap((message) =>
    message.role === 'tool'
      ? [{ name: names.get(message.tool_call_id) ?? 'The tool', text: textOf(message) }]
      : [],
  );
}

/** An answer in words that repeats what the tools found. */
export function answerFromResults(results: readonly ToolResult[]): string {
  const paragraphs = results.map(({ name, text }) => {
    const lines = text.trimEnd().split('\n');
    const amount = lines.length === 1 ? 'one line' : `${lines.length} lines`;
    const shown = lines.slice(0, 20).join('\n');
    const language = parseJson(text) === undefined ? 'text' : 'json';
    return `\`${name}\` returned ${amount}:\n\n\`\`\`${language}\n${shown}\n\`\`\``;
  });
  return [...paragraphs, 'That is all I needed; nothing else was called.'].join('\n\n');
}

type AssistantMessage = Extract<Message, { role: 'assistant' }>;
type CallingMessage = AssistantMessage & {
  tool_calls: NonNullable<AssistantMessage['tool_calls']>;
};

const isCallingTools = (message: Message): message is CallingMessage =>
  message.role === 'assistant' && Boolean(message.tool_calls?.length);
