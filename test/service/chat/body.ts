import * as v from 'valibot';
import type { VendorNaming } from '../vendor-naming.ts';

const textSchema = v.string();
const numberSchema = v.number();
const createRangeSchema = (min: number, max: number) =>
  v.optional(v.pipe(numberSchema, v.minValue(min), v.maxValue(max)));
const createMinSchema = (min: number) => v.optional(v.pipe(numberSchema, v.minValue(min)));
const createIntegerSchema = (min: number) =>
  v.optional(v.pipe(numberSchema, v.integer(), v.minValue(min)));
const flagSchema = v.optional(v.boolean());
const recordSchema = v.record(v.string(), v.unknown());

const cacheFields = {
  cache_control: v.optional(
    v.object({ type: v.literal('ephemeral'), ttl: v.optional(v.literal('1h')) }),
  ),
};

const textPartSchema = v.object({
  type: v.literal('text'),
  text: v.pipe(textSchema, v.minLength(1)),
  ...cacheFields,
});

const audioFormats = ['wav', 'mp3', 'aiff', 'aac', 'ogg', 'flac', 'm4a', 'pcm16', 'pcm24'] as const;

const userPartSchema = v.variant('type', [
  textPartSchema,
  v.object({
    type: v.literal('image_url'),
    image_url: v.object({ url: textSchema }),
    ...cacheFields,
  }),
  v.object({
    type: v.literal('input_audio'),
    input_audio: v.object({
      data: textSchema,
      format: v.optional(v.picklist(audioFormats), 'wav'),
    }),
    ...cacheFields,
  }),
  v.object({
    type: v.literal('video_url'),
    video_url: v.object({ url: textSchema }),
    ...cacheFields,
  }),
  v.object({
    type: v.literal('file'),
    file: v.object({ file_data: textSchema, filename: v.optional(textSchema) }),
    ...cacheFields,
  }),
]);

const textContentSchema = v.union([textSchema, v.array(textPartSchema)]);
const nameSchema = v.optional(textSchema);

/** Function names that the service accepts. */
const functionNameSchema = v.pipe(
  textSchema,
  v.minLength(1),
  v.regex(/^[\w-]{1,64}$/, 'Must be 1 to 64 letters, digits, underscores or hyphens'),
);

const toolCallSchema = v.object({
  id: v.pipe(textSchema, v.minLength(1)),
  type: v.optional(v.literal('function'), 'function'),
  function: v.object({ name: functionNameSchema, arguments: textSchema }),
});

const messageSchema = v.variant('role', [
  v.object({
    role: v.literal('user'),
    content: v.union([textSchema, v.array(userPartSchema)]),
    name: nameSchema,
  }),
  v.object({ role: v.literal('system'), content: textContentSchema, name: nameSchema }),
  v.object({ role: v.literal('developer'), content: textContentSchema, name: nameSchema }),
  v.object({
    role: v.literal('tool'),
    content: textSchema,
    tool_call_id: textSchema,
    name: nameSchema,
  }),
  v.object({
    role: v.literal('assistant'),
    content: v.nullish(textContentSchema),
    tool_calls: v.nullish(v.array(toolCallSchema)),
    reasoning_content: v.nullish(textSchema),
    reasoning_details: v.nullish(v.array(v.looseObject({ type: textSchema }))),
    thought_signature: v.nullish(textSchema),
    name: nameSchema,
  }),
]);

const toolSchema = v.variant('type', [
  v.object({
    type: v.literal('function'),
    id: v.optional(textSchema),
    function: v.object({
      name: functionNameSchema,
      description: v.optional(textSchema),
      parameters: v.optional(recordSchema),
      strict: v.nullish(v.boolean()),
    }),
  }),
  v.object({ type: v.literal('web_search') }),
  v.object({ type: v.literal('x_search') }),
]);

const toolChoiceSchema = v.union([
  v.picklist(['auto', 'none', 'required']),
  v.object({ type: v.literal('function'), function: v.object({ name: textSchema }) }),
]);

const responseFormatSchema = v.variant('type', [
  v.object({ type: v.literal('text') }),
  v.object({ type: v.literal('json_object') }),
  v.object({
    type: v.literal('json_schema'),
    json_schema: v.object({
      name: v.optional(textSchema),
      strict: v.nullish(v.boolean()),
      schema: v.optional(recordSchema),
    }),
  }),
]);

const effortSchema = v.optional(
  v.picklist(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']),
);
const verbositySchema = v.optional(v.picklist(['low', 'medium', 'high', 'auto']));

const parametersSchema = v.object({
  enable_web_search: v.optional(v.picklist(['off', 'on', 'auto'])),
  enable_web_scraping: flagSchema,
  enable_web_citations: flagSchema,
  strip_thinking_response: flagSchema,
  disable_thinking: flagSchema,
  include_service_system_prompt: flagSchema,
  character_slug: v.optional(textSchema),
  include_search_results_in_stream: flagSchema,
  return_search_results_as_documents: flagSchema,
  enable_x_search: flagSchema,
  enable_e2ee: flagSchema,
});

/** Anonymous id of the end user: printable ASCII without `||`. */
export const anonymousUserSchema = v.pipe(
  textSchema,
  v.minLength(1),
  v.maxLength(128),
  v.regex(/^(?!.*\|\|)[\x20-\x7e]*$/, 'Invalid'),
);

/** Schema of the body of `POST /chat/completions`. Rejects unknown top-level keys and drops unknown nested keys. */
export const chatBodySchema = v.object({
  model: textSchema,
  messages: v.pipe(v.array(messageSchema), v.minLength(1)),
  stream: flagSchema,
  stream_options: v.nullish(v.object({ include_usage: flagSchema })),
  temperature: createRangeSchema(0, 2),
  top_p: createRangeSchema(0, 1),
  top_k: createIntegerSchema(0),
  min_p: createRangeSchema(0, 1),
  min_temp: createRangeSchema(0, 2),
  max_temp: createRangeSchema(0, 2),
  frequency_penalty: createRangeSchema(-2, 2),
  presence_penalty: createRangeSchema(-2, 2),
  repetition_penalty: createMinSchema(0),
  max_completion_tokens: v.optional(v.pipe(numberSchema, v.integer())),
  max_tokens: v.optional(v.pipe(numberSchema, v.integer())),
  n: v.optional(v.pipe(numberSchema, v.integer(), v.minValue(1), v.maxValue(128))),
  seed: createIntegerSchema(1),
  stop: v.nullish(
    v.union([textSchema, v.pipe(v.array(textSchema), v.minLength(1), v.maxLength(4))]),
  ),
  stop_token_ids: v.optional(v.array(numberSchema)),
  logprobs: flagSchema,
  top_logprobs: v.optional(v.pipe(numberSchema, v.integer(), v.minValue(0), v.maxValue(20))),
  tools: v.nullish(v.array(toolSchema)),
  tool_choice: v.optional(toolChoiceSchema),
  parallel_tool_calls: flagSchema,
  response_format: v.optional(responseFormatSchema),
  reasoning_effort: effortSchema,
  reasoning: v.optional(
    v.object({
      effort: effortSchema,
      summary: v.optional(v.picklist(['auto', 'concise', 'detailed'])),
      enabled: flagSchema,
    }),
  ),
  verbosity: verbositySchema,
  text: v.optional(v.object({ verbosity: verbositySchema })),
  prompt_cache_key: v.optional(textSchema),
  prompt_cache_retention: v.optional(v.picklist(['default', 'extended', '24h'])),
  user: v.optional(textSchema),
  store: v.nullish(v.boolean()),
  include: v.optional(v.array(textSchema)),
  metadata: v.nullish(v.record(v.string(), v.string())),
  fallbacks: v.optional(v.pipe(v.array(v.object({ model: textSchema })), v.maxLength(10))),
  anon_user_id: v.optional(anonymousUserSchema),
  service_parameters: v.optional(parametersSchema),
});

/** Returns {@link chatBodySchema} with field names that contain the deployment's prefix in place of `service`. */
export function createChatBodySchema(naming: VendorNaming) {
  const { service_parameters: _, ...entries } = chatBodySchema.entries;
  return v.object({
    ...entries,
    [naming.getFieldName('service_parameters')]: v.optional(createChatParametersSchema(naming)),
  });
}

/**
 * Returns the schema of the field `service_parameters`, with field names that contain the deployment's prefix in place
 * of `service`.
 */
export function createChatParametersSchema(naming: VendorNaming) {
  const { include_service_system_prompt, ...entries } = parametersSchema.entries;
  const promptName = naming.getFieldName('include_service_system_prompt');
  return v.object({ ...entries, [promptName]: include_service_system_prompt });
}

export type ChatBody = v.InferOutput<typeof chatBodySchema>;
export type Message = ChatBody['messages'][number];
export type FunctionTool = Extract<NonNullable<ChatBody['tools']>[number], { type: 'function' }>;
export type RequestedParameters = v.InferOutput<typeof parametersSchema>;
