import { omitUndefined } from '../base/json.ts';
import type { ImageModel, ImageSizing } from './image-model.ts';
import type { ImageOptions } from './image-options.ts';

/** Size of an image in pixels. */
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
 * Returns the size of the generated image. For models that are not sized by pixels, this is an estimate with the
 * correct aspect ratio.
 */
export function resolveImageSize(model: ImageModel, options: ImageOptions): ImageSize {
  const { sizing } = model;
  if (sizing.kind === 'pixels') {
    return {
      width: pixels(sizing, options.width),
      height: pixels(sizing, options.height),
    };
  }
  const [horizontal, vertical] = parseRatio(resolveAspectRatio(sizing, options));
  const side = longerSideOf(resolveResolution(sizing, options));
  const scale = side / Math.max(horizontal, vertical);
  return {
    width: Math.max(1, Math.round(horizontal * scale)),
    height: Math.max(1, Math.round(vertical * scale)),
  };
}

/**
 * Lists selectable sizes for a model that is sized by pixels, within the range and step of the model. Empty for other
 * models.
 */
export function sizeChoices({ sizing }: ImageModel): readonly SizeChoice[] {
  if (sizing.kind !== 'pixels') return [];
  const choices = shapes.map(([shape, width, height]) => ({
    shape,
    width: pixels(sizing, width),
    height: pixels(sizing, height),
  }));
  // With a large step, several shapes can have the same size.
  return choices.filter(
    ({ width, height }, index) =>
      choices.findIndex((choice) => choice.width === width && choice.height === height) === index,
  );
}

/**
 * Returns the selected ratio if the model offers it, else the model's default. `undefined` for models without ratios.
 */
export const resolveAspectRatio = (
  { ratios, defaultRatio }: Exclude<ImageSizing, { kind: 'pixels' }>,
  { aspectRatio }: ImageOptions,
): string | undefined =>
  ratios.length === 0 ? undefined : (ratios.find((ratio) => ratio === aspectRatio) ?? defaultRatio);

/**
 * Returns the selected resolution if the model offers it, else the model's default. `undefined` for models without
 * resolutions.
 */
export const resolveResolution = (
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

function pixels(
  { min, max, divisor, defaultSize }: PixelSizing,
  requestedSide = defaultSize,
): number {
  if (Number.isNaN(requestedSide)) return defaultSize;
  return Math.min(max, Math.max(min, Math.round(requestedSide / divisor) * divisor));
}

/** Parses a ratio such as `16:9`. Returns 1:1 for any other text, such as `auto`. */
function parseRatio(ratio = '1:1'): readonly [number, number] {
  const [horizontal = 1, vertical = 1] = ratio.split(':').map(Number);
  return horizontal > 0 && vertical > 0 ? [horizontal, vertical] : [1, 1];
}

/** Converts a resolution to the length of the longer side in pixels: 2,048 for `2K`. Default: 1,024. */
function longerSideOf(resolution = '1K'): number {
  const [, amount, unit] = /^(\d{1,4}(?:\.\d)?)(k|p|px)?$/iu.exec(resolution) ?? [];
  const side =
    Number(amount ?? '1') * (amount === undefined || /^k$/iu.test(unit ?? '') ? 1_024 : 1);
  return Math.min(8_192, Math.max(1, side));
}

/** Requested shape of an image, before the options of a model are known. */
export interface RequestedShape {
  /** Aspect ratio such as `16:9`. */
  readonly aspectRatio?: string;
  /** Size in pixels such as `1024x768`, or a resolution such as `2K`. */
  readonly size?: string;
}

/**
 * Returns the model's options nearest to the requested shape. Omits an option if the text cannot be parsed.
 * `aspectRatio` takes precedence over the ratio of `size`.
 */
export function optionsForShape(model: ImageModel, requested: RequestedShape): ImageOptions {
  const { sizing } = model;
  const pixels = pixelsOf(requested.size);
  const ratio = ratioOf(requested.aspectRatio) ?? (pixels && pixels.width / pixels.height);
  const side = pixels
    ? Math.sqrt(pixels.width * pixels.height)
    : sideFromResolution(requested.size);
  if (sizing.kind === 'pixels') {
    if (ratio === undefined && side === undefined) return {};
    return fitIntoRange(sizing, side ?? sizing.defaultSize, ratio ?? 1);
  }
  return omitUndefined({
    aspectRatio: ratio === undefined ? undefined : nearestRatio(sizing.ratios, ratio),
    resolution:
      sizing.kind === 'tier' && side !== undefined
        ? findNearest(sizing.resolutions, (resolution) =>
            Math.abs(
              Math.log(resolveImageSize(model, { resolution, aspectRatio: '1:1' }).width / side),
            ),
          )
        : undefined,
  });
}

/** Scales both sides into the range of the model. Preserves the ratio, because the shape matters more than the size. */
function fitIntoRange(
  { min, max }: { readonly min: number; readonly max: number },
  side: number,
  ratio: number,
): ImageSize {
  const stretch = Math.sqrt(ratio);
  const longerSide = side * Math.max(stretch, 1 / stretch);
  const shorterSide = side * Math.min(stretch, 1 / stretch);
  const scale = longerSide > max ? max / longerSide : shorterSide < min ? min / shorterSide : 1;
  return {
    width: Math.round(side * stretch * scale),
    height: Math.round((side / stretch) * scale),
  };
}

const nearestRatio = (ratios: readonly string[], ratio: number): string | undefined =>
  findNearest(ratios, (candidate) => Math.abs(Math.log((ratioOf(candidate) ?? 1) / ratio)));

/** Returns the name with the smallest distance; the first one if several have the same distance. */
function findNearest(
  names: readonly string[],
  distance: (name: string) => number,
): string | undefined {
  const distances = names.map(distance);
  return names[distances.indexOf(Math.min(...distances))];
}

function ratioOf(text = ''): number | undefined {
  const [, horizontal = '', vertical = ''] = /^(\d{1,4}):(\d{1,4})$/u.exec(text.trim()) ?? [];
  const ratio = Number(horizontal) / Number(vertical);
  return Number.isFinite(ratio) && ratio > 0 ? ratio : undefined;
}

function pixelsOf(text = ''): ImageSize | undefined {
  const [, horizontal, vertical] = /^(\d{1,5})\s*[x×*]\s*(\d{1,5})$/iu.exec(text.trim()) ?? [];
  const [width, height] = [Number(horizontal), Number(vertical)];
  return width > 0 && height > 0 ? { width, height } : undefined;
}

/** Converts a resolution such as `2K` to a side length in pixels: 2,048. */
function sideFromResolution(text = ''): number | undefined {
  const [, amount] = /^(\d{1,2})k$/iu.exec(text.trim()) ?? [];
  return Number(amount) > 0 ? Number(amount) * 1_024 : undefined;
}
