import * as vscode from 'vscode';
import { omitUndefined, isRecord, type Json, numberOr } from '../base/json.ts';
import { reasoningEfforts } from '../conversation/chat-options.ts';
import { isToolImageType } from '../conversation/tool-run.ts';
import type {
  ChatRequest,
  ChatRequestMessage,
  ContentPart,
  ToolCall,
  ToolDefinition,
} from '../service/chat/chat-types.ts';

/** Checks whether a role is the system role, which VS Code's public types do not declare. */
const isSystemRole = (role: number): boolean => role === 3;

/**
 * Converts messages of VS Code or another extension to the service's format: text, images, tool
 * calls and tool results. Drops all other parts, such as cache markers.
 */
export const toRequestMessages = (
  messages: readonly vscode.LanguageModelChatRequestMessage[],
): readonly ChatRequestMessage[] => messages.flatMap(toMessages);

function toMessages({
  role,
  content,
}: vscode.LanguageModelChatRequestMessage): ChatRequestMessage[] {
  if (isSystemRole(role)) {
    const text = joinText(content);
    return text === '' ? [] : [{ role: 'system', content: text }];
  }
  return role === vscode.LanguageModelChatMessageRole.Assistant
    ? assistantMessages(content)
    : userMessages(content);
}

function assistantMessages(content: readonly unknown[]): ChatRequestMessage[] {
  const text = joinText(content);
  const calls = content.flatMap((part): ToolCall[] =>
    part instanceof vscode.LanguageModelToolCallPart
      ? [
          {
            id: part.callId,
            type: 'function',
            function: { name: part.name, arguments: JSON.stringify(part.input) },
          },
        ]
      : [],
  );
  if (calls.length === 0) return text === '' ? [] : [{ role: 'assistant', content: text }];
  return [{ role: 'assistant', content: text === '' ? null : text, tool_calls: calls }];
}

/**
 * Converts the content of a user message. Tool results come first, because they must follow the
 * tool calls directly.
 */
function userMessages(content: readonly unknown[]): ChatRequestMessage[] {
  const results = content.filter((part) => part instanceof vscode.LanguageModelToolResultPart);
  const images = results.flatMap((result) => toImageParts(result.content));
  const parts: ContentPart[] = [...images, ...content.flatMap(toContentParts)];
  const toolMessages = results.map(({ callId, content: resultContent }): ChatRequestMessage => {
    const text = joinText(resultContent);
    return { role: 'tool', tool_call_id: callId, content: text === '' ? '(nothing)' : text };
  });
  return parts.length === 0
    ? toolMessages
    : [...toolMessages, { role: 'user', content: toContent(parts) }];
}

/** Joins the parts into one string if all of them are text. */
function toContent(parts: readonly ContentPart[]): string | readonly ContentPart[] {
  const texts = parts.filter((part) => part.type === 'text');
  return texts.length === parts.length ? texts.map(({ text }) => text).join('') : parts;
}

function toContentParts(part: unknown): ContentPart[] {
  const text = readPartText(part);
  return text === '' ? toImageParts([part]) : [{ type: 'text', text }];
}

const toImageParts = (content: readonly unknown[]): ContentPart[] =>
  content.flatMap((part): ContentPart[] => {
    if (!(part instanceof vscode.LanguageModelDataPart)) return [];
    // Without this text, the model would not mention the image in its answer.
    if (part.mimeType === 'image/gif') return [{ type: 'text', text: gifOmittedText }];
    if (!isToolImageType(part.mimeType)) return [];
    const data = Buffer.from(part.data).toString('base64');
    return [{ type: 'image_url', image_url: { url: `data:${part.mimeType};base64,${data}` } }];
  });

const gifOmittedText = '[A GIF was omitted: the service accepts PNG, JPEG and WebP images.]';

export const joinText = (content: readonly unknown[]): string => content.map(readPartText).join('');

/**
 * Returns the text of a text part or a textual data part. Empty for other parts, such as
 * `cache_control` markers.
 */
function readPartText(part: unknown): string {
  if (part instanceof vscode.LanguageModelTextPart) return part.value;
  if (part instanceof vscode.LanguageModelPromptTsxPart) return JSON.stringify(part.value) ?? '';
  if (!(part instanceof vscode.LanguageModelDataPart)) return '';
  const isText = part.mimeType.startsWith('text/') || /[/+]json$/u.test(part.mimeType);
  return isText ? new TextDecoder().decode(part.data) : '';
}

/** Fields of a request other than the messages. */
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
 * Converts request options of another extension to the service's fields. Drops unknown and invalid
 * options, because the service rejects them.
 * @param isRequired True if the model must call a tool.
 */
export function toRequestOptions({
  modelOptions = {},
  tools = [],
  isRequired,
}: {
  readonly modelOptions?: { readonly [name: string]: unknown } | undefined;
  readonly tools?: readonly vscode.LanguageModelChatTool[] | undefined;
  readonly isRequired: boolean;
}): AnswerOptions {
  const maxTokens = modelOptions['max_completion_tokens'] ?? modelOptions['max_tokens'];
  return omitUndefined({
    temperature: numberInRange(modelOptions['temperature'], 0, 2),
    top_p: numberInRange(modelOptions['top_p'], 0, 1),
    max_completion_tokens: integerFrom(maxTokens, 1),
    // Deployments refuse a seed of 0 (service facts §1.1).
    seed: integerFrom(modelOptions['seed'], 1),
    stop: readStops(modelOptions['stop']),
    reasoning_effort: reasoningEfforts.find(
      (effort) => effort === modelOptions['reasoning_effort'],
    ),
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

function numberInRange(value: unknown, min: number, max: number): number | undefined {
  const number = numberOr(value, undefined);
  return number === undefined || number < min || number > max ? undefined : number;
}

const integerFrom = (value: unknown, min: number): number | undefined =>
  Number.isSafeInteger(value) && Number(value) >= min ? Number(value) : undefined;

/** Reads the stop sequences. The service accepts at most four. */
function readStops(value: unknown): string | readonly string[] | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  if (!Array.isArray(value)) return undefined;
  const stops = value.filter((stop) => typeof stop === 'string' && stop !== '').slice(0, 4);
  return stops.length === 0 ? undefined : stops;
}
