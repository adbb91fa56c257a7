import { type ImageModel, readImageModel } from './image-model.ts';
import { readModel } from '../service/read-model.ts';

const createPrice = (value: number) => ({ usd: value, diem: value });

const baseModel = {
  offline: false,
  traits: [],
  qualities: [],
  maxStyleReferences: 0,
  supportsStyleStrength: false,
  hasBasicOptionsOnly: false,
} as const;

/** Image model whose sizes are in pixels and whose number of steps is configurable. */
export const pixelImageModel: ImageModel = {
  ...baseModel,
  id: 'painter-fine',
  name: 'Painter Fine',
  maxPromptChars: 1500,
  sizing: { kind: 'pixels', min: 16, max: 1280, divisor: 16, defaultSize: 1024 },
  steps: { default: 25, max: 30 },
  supportsWebSearch: false,
  prices: {
    generation: createPrice(0.01),
    upscale2: createPrice(0.02),
    upscale4: createPrice(0.08),
  },
};

/** Image model whose size is selected by aspect ratio. Offers several qualities. */
export const ratioModel: ImageModel = {
  ...baseModel,
  id: 'painter-ratio',
  name: 'Painter Ratio',
  maxPromptChars: 3000,
  sizing: { kind: 'ratio', ratios: ['1:1', '3:2', '16:9', '9:16'], defaultRatio: '3:2' },
  qualities: ['low', 'medium', 'high'],
  defaultQuality: 'medium',
  supportsWebSearch: false,
  prices: {
    generation: createPrice(0.05),
    qualities: {
      '1K': { low: createPrice(0.02), medium: createPrice(0.05), high: createPrice(0.12) },
    },
  },
};

/** Image model whose size is selected by aspect ratio and resolution. Supports web search. */
export const tierModel: ImageModel = {
  ...baseModel,
  id: 'painter-studio',
  name: 'Painter Studio',
  maxPromptChars: 32_768,
  sizing: {
    kind: 'tier',
    ratios: ['1:1', '16:9', '9:16'],
    defaultRatio: '1:1',
    resolutions: ['1K', '2K', '4K'],
    defaultResolution: '1K',
  },
  supportsWebSearch: true,
  prices: {
    resolutions: { '1K': createPrice(0.18), '2K': createPrice(0.23), '4K': createPrice(0.35) },
  },
};

const plainRecord = readModel({ id: 'painter-plain', type: 'image' });

/** Image model whose record contains neither constraints nor prices. */
export const unknownModel = (plainRecord && readImageModel(plainRecord)) as ImageModel;
