import { asRecord, omitUndefined, isRecord, type JsonRecord } from '../base/json.ts';
import { type ServerModelDetails, readRecordDetails } from './record-details.ts';
import type {
  ExtendedPrices,
  FactOrigin,
  Model,
  ModelCapabilities,
  ModelDeprecation,
  ModelFactOrigins,
  ModelPricing,
  Price,
  SpeechTraits,
  TokenPrices,
} from './model-types.ts';

/**
 * Decodes a model record of the catalog (spec §2.1) and omits invalid fields. Returns `undefined` if the record has no
 * id.
 */
export function readModel(value: unknown): Model | undefined {
  if (!isRecord(value) || typeof value['id'] !== 'string' || value['id'] === '') return undefined;
  const spec = asRecord(value['model_spec']);
  const constraints = asRecord(spec['constraints']);
  const pricing = asRecord(spec['pricing']);
  const details = readRecordDetails(value);
  return omitUndefined({
    id: value['id'],
    type: decodeNonEmptyString(value['type']) ?? details.type ?? 'text',
    name: decodeNonEmptyString(spec['name']) ?? decodeNonEmptyString(value['name']) ?? value['id'],
    description:
      decodeNonEmptyString(spec['description']) ?? decodeNonEmptyString(value['description']),
    created: decodeAmount(value['created']),
    ownedBy: decodeNonEmptyString(value['owned_by']),
    modelSource: decodeNonEmptyString(spec['modelSource']),
    offline: spec['offline'] === true,
    beta: spec['beta'] === true || spec['betaModel'] === true,
    privacy: decodeNonEmptyString(spec['privacy']),
    traits: filterStrings(spec['traits']),
    contextTokens: decodeAmount(spec['availableContextTokens']) ?? details.contextTokens,
    maxCompletionTokens: decodeAmount(spec['maxCompletionTokens']) ?? details.maxCompletionTokens,
    capabilities: { ...readReportedCapabilities(details), ...readCapabilities(spec) },
    pricing: details.pricing ?? readPricing(pricing),
    temperature: decodeAmount(asRecord(constraints['temperature'])['default']),
    topP: decodeAmount(asRecord(constraints['top_p'])['default']),
    deprecation: readDeprecation(spec['deprecation']),
    speech: value['type'] === 'tts' ? readSpeechTraits(spec) : undefined,
    constraints,
    rawPricing: pricing,
  });
}

const readReportedCapabilities = ({
  type: _type,
  contextTokens: _context,
  maxCompletionTokens: _output,
  pricing: _pricing,
  ...capabilities
}: ServerModelDetails): Partial<ModelCapabilities> => capabilities;

/** Adds model details from a server route other than the model list. `origin` is the path of the route. */
export function addServerDetails(
  model: Model,
  report: ServerModelDetails,
  origin: FactOrigin,
): Model {
  const { type, contextTokens, maxCompletionTokens, pricing } = report;
  const capabilities = readReportedCapabilities(report);
  const origins: ModelFactOrigins = omitUndefined({
    context: contextTokens === undefined ? undefined : origin,
    tools: capabilities.supportsFunctionCalling === undefined ? undefined : origin,
    images: capabilities.supportsVision === undefined ? undefined : origin,
    reasoning: capabilities.supportsReasoning === undefined ? undefined : origin,
    price: pricing === undefined ? undefined : origin,
  });
  return {
    ...model,
    ...omitUndefined({ type, contextTokens, maxCompletionTokens, pricing }),
    capabilities: { ...model.capabilities, ...capabilities },
    origins: { ...model.origins, ...origins },
  };
}

/** Decodes the `capabilities` of a `model_spec`. A flag that is not a boolean counts as unknown. */
export function readCapabilities(spec: JsonRecord): ModelCapabilities {
  const capabilityFlags = asRecord(spec['capabilities']);
  const readFlag = (name: string): boolean | undefined => decodeFlag(capabilityFlags[name]);
  return omitUndefined({
    optimizedForCode: readFlag('optimizedForCode'),
    supportsFunctionCalling: readFlag('supportsFunctionCalling'),
    supportsLogProbs: readFlag('supportsLogProbs'),
    supportsMultipleImages: readFlag('supportsMultipleImages'),
    supportsReasoning: readFlag('supportsReasoning'),
    supportsReasoningEffort: readFlag('supportsReasoningEffort'),
    supportsResponseSchema: readFlag('supportsResponseSchema'),
    supportsTeeAttestation: readFlag('supportsTeeAttestation'),
    supportsE2EE: readFlag('supportsE2EE'),
    supportsVision: readFlag('supportsVision'),
    supportsInsert: readFlag('supportsInsert'),
    supportsVideoInput: readFlag('supportsVideoInput'),
    supportsAudioInput: readFlag('supportsAudioInput'),
    // For image models, the service sends these flags outside of `capabilities`.
    supportsWebSearch: readFlag('supportsWebSearch') ?? decodeFlag(spec['supportsWebSearch']),
    supportsStyleReferences:
      readFlag('supportsStyleReferences') ?? decodeFlag(spec['supportsStyleReferences']),
    supportsXSearch: readFlag('supportsXSearch'),
    quantization: decodeNonEmptyString(capabilityFlags['quantization']),
    maxImages: decodeAmount(capabilityFlags['maxImages']),
    reasoningEffortOptions: Array.isArray(capabilityFlags['reasoningEffortOptions'])
      ? filterStrings(capabilityFlags['reasoningEffortOptions'])
      : undefined,
    defaultReasoningEffort: decodeNonEmptyString(capabilityFlags['defaultReasoningEffort']),
  });
}

const readPricing = (pricing: JsonRecord): ModelPricing =>
  omitUndefined({
    ...readTokenPrices(pricing),
    extended: readExtendedPrices(asRecord(pricing['extended'])),
  });

const readTokenPrices = (pricing: JsonRecord): TokenPrices =>
  omitUndefined({
    input: readPrice(pricing['input']),
    output: readPrice(pricing['output']),
    cacheInput: readPrice(pricing['cache_input']),
    cacheWrite: readPrice(pricing['cache_write']),
  });

function readExtendedPrices(extendedRecord: JsonRecord): ExtendedPrices | undefined {
  const threshold = decodeAmount(extendedRecord['context_token_threshold']);
  return threshold === undefined ? undefined : { threshold, ...readTokenPrices(extendedRecord) };
}

/**
 * Decodes a price. For text models, the price is per million tokens. Returns `undefined` if no currency has a valid
 * amount.
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
    date: decodeNonEmptyString(value['date']),
    removesAt: decodeNonEmptyString(value['removesAt']),
    replacementModelId: decodeNonEmptyString(value['replacementModelId']),
  });
}

const readSpeechTraits = (spec: JsonRecord): SpeechTraits =>
  decodeSpeechTraits({
    voices: spec['voices'],
    defaultVoice: spec['default_voice'],
    formats: spec['supported_formats'],
    defaultFormat: spec['default_format'],
  });

/** Decodes voices and formats. Keeps only unique, non-empty strings, at most 500 voices and 20 formats. */
export const decodeSpeechTraits = (values: {
  readonly [Name in keyof SpeechTraits]-?: unknown;
}): SpeechTraits =>
  omitUndefined({
    voices: decodeNames(values.voices, maxVoices),
    defaultVoice: decodeName(values.defaultVoice),
    formats: decodeNames(values.formats, 20),
    defaultFormat: decodeName(values.defaultFormat),
  });

const maxVoices = 500;
/** Maximum length of a voice or format name in characters. */
const maxNameLength = 512;

const decodeName = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= maxNameLength ? value : undefined;

const decodeNames = (value: unknown, maxCount: number): readonly string[] =>
  Array.isArray(value)
    ? [...new Set(value.flatMap((name) => decodeName(name) ?? []))].slice(0, maxCount)
    : [];

const decodeFlag = (value: unknown): boolean | undefined =>
  typeof value === 'boolean' ? value : undefined;

const decodeNonEmptyString = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const filterStrings = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];

const decodeAmount = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
