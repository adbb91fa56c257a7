import * as v from 'valibot';
import { createChatParametersSchema } from '../chat/body.ts';
import type { VendorNaming } from '../vendor-naming.ts';

const text = v.string();
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const index = count;
const textOrNull = v.nullable(text);
const cost = v.strictObject({ usd: v.number(), diem: v.number() });

const usage = v.strictObject({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  prompt_tokens_details: v.nullable(
    v.strictObject({
      cached_tokens: v.optional(count),
      cache_creation_input_tokens: v.optional(count),
    }),
  ),
  completion_tokens_details: v.nullable(v.strictObject({ reasoning_tokens: count })),
});

const finishReason = v.picklist(['stop', 'length', 'tool_calls', 'content_filter']);
const token = { token: text, logprob: v.number(), bytes: v.array(v.number()) };
const logprobs = v.strictObject({
  content: v.array(v.strictObject({ ...token, top_logprobs: v.array(v.strictObject(token)) })),
});

const toolCall = v.strictObject({
  id: text,
  type: v.literal('function'),
  function: v.strictObject({ name: text, arguments: text }),
});

/** A web search result (service facts §1.5). */
const citation = v.strictObject({ title: text, url: text, content: text, date: text });

/** Creates the schema of the effective parameters, with the vendor prefix of this deployment in field names. */
const createParametersSchema = (naming: VendorNaming) =>
  v.strictObject({
    ...createChatParametersSchema(naming).entries,
    web_search_citations: v.array(citation),
  });

const errorEvent = v.strictObject({ error: v.record(text, v.unknown()) });

export const createChatReplySchema = (naming: VendorNaming) =>
  v.strictObject({
    id: v.pipe(text, v.regex(/^chatcmpl-/)),
    object: v.literal('chat.completion'),
    created: count,
    model: text,
    choices: v.array(
      v.strictObject({
        index,
        message: v.strictObject({
          role: v.literal('assistant'),
          content: textOrNull,
          reasoning_content: textOrNull,
          tool_calls: v.array(toolCall),
        }),
        finish_reason: v.nullable(finishReason),
        stop_reason: v.nullable(v.picklist(['stop', 'length'])),
        logprobs: v.nullable(logprobs),
      }),
    ),
    usage,
    cost,
    prompt_logprobs: v.null(),
    [naming.field('service_parameters')]: createParametersSchema(naming),
  });

const delta = v.strictObject({
  role: v.optional(v.literal('assistant')),
  content: v.optional(text),
  reasoning_content: v.optional(text),
  tool_calls: v.optional(
    v.array(
      v.strictObject({
        index,
        id: v.optional(text),
        type: v.optional(v.literal('function')),
        function: v.strictObject({ name: v.optional(text), arguments: text }),
      }),
    ),
  ),
});

export const createChatEventSchema = (naming: VendorNaming) =>
  v.union([
    v.strictObject({
      id: v.pipe(text, v.regex(/^chatcmpl-/)),
      object: v.literal('chat.completion.chunk'),
      created: count,
      model: text,
      choices: v.array(
        v.strictObject({
          index,
          delta,
          finish_reason: v.nullable(finishReason),
          logprobs: v.optional(logprobs),
        }),
      ),
      usage: v.optional(usage),
      cost: v.optional(cost),
      [naming.field('service_parameters')]: v.optional(createParametersSchema(naming)),
    }),
    errorEvent,
  ]);

const completion = {
  id: v.pipe(text, v.regex(/^cmpl-/)),
  object: v.literal('text_completion'),
  created: count,
  model: text,
  choices: v.array(
    v.strictObject({
      index,
      text,
      logprobs: v.null(),
      finish_reason: v.nullable(finishReason),
    }),
  ),
  usage: v.nullable(usage),
};

export const completionReply = v.strictObject(completion);
export const completionEvent = v.union([v.strictObject(completion), errorEvent]);

const status = v.picklist(['in_progress', 'completed', 'incomplete']);
const textPart = v.strictObject({
  type: v.literal('output_text'),
  text,
  annotations: v.array(
    v.strictObject({
      type: v.literal('url_citation'),
      url: text,
      title: text,
      start_index: count,
      end_index: count,
    }),
  ),
});

const outputItem = v.variant('type', [
  v.strictObject({ type: v.literal('reasoning'), id: text, summary: v.array(text) }),
  v.strictObject({ type: v.literal('web_search_call'), id: text, status }),
  v.strictObject({
    type: v.literal('function_call'),
    id: text,
    call_id: text,
    name: text,
    arguments: text,
    status,
  }),
  v.strictObject({
    type: v.literal('message'),
    id: text,
    role: v.literal('assistant'),
    status,
    content: v.array(textPart),
  }),
]);

/** Reply of `POST /responses` (service facts §4.5). */
export const response = v.strictObject({
  id: v.pipe(text, v.regex(/^resp_/)),
  object: v.literal('response'),
  created_at: count,
  model: text,
  status: v.picklist(['in_progress', 'completed', 'incomplete', 'failed']),
  output: v.array(outputItem),
  incomplete_details: v.optional(v.strictObject({ reason: text })),
  error: v.optional(v.record(text, v.unknown())),
  usage: v.optional(
    v.strictObject({
      input_tokens: count,
      input_tokens_details: v.strictObject({ cached_tokens: count }),
      output_tokens: count,
      output_tokens_details: v.strictObject({ reasoning_tokens: count }),
      total_tokens: count,
    }),
  ),
});

const item = { item_id: text, output_index: index };
const events = {
  'response.created': { response },
  'response.completed': { response },
  'response.incomplete': { response },
  'response.failed': { response },
  'response.web_search.done': {},
  'response.output_item.added': { output_index: index, item: outputItem },
  'response.output_item.done': { output_index: index, item: outputItem },
  'response.content_part.added': { ...item, content_index: index, part: textPart },
  'response.output_text.delta': { ...item, content_index: index, delta: text },
  'response.reasoning.delta': { ...item, delta: text },
  'response.function_call_arguments.delta': { ...item, delta: text },
};

export const responseEvent = v.union(
  Object.entries(events).map(([type, fields]) =>
    v.strictObject({ type: v.literal(type), sequence_number: count, ...fields }),
  ),
);
