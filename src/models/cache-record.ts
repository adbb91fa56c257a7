import {
  asRecord,
  omitUndefined,
  isRecord,
  type JsonRecord,
  numberOr,
  parseJson,
  stringOr,
} from '../base/json.ts';
import {
  readCapabilities,
  readDeprecation,
  readPrice,
  decodeSpeechTraits,
} from '../service/read-model.ts';
import type { Model } from '../service/model-types.ts';

/**
 * Decodes a {@link Model} that an older version or another program may have written. Omits invalid fields. Returns
 * `undefined` without an id and a type.
 */
export function decodeCachedModel(value: unknown): Model | undefined {
  const record = asRecord(value);
  const { id, type, traits } = record;
  if (typeof id !== 'string' || id === '' || typeof type !== 'string') return undefined;
  return omitUndefined({
    id,
    type,
    name: stringOr(record['name'], id),
    description: stringOr(record['description'], undefined),
    created: numberOr(record['created'], undefined),
    ownedBy: stringOr(record['ownedBy'], undefined),
    modelSource: stringOr(record['modelSource'], undefined),
    offline: record['offline'] === true,
    beta: record['beta'] === true,
    privacy: stringOr(record['privacy'], undefined),
    traits: Array.isArray(traits) ? traits.filter((trait) => typeof trait === 'string') : [],
    contextTokens: numberOr(record['contextTokens'], undefined),
    maxCompletionTokens: numberOr(record['maxCompletionTokens'], undefined),
    capabilities: readCapabilities(record),
    pricing: decodePricing(asRecord(record['pricing'])),
    temperature: numberOr(record['temperature'], undefined),
    topP: numberOr(record['topP'], undefined),
    deprecation: readDeprecation(record['deprecation']),
    speech: type === 'tts' ? decodeSpeech(asRecord(record['speech'])) : undefined,
    constraints: asRecord(record['constraints']),
    rawPricing: asRecord(record['rawPricing']),
  });
}

const decodePricing = ({ input, output, cacheInput }: JsonRecord): Model['pricing'] =>
  omitUndefined({
    input: readPrice(input),
    output: readPrice(output),
    cacheInput: readPrice(cacheInput),
  });

const decodeSpeech = ({
  voices,
  defaultVoice,
  formats,
  defaultFormat,
}: JsonRecord): Model['speech'] =>
  decodeSpeechTraits({ voices, defaultVoice, formats, defaultFormat });

/** Last known model list of one service URL, as stored on disk. */
export interface CacheRecord {
  /** Base URL of the service that returned the models. Records of other URLs are ignored. */
  readonly baseUrl: string;
  /** Milliseconds since the epoch. */
  readonly fetchedAt: number;
  readonly models: readonly Model[];
}

const version = 1;

export const encodeCacheRecord = (record: CacheRecord): string =>
  JSON.stringify({ version, ...record });

/** Decodes a record. Returns `undefined` for other versions and drops invalid models. */
export function decodeCacheRecord(text: string): CacheRecord | undefined {
  const record = parseJson(text);
  if (!isRecord(record) || record['version'] !== version || !Array.isArray(record['models'])) {
    return undefined;
  }
  return {
    baseUrl: stringOr(record['baseUrl'], ''),
    fetchedAt: numberOr(record['fetchedAt'], 0),
    models: record['models'].map(decodeCachedModel).filter((model) => model !== undefined),
  };
}
