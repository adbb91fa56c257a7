import type { Cost, ResponseInfo } from '../chat/chat-types.ts';
import type { Endpoint } from '../http/client.ts';
import type { RetryWait } from '../http/failure.ts';

/** Image formats that the service can return (spec §4.5). Responses in other formats are rejected. */
export type ImageFormat = 'png' | 'jpeg' | 'webp';

/** Number of images that one call may request (spec §8). */
export type VariantCount = 1 | 2 | 3 | 4;

/**
 * Options of `POST /image/generate` (spec §4.5 and public documents), with the extension's own names. Excludes the
 * number of images. The service rejects unknown fields.
 */
export interface ImageRequest {
  readonly model: string;
  readonly prompt: string;
  readonly negativePrompt?: string;
  /** Width in pixels. Only for models whose image size is set in pixels. */
  readonly width?: number;
  readonly height?: number;
  /** Aspect ratio such as `16:9`. Only for models whose image size is set by aspect ratio. */
  readonly aspectRatio?: string;
  /** `1K`, `2K` or `4K`. Only for models with selectable resolutions. */
  readonly resolution?: string;
  readonly quality?: string;
  readonly format?: ImageFormat;
  readonly safeMode?: boolean;
  /** Seed from -999,999,999 to 999,999,999. The value 0 is an ordinary seed. */
  readonly seed?: number;
  readonly cfgScale?: number;
  readonly steps?: number;
  readonly stylePreset?: string;
  readonly loraStrength?: number;
  readonly hideWatermark?: boolean;
  readonly embedExifMetadata?: boolean;
  readonly enableWebSearch?: boolean;
  readonly enhancePrompt?: boolean;
  readonly styleReferences?: readonly StyleReference[];
}

export interface StyleReference {
  /** Reference image of less than 8 MB, as base64 without a prefix, a data URL, or an `https:` URL. */
  readonly image: string;
  /** Influence of the reference image on the generated image, 0.1 to 1. */
  readonly strength?: number;
}

/**
 * Options of `POST /images/generations` (spec §4.7), with the extension's own names. The service rejects unknown fields
 * and returns one image. `quality`, `style` and `background` currently have no effect.
 */
export interface ImageCreateRequest {
  readonly model: string;
  readonly prompt: string;
  /** `auto`, or a size such as `1024x1024`. Only for models whose image size is set in pixels. */
  readonly size?: string;
  readonly quality?: string;
  readonly style?: string;
  readonly background?: string;
  /** `auto` enables safe mode, `low` disables it. */
  readonly moderation?: 'auto' | 'low';
  readonly format?: ImageFormat;
  /** Compression level of the image, 0 to 100. */
  readonly compression?: number;
  /** Encoding of the image in the response. `url` returns a data URL. */
  readonly responseFormat?: 'b64_json' | 'url';
  readonly user?: string;
}

/** Options of `POST /image/edit` (public documents; not in the specification). */
export interface ImageEditRequest {
  readonly model?: string;
  readonly prompt: string;
  /** PNG, JPEG or WebP image of less than 25 MB. */
  readonly image: Uint8Array;
  readonly aspectRatio?: string;
  readonly resolution?: string;
  readonly quality?: string;
  readonly format?: ImageFormat;
  readonly safeMode?: boolean;
  readonly enhancePrompt?: boolean;
}

/** Options of `POST /image/multi-edit`, which combines several images into one. */
export interface ImageCombineRequest extends Omit<ImageEditRequest, 'image'> {
  readonly images: readonly Uint8Array[];
}

/** Options of `POST /image/upscale`. */
export interface ImageUpscaleRequest {
  readonly image: Uint8Array;
  readonly scale: 2 | 4;
  /** Degree to which the service may add details, 0 to 0.02. */
  readonly creativity?: number;
}

/** Moderation result of an image, from the response headers. Missing headers count as false. */
export interface ImageModeration {
  readonly blurred: boolean;
  /** True if the service returned a placeholder instead of an image. The placeholder is free of charge. */
  readonly contentViolation: boolean;
  /** Reasons that the service reports, possibly none. */
  readonly reasons: readonly ModerationReason[];
}

export type ModerationReason = 'adult-content' | 'minor';

/**
 * Event of an image call. The events of one image precede the events of the next image. The last event is `reply-end`.
 * Failures are thrown as ServiceError. An image with an `image-end` event is complete, even if the call fails later.
 */
export type ImageEvent =
  /**
   * The budget check permits the request, which is sent next. Measure durations from this event, because the check may
   * have waited for the user's confirmation.
   */
  | { readonly type: 'request-start' }
  | ({ readonly type: 'retry-wait' } & RetryWait)
  | {
      readonly type: 'reply-start';
      readonly moderation: ImageModeration;
      readonly info: ResponseInfo;
      /** Prompt as rewritten by the service. Absent unless the request enables prompt enhancement. */
      readonly enhancedPrompt?: string;
      /**
       * True if the OpenAI-compatible route (spec §4.7) was used, so the request contained only the options of that
       * route.
       */
      readonly hasOnlyCreateOptions?: boolean;
      /** Body fields that the request omitted because the service refuses them. */
      readonly omittedFields?: readonly string[];
    }
  | { readonly type: 'image-start'; readonly index: number }
  | { readonly type: 'image-bytes'; readonly index: number; readonly bytes: Uint8Array }
  | { readonly type: 'image-end'; readonly index: number }
  | { readonly type: 'reply-end' };

export interface ImageCallOptions {
  readonly signal: AbortSignal;
  /** Price of all images of the call, according to the model's price list. */
  readonly price?: Cost | undefined;
}

/** Options of one paid request. */
export interface RequestImagesOptions extends ImageCallOptions {
  /** Number of requested images. */
  readonly imageCount: number;
  /** Model under which the cost is recorded, or the name of the operation if the request has no model. */
  readonly model?: string;
  /**
   * Endpoint for which the request was built. The request is sent to no other service. Default: the active endpoint.
   */
  readonly endpoint?: Endpoint | undefined;
  /**
   * False for the OpenAI-compatible route, which any server can have. An error of this route does not guarantee that no
   * image was charged. Default: true.
   */
  readonly isNative?: boolean;
}

export interface GenerateOptions extends ImageCallOptions {
  readonly variants: VariantCount;
  /** True if the user chose the seed, so that it is left out only if the user agrees. False for a random seed. */
  readonly isSeedChosen?: boolean | undefined;
}
