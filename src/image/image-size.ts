import type { ImageModel, ImageSizing } from './image-model.ts';
import type { ImageOptions } from './image-options.ts';

/** In pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

export type ImageShape =
  | 'square'
  | 'landscape'
  | 'portrait'
  | 'wide'
  | 'tall'
  | 'banner'
  | 'small-square';

export interface SizeChoice extends ImageSize {
  readonly shape: ImageShape;
}

/**
 * The size that a picture will have: what is sent, for models that are sized by pixels; for the others only about
 * that, in the right shape.
 */
export function sizeOf(model: ImageModel, options: ImageOptions): ImageSize {
  const { sizing } = model;
  if (sizing.kind === 'pixels') {
    return {
      width: pixels(sizing, options.width),
      height: pixels(sizing, options.height),
    };
  }
  const [across, down] = partsOf(chosenRatio(sizing, options));
  const side = sideOf(chosenResolution(sizing, options));
  const scale = side / Math.max(across, down);
  return {
    width: Math.max(1, Math.round(across * scale)),
    height: Math.max(1, Math.round(down * scale)),
  };
}

/** What to offer for a model that is sized by pixels, each within its range and in its steps; nothing for others. */
export function sizeChoices({ sizing }: ImageModel): readonly SizeChoice[] {
  if (sizing.kind !== 'pixels') return [];
  const choices = shapes.map(([shape, width, height]) => ({
    shape,
    width: pixels(sizing, width),
    height: pixels(sizing, height),
  }));
  // Large steps make several shapes the same.
  return choices.filter(
    ({ width, height }, index) =>
      choices.findIndex((each) => each.width === width && each.height === height) === index,
  );
}

/** The model's default for a ratio that it does not offer; `undefined` when it offers none. */
export const chosenRatio = (
  { ratios, defaultRatio }: Exclude<ImageSizing, { kind: 'pixels' }>,
  { aspectRatio }: ImageOptions,
): string | undefined =>
  ratios.length === 0 ? undefined : (ratios.find((ratio) => ratio === aspectRatio) ?? defaultRatio);

/** The model's default for a resolution that it does not offer; `undefined` when it has no tiers. */
export const chosenResolution = (
  sizing: ImageSizing,
  { resolution }: ImageOptions,
): string | undefined =>
  sizing.kind === 'tier'
    ? (sizing.resolutions.find((tier) => tier === resolution) ?? sizing.defaultResolution)
    : undefined;

const shapes: readonly (readonly [ImageShape, number, number])[] = [
  ['square', 1_024, 1_024],
  ['landscape', 1_248, 832],
  ['portrait', 832, 1_248],
  ['wide', 1_280, 720],
  ['tall', 720, 1_280],
  ['banner', 1_280, 544],
  ['small-square', 512, 512],
];

type PixelSizing = Extract<ImageSizing, { kind: 'pixels' }>;

function pixels({ min, max, divisor, defaultSize }: PixelSizing, wanted = defaultSize): number {
  if (Number.isNaN(wanted)) return defaultSize;
  return Math.min(max, Math.max(min, Math.round(wanted / divisor) * divisor));
}

/** `16:9`; a square for whatever is left to the model. */
function partsOf(ratio = '1:1'): readonly [number, number] {
  const [across = 1, down = 1] = ratio.split(':').map(Number);
  return across > 0 && down > 0 ? [across, down] : [1, 1];
}

/** The longer side: `2K` is 2,048. */
function sideOf(resolution = '1K'): number {
  const [, amount, unit] = /^(\d{1,4}(?:\.\d)?)(k|p|px)?$/iu.exec(resolution) ?? [];
  const side =
    Number(amount ?? '1') * (amount === undefined || /^k$/iu.test(unit ?? '') ? 1_024 : 1);
  return Math.min(8_192, Math.max(1, side));
}
