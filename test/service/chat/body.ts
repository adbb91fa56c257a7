import * as v from 'valibot';
import type { VendorNaming } from '../vendor-naming.ts';

const text = v.string();
const number = v.number();
const createRangeSchema = (min: number, max: number) =>
  v.optional(v.pipe(number, v.minValue(min), v.maxValue(max)));
const createMinSchema = (min: number) => v.optional(v.pipe(number, v.minValue(min)));
const createIntegerSchema = (min: number) =>
  v.optional(v.pipe(number, v.integer(), v.minValue(min)));
const flag = v.optional(v.boolean());
const record = v.record(v.string(), v.unknown());

const cache = {
  cache_control: v.optional(
    v.object({ type: v.literal('ephemeral'), ttl: v.optional(v.literal('1h')) }),
  ),
};

const textPart = v.object({
  type: v.literal('text'),
  text: v.pipe(text, v.minLength(1)),
  ...cache,
});

const audioFormats = ['wav', 'mp3', 'aiff', 'aac', 'ogg', 'flac', 'm4a', 'pcm16', 'pcm24'] as const;

const userPart = v.variant('type', [
  textPart,
  v.object({ type: v.literal('image_url'), image_url: v.object({ url: text }), ...cache }),
  v.object({
    type: v.literal('input_audio'),
    input_audio: v.object({ data: text, format: v.optional(v.picklist(audioFormats), 'wav') }),
    ...cache,
  }),
  v.object({ type: v.literal('video_url'), video_url: v.object({ url: text }), ...cache }),
  v.object({
    type: v.literal('file'),
    file: v.object({ file_data: text, filename: v.optional(text) }),
    ...cache,
  }),
]);

const textContent = v.union([text, v.array(textPart)]);
const name = v.optional(text);

/** Function names that the service accepts. */
const functionName = v.pipe(
  text,
  v.minLength(1),
  v.regex(/^[\w-]{1,64}$/, 'Must be 1 to 64 letters, digits, underscores or hyphens'),
);

const toolCall = v.object({
  id: v.pipe(text, v.minLength(1)),
  type: v.optional(v.literal('function'), 'function'),
  function: v.object({ name: functionName, arguments: text }),
});

const message = v.variant('role', [
  v.object({ role: v.literal('user'), content: v.union([text, v.array(userPart)]), name }),
  v.object({ role: v.literal('system'), content: textContent, name }),
  v.object({ role: v.literal('developer'), content: textContent, name }),
  v.object({ role: v.literal('tool'), content: text, tool_call_id: text, name }),
  v.object({
    role: v.literal('assistant'),
    content: v.nullish(textContent),
    tool_calls: v.nullish(v.array(toolCall)),
    reasoning_content: v.nullish(text),
    reasoning_details: v.nullish(v.array(v.looseObject({ type: text }))),
    thought_signature: v.nullish(text),
    name,
  }),
]);

const tool = v.variant('type', [
  v.object({
    type: v.literal('function'),
    id: v.optional(text),
    function: v.object({
      name: functionName,
      description: v.optional(text),
      parameters: v.optional(record),
      strict: v.nullish(v.boolean()),
    }),
  }),
  v.object({ type: v.literal('web_search') }),
  v.object({ type: v.literal('x_search') }),
]);

const toolChoice = v.union([
  v.picklist(['auto', 'none', 'required']),
  v.object({ type: v.literal('function'), function: v.object({ name: text }) }),
]);

const responseFormat = v.variant('type', [
  v.object({ type: v.literal('text') }),
  v.object({ type: v.literal('json_object') }),
  v.object({
    type: v.literal('json_schema'),
    json_schema: v.object({
      name: v.optional(text),
      strict: v.nullish(v.boolean()),
      schema: v.optional(record),
    }),
  }),
]);

const effort = v.optional(v.picklist(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']));
const verbosity = v.optional(v.picklist(['low', 'medium', 'high', 'auto']));

const parameters = v.object({
  enable_web_search: v.optional(v.picklist(['off', 'on', 'auto'])),
  enable_web_scraping: flag,
  enable_web_citations: flag,
  strip_thinking_response: flag,
  disable_thinking: flag,
  include_service_system_prompt: flag,
  character_slug: v.optional(text),
  include_search_results_in_stream: flag,
  return_search_results_as_documents: flag,
  enable_x_search: flag,
  enable_e2ee: flag,
});

/** Anonymous id of the end user: printable ASCII without `||`. */
export const anonymousUser = v.pipe(
  text,
  v.minLength(1),
  v.maxLength(128),
  v.regex(/^(?!.*\|\|)[\x20-\x7e]*$/, 'Invalid'),
);

/**
 * Schema of the body of `POST /chat/completions`. Unknown top-level keys are rejected, unknown
 * nested keys are dropped.
 */
export const chatBody = v.object({
  model: text,
  messages: v.pipe(v.array(message), v.minLength(1)),
  stream: flag,
  stream_options: v.nullish(v.object({ include_usage: flag })),
  temperature: createRangeSchema(0, 2),
  top_p: createRangeSchema(0, 1),
  top_k: createIntegerSchema(0),
  min_p: createRangeSchema(0, 1),
  min_temp: createRangeSchema(0, 2),
  max_temp: createRangeSchema(0, 2),
  frequency_penalty: createRangeSchema(-2, 2),
  presence_penalty: createRangeSchema(-2, 2),
  repetition_penalty: createMinSchema(0),
  max_completion_tokens: v.optional(v.pipe(number, v.integer())),
  max_tokens: v.optional(v.pipe(number, v.integer())),
  n: v.optional(v.pipe(number, v.integer(), v.minValue(1), v.maxValue(128))),
  seed: createIntegerSchema(1),
  stop: v.nullish(v.union([text, v.pipe(v.array(text), v.minLength(1), v.maxLength(4))])),
  stop_token_ids: v.optional(v.array(number)),
  logprobs: flag,
  top_logprobs: v.optional(v.pipe(number, v.integer(), v.minValue(0), v.maxValue(20))),
  tools: v.nullish(v.array(tool)),
  tool_choice: v.optional(toolChoice),
  parallel_tool_calls: flag,
  response_format: v.optional(responseFormat),
  reasoning_effort: effort,
  reasoning: v.optional(
    v.object({
      effort,
      summary: v.optional(v.picklist(['auto', 'concise', 'detailed'])),
      enabled: flag,
    }),
  ),
  verbosity,
  text: v.optional(v.object({ verbosity })),
  prompt_cache_key: v.optional(text),
  prompt_cache_retention: v.optional(v.picklist(['default', 'extended', '24h'])),
  user: v.optional(text),
  store: v.nullish(v.boolean()),
  include: v.optional(v.array(text)),
  metadata: v.nullish(v.record(v.string(), v.string())),
  fallbacks: v.optional(v.pipe(v.array(v.object({ model: text })), v.maxLength(10))),
  anon_user_id: v.optional(anonymousUser),
  service_parameters: v.optional(parameters),
});

/** Returns {@link chatBody} with the vendor prefix of this deployment in place of `service` in field names. */
export function createChatBodySchema(naming: VendorNaming) {
  const { service_parameters: _, ...entries } = chatBody.entries;
  return v.object({
    ...entries,
    [naming.field('service_parameters')]: v.optional(createChatParametersSchema(naming)),
  });
}

/**
 * Returns the schema of the parameters, with the vendor prefix of this deployment in place of `service` in field names.
 */
export function createChatParametersSchema(naming: VendorNaming) {
  const { include_service_system_prompt, ...entries } = parameters.entries;
  const promptName = naming.field('include_service_system_prompt');
  return v.object({ ...entries, [promptName]: include_service_system_prompt });
}

export type ChatBody = v.InferOutput<typeof chatBody>;
export type Message = ChatBody['messages'][number];
export type FunctionTool = Extract<NonNullable<ChatBody['tools']>[number], { type: 'function' }>;
export type RequestedParameters = v.InferOutput<typeof parameters>;
