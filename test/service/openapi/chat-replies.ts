import * as v from 'valibot';
import { createChatParametersSchema } from '../chat/body.ts';
import type { VendorNaming } from '../vendor-naming.ts';

const textSchema = v.string();
const countSchema = v.pipe(v.number(), v.integer(), v.minValue(0));
const indexSchema = countSchema;
const textOrNullSchema = v.nullable(textSchema);
const costSchema = v.strictObject({ usd: v.number(), diem: v.number() });

const usageSchema = v.strictObject({
  prompt_tokens: countSchema,
  completion_tokens: countSchema,
  total_tokens: countSchema,
  prompt_tokens_details: v.nullable(
    v.strictObject({
      cached_tokens: v.optional(countSchema),
      cache_creation_input_tokens: v.optional(countSchema),
    }),
  ),
  completion_tokens_details: v.nullable(v.strictObject({ reasoning_tokens: countSchema })),
});

const finishReasonSchema = v.picklist(['stop', 'length', 'tool_calls', 'content_filter']);
const tokenFields = { token: textSchema, logprob: v.number(), bytes: v.array(v.number()) };
const logprobsSchema = v.strictObject({
  content: v.array(
    v.strictObject({ ...tokenFields, top_logprobs: v.array(v.strictObject(tokenFields)) }),
  ),
});

const toolCallSchema = v.strictObject({
  id: textSchema,
  type: v.literal('function'),
  function: v.strictObject({ name: textSchema, arguments: textSchema }),
});

/** A web search result. */
const citationSchema = v.strictObject({
  title: textSchema,
  url: textSchema,
  content: textSchema,
  date: textSchema,
});

/**
 * Creates the schema of the parameters that a chat reply reports as in effect. Field names contain the deployment's
 * prefix in place of `service`.
 */
const createParametersSchema = (naming: VendorNaming) =>
  v.strictObject({
    ...createChatParametersSchema(naming).entries,
    web_search_citations: v.array(citationSchema),
  });

const errorEventSchema = v.strictObject({ error: v.record(textSchema, v.unknown()) });

export const createChatReplySchema = (naming: VendorNaming) =>
  v.strictObject({
    id: v.pipe(textSchema, v.regex(/^chatcmpl-/)),
    object: v.literal('chat.completion'),
    created: countSchema,
    model: textSchema,
    choices: v.array(
      v.strictObject({
        index: indexSchema,
        message: v.strictObject({
          role: v.literal('assistant'),
          content: textOrNullSchema,
          reasoning_content: textOrNullSchema,
          tool_calls: v.array(toolCallSchema),
        }),
        finish_reason: v.nullable(finishReasonSchema),
        stop_reason: v.nullable(v.picklist(['stop', 'length'])),
        logprobs: v.nullable(logprobsSchema),
      }),
    ),
    usage: usageSchema,
    cost: costSchema,
    prompt_logprobs: v.null(),
    [naming.getFieldName('service_parameters')]: createParametersSchema(naming),
  });

const deltaSchema = v.strictObject({
  role: v.optional(v.literal('assistant')),
  content: v.optional(textSchema),
  reasoning_content: v.optional(textSchema),
  tool_calls: v.optional(
    v.array(
      v.strictObject({
        index: indexSchema,
        id: v.optional(textSchema),
        type: v.optional(v.literal('function')),
        function: v.strictObject({ name: v.optional(textSchema), arguments: textSchema }),
      }),
    ),
  ),
});

export const createChatEventSchema = (naming: VendorNaming) =>
  v.union([
    v.strictObject({
      id: v.pipe(textSchema, v.regex(/^chatcmpl-/)),
      object: v.literal('chat.completion.chunk'),
      created: countSchema,
      model: textSchema,
      choices: v.array(
        v.strictObject({
          index: indexSchema,
          delta: deltaSchema,
          finish_reason: v.nullable(finishReasonSchema),
          logprobs: v.optional(logprobsSchema),
        }),
      ),
      usage: v.optional(usageSchema),
      cost: v.optional(costSchema),
      [naming.getFieldName('service_parameters')]: v.optional(createParametersSchema(naming)),
    }),
    errorEventSchema,
  ]);

const completionFields = {
  id: v.pipe(textSchema, v.regex(/^cmpl-/)),
  object: v.literal('text_completion'),
  created: countSchema,
  model: textSchema,
  choices: v.array(
    v.strictObject({
      index: indexSchema,
      text: textSchema,
      logprobs: v.null(),
      finish_reason: v.nullable(finishReasonSchema),
    }),
  ),
  usage: v.nullable(usageSchema),
};

export const completionReplySchema = v.strictObject(completionFields);
export const completionEventSchema = v.union([v.strictObject(completionFields), errorEventSchema]);

const statusSchema = v.picklist(['in_progress', 'completed', 'incomplete']);
const textPartSchema = v.strictObject({
  type: v.literal('output_text'),
  text: textSchema,
  annotations: v.array(
    v.strictObject({
      type: v.literal('url_citation'),
      url: textSchema,
      title: textSchema,
      start_index: countSchema,
      end_index: countSchema,
    }),
  ),
});

const outputItemSchema = v.variant('type', [
  v.strictObject({ type: v.literal('reasoning'), id: textSchema, summary: v.array(textSchema) }),
  v.strictObject({ type: v.literal('web_search_call'), id: textSchema, status: statusSchema }),
  v.strictObject({
    type: v.literal('function_call'),
    id: textSchema,
    call_id: textSchema,
    name: textSchema,
    arguments: textSchema,
    status: statusSchema,
  }),
  v.strictObject({
    type: v.literal('message'),
    id: textSchema,
    role: v.literal('assistant'),
    status: statusSchema,
    content: v.array(textPartSchema),
  }),
]);

/** Reply of `POST /responses`. */
export const responseSchema = v.strictObject({
  id: v.pipe(textSchema, v.regex(/^resp_/)),
  object: v.literal('response'),
  created_at: countSchema,
  model: textSchema,
  status: v.picklist(['in_progress', 'completed', 'incomplete', 'failed']),
  output: v.array(outputItemSchema),
  incomplete_details: v.optional(v.strictObject({ reason: textSchema })),
  error: v.optional(v.record(textSchema, v.unknown())),
  usage: v.optional(
    v.strictObject({
      input_tokens: countSchema,
      input_tokens_details: v.strictObject({ cached_tokens: countSchema }),
      output_tokens: countSchema,
      output_tokens_details: v.strictObject({ reasoning_tokens: countSchema }),
      total_tokens: countSchema,
    }),
  ),
});

const itemFields = { item_id: textSchema, output_index: indexSchema };
const eventFields = {
  'response.created': { response: responseSchema },
  'response.completed': { response: responseSchema },
  'response.incomplete': { response: responseSchema },
  'response.failed': { response: responseSchema },
  'response.web_search.done': {},
  'response.output_item.added': { output_index: indexSchema, item: outputItemSchema },
  'response.output_item.done': { output_index: indexSchema, item: outputItemSchema },
  'response.content_part.added': {
    ...itemFields,
    content_index: indexSchema,
    part: textPartSchema,
  },
  'response.output_text.delta': { ...itemFields, content_index: indexSchema, delta: textSchema },
  'response.reasoning.delta': { ...itemFields, delta: textSchema },
  'response.function_call_arguments.delta': { ...itemFields, delta: textSchema },
};

export const responseEventSchema = v.union(
  Object.entries(eventFields).map(([type, fields]) =>
    v.strictObject({ type: v.literal(type), sequence_number: countSchema, ...fields }),
  ),
);
