import * as vscode from 'vscode';
import { omitUndefined, isRecord, type Json } from '../base/json.ts';
import { isToolImageType } from '../conversation/tool-run.ts';
import { isDataPart } from '../platform/newer-vscode.ts';
import type {
  ChatRequest,
  ChatRequestMessage,
  ContentPart,
  ToolCall,
  ToolDefinition,
} from '../service/chat/chat-types.ts';
import { ServiceError } from '../service/http/failure.ts';

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
    ? toAssistantMessages(content)
    : toUserMessages(content);
}

function toAssistantMessages(content: readonly unknown[]): ChatRequestMessage[] {
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
function toUserMessages(content: readonly unknown[]): ChatRequestMessage[] {
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

/** Joins the parts of a message into one string if all of them are text. */
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
    if (!isDataPart(part)) return [];
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
  if (!isDataPart(part)) return '';
  const isText = part.mimeType.startsWith('text/') || /[/+]json$/u.test(part.mimeType);
  return isText ? new TextDecoder().decode(part.data) : '';
}

/** Fields of a chat request that another extension can set through the options of its own request. */
type AnswerOptions = Pick<
  ChatRequest,
  (typeof chatRequestOptionNames)[number] | 'tool_choice' | 'extraFields'
> &
  Pick<ChatRequest, 'tools'>;

/** Names of request options that equal the names of fields of {@link ChatRequest}. */
const chatRequestOptionNames = [
  'temperature',
  'top_p',
  'max_completion_tokens',
  'seed',
  'stop',
  'reasoning_effort',
  'verbosity',
  'response_format',
  'parallel_tool_calls',
] as const;

/** Options that are ignored, because VS Code always receives one streamed answer. */
const streamingOptionNames: ReadonlySet<string> = new Set(['stream', 'stream_options']);

/**
 * Names of options that another extension must not set. They would replace the model or the content of a request, or
 * change its price or the provider that processes it. The checks of models, prices and protection apply only to the
 * model and the content that VS Code passes.
 */
const reservedNames: ReadonlySet<string> = new Set([
  ...['model', 'models', 'fallbacks', 'n'],
  ...[
    'provider',
    'route',
    'service_tier',
    'best_of',
    'plugins',
    'web_search_options',
    'transforms',
  ],
  ...['messages', 'prompt', 'input', 'tools', 'functions', 'extraFields', 'parameters'],
]);

/**
 * Converts request options of another extension to fields of a request. Does not validate the values, because servers
 * accept different values and report which option they refuse.
 * @param isToolCallRequired true if the model must call a tool.
 * @throws ServiceError for an option that only this extension may set
 */
export function toRequestOptions({
  modelOptions = {},
  tools = [],
  isToolCallRequired,
}: {
  readonly modelOptions?: { readonly [name: string]: unknown } | undefined;
  readonly tools?: readonly vscode.LanguageModelChatTool[] | undefined;
  readonly isToolCallRequired: boolean;
}): AnswerOptions {
  const { max_tokens: maxTokens, tool_choice: toolChoice, ...options } = modelOptions;
  const chosenOptions = Object.entries({ max_completion_tokens: maxTokens, ...options }).filter(
    affectsRequest,
  );
  for (const [name] of chosenOptions) rejectReservedOption(name);
  const isOwnOption = ([name]: RequestOption): boolean =>
    chatRequestOptionNames.some((ownName) => ownName === name);
  const extraFields = Object.fromEntries(chosenOptions.filter((option) => !isOwnOption(option)));
  return omitUndefined({
    ...Object.fromEntries(chosenOptions.filter(isOwnOption)),
    extraFields: Object.keys(extraFields).length === 0 ? undefined : extraFields,
    tools: tools.length === 0 ? undefined : tools.map(toToolDefinition),
    tool_choice:
      tools.length === 0
        ? undefined
        : isToolCallRequired
          ? 'required'
          : (toolChoice as AnswerOptions['tool_choice']),
  } as AnswerOptions);
}

type RequestOption = readonly [name: string, value: unknown];

/**
 * Checks whether an option changes a request. Ignores options whose names begin with an underscore, because VS Code
 * adds them for its own use.
 */
function affectsRequest([name, value]: RequestOption): boolean {
  if (value == null || name.startsWith('_') || streamingOptionNames.has(name)) return false;
  if (name === 'n') return value !== 1;
  return name !== 'stop' || (value !== '' && !(Array.isArray(value) && value.length === 0));
}

function rejectReservedOption(name: string): void {
  if (!reservedNames.has(name) && !name.endsWith('_parameters')) return;
  const message = vscode.l10n.t("Another extension can't set the option {0} of a request.", name);
  throw new ServiceError({ code: 'unsupported-option', message });
}

function toToolDefinition({
  name,
  description,
  inputSchema,
}: vscode.LanguageModelChatTool): ToolDefinition {
  const parameters = isRecord(inputSchema)
    ? (inputSchema as { readonly [key: string]: Json })
    : { type: 'object', properties: {} };
  return { type: 'function', function: { name, description, parameters } };
}
