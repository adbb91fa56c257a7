import {
  type CapabilityFlag,
  capabilityFlags,
  type Capabilities,
  type ModelSpec,
  type TextModel,
} from './model.ts';

interface TextModelDraft {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly contextTokens: number;
  readonly price: readonly [input: number, output: number];
  readonly capabilityFlags: readonly CapabilityFlag[];
  readonly traits?: readonly string[];
  readonly quantization?: string;
  readonly extraSpec?: Partial<ModelSpec>;
  readonly hiddenTraits?: Partial<
    Pick<
      TextModel,
      'tier' | 'reasoningStyle' | 'completesCode' | 'pace' | 'isProOnly' | 'maxCompletionTokens'
    >
  >;
}

const releaseTime = Date.UTC(2026, 0, 15) / 1000;

/**
 * Builds a text model from its definition. Models with different `index` values have different
 * release dates.
 */
export function createTextModel(definition: TextModelDraft, index = 0): TextModel {
  const [input, output] = definition.price;
  const capabilities = createCapabilities(definition);
  const maxCompletionTokens =
    definition.hiddenTraits?.maxCompletionTokens ?? Math.min(definition.contextTokens, 65_536);
  return {
    record: {
      id: definition.id,
      object: 'model',
      created: releaseTime + index * 86_400 * 9,
      owned_by: 'service',
      type: 'text',
      context_length: definition.contextTokens,
      model_spec: {
        name: definition.name,
        description: definition.description,
        modelSource: `https://models.example.org/${definition.id}`,
        offline: false,
        privacy: 'private',
        traits: definition.traits ?? [],
        availableContextTokens: definition.contextTokens,
        maxCompletionTokens,
        capabilities,
        constraints: { temperature: { default: 0.7 }, top_p: { default: 0.9 } },
        pricing: createPricing(input, output),
        ...definition.extraSpec,
      },
    },
    capabilities,
    contextTokens: definition.contextTokens,
    price: { input, output },
    tier: 'S',
    reasoningStyle: 'none',
    completesCode: false,
    isProOnly: false,
    ...definition.hiddenTraits,
    maxCompletionTokens,
  };
}

function createCapabilities(definition: TextModelDraft): Capabilities {
  const flags = Object.fromEntries(
    capabilityFlags.map((flag) => [flag, definition.capabilityFlags.includes(flag)]),
  );
  return {
    ...(flags as Record<CapabilityFlag, boolean>),
    quantization: definition.quantization ?? 'fp8',
    ...(definition.capabilityFlags.includes('supportsVision') && { maxImages: 10 }),
  };
}

function createPricing(input: number, output: number): object {
  const createPrice = (value: number) => ({ usd: value, diem: value });
  return {
    input: createPrice(input),
    output: createPrice(output),
    cache_input: createPrice(Math.round(input * 1e5) / 1e6),
  };
}

const definitions: readonly TextModelDraft[] = [
  {
    id: 'assistant-large-480b',
    name: 'Assistant Large',
    description: 'The default: general chat and code with a very long context.',
    contextTokens: 1_000_000,
    price: [1.4, 4.4],
    capabilityFlags: [
      'optimizedForCode',
      'supportsFunctionCalling',
      'supportsLogProbs',
      'supportsMultipleImages',
      'supportsResponseSchema',
      'supportsVision',
      'supportsWebSearch',
      'supportsXSearch',
    ],
    traits: ['default', 'function_calling_default'],
  },
  {
    id: 'reasoner-think-70b',
    name: 'Reasoner Think 70B',
    description: 'Thinks aloud in <think> tags before it answers.',
    contextTokens: 131_072,
    price: [0.7, 2.8],
    capabilityFlags: ['supportsReasoning', 'supportsResponseSchema', 'supportsWebSearch'],
    traits: ['default_reasoning'],
    hiddenTraits: { reasoningStyle: 'tags', tier: 'M' },
  },
  {
    id: 'reasoner-deep-235b',
    name: 'Reasoner Deep 235B',
    description: 'Reasons in a field of its own, with adjustable effort.',
    contextTokens: 262_144,
    price: [0.9, 4.5],
    capabilityFlags: [
      'optimizedForCode',
      'supportsFunctionCalling',
      'supportsReasoning',
      'supportsReasoningEffort',
      'supportsResponseSchema',
      'supportsWebSearch',
    ],
    traits: ['most_intelligent'],
    extraSpec: { privacy: 'anonymized' },
    hiddenTraits: { reasoningStyle: 'field', tier: 'L' },
  },
  {
    id: 'vision-plain-32b',
    name: 'Vision Plain 32B',
    description: 'Describes the images it is sent.',
    contextTokens: 131_072,
    price: [0.5, 1.5],
    capabilityFlags: ['supportsVision', 'supportsMultipleImages', 'supportsFunctionCalling'],
    traits: ['default_vision'],
  },
  {
    id: 'tools-swift-24b',
    name: 'Tools Swift 24B',
    description: 'Small and quick, made for calling tools.',
    contextTokens: 131_072,
    price: [0.15, 0.6],
    capabilityFlags: ['supportsFunctionCalling', 'supportsResponseSchema', 'supportsLogProbs'],
    hiddenTraits: { tier: 'XS', pace: { firstTokenMs: 90, tokensPerSecond: 120 } },
  },
  {
    id: 'coder-inline-7b',
    name: 'Coder Inline 7B',
    description: 'Completes code from what is already in the context.',
    contextTokens: 65_536,
    price: [0.05, 0.2],
    capabilityFlags: ['optimizedForCode'],
    traits: ['default_code', 'fastest'],
    quantization: 'int8',
    hiddenTraits: {
      completesCode: true,
      tier: 'XS',
      pace: { firstTokenMs: 40, tokensPerSecond: 250 },
    },
  },
  {
    id: 'search-scout-24b',
    name: 'Search Scout 24B',
    description: 'Answers with current web results and cites them.',
    contextTokens: 131_072,
    price: [0.35, 1.2],
    capabilityFlags: ['supportsWebSearch', 'supportsXSearch', 'supportsResponseSchema'],
    extraSpec: { privacy: 'anonymized' },
  },
  {
    id: 'compact-xs-3b',
    name: 'Compact XS 3B',
    description: 'The cheapest model; text only and a short context.',
    contextTokens: 8_192,
    price: [0.15, 0.6],
    capabilityFlags: [],
    quantization: 'int4',
    hiddenTraits: { tier: 'XS', maxCompletionTokens: 4_096 },
  },
  {
    id: 'patient-slow-405b',
    name: 'Patient Slow 405B',
    description: 'Takes its time: about two seconds to the first word.',
    contextTokens: 131_072,
    price: [3, 9],
    capabilityFlags: ['supportsFunctionCalling', 'supportsResponseSchema'],
    quantization: 'bf16',
    hiddenTraits: { tier: 'L', pace: { firstTokenMs: 2000, tokensPerSecond: 15 } },
  },
  {
    id: 'unfiltered-mix-24b',
    name: 'Unfiltered Mix 24B',
    description: 'A community model without content filters.',
    contextTokens: 32_768,
    price: [0.5, 2],
    capabilityFlags: ['supportsFunctionCalling'],
    traits: ['most_uncensored'],
    extraSpec: { uncensored: true, betaModel: true },
  },
  {
    id: 'veteran-chat-13b',
    name: 'Veteran Chat 13B',
    description: 'Scheduled for removal; its successor is Assistant Large.',
    contextTokens: 32_768,
    price: [0.4, 1.2],
    capabilityFlags: ['supportsFunctionCalling'],
    extraSpec: {
      deprecation: {
        date: '2026-12-01T00:00:00.000Z',
        removesAt: '2027-01-15T00:00:00.000Z',
        autoRemap: true,
        replacementModelId: 'assistant-large-480b',
      },
    },
  },
  {
    id: 'absent-offline-70b',
    name: 'Absent Offline 70B',
    description: 'Listed, but not running at the moment.',
    contextTokens: 131_072,
    price: [0.7, 2.8],
    capabilityFlags: ['supportsFunctionCalling'],
    extraSpec: { offline: true },
  },
  {
    id: 'frontier-pro-1t',
    name: 'Frontier Pro 1T',
    description: 'Only for accounts with a Pro subscription.',
    contextTokens: 262_144,
    price: [15, 37.5],
    capabilityFlags: [
      'optimizedForCode',
      'supportsFunctionCalling',
      'supportsVision',
      'supportsReasoning',
    ],
    extraSpec: { privacy: 'anonymized', beta: true },
    hiddenTraits: { isProOnly: true, reasoningStyle: 'field', tier: 'L' },
  },
  {
    id: 'enclave-quiet-32b',
    name: 'Enclave Quiet 32B',
    description: 'Runs in an enclave that attests itself.',
    contextTokens: 131_072,
    price: [0.8, 2.4],
    capabilityFlags: ['supportsFunctionCalling', 'supportsTeeAttestation'],
  },
  {
    id: 'sealed-letter-70b',
    name: 'Sealed Letter 70B',
    description: 'Reads only what is encrypted to its enclave, and answers likewise.',
    contextTokens: 131_072,
    price: [1.1, 3.3],
    capabilityFlags: [
      'supportsFunctionCalling',
      'supportsReasoning',
      'supportsTeeAttestation',
      'supportsE2EE',
      'supportsWebSearch',
    ],
    hiddenTraits: { reasoningStyle: 'field' },
  },
];

export const textModels: readonly TextModel[] = definitions.map(createTextModel);
