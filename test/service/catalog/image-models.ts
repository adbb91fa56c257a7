import {
  type MediaModelDefinition,
  createMediaRecord,
  type Price,
  toPrice,
} from './media-record.ts';
import type { ModelRecord } from './model.ts';

/**
 * Limits for requests, as listed in the model record of an image model (spec §4.5). Fields for aspect ratio, resolution
 * or quality are absent if the model does not accept them.
 */
export interface ImageConstraints {
  readonly promptCharacterLimit: number;
  readonly steps: { readonly default: number; readonly max: number };
  readonly widthHeightDivisor: number;
  readonly aspectRatios?: readonly string[];
  readonly defaultAspectRatio?: string;
  readonly resolutions?: readonly string[];
  readonly defaultResolution?: string;
  readonly qualities?: readonly string[];
  readonly defaultQuality?: string;
  readonly maxStyleReferences?: number;
  readonly supportsStyleReferenceStrength?: boolean;
}

/**
 * Prices of one image. The price for a resolution and quality (`quality`) takes precedence over the price for a
 * resolution (`resolutions`). If neither exists, `generation` applies.
 */
export interface ImagePricing {
  readonly generation?: Price;
  readonly resolutions?: Readonly<Record<string, Price>>;
  readonly quality?: Readonly<Record<string, Readonly<Record<string, Price>>>>;
  readonly upscale: Readonly<Record<'2x' | '4x', Price>>;
}

/** Image model: its record in the model list, and properties that only the service uses. */
export interface ImageModel {
  readonly record: ModelRecord;
  readonly constraints: ImageConstraints;
  readonly pricing: ImagePricing;
  /**
   * True for a diffusion model whose images are sized by pixels. Only these models use guidance, style and negative
   * prompt.
   */
  readonly isPixelDiffusionModel: boolean;
  /**
   * True if the number of steps in a request has an effect. The model then rejects a number above the maximum in its
   * record. Other models ignore the number.
   */
  readonly hasAdjustableSteps: boolean;
  /** True if the model rejects width and height with status 400. False if it ignores them. */
  readonly rejectsPixelSize: boolean;
  /**
   * True if only users with a Pro subscription may use the model. Every request to it then fails with 401, because this
   * deployment has no such users.
   */
  readonly isProOnly: boolean;
  /** Duration of a request in milliseconds, if the test service is set to the `natural` pace. */
  readonly workMs: number;
}

interface ImageModelDraft extends Omit<MediaModelDefinition, 'type' | 'pricing' | 'constraints'> {
  readonly constraints: ImageConstraints;
  readonly pricing: Omit<ImagePricing, 'upscale'>;
  readonly hiddenTraits?: Partial<Pick<ImageModel, 'rejectsPixelSize' | 'isProOnly' | 'workMs'>>;
}

export const upscalePricing = { '2x': toPrice(0.02), '4x': toPrice(0.08) };

/** Aspect ratios of models whose sizes are selected by aspect ratio instead of pixels. */
const listedRatios = ['1:1', '3:2', '16:9', '21:9', '9:16', '2:3', '4:5'];

const ratioConstraints = {
  widthHeightDivisor: 1,
  aspectRatios: listedRatios,
  defaultAspectRatio: '1:1',
};
const resolutionConstraints = {
  ...ratioConstraints,
  resolutions: ['1K', '2K', '4K'],
  defaultResolution: '1K',
};

const definitions: readonly ImageModelDraft[] = [
  {
    id: 'painter-turbo',
    name: 'Painter Turbo',
    description: 'Pixel-sized images in a second or two.',
    traits: ['default', 'fastest'],
    constraints: {
      promptCharacterLimit: 7500,
      steps: { default: 8, max: 8 },
      widthHeightDivisor: 8,
    },
    pricing: { generation: toPrice(0.01) },
    hiddenTraits: { workMs: 700 },
  },
  {
    id: 'painter-fine',
    name: 'Painter Fine',
    description: 'Pixel-sized images with style references and many steps.',
    constraints: {
      promptCharacterLimit: 1500,
      steps: { default: 25, max: 30 },
      widthHeightDivisor: 16,
      maxStyleReferences: 3,
      supportsStyleReferenceStrength: true,
    },
    pricing: { generation: toPrice(0.01) },
    extraSpec: { supportsStyleReferences: true },
  },
  {
    id: 'painter-ratio',
    name: 'Painter Ratio',
    description: 'Sized by aspect ratio.',
    constraints: {
      promptCharacterLimit: 3000,
      steps: { default: 20, max: 50 },
      ...ratioConstraints,
    },
    pricing: { generation: toPrice(0.05) },
    extraSpec: { privacy: 'anonymized' },
  },
  {
    id: 'painter-studio',
    name: 'Painter Studio',
    description: 'Sized by aspect ratio and resolution tier; knows current events.',
    traits: ['highest_quality'],
    constraints: {
      promptCharacterLimit: 32_768,
      steps: { default: 1, max: 1 },
      ...resolutionConstraints,
    },
    pricing: { resolutions: { '1K': toPrice(0.18), '2K': toPrice(0.23), '4K': toPrice(0.35) } },
    extraSpec: { privacy: 'anonymized', supportsWebSearch: true },
    hiddenTraits: { workMs: 4000 },
  },
  {
    id: 'painter-print',
    name: 'Painter Print',
    description: 'Sized by aspect ratio and resolution tier, in three qualities.',
    constraints: {
      promptCharacterLimit: 32_768,
      steps: { default: 1, max: 1 },
      ...resolutionConstraints,
      qualities: ['low', 'medium', 'high'],
      defaultQuality: 'high',
    },
    pricing: {
      resolutions: { '1K': toPrice(0.19), '2K': toPrice(0.26), '4K': toPrice(0.4) },
      quality: {
        '1K': { low: toPrice(0.02), medium: toPrice(0.06), high: toPrice(0.19) },
        '2K': { low: toPrice(0.03), medium: toPrice(0.09), high: toPrice(0.26) },
        '4K': { low: toPrice(0.05), medium: toPrice(0.14), high: toPrice(0.4) },
      },
    },
    extraSpec: { privacy: 'anonymized', supportsOptimizePromptThinking: true },
    hiddenTraits: { rejectsPixelSize: true, workMs: 4000 },
  },
  {
    id: 'painter-veteran',
    name: 'Painter Veteran',
    description: 'Deprecated; Painter Fine does the same.',
    traits: ['most_uncensored'],
    constraints: {
      promptCharacterLimit: 1500,
      steps: { default: 20, max: 50 },
      widthHeightDivisor: 8,
    },
    pricing: { generation: toPrice(0.01) },
    extraSpec: {
      uncensored: true,
      deprecation: {
        date: '2027-03-01T00:00:00.000Z',
        removesAt: '2027-03-15T00:00:00.000Z',
        autoRemap: true,
        replacementModelId: 'painter-fine',
      },
    },
  },
  {
    id: 'painter-absent',
    name: 'Painter Absent',
    description: 'Always offline.',
    constraints: {
      promptCharacterLimit: 3000,
      steps: { default: 20, max: 50 },
      ...ratioConstraints,
    },
    pricing: { generation: toPrice(0.03) },
    extraSpec: { offline: true },
  },
  {
    id: 'painter-frontier',
    name: 'Painter Frontier',
    description: 'Needs a subscription that this deployment sells to nobody.',
    constraints: {
      promptCharacterLimit: 3000,
      steps: { default: 20, max: 50 },
      ...ratioConstraints,
    },
    pricing: { generation: toPrice(0.09) },
    extraSpec: { privacy: 'anonymized', beta: true },
    hiddenTraits: { isProOnly: true },
  },
];

export const imageModels: readonly ImageModel[] = definitions.map(
  ({ hiddenTraits, ...definition }) => {
    const pricing = { ...definition.pricing, upscale: upscalePricing };
    const { aspectRatios, steps } = definition.constraints;
    const isPixelDiffusionModel = aspectRatios === undefined;
    return {
      record: createMediaRecord({
        ...definition,
        type: 'image',
        pricing,
        extraSpec: { supportsWebSearch: false, ...definition.extraSpec },
      }),
      constraints: definition.constraints,
      pricing,
      isPixelDiffusionModel,
      hasAdjustableSteps: isPixelDiffusionModel && steps.default < steps.max,
      rejectsPixelSize: false,
      isProOnly: false,
      workMs: 2000,
      ...hiddenTraits,
    };
  },
);
