/** Spec §2.1. `code` and `decision` are seen in public deployments. Unknown values are kept as they are. */
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

/** A model of the catalogue (spec §2.1), read tolerantly: a missing capability is `false`, a missing figure absent. */
export interface Model {
  readonly id: string;
  readonly type: ModelType;
  /** Display name; the id when the service gives none. */
  readonly name: string;
  readonly description?: string;
  readonly created?: number;
  readonly ownedBy?: string;
  readonly modelSource?: string;
  readonly offline: boolean;
  readonly beta: boolean;
  /** `private`, `anonymized`, or what else the service says. */
  readonly privacy?: string;
  readonly traits: readonly string[];
  readonly contextTokens?: number;
  readonly maxCompletionTokens?: number;
  readonly capabilities: ModelCapabilities;
  /** `{usd, diem}` per million tokens, for text and embedding models. */
  readonly pricing: ModelPricing;
  readonly temperature?: number;
  readonly topP?: number;
  readonly deprecation?: ModelDeprecation;
  /** Of models that speak. */
  readonly speech?: SpeechTraits;
  /** The record's `constraints` and `pricing` as they came, for the families that read more of them (image, speech). */
  readonly constraints: { readonly [key: string]: unknown };
  readonly rawPricing: { readonly [key: string]: unknown };
}

export interface ModelCapabilities {
  readonly optimizedForCode: boolean;
  readonly supportsFunctionCalling: boolean;
  readonly supportsLogProbs: boolean;
  readonly supportsMultipleImages: boolean;
  readonly supportsReasoning: boolean;
  readonly supportsReasoningEffort: boolean;
  readonly supportsResponseSchema: boolean;
  readonly supportsTeeAttestation: boolean;
  readonly supportsE2EE: boolean;
  readonly supportsVision: boolean;
  readonly supportsVideoInput: boolean;
  readonly supportsAudioInput: boolean;
  readonly supportsWebSearch: boolean;
  /** Of image models: whether pictures can be given for the style. */
  readonly supportsStyleReferences: boolean;
  readonly supportsXSearch: boolean;
  readonly quantization?: string;
  readonly maxImages?: number;
  /** What `reasoning_effort` may be; absent when the service does not say. */
  readonly reasoningEffortOptions?: readonly string[];
  readonly defaultReasoningEffort?: string;
}

export interface Price {
  readonly usd?: number;
  readonly diem?: number;
}

export interface ModelPricing {
  readonly input?: Price;
  readonly output?: Price;
  readonly cacheInput?: Price;
}

export interface ModelDeprecation {
  /** ISO instants as the service gave them. */
  readonly date?: string;
  readonly removesAt?: string;
  readonly replacementModelId?: string;
}

/** What a model that speaks can do (service facts §2.2); an absent default is the service's own choice. */
export interface SpeechTraits {
  readonly voices: readonly string[];
  readonly defaultVoice?: string;
  /** As the service names them, unknown ones too. */
  readonly formats: readonly string[];
  readonly defaultFormat?: string;
}
