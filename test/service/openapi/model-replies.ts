import * as v from 'valibot';
import { capabilityFlags, modelTypes } from '../catalog/model.ts';

const text = v.string();
const price = v.strictObject({ usd: v.number(), diem: v.number() });

const capabilities = v.strictObject({
  ...(Object.fromEntries(capabilityFlags.map((flag) => [flag, v.boolean()])) as Record<
    string,
    v.BooleanSchema<undefined>
  >),
  quantization: text,
  maxImages: v.optional(v.number()),
});

/** Prices by name, some of them by resolution or quality (service facts §2.2). */
const pricing = v.record(
  text,
  v.union([price, v.record(text, v.union([price, v.number(), v.record(text, price)]))]),
);

/** Model record (spec §2.1). Fields of media models are listed in service facts §2.2. */
const model = v.strictObject({
  id: text,
  object: v.literal('model'),
  created: v.pipe(v.number(), v.integer()),
  owned_by: text,
  type: v.picklist(modelTypes),
  context_length: v.optional(v.number()),
  model_spec: v.looseObject({
    name: text,
    description: text,
    modelSource: text,
    offline: v.boolean(),
    privacy: v.picklist(['private', 'anonymized']),
    traits: v.array(text),
    pricing: v.optional(pricing),
    constraints: v.optional(v.record(text, v.unknown())),
    availableContextTokens: v.optional(v.number()),
    maxCompletionTokens: v.optional(v.number()),
    capabilities: v.optional(capabilities),
    deprecation: v.optional(
      v.strictObject({
        date: text,
        removesAt: text,
        autoRemap: v.boolean(),
        replacementModelId: v.optional(text),
      }),
    ),
  }),
});

const listType = v.picklist([...modelTypes, 'all', 'code']);

/** Schema of the query of `GET /models`. */
export const modelListQuery = v.object({ type: v.optional(listType, 'text') });
export const modelNamesQuery = v.object({ type: v.optional(v.picklist(modelTypes), 'text') });

export const modelList = v.strictObject({
  object: v.literal('list'),
  type: listType,
  data: v.array(model),
});

export const modelNames = v.strictObject({
  object: v.literal('list'),
  type: v.picklist(modelTypes),
  data: v.record(text, text),
});

export const attestation = v.strictObject({
  verified: v.boolean(),
  nonce: text,
  model: text,
  tee_provider: text,
  intel_quote: text,
  nvidia_payload: text,
  signing_key: text,
  signing_address: v.optional(text),
});

export const embeddings = v.strictObject({
  object: v.literal('list'),
  model: text,
  data: v.array(
    v.strictObject({
      object: v.literal('embedding'),
      index: v.number(),
      embedding: v.union([text, v.array(v.number())]),
    }),
  ),
  usage: v.strictObject({ prompt_tokens: v.number(), total_tokens: v.number() }),
});
