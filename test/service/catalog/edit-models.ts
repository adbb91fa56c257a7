import {
  type MediaModelDefinition,
  createMediaRecord,
  type Price,
  toPrice,
} from './media-record.ts';
import type { ModelRecord } from './model.ts';

/** Limits for edit requests, as listed in the model record of an edit model. */
export interface EditConstraints {
  readonly aspectRatios: readonly string[];
  readonly promptCharacterLimit: number;
  readonly combineImages: boolean;
  readonly maxInputImages?: number;
  readonly resolutions?: readonly string[];
  readonly qualities?: readonly string[];
}

/**
 * Prices of one edit. The price for a resolution and quality (`quality`) takes precedence over the price for a
 * resolution (`resolutions`). If neither exists, `inpaint` applies.
 */
export interface EditPricing {
  readonly inpaint: Price;
  readonly resolutions?: Readonly<Record<string, Price>>;
  readonly quality?: Readonly<Record<string, Readonly<Record<string, Price>>>>;
  readonly inputImages?: { readonly included: number; readonly additional: Price };
}

/** A model that edits images according to a prompt. */
export interface EditModel {
  readonly record: ModelRecord;
  readonly constraints: EditConstraints;
  readonly pricing: EditPricing;
  readonly isProOnly: boolean;
  readonly workMs: number;
}

interface EditModelDraft extends Omit<MediaModelDefinition, 'type' | 'pricing' | 'constraints'> {
  readonly constraints: EditConstraints;
  readonly pricing: EditPricing;
}

/** Values that an edit accepts as `aspect_ratio`. */
export const editRatios = [
  'auto',
  '1:1',
  '3:2',
  '16:9',
  '21:9',
  '9:16',
  '2:3',
  '3:4',
  '4:5',
] as const;

const definitions: readonly EditModelDraft[] = [
  {
    id: 'retouch-edit',
    name: 'Retouch',
    description: 'Edits an image as the prompt says, or combines up to three.',
    traits: ['default'],
    constraints: {
      aspectRatios: editRatios,
      promptCharacterLimit: 32_768,
      combineImages: true,
      maxInputImages: 3,
    },
    pricing: { inpaint: toPrice(0.04) },
  },
  {
    id: 'retouch-solo',
    name: 'Retouch Solo',
    description: 'Edits one image, in resolution tiers.',
    constraints: {
      aspectRatios: editRatios,
      promptCharacterLimit: 1500,
      combineImages: false,
      maxInputImages: 1,
      resolutions: ['1K', '2K', '4K'],
    },
    pricing: {
      inpaint: toPrice(0.05),
      resolutions: { '1K': toPrice(0.05), '2K': toPrice(0.08), '4K': toPrice(0.15) },
    },
  },
  {
    id: 'retouch-fuse',
    name: 'Retouch Fuse',
    description: 'Combines up to six images, in resolution tiers and qualities.',
    constraints: {
      aspectRatios: editRatios,
      promptCharacterLimit: 32_768,
      combineImages: true,
      maxInputImages: 6,
      resolutions: ['1K', '2K'],
      qualities: ['low', 'medium', 'high'],
    },
    pricing: {
      inpaint: toPrice(0.2),
      resolutions: { '1K': toPrice(0.2), '2K': toPrice(0.3) },
      quality: {
        '1K': { low: toPrice(0.04), medium: toPrice(0.1), high: toPrice(0.2) },
        '2K': { low: toPrice(0.06), medium: toPrice(0.15), high: toPrice(0.3) },
      },
      inputImages: { included: 2, additional: toPrice(0.01) },
    },
  },
];

export const editModels: readonly EditModel[] = definitions.map((definition) => ({
  record: createMediaRecord({ ...definition, type: 'inpaint' }),
  constraints: definition.constraints,
  pricing: definition.pricing,
  isProOnly: false,
  workMs: 2000,
}));
