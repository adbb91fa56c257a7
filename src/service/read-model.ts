import { asRecord, omitUndefined, isRecord, type JsonRecord } from '../base/json.ts';
import type {
  Model,
  ModelCapabilities,
  ModelDeprecation,
  ModelPricing,
  Price,
  SpeechTraits,
} from './model-types.ts';

/** Decodes a model record of the catalog (spec §2.1) leniently. Returns `undefined` if the record has no id. */
export function readModel(value: unknown): Model | undefined {
  if (!isRecord(value) || typeof value['id'] !== 'string' || value['id'] === '') return undefined;
  const spec = asRecord(value['model_spec']);
  const constraints = asRecord(spec['constraints']);
  const pricing = asRecord(spec['pricing']);
  return omitUndefined({
    id: value['id'],
    type: nonEmptyString(value['type']) ?? 'text',
    name: nonEmptyString(spec['name']) ?? value['id'],
    description: nonEmptyString(spec['description']),
    created: decodeAmount(value['created']),
    ownedBy: nonEmptyString(value['owned_by']),
    modelSource: nonEmptyString(spec['modelSource']),
    offline: spec['offline'] === true,
    beta: spec['beta'] === true || spec['betaModel'] === true,
    privacy: nonEmptyString(spec['privacy']),
    traits: filterStrings(spec['traits']),
    contextTokens:
      decodeAmount(spec['availableContextTokens']) ?? decodeAmount(value['context_length']),
    maxCompletionTokens: decodeAmount(spec['maxCompletionTokens']),
    capabilities: readCapabilities(spec),
    pricing: readPricing(pricing),
    temperature: decodeAmount(asRecord(constraints['temperature'])['default']),
    topP: decodeAmount(asRecord(constraints['top_p'])['default']),
    deprecation: readDeprecation(spec['deprecation']),
    speech: value['type'] === 'tts' ? readSpeechTraits(spec) : undefined,
    constraints,
    rawPricing: pricing,
  });
}

/** Decodes the `capabilities` of a `model_spec`. Missing and invalid flags are false. */
export function readCapabilities(spec: JsonRecord): ModelCapabilities {
  const capabilityFlags = asRecord(spec['capabilities']);
  const hasFlag = (name: string): boolean => capabilityFlags[name] === true;
  return omitUndefined({
    optimizedForCode: hasFlag('optimizedForCode'),
    supportsFunctionCalling: hasFlag('supportsFunctionCalling'),
    supportsLogProbs: hasFlag('supportsLogProbs'),
    supportsMultipleImages: hasFlag('supportsMultipleImages'),
    supportsReasoning: hasFlag('supportsReasoning'),
    supportsReasoningEffort: hasFlag('supportsReasoningEffort'),
    supportsResponseSchema: hasFlag('supportsResponseSchema'),
    supportsTeeAttestation: hasFlag('supportsTeeAttestation'),
    supportsE2EE: hasFlag('supportsE2EE'),
    supportsVision: hasFlag('supportsVision'),
    supportsVideoInput: hasFlag('supportsVideoInput'),
    supportsAudioInput: hasFlag('supportsAudioInput'),
    // For image models, the service sends these flags outside of `capabilities`.
    supportsWebSearch: hasFlag('supportsWebSearch') || spec['supportsWebSearch'] === true,
    supportsStyleReferences:
      hasFlag('supportsStyleReferences') || spec['supportsStyleReferences'] === true,
    supportsXSearch: hasFlag('supportsXSearch'),
    quantization: nonEmptyString(capabilityFlags['quantization']),
    maxImages: decodeAmount(capabilityFlags['maxImages']),
    reasoningEffortOptions: Array.isArray(capabilityFlags['reasoningEffortOptions'])
      ? filterStrings(capabilityFlags['reasoningEffortOptions'])
      : undefined,
    defaultReasoningEffort: nonEmptyString(capabilityFlags['defaultReasoningEffort']),
  });
}

const readPricing = (pricing: JsonRecord): ModelPricing =>
  omitUndefined({
    input: readPrice(pricing['input']),
    output: readPrice(pricing['output']),
    cacheInput: readPrice(pricing['cache_input']),
  });

/**
 * Decodes a price, which is per million tokens for text models. Returns `undefined` if no currency has a valid amount.
 */
export function readPrice(value: unknown): Price | undefined {
  if (!isRecord(value)) return undefined;
  const price = omitUndefined({
    usd: decodeAmount(value['usd']),
    diem: decodeAmount(value['diem']),
  });
  return Object.keys(price).length === 0 ? undefined : price;
}

/** Decodes the `deprecation` of a `model_spec`. Returns `undefined` if the value is not an object. */
export function readDeprecation(value: unknown): ModelDeprecation | undefined {
  if (!isRecord(value)) return undefined;
  return omitUndefined({
    date: nonEmptyString(value['date']),
    removesAt: nonEmptyString(value['removesAt']),
    replacementModelId: nonEmptyString(value['replacementModelId']),
  });
}

/** Decodes the voices and formats of a `model_spec`. */
const readSpeechTraits = (spec: JsonRecord): SpeechTraits =>
  decodeSpeechTraits({
    voices: spec['voices'],
    defaultVoice: spec['default_voice'],
    formats: spec['supported_formats'],
    defaultFormat: spec['default_format'],
  });

/** Decodes voices and formats leniently. Keeps only unique, non-empty strings, at most 500 voices and 20 formats. */
export const decodeSpeechTraits = (values: {
  readonly [Name in keyof SpeechTraits]-?: unknown;
}): SpeechTraits =>
  omitUndefined({
    voices: shortNames(values.voices, maxVoices),
    defaultVoice: shortName(values.defaultVoice),
    formats: shortNames(values.formats, 20),
    defaultFormat: shortName(values.defaultFormat),
  });

const maxVoices = 500;
/** Maximum length of a voice or format name in characters. */
const maxNameLength = 512;

const shortName = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= maxNameLength ? value : undefined;

const shortNames = (value: unknown, maxCount: number): readonly string[] =>
  Array.isArray(value)
    ? [...new Set(value.flatMap((name) => shortName(name) ?? []))].slice(0, maxCount)
    : [];

const nonEmptyString = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const filterStrings = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];

const decodeAmount = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
