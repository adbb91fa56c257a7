import { defined } from '../../base/json.ts';
import type {
  ChatRequest,
  ChatRequestMessage,
  ContentPart,
  ServiceParameters,
  ToolCall,
} from '../chat/chat-types.ts';
import { splitModelId, suffixOf } from '../model-suffix.ts';
import type { LeftOut } from '../chat/protection.ts';

/** A request of which every word can be encrypted, and what it does without for that. */
export interface Encryptable {
  readonly request: PlainRequest;
  readonly leftOut: readonly LeftOut[];
}

/** A request whose messages are one text each, and whose other fields say nothing of them. */
export type PlainRequest = Pick<
  ChatRequest,
  | 'model'
  | 'temperature'
  | 'top_p'
  | 'max_completion_tokens'
  | 'seed'
  | 'reasoning_effort'
  | 'verbosity'
  | 'parameters'
> & { readonly messages: readonly PlainMessage[] };

export interface PlainMessage {
  readonly role: 'system' | 'developer' | 'user' | 'assistant';
  readonly content: string;
}

/**
 * What of a request can go to an enclave that nobody on the way can read for: only texts are encrypted, so whatever else
 * would tell of them stays behind. Tools, searches, pictures, files, schemas and personas are the service's work,
 * which reads in clear; earlier calls of tools and their results become texts.
 */
export function encryptable(request: ChatRequest): Encryptable {
  const { model, temperature, top_p, max_completion_tokens, seed } = request;
  const { reasoning_effort, verbosity } = request;
  return {
    request: defined({
      // A suffix can turn on what does not go with encryption.
      model: splitModelId(model).base,
      messages: request.messages.map(plainMessage),
      temperature,
      top_p,
      max_completion_tokens,
      seed,
      reasoning_effort,
      verbosity,
      parameters: plainParameters(request.parameters),
    }),
    leftOut: leftOutOf(request),
  };
}

/** The service's own prompt, which it would have to put beside what it cannot read, is off as well. */
const plainParameters = (given: ServiceParameters = {}): ServiceParameters =>
  defined({
    strip_thinking_response: given.strip_thinking_response,
    disable_thinking: given.disable_thinking,
    include_system_prompt: false,
    enable_web_search: 'off' as const,
    enable_e2ee: true,
  });

function plainMessage(message: ChatRequestMessage): PlainMessage {
  if (message.role === 'tool') {
    return { role: 'user', content: `What the tool returned:\n${message.content}` };
  }
  const { role } = message;
  if (role === 'assistant') {
    const calls = (message.tool_calls ?? []).map(callText);
    return { role, content: [message.content ?? '', ...calls].filter(Boolean).join('\n') };
  }
  const { content } = message;
  return {
    role,
    content: typeof content === 'string' ? content : content.map(partText).join('\n'),
  };
}

const callText = ({ function: { name, arguments: args } }: ToolCall): string =>
  `[Called ${name} with ${args}]`;

function partText(part: ContentPart): string {
  if (part.type === 'text') return part.text;
  return part.type === 'file'
    ? `[A file is left out: ${part.file.filename}]`
    : '[A picture is left out]';
}

function leftOutOf(request: ChatRequest): LeftOut[] {
  const { tools = [], response_format: format, messages, parameters = {}, model } = request;
  // What the id says wins (service facts §1.4).
  const told: Readonly<Record<string, unknown>> = { ...parameters, ...suffixOf(model) };
  const search = told['enable_web_search'] ?? 'off';
  const scrapes = String(told['enable_web_scraping']) === 'true';
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const has = (type: ContentPart['type']): boolean =>
    parts.some((part: ContentPart) => part.type === type);
  const all: readonly (readonly [LeftOut, boolean])[] = [
    ['tools', tools.length > 0],
    ['web-search', search !== 'off' || scrapes],
    ['pictures', has('image_url')],
    ['files', has('file')],
    ['format', format !== undefined && format['type'] !== 'text'],
    ['persona', told['character_slug'] !== undefined],
  ];
  return all.filter(([, isLeftOut]) => isLeftOut).map(([name]) => name);
}
