import {
  asRecord,
  omitUndefined,
  isRecord,
  type JsonRecord,
  readNumberOr,
  parseJson,
  readStringOr,
} from '../base/json.ts';
import {
  readCapabilities,
  readDeprecation,
  readPrice,
  decodeSpeechTraits,
} from '../service/read-model.ts';
import {
  type Model,
  modelFacts,
  type ModelFactOrigins,
  type TokenPrices,
} from '../service/model-types.ts';

/**
 * Decodes a {@link Model} from the cache. Another version of the extension or another program may have written `value`,
 * so invalid fields are omitted. Returns `undefined` if the id or the type is missing.
 */
export function decodeCachedModel(value: unknown): Model | undefined {
  const record = asRecord(value);
  const { id, type, traits } = record;
  if (typeof id !== 'string' || id === '' || typeof type !== 'string') return undefined;
  return omitUndefined({
    id,
    type,
    name: readStringOr(record['name'], id),
    description: readStringOr(record['description'], undefined),
    created: readNumberOr(record['created'], undefined),
    ownedBy: readStringOr(record['ownedBy'], undefined),
    modelSource: readStringOr(record['modelSource'], undefined),
    offline: record['offline'] === true,
    beta: record['beta'] === true,
    privacy: readStringOr(record['privacy'], undefined),
    traits: Array.isArray(traits) ? traits.filter((trait) => typeof trait === 'string') : [],
    contextTokens: readNumberOr(record['contextTokens'], undefined),
    maxCompletionTokens: readNumberOr(record['maxCompletionTokens'], undefined),
    capabilities: readCapabilities(record),
    pricing: decodePricing(asRecord(record['pricing'])),
    temperature: readNumberOr(record['temperature'], undefined),
    topP: readNumberOr(record['topP'], undefined),
    deprecation: readDeprecation(record['deprecation']),
    speech: type === 'tts' ? decodeSpeech(asRecord(record['speech'])) : undefined,
    constraints: asRecord(record['constraints']),
    rawPricing: asRecord(record['rawPricing']),
    origins: decodeOrigins(record['origins']),
  });
}

function decodeOrigins(value: unknown): ModelFactOrigins | undefined {
  const originEntries = modelFacts.flatMap((fact) => {
    const origin = asRecord(value)[fact];
    // Refusals and settings are not cached.
    return typeof origin === 'string' && origin.startsWith('/') ? [[fact, origin] as const] : [];
  });
  return originEntries.length === 0
    ? undefined
    : (Object.fromEntries(originEntries) as ModelFactOrigins);
}

function decodePricing({ extended, ...prices }: JsonRecord): Model['pricing'] {
  const { threshold, ...extendedPrices } = asRecord(extended);
  if (typeof threshold !== 'number') return decodeTokenPrices(prices);
  return {
    ...decodeTokenPrices(prices),
    extended: { threshold, ...decodeTokenPrices(extendedPrices) },
  };
}

const decodeTokenPrices = ({ input, output, cacheInput, cacheWrite }: JsonRecord): TokenPrices =>
  omitUndefined({
    input: readPrice(input),
    output: readPrice(output),
    cacheInput: readPrice(cacheInput),
    cacheWrite: readPrice(cacheWrite),
  });

const decodeSpeech = ({
  voices,
  defaultVoice,
  formats,
  defaultFormat,
}: JsonRecord): Model['speech'] =>
  decodeSpeechTraits({ voices, defaultVoice, formats, defaultFormat });

/** Cached model list of one base URL, as stored on disk. */
export interface CacheRecord {
  /** Base URL of the service that returned the models. The cache ignores a record with another base URL. */
  readonly baseUrl: string;
  /** Time at which the service returned the models, in milliseconds since the Unix epoch. */
  readonly fetchedAt: number;
  readonly models: readonly Model[];
}

const cacheVersion = 1;

export const encodeCacheRecord = (record: CacheRecord): string =>
  JSON.stringify({ version: cacheVersion, ...record });

/** Decodes a cache record and omits invalid models. Returns `undefined` if the record has another format version. */
export function decodeCacheRecord(text: string): CacheRecord | undefined {
  const record = parseJson(text);
  if (!isRecord(record) || record['version'] !== cacheVersion || !Array.isArray(record['models'])) {
    return undefined;
  }
  return {
    baseUrl: readStringOr(record['baseUrl'], ''),
    fetchedAt: readNumberOr(record['fetchedAt'], 0),
    models: record['models'].map(decodeCachedModel).filter((model) => model !== undefined),
  };
}
