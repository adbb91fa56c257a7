/**
 * Model type (spec §2.1), including `code` and `decision`, which are not in the specification. Unknown types are
 * preserved.
 */
export type ModelType =
  | 'asr'
  | 'embedding'
  | 'image'
  | 'music'
  | 'text'
  | 'tts'
  | 'upscale'
  | 'inpaint'
  | 'video'
  | (string & {});

/**
 * Model in the catalog of the service (spec §2.1). Capabilities and numbers are absent if the service does not report
 * them.
 */
export interface Model {
  readonly id: string;
  readonly type: ModelType;
  /** Display name, or the id if the service provides no name. */
  readonly name: string;
  readonly description?: string;
  readonly created?: number;
  readonly ownedBy?: string;
  readonly modelSource?: string;
  readonly offline: boolean;
  readonly beta: boolean;
  /** Privacy level: `private`, `anonymized`, or another value of the service. */
  readonly privacy?: string;
  readonly traits: readonly string[];
  readonly contextTokens?: number;
  readonly maxCompletionTokens?: number;
  readonly capabilities: ModelCapabilities;
  /** Prices per million tokens. Empty for a model that is not priced by token. */
  readonly pricing: ModelPricing;
  readonly temperature?: number;
  readonly topP?: number;
  readonly deprecation?: ModelDeprecation;
  /** Voices and formats. Only text-to-speech models have them. */
  readonly speech?: SpeechTraits;
  /** Undecoded field `constraints` of the record. The image and speech features decode this field. */
  readonly constraints: { readonly [key: string]: unknown };
  /** Undecoded field `pricing` of the record. The image and speech features decode this field. */
  readonly rawPricing: { readonly [key: string]: unknown };
  /** Sources of those facts about the model that are not from the model list. */
  readonly origins?: ModelFactOrigins;
}

/**
 * Names of facts about a model that can come from a server route other than the model list, an error, or a user
 * setting.
 */
export const modelFacts = ['context', 'tools', 'images', 'reasoning', 'price'] as const;

export type ModelFact = (typeof modelFacts)[number];

/**
 * Origin of a fact: an error with which the model rejected a request, a user setting, or the path of a server route,
 * such as `/props`.
 */
export type FactOrigin = 'refusal' | 'setting' | `/${string}`;

export type ModelFactOrigins = { readonly [Fact in ModelFact]?: FactOrigin };

/**
 * Capabilities of a model. An optional capability is absent if it is unknown. The extension then tries to use the
 * capability, and the response shows whether the model supports it.
 */
export interface ModelCapabilities {
  readonly optimizedForCode?: boolean;
  readonly supportsFunctionCalling?: boolean;
  readonly supportsLogProbs?: boolean;
  readonly supportsMultipleImages?: boolean;
  readonly supportsReasoning?: boolean;
  readonly supportsReasoningEffort?: boolean;
  readonly supportsResponseSchema?: boolean;
  readonly supportsTeeAttestation?: boolean;
  readonly supportsE2EE?: boolean;
  readonly supportsVision?: boolean;
  /**
   * True if text completions of the model accept a suffix, so that the model can fill the gap between a prefix and a
   * suffix.
   */
  readonly supportsInsert?: boolean;
  readonly supportsVideoInput?: boolean;
  readonly supportsAudioInput?: boolean;
  readonly supportsWebSearch?: boolean;
  /** True for an image model that accepts images as style references. */
  readonly supportsStyleReferences?: boolean;
  readonly supportsXSearch?: boolean;
  readonly quantization?: string;
  readonly maxImages?: number;
  /** Values of `reasoning_effort` that the model supports. Absent if the service lists none. */
  readonly reasoningEffortOptions?: readonly string[];
  readonly defaultReasoningEffort?: string;
}

export interface Price {
  readonly usd?: number;
  readonly diem?: number;
}

/** Prices per million tokens. Cached tokens without a separate price cost as much as other input. */
export interface TokenPrices {
  readonly input?: Price;
  readonly output?: Price;
  readonly cacheInput?: Price;
  readonly cacheWrite?: Price;
}

export interface ModelPricing extends TokenPrices {
  readonly extended?: ExtendedPrices;
}

/** Prices of all tokens of a request with more than `threshold` prompt tokens. */
export interface ExtendedPrices extends TokenPrices {
  readonly threshold: number;
}

export interface ModelDeprecation {
  /** Time of the deprecation, as an ISO 8601 instant that the service sent. The value is not validated. */
  readonly date?: string;
  /**
   * Time at which the service removes the model, as an ISO 8601 instant that the service sent. The value is not
   * validated.
   */
  readonly removesAt?: string;
  readonly replacementModelId?: string;
}

/**
 * Voices and formats of a text-to-speech model. If `defaultVoice` or `defaultFormat` is absent, the service selects the
 * default.
 */
export interface SpeechTraits {
  readonly voices: readonly string[];
  readonly defaultVoice?: string;
  /** Format names as sent by the service, including formats that the extension does not know. */
  readonly formats: readonly string[];
  readonly defaultFormat?: string;
}

/**
 * Model servers that can be identified by their model list. They provide more details about their models on other
 * routes.
 */
export type ServerKind = 'llamacpp' | 'ollama' | 'vllm' | 'lmstudio' | 'litellm';

/**
 * Creation time in Unix seconds that LiteLLM reports for every model. It is also the true creation time of a model of
 * OpenAI, so a list counts as LiteLLM's only if all its models have it.
 */
const litellmCreatedSeconds = 1_677_610_602;

/** Identifies the server by the field `owned_by` of the models in its list. Returns `undefined` for other servers. */
export function getServerKind(models: readonly Model[]): ServerKind | undefined {
  const hasOwner = (owner: string): boolean => models.some(({ ownedBy }) => ownedBy === owner);
  if (hasOwner('llamacpp')) return 'llamacpp';
  if (hasOwner('vllm')) return 'vllm';
  if (hasOwner('organization_owner')) return 'lmstudio';
  if (hasOwner('library')) return 'ollama';
  const isProxy = models.every(
    ({ ownedBy, created }) => ownedBy === 'openai' && created === litellmCreatedSeconds,
  );
  return models.length > 0 && isProxy ? 'litellm' : undefined;
}
