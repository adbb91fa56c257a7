import * as v from 'valibot';
import { chatBody } from '../chat/body.ts';
import type { VendorNaming } from '../vendor-naming.ts';

const { temperature, top_p, reasoning, stream } = chatBody.entries;
const record = v.record(v.string(), v.unknown());
const text = v.string();

const item = v.variant('type', [
  v.object({
    type: v.literal('message'),
    role: v.picklist(['user', 'assistant', 'system', 'developer']),
    content: v.union([text, v.array(record)]),
  }),
  v.object({ type: v.literal('function_call'), call_id: text, name: text, arguments: text }),
  v.object({
    type: v.literal('function_call_output'),
    call_id: text,
    output: v.union([text, v.array(record)]),
  }),
  v.object({ type: v.literal('reasoning') }),
  v.object({ type: v.literal('item_reference') }),
]);

/** Schema of the body of `POST /responses` (service facts §4.5). Unknown keys are dropped. */
export const responsesBody = v.object({
  model: text,
  input: v.union([text, v.pipe(v.array(item), v.minLength(1))]),
  max_output_tokens: v.nullish(v.pipe(v.number(), v.integer(), v.minValue(1))),
  temperature: v.nullish(temperature),
  top_p: v.nullish(top_p),
  reasoning: v.nullish(reasoning),
  tools: v.nullish(v.array(record)),
  tool_choice: v.optional(v.union([text, record])),
  web_search: v.optional(v.boolean()),
  stream: v.nullish(stream),
  service_parameters: v.optional(record),
});

/** Returns {@link responsesBody} with the vendor prefix of this deployment in place of `service` in field names. */
export function createResponsesBodySchema(naming: VendorNaming) {
  const { service_parameters, ...entries } = responsesBody.entries;
  return v.object({ ...entries, [naming.field('service_parameters')]: service_parameters });
}

export type ResponsesBody = v.InferOutput<typeof responsesBody>;
export type InputItem = Exclude<ResponsesBody['input'], string>[number];
