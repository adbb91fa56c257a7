import { asRecord, omitUndefined, isRecord, type JsonRecord } from '../base/json.ts';
import type {
  Model,
  ModelCapabilities,
  ModelDeprecation,
  ModelPricing,
  Price,
  SpeechTraits,
} from './model-types.ts';

/** Decodes a record of the catalog (spec §2.1) leniently. Returns `undefined` if it has no id. */
export function readModel(value: unknown): Model | undefined {
  if (!isRecord(value) || typeof value['id'] !== 'string' || value['id'] === '') return undefined;
  const spec = asRecord(value['model_spec']);
  const constraints = asRecord(spec['constraints']);
  const pricing = asRecord(spec['pricing']);
  return omitUndefined({
    id: value['id'],
    type: text(value['type']) ?? 'text',
    name: text(spec['name']) ?? value['id'],
    description: text(spec['description']),
    created: amount(value['created']),
    ownedBy: text(value['owned_by']),
    modelSource: text(spec['modelSource']),
    offline: spec['offline'] === true,
    beta: spec['beta'] === true || spec['betaModel'] === true,
    privacy: text(spec['privacy']),
    traits: textsOf(spec['traits']),
    contextTokens: amount(spec['availableContextTokens']) ?? amount(value['context_length']),
    maxCompletionTokens: amount(spec['maxCompletionTokens']),
    capabilities: readCapabilities(spec),
    pricing: readPricing(pricing),
    temperature: amount(asRecord(constraints['temperature'])['default']),
    topP: amount(asRecord(constraints['top_p'])['default']),
    deprecation: readDeprecation(spec['deprecation']),
    speech: value['type'] === 'tts' ? readSpeechTraits(spec) : undefined,
    constraints,
    rawPricing: pricing,
  });
}

/** Decodes `capabilities` of a `model_spec`. Missing and non-boolean flags are false. */
export function readCapabilities(spec: JsonRecord): ModelCapabilities {
  const given = asRecord(spec['capabilities']);
  const has = (name: string): boolean => given[name] === true;
  return omitUndefined({
    optimizedForCode: has('optimizedForCode'),
    supportsFunctionCalling: has('supportsFunctionCalling'),
    supportsLogProbs: has('supportsLogProbs'),
    supportsMultipleImages: has('supportsMultipleImages'),
    supportsReasoning: has('supportsReasoning'),
    supportsReasoningEffort: has('supportsReasoningEffort'),
    supportsResponseSchema: has('supportsResponseSchema'),
    supportsTeeAttestation: has('supportsTeeAttestation'),
    supportsE2EE: has('supportsE2EE'),
    supportsVision: has('supportsVision'),
    supportsVideoInput: has('supportsVideoInput'),
    supportsAudioInput: has('supportsAudioInput'),
    // Image models have these flags outside of `capabilities`.
    supportsWebSearch: has('supportsWebSearch') || spec['supportsWebSearch'] === true,
    supportsStyleReferences:
      has('supportsStyleReferences') || spec['supportsStyleReferences'] === true,
    supportsXSearch: has('supportsXSearch'),
    quantization: text(given['quantization']),
    maxImages: amount(given['maxImages']),
    reasoningEffortOptions: Array.isArray(given['reasoningEffortOptions'])
      ? textsOf(given['reasoningEffortOptions'])
      : undefined,
    defaultReasoningEffort: text(given['defaultReasoningEffort']),
  });
}

const readPricing = (pricing: JsonRecord): ModelPricing =>
  omitUndefined({
    input: readPrice(pricing['input']),
    output: readPrice(pricing['output']),
    cacheInput: readPrice(pricing['cache_input']),
  });

/** Decodes a price per million tokens. Returns `undefined` without an amount. */
export function readPrice(value: unknown): Price | undefined {
  if (!isRecord(value)) return undefined;
  const price = omitUndefined({ usd: amount(value['usd']), diem: amount(value['diem']) });
  return Object.keys(price).length === 0 ? undefined : price;
}

/** Decodes `deprecation` of a `model_spec`. Returns `undefined` if it is not an object. */
export function readDeprecation(value: unknown): ModelDeprecation | undefined {
  if (!isRecord(value)) return undefined;
  return omitUndefined({
    date: text(value['date']),
    removesAt: text(value['removesAt']),
    replacementModelId: text(value['replacementModelId']),
  });
}

/** Decodes voices and formats of a `model_spec`. */
const readSpeechTraits = (spec: JsonRecord): SpeechTraits =>
  speechTraits({
    voices: spec['voices'],
    defaultVoice: spec['default_voice'],
    formats: spec['supported_formats'],
    defaultFormat: spec['default_format'],
  });

/** Decodes voices and formats leniently: unique strings only, in limited number. */
export const speechTraits = (given: {
  readonly [Name in keyof SpeechTraits]-?: unknown;
}): SpeechTraits =>
  omitUndefined({
    voices: shortNames(given.voices, maxVoices),
    defaultVoice: shortName(given.defaultVoice),
    formats: shortNames(given.formats, 20),
    defaultFormat: shortName(given.defaultFormat),
  });

const maxVoices = 500;
/** Maximum length of a voice name in a request. */
const maxNameLength = 512;

const shortName = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= maxNameLength ? value : undefined;

const shortNames = (value: unknown, maxCount: number): readonly string[] =>
  Array.isArray(value)
    ? [...new Set(value.flatMap((name) => shortName(name) ?? []))].slice(0, maxCount)
    : [];

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];

const amount = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
