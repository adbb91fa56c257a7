import type { Tier } from '../limits.ts';

export const modelTypes = [
  'asr',
  'embedding',
  'image',
  'music',
  'text',
  'tts',
  'upscale',
  'inpaint',
  'video',
] as const;

export type ModelType = (typeof modelTypes)[number];

/** A model record as returned by `GET /models` (spec §2.1). */
export interface ModelRecord {
  readonly id: string;
  readonly object: 'model';
  readonly created: number;
  readonly owned_by: string;
  readonly type: ModelType;
  readonly context_length?: number;
  readonly model_spec: ModelSpec;
}

export interface ModelSpec {
  readonly name: string;
  readonly description: string;
  readonly modelSource: string;
  readonly offline: boolean;
  readonly privacy: 'private' | 'anonymized';
  readonly traits: readonly string[];
  readonly pricing?: object;
  readonly constraints?: object;
  readonly availableContextTokens?: number;
  readonly maxCompletionTokens?: number;
  readonly capabilities?: Capabilities;
  readonly deprecation?: {
    readonly date: string;
    readonly removesAt: string;
    readonly autoRemap: boolean;
    readonly replacementModelId?: string;
  };
  readonly [extra: string]: unknown;
}

export const capabilityFlags = [
  'optimizedForCode',
  'supportsFunctionCalling',
  'supportsLogProbs',
  'supportsMultipleImages',
  'supportsReasoning',
  'supportsReasoningEffort',
  'supportsResponseSchema',
  'supportsTeeAttestation',
  'supportsE2EE',
  'supportsVision',
  'supportsVideoInput',
  'supportsAudioInput',
  'supportsWebSearch',
  'supportsXSearch',
] as const;

export type CapabilityFlag = (typeof capabilityFlags)[number];

export type Capabilities = Readonly<Record<CapabilityFlag, boolean>> & {
  readonly quantization: string;
  readonly maxImages?: number;
};

/** A text model: its entry in the model list, and properties that only the service uses. */
export interface TextModel {
  readonly record: ModelRecord & { readonly type: 'text' };
  readonly capabilities: Capabilities;
  readonly contextTokens: number;
  readonly maxCompletionTokens: number;
  /** Prices in US dollars per million tokens. The same numbers are millionths of a dollar per token. */
  readonly price: { readonly input: number; readonly output: number };
  readonly tier: Tier;
  readonly reasoningStyle: 'none' | 'tags' | 'field';
  /** True if the model continues the prompt instead of answering it. */
  readonly completesCode: boolean;
  readonly pace?: Pace;
  /**
   * True if only users with a Pro subscription may use the model. Every request to it then fails with 401, because this
   * deployment has no such users.
   */
  readonly isProOnly: boolean;
}

/** Output speed of a model. */
export interface Pace {
  readonly firstTokenMs: number;
  readonly tokensPerSecond: number;
}
