/** Model types (spec §2.1). Public deployments also use `code` and `decision`. Unknown values are kept. */
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

/** A model of the catalog (spec §2.1), decoded leniently: missing capabilities are `false`, missing numbers are absent. */
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
  /** `private`, `anonymized`, or another value of the service. */
  readonly privacy?: string;
  readonly traits: readonly string[];
  readonly contextTokens?: number;
  readonly maxCompletionTokens?: number;
  readonly capabilities: ModelCapabilities;
  /** Prices per million tokens for text and embedding models. */
  readonly pricing: ModelPricing;
  readonly temperature?: number;
  readonly topP?: number;
  readonly deprecation?: ModelDeprecation;
  /** Voices and formats of text-to-speech models. */
  readonly speech?: SpeechTraits;
  /** The record's `constraints` and `pricing`, undecoded, for the image and speech features. */
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
  /** True for image models that accept images as style references. */
  readonly supportsStyleReferences: boolean;
  readonly supportsXSearch: boolean;
  readonly quantization?: string;
  readonly maxImages?: number;
  /** Allowed values of `reasoning_effort`. Absent if the service lists none. */
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
  /** ISO 8601 instants, unchanged from the service. */
  readonly date?: string;
  readonly removesAt?: string;
  readonly replacementModelId?: string;
}

/** Voices and formats of a text-to-speech model (service facts §2.2). If a default is absent, the service chooses. */
export interface SpeechTraits {
  readonly voices: readonly string[];
  readonly defaultVoice?: string;
  /** Formats as named by the service, including unknown ones. */
  readonly formats: readonly string[];
  readonly defaultFormat?: string;
}
