import { defined } from '../base/defined.ts';
import { isRecord, type JsonRecord, numberOr, stringOr } from '../base/json.ts';
import type { Model, ModelCapabilities, ModelDeprecation, Price } from '../service/model-types.ts';

/**
 * A {@link Model} from our own disk, where an older version or another program may have written it:
 * whatever has the wrong type counts as absent. `undefined` without an id and a type.
 */
export function decodeCachedModel(value: unknown): Model | undefined {
  const record = asRecord(value);
  const { id, type, traits } = record;
  if (typeof id !== 'string' || id === '' || typeof type !== 'string') return undefined;
  return defined({
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
    capabilities: capabilitiesOf(asRecord(record['capabilities'])),
    pricing: pricingOf(asRecord(record['pricing'])),
    temperature: numberOr(record['temperature'], undefined),
    topP: numberOr(record['topP'], undefined),
    deprecation: deprecationOf(record['deprecation']),
    constraints: asRecord(record['constraints']),
    rawPricing: asRecord(record['rawPricing']),
  });
}

const asRecord = (value: unknown): JsonRecord => (isRecord(value) ? value : {});

function capabilitiesOf(record: JsonRecord): ModelCapabilities {
  const has = (name: keyof ModelCapabilities): boolean => record[name] === true;
  return defined({
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
    supportsWebSearch: has('supportsWebSearch'),
    supportsXSearch: has('supportsXSearch'),
    quantization: stringOr(record['quantization'], undefined),
    maxImages: numberOr(record['maxImages'], undefined),
  });
}

const pricingOf = ({ input, output, cacheInput }: JsonRecord): Model['pricing'] =>
  defined({ input: priceOf(input), output: priceOf(output), cacheInput: priceOf(cacheInput) });

function priceOf(value: unknown): Price | undefined {
  if (!isRecord(value)) return undefined;
  return defined({
    usd: numberOr(value['usd'], undefined),
    diem: numberOr(value['diem'], undefined),
  });
}

function deprecationOf(value: unknown): ModelDeprecation | undefined {
  if (!isRecord(value)) return undefined;
  return defined({
    date: stringOr(value['date'], undefined),
    removesAt: stringOr(value['removesAt'], undefined),
    replacementModelId: stringOr(value['replacementModelId'], undefined),
  });
}
