import type { ResponseInfo } from '../chat/chat-types.ts';
import type { RetryWait } from '../http/request.ts';

/** The formats that the service writes (spec §4.5). Nothing else is ever taken for a picture of its own. */
export type ImageFormat = 'png' | 'jpeg' | 'webp';

/** How many pictures one call may ask for (spec §8). */
export type VariantCount = 1 | 2 | 3 | 4;

/**
 * The body of `POST /image/generate` (spec §4.5 and the public extras) under our names. Closed: the service refuses
 * unknown keys. How many pictures, and whether they come as bytes or as JSON, is no part of it: bytes and several
 * pictures exclude each other, so the call decides both from one number.
 */
export interface ImageRequest {
  readonly model: string;
  readonly prompt: string;
  readonly negativePrompt?: string;
  /** Pixels; only for models that are sized by pixels. */
  readonly width?: number;
  readonly height?: number;
  /** `16:9`; only for models that are sized by ratio. */
  readonly aspectRatio?: string;
  /** `1K`, `2K`, `4K`; only for models with resolution tiers. */
  readonly resolution?: string;
  readonly quality?: string;
  readonly format?: ImageFormat;
  readonly safeMode?: boolean;
  /** ±999,999,999; 0 is a seed like any other. */
  readonly seed?: number;
  readonly cfgScale?: number;
  readonly steps?: number;
  readonly stylePreset?: string;
  readonly loraStrength?: number;
  readonly hideWatermark?: boolean;
  readonly embedExifMetadata?: boolean;
  readonly enableWebSearch?: boolean;
  readonly enhancePrompt?: boolean;
  readonly disablePromptOptimizationThinking?: boolean;
  readonly styleReferences?: readonly StyleReference[];
}

export interface StyleReference {
  /** Base64 without a prefix, a data URL, or an `https:` address; below 8 MB. */
  readonly image: string;
  /** 0.1 to 1. */
  readonly strength?: number;
}

/**
 * The body of `POST /images/generations` (spec §4.7) under our names. Closed. It makes one picture; `quality`, `style`
 * and `background` change nothing today.
 */
export interface ImageCreateRequest {
  readonly model: string;
  readonly prompt: string;
  /** `auto`, or one of a few such as `1024x1024`; only for models that are sized by pixels. */
  readonly size?: string;
  readonly quality?: string;
  readonly style?: string;
  readonly background?: string;
  /** `auto` is safe mode. */
  readonly moderation?: 'auto' | 'low';
  readonly format?: ImageFormat;
  /** 0 to 100. */
  readonly compression?: number;
  /** `url` is a data URL. */
  readonly responseFormat?: 'b64_json' | 'url';
  readonly user?: string;
}

/** The body of `POST /image/edit` (public documents, absent from the specification). */
export interface ImageEditRequest {
  readonly model?: string;
  readonly prompt: string;
  /** PNG, JPEG or WebP below 25 MB. */
  readonly image: Uint8Array;
  readonly aspectRatio?: string;
  readonly resolution?: string;
  readonly format?: ImageFormat;
  readonly safeMode?: boolean;
  readonly enhancePrompt?: boolean;
}

/** The body of `POST /image/multi-edit`: several pictures become one. */
export interface ImageCombineRequest extends Omit<ImageEditRequest, 'image'> {
  readonly images: readonly Uint8Array[];
  readonly quality?: string;
}

/** The body of `POST /image/upscale`. */
export interface ImageUpscaleRequest {
  readonly image: Uint8Array;
  readonly scale: 2 | 4;
  /** 0 to 0.02. */
  readonly creativity?: number;
}

/** What the reply's headers say about the picture; absent headers count as no. */
export interface ImageModeration {
  readonly blurred: boolean;
  /** The picture is a placeholder, and free of charge. */
  readonly contentViolation: boolean;
  /** Why, as far as the service says it. */
  readonly reasons: readonly ModerationReason[];
}

export type ModerationReason = 'adult-content' | 'minor';

/** Milliseconds, as the service measured them (spec §2.5). */
export interface ImageTiming {
  readonly total: number;
  readonly inference?: number;
  readonly preprocessing?: number;
  readonly queue?: number;
}

/**
 * An image call as it happens. Pictures come one after the other, whole before the next begins, their bytes in order
 * and in pieces. `reply-end` is the last event; anything that fails is thrown as ServiceError, and the pictures whose
 * `image-end` came are whole all the same.
 */
export type ImageEvent =
  | ({ readonly type: 'retry-wait' } & RetryWait)
  | {
      readonly type: 'reply-start';
      readonly moderation: ImageModeration;
      readonly info: ResponseInfo;
      /** The prompt that the service made of ours, when asked to. */
      readonly enhancedPrompt?: string;
    }
  | { readonly type: 'image-start'; readonly index: number }
  | { readonly type: 'image-bytes'; readonly index: number; readonly bytes: Uint8Array }
  | { readonly type: 'image-end'; readonly index: number }
  | { readonly type: 'reply-end'; readonly id?: string; readonly timing?: ImageTiming };
