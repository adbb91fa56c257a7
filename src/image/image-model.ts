import type { Price } from '../service/model-types.ts';

/** A model that makes pictures from words, and what it takes (spec §4.5: sizing follows the model). */
export interface ImageModel {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly offline: boolean;
  /** `private`, `anonymized`, or what else the service says. */
  readonly privacy?: string;
  readonly traits: readonly string[];
  /** Characters that a prompt, and a negative prompt, may have. */
  readonly promptLimit: number;
  readonly sizing: ImageSizing;
  /** Absent when the model decides by itself. */
  readonly steps?: { readonly default: number; readonly max: number };
  readonly qualities: readonly string[];
  readonly defaultQuality?: string;
  /** Negative prompt, guidance scale, style preset: what step-wise models take and others ignore. */
  readonly takesGuidance: boolean;
  readonly takesWebSearch: boolean;
  /** 0: none. */
  readonly maxStyleReferences: number;
  readonly takesStyleStrength: boolean;
  readonly prices: ImagePrices;
}

export type ImageSizing =
  | {
      readonly kind: 'pixels';
      readonly min: number;
      readonly max: number;
      /** Width and height are multiples of it. */
      readonly divisor: number;
      readonly defaultSize: number;
    }
  | { readonly kind: 'ratio'; readonly ratios: readonly string[]; readonly defaultRatio: string }
  | {
      readonly kind: 'tier';
      readonly ratios: readonly string[];
      readonly defaultRatio: string;
      readonly resolutions: readonly string[];
      readonly defaultResolution: string;
    };

/** Of one picture. What a service does not say is absent. */
export interface ImagePrices {
  readonly generation?: Price;
  readonly resolutions?: Readonly<Record<string, Price>>;
  /** By resolution (or `1K` when there are none), then quality. */
  readonly qualities?: Readonly<Record<string, Readonly<Record<string, Price>>>>;
  readonly upscale2?: Price;
  readonly upscale4?: Price;
}

/** A model that changes pictures as words say. */
export interface EditModel {
  readonly id: string;
  readonly name: string;
  readonly offline: boolean;
  readonly privacy?: string;
  readonly traits: readonly string[];
  readonly promptLimit: number;
  /** May be empty: then the picture keeps its shape. */
  readonly ratios: readonly string[];
  readonly resolutions: readonly string[];
  /** Only for what is made of several pictures. */
  readonly qualities: readonly string[];
  /** How many pictures one call may take; 1 when the model cannot combine. */
  readonly maxImages: number;
  readonly price?: Price;
  readonly resolutionPrices?: Readonly<Record<string, Price>>;
  /** By resolution (or `1K` when there are none), then quality. */
  readonly qualityPrices?: Readonly<Record<string, Readonly<Record<string, Price>>>>;
  /** How many pictures the price covers, and what each one more costs. */
  readonly includedImages?: number;
  readonly additionalImagePrice?: Price;
}
