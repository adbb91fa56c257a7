import { asRecord, isRecord, type JsonRecord, omitUndefined } from '../base/json.ts';
import type { Model, ModelPricing, Price } from './model-types.ts';

/** Details of a model that servers such as Ollama and OpenRouter provide. Unknown details are absent. */
export interface ServerModelDetails {
  readonly type?: Model['type'];
  readonly contextTokens?: number;
  readonly maxCompletionTokens?: number;
  readonly supportsFunctionCalling?: boolean;
  readonly supportsVision?: boolean;
  readonly supportsReasoning?: boolean;
  readonly supportsReasoningEffort?: boolean;
  readonly reasoningEffortOptions?: readonly string[];
  readonly supportsResponseSchema?: boolean;
  /**
   * True if text completions of the model accept a suffix, so that the model can fill the gap between a prefix and a
   * suffix.
   */
  readonly supportsInsert?: boolean;
  readonly pricing?: ModelPricing;
}

/**
 * Reads the fields of a model record that servers without `model_spec` use, such as `supported_parameters` of
 * OpenRouter, `max_model_len` of vLLM and `meta.n_ctx` of llama.cpp.
 */
export function readRecordDetails(record: JsonRecord): ServerModelDetails {
  const provider = asRecord(record['top_provider']);
  const { input_modalities: inputs, output_modalities: outputs } = asRecord(record['architecture']);
  const parameters = record['supported_parameters'];
  return omitUndefined({
    type: readOutputType(outputs),
    contextTokens:
      readTokenCount(provider['context_length']) ??
      readTokenCount(record['context_length']) ??
      readTokenCount(record['max_model_len']) ??
      // The size of one slot. `n_ctx_train` is only the size with which the model was trained.
      readTokenCount(asRecord(record['meta'])['n_ctx']),
    maxCompletionTokens: readTokenCount(provider['max_completion_tokens']),
    supportsFunctionCalling: listIncludes(parameters, 'tools'),
    supportsVision:
      listIncludes(inputs, 'image') ??
      (record['owned_by'] === 'llamacpp'
        ? listIncludes(record['capabilities'], 'multimodal')
        : undefined),
    supportsReasoning: listIncludes(parameters, 'reasoning'),
    supportsReasoningEffort: listIncludes(parameters, 'reasoning'),
    ...readReasoning(record['reasoning'], parameters),
    supportsResponseSchema:
      listIncludes(parameters, 'response_format') === true ||
      listIncludes(parameters, 'structured_outputs'),
    pricing: readTokenPricing(asRecord(record['pricing'])),
  });
}

/**
 * Reasoning capabilities of a model. A property that is present with the value undefined means that the capability is
 * unknown, even if the list of supported parameters contains it.
 */
interface ReasoningDetails {
  readonly supportsReasoning?: boolean;
  readonly supportsReasoningEffort?: boolean | undefined;
  readonly reasoningEffortOptions?: readonly string[] | undefined;
}

/**
 * Reads OpenRouter's `reasoning` object, which only reasoning models have. The object takes precedence over the list of
 * supported parameters.
 */
function readReasoning(reasoning: unknown, parameters: unknown): ReasoningDetails {
  if (!isRecord(reasoning)) return {};
  const { supported_efforts: listedEfforts } = reasoning;
  const efforts = Array.isArray(listedEfforts)
    ? listedEfforts.filter((effort) => typeof effort === 'string')
    : [];
  const hasEfforts = efforts.length > 0 || listIncludes(parameters, 'reasoning') === true;
  return {
    supportsReasoning: true,
    // An object without efforts denies none.
    supportsReasoningEffort: hasEfforts ? true : undefined,
    reasoningEffortOptions: efforts.length > 0 ? efforts : undefined,
  };
}

/** Checks whether a list contains an entry. Returns `undefined` if the value is not a list. */
const listIncludes = (list: unknown, entry: string): boolean | undefined =>
  Array.isArray(list) ? list.includes(entry) : undefined;

function readOutputType(outputs: unknown): Model['type'] | undefined {
  if (!Array.isArray(outputs) || outputs.length === 0 || outputs.includes('text')) return undefined;
  if (outputs.includes('embeddings')) return 'embedding';
  return outputs.includes('image') ? 'image' : undefined;
}

/** Reads a positive number of tokens. Servers send 0 and null for an unknown number. */
export const readTokenCount = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined;

/**
 * Reads OpenRouter's prices. Each price is a string that contains a decimal number of US dollars per token. A negative
 * price counts as unknown.
 */
const readTokenPricing = (pricing: JsonRecord): ModelPricing | undefined =>
  createTokenPricing({
    input: readDecimal(pricing['prompt']),
    output: readDecimal(pricing['completion']),
    cacheInput: readDecimal(pricing['input_cache_read']),
    cacheWrite: readDecimal(pricing['input_cache_write']),
  });

const readDecimal = (value: unknown): number | undefined =>
  typeof value === 'string' && value.trim() !== '' ? Number(value) : undefined;

/**
 * Converts prices in US dollars per token to prices per million tokens. `undefined` if the input has no valid price.
 */
export function createTokenPricing(tokenPrices: {
  readonly [Name in 'input' | 'output' | 'cacheInput' | 'cacheWrite']: unknown;
}): ModelPricing | undefined {
  const pricing = omitUndefined({
    input: toPricePerMillion(tokenPrices.input),
    output: toPricePerMillion(tokenPrices.output),
    cacheInput: toPricePerMillion(tokenPrices.cacheInput),
    cacheWrite: toPricePerMillion(tokenPrices.cacheWrite),
  });
  return pricing.input === undefined ? undefined : pricing;
}

function toPricePerMillion(price: unknown): Price | undefined {
  if (typeof price !== 'number' || !Number.isFinite(price) || price < 0) return undefined;
  // Rounds, because a price such as 1.5e-7 has no exact binary form.
  return { usd: Number((price * 1_000_000).toPrecision(12)) };
}
