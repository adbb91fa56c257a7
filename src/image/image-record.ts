import type { ImageFormat, ImageModeration, ImageRequest } from '../service/images/image-types.ts';
import type { Price } from '../service/model-types.ts';

/** One picture of the gallery, with all that is needed to make it again. */
export interface ImageRecord {
  /** `[A-Za-z0-9_-]{1,64}`, ours. The picture is kept as `<id>.<format's ending>`. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly origin: ImageOrigin;
  /** What it shows, where its own request has no words for that: the words of the picture it was made from. */
  readonly subject?: string;
  readonly modelName?: string;
  readonly format: ImageFormat;
  readonly width: number;
  readonly height: number;
  /** Size of the picture's file. */
  readonly bytes: number;
  readonly moderation: ImageModeration;
  /** What this picture cost by the model's prices. */
  readonly price?: Price;
  /** How long the call took, in milliseconds. */
  readonly durationMs?: number;
  /** Where the person saved it, as URIs. */
  readonly saved: readonly string[];
}

/** What was asked for, exactly. */
export type ImageOrigin =
  | {
      readonly kind: 'generate';
      readonly request: ImageRequest;
      /** Which of how many pictures of the reply, from 0. Only the first uses the request's seed. */
      readonly variant: number;
      readonly variants: number;
    }
  | {
      readonly kind: 'edit' | 'combine';
      readonly model?: string;
      readonly prompt: string;
      readonly aspectRatio?: string;
      readonly resolution?: string;
      readonly sources: readonly ImageSourceName[];
    }
  | {
      readonly kind: 'upscale';
      readonly scale: 2 | 4;
      readonly sources: readonly ImageSourceName[];
    }
  | { readonly kind: 'remove-background'; readonly sources: readonly ImageSourceName[] };

/** Where a picture that was worked on came from: one of the gallery, or a file. */
export type ImageSourceName =
  | { readonly type: 'gallery'; readonly id: string }
  | { readonly type: 'file'; readonly uri: string };
