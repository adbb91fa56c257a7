import * as v from 'valibot';
import { chatBodySchema } from '../chat/body.ts';
import type { VendorNaming } from '../vendor-naming.ts';

const { temperature, top_p, reasoning, stream } = chatBodySchema.entries;
const recordSchema = v.record(v.string(), v.unknown());
const textSchema = v.string();

const itemSchema = v.variant('type', [
  v.object({
    type: v.literal('message'),
    role: v.picklist(['user', 'assistant', 'system', 'developer']),
    content: v.union([textSchema, v.array(recordSchema)]),
  }),
  v.object({
    type: v.literal('function_call'),
    call_id: textSchema,
    name: textSchema,
    arguments: textSchema,
  }),
  v.object({
    type: v.literal('function_call_output'),
    call_id: textSchema,
    output: v.union([textSchema, v.array(recordSchema)]),
  }),
  v.object({ type: v.literal('reasoning') }),
  v.object({ type: v.literal('item_reference') }),
]);

/** Schema of the body of `POST /responses`. Unknown keys are dropped. */
export const responsesBodySchema = v.object({
  model: textSchema,
  input: v.union([textSchema, v.pipe(v.array(itemSchema), v.minLength(1))]),
  max_output_tokens: v.nullish(v.pipe(v.number(), v.integer(), v.minValue(1))),
  temperature: v.nullish(temperature),
  top_p: v.nullish(top_p),
  reasoning: v.nullish(reasoning),
  tools: v.nullish(v.array(recordSchema)),
  tool_choice: v.optional(v.union([textSchema, recordSchema])),
  web_search: v.optional(v.boolean()),
  stream: v.nullish(stream),
  service_parameters: v.optional(recordSchema),
});

/** Returns {@link responsesBodySchema} with field names that contain the deployment's prefix in place of `service`. */
export function createResponsesBodySchema(naming: VendorNaming) {
  const { service_parameters, ...entries } = responsesBodySchema.entries;
  return v.object({ ...entries, [naming.getFieldName('service_parameters')]: service_parameters });
}

export type ResponsesBody = v.InferOutput<typeof responsesBodySchema>;
export type InputItem = Exclude<ResponsesBody['input'], string>[number];
