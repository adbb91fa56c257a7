import * as v from 'valibot';
import { capabilityFlags, modelTypes } from '../catalog/model.ts';

const textSchema = v.string();
const priceSchema = v.strictObject({ usd: v.number(), diem: v.number() });

const capabilitiesSchema = v.strictObject({
  ...(Object.fromEntries(capabilityFlags.map((flag) => [flag, v.boolean()])) as Record<
    string,
    v.BooleanSchema<undefined>
  >),
  quantization: textSchema,
  maxImages: v.optional(v.number()),
});

/** Prices by name, some of them by resolution or quality. */
const pricingSchema = v.record(
  textSchema,
  v.union([
    priceSchema,
    v.record(textSchema, v.union([priceSchema, v.number(), v.record(textSchema, priceSchema)])),
  ]),
);

/** Model record (spec §2.1). Optional fields are absent if they do not apply to the type of the model. */
const modelSchema = v.strictObject({
  id: textSchema,
  object: v.literal('model'),
  created: v.pipe(v.number(), v.integer()),
  owned_by: textSchema,
  type: v.picklist(modelTypes),
  context_length: v.optional(v.number()),
  model_spec: v.looseObject({
    name: textSchema,
    description: textSchema,
    modelSource: textSchema,
    offline: v.boolean(),
    privacy: v.picklist(['private', 'anonymized']),
    traits: v.array(textSchema),
    pricing: v.optional(pricingSchema),
    constraints: v.optional(v.record(textSchema, v.unknown())),
    availableContextTokens: v.optional(v.number()),
    maxCompletionTokens: v.optional(v.number()),
    capabilities: v.optional(capabilitiesSchema),
    deprecation: v.optional(
      v.strictObject({
        date: textSchema,
        removesAt: textSchema,
        autoRemap: v.boolean(),
        replacementModelId: v.optional(textSchema),
      }),
    ),
  }),
});

const listTypeSchema = v.picklist([...modelTypes, 'all', 'code']);

/** Schema of the query of `GET /models`. */
export const modelListQuerySchema = v.object({ type: v.optional(listTypeSchema, 'text') });
export const modelNamesQuerySchema = v.object({ type: v.optional(v.picklist(modelTypes), 'text') });

export const modelListSchema = v.strictObject({
  object: v.literal('list'),
  type: listTypeSchema,
  data: v.array(modelSchema),
});

export const modelNamesSchema = v.strictObject({
  object: v.literal('list'),
  type: v.picklist(modelTypes),
  data: v.record(textSchema, textSchema),
});

export const attestationSchema = v.strictObject({
  verified: v.boolean(),
  nonce: textSchema,
  model: textSchema,
  tee_provider: textSchema,
  intel_quote: textSchema,
  nvidia_payload: textSchema,
  signing_key: textSchema,
  signing_address: v.optional(textSchema),
});

export const embeddingsSchema = v.strictObject({
  object: v.literal('list'),
  model: textSchema,
  data: v.array(
    v.strictObject({
      object: v.literal('embedding'),
      index: v.number(),
      embedding: v.union([textSchema, v.array(v.number())]),
    }),
  ),
  usage: v.strictObject({ prompt_tokens: v.number(), total_tokens: v.number() }),
});
