import type { ImageOrigin, ImageSourceName } from '../image-record.ts';
import type { ImageFormat, ImageRequest, VariantCount } from '../../service/images/image-types.ts';
import type { Price } from '../../service/model-types.ts';

/** A call of the image API that a person decided on. */
export interface ImageTask {
  readonly ask: ImageAsk;
  readonly modelName?: string;
  /** Of all the pictures together, by the model's prices. */
  readonly price?: Price;
}

export type ImageAsk =
  | { readonly kind: 'generate'; readonly request: ImageRequest; readonly variants: VariantCount }
  | {
      /** Of one picture, or of several that become one. */
      readonly kind: 'edit' | 'combine';
      readonly model?: string;
      readonly prompt: string;
      readonly aspectRatio?: string;
      readonly resolution?: string;
      readonly format?: ImageFormat;
      readonly safeMode?: boolean;
      readonly enhancePrompt?: boolean;
      readonly sources: readonly ImageSourceName[];
    }
  | {
      readonly kind: 'upscale';
      readonly scale: 2 | 4;
      readonly sources: readonly ImageSourceName[];
    }
  | { readonly kind: 'remove-background'; readonly sources: readonly ImageSourceName[] };

export function originOf(ask: ImageAsk, variant: number): ImageOrigin {
  switch (ask.kind) {
    case 'generate':
      return { ...ask, variant };
    default:
      return ask;
  }
}

/** The words that a picture was made by; empty when none were needed. */
export function promptOf(origin: ImageOrigin | ImageAsk): string {
  switch (origin.kind) {
    case 'generate':
      return origin.request.prompt;
    case 'edit':
    case 'combine':
      return origin.prompt;
    default:
      return '';
  }
}
