import type * as vscode from 'vscode';
import { defined, isRecord, type Json, numberOr } from '../base/json.ts';
import { reasoningEfforts } from '../conversation/chat-options.ts';
import type { ChatRequest, ToolDefinition } from '../service/chat/chat-types.ts';

/** What decides about an answer, besides the messages. */
type AnswerOptions = Pick<
  ChatRequest,
  | 'temperature'
  | 'top_p'
  | 'max_completion_tokens'
  | 'seed'
  | 'stop'
  | 'reasoning_effort'
  | 'tools'
  | 'tool_choice'
>;

/**
 * The options of a request of another extension, as the service names them. What is unknown or of the wrong kind is
 * left out: the service refuses what it does not know.
 * @param isRequired The model must call one of the tools.
 */
export function requestOptions({
  modelOptions = {},
  tools = [],
  isRequired,
}: {
  readonly modelOptions?: { readonly [name: string]: unknown } | undefined;
  readonly tools?: readonly vscode.LanguageModelChatTool[] | undefined;
  readonly isRequired: boolean;
}): AnswerOptions {
  const most = modelOptions['max_completion_tokens'] ?? modelOptions['max_tokens'];
  return defined({
    temperature: within(modelOptions['temperature'], 0, 2),
    top_p: within(modelOptions['top_p'], 0, 1),
    max_completion_tokens: whole(most, 1),
    seed: whole(modelOptions['seed'], 0),
    stop: stopsOf(modelOptions['stop']),
    reasoning_effort: reasoningEfforts.find((each) => each === modelOptions['reasoning_effort']),
    tools: tools.length === 0 ? undefined : tools.map(toDefinition),
    tool_choice: isRequired && tools.length > 0 ? ('required' as const) : undefined,
  });
}

function toDefinition({
  name,
  description,
  inputSchema,
}: vscode.LanguageModelChatTool): ToolDefinition {
  const parameters = isRecord(inputSchema)
    ? (inputSchema as { readonly [key: string]: Json })
    : { type: 'object', properties: {} };
  return { type: 'function', function: { name, description, parameters } };
}

function within(value: unknown, least: number, most: number): number | undefined {
  const number = numberOr(value, undefined);
  return number === undefined || number < least || number > most ? undefined : number;
}

const whole = (value: unknown, least: number): number | undefined =>
  Number.isSafeInteger(value) && Number(value) >= least ? Number(value) : undefined;

/** The service takes four. */
function stopsOf(value: unknown): string | readonly string[] | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  if (!Array.isArray(value)) return undefined;
  const stops = value.filter((each) => typeof each === 'string' && each !== '').slice(0, 4);
  return stops.length === 0 ? undefined : stops;
}
