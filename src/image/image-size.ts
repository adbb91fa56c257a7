import { omitUndefined } from '../base/json.ts';
import type { ImageModel, ImageSizing, PixelSizing, UnknownSizing } from './image-model.ts';
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
 * Returns the expected size of the generated image. If the model's sizes are not in pixels, only the aspect ratio is
 * exact.
 */
export function resolveImageSize(model: ImageModel, options: ImageOptions): ImageSize {
  const { sizing } = model;
  if (sizing.kind === 'pixels') return fitSize(sizing, options);
  if (isSizedByPixels(sizing, options)) return fitSize(sizing.pixels, options);
  const [ratioWidth, ratioHeight] = parseRatio(resolveAspectRatio(sizing, options));
  const side = getLongerSide(resolveResolution(sizing, options));
  const scale = side / Math.max(ratioWidth, ratioHeight);
  return {
    width: Math.max(1, Math.round(ratioWidth * scale)),
    height: Math.max(1, Math.round(ratioHeight * scale)),
  };
}

/**
 * Checks whether the sizing of the model is unknown and the options select only a size in pixels: no aspect ratio and
 * no resolution.
 */
const isSizedByPixels = (
  sizing: Exclude<ImageSizing, PixelSizing>,
  { width, height, aspectRatio, resolution }: ImageOptions,
): sizing is UnknownSizing & { readonly pixels: PixelSizing } =>
  sizing.kind === 'unknown' &&
  sizing.pixels !== undefined &&
  (width !== undefined || height !== undefined) &&
  aspectRatio === undefined &&
  resolution === undefined;

/**
 * Returns the accepted size that is nearest to the chosen size. If the model has fixed sizes, a similar aspect ratio is
 * more important than a similar side length.
 */
export function fitSize(
  sizing: PixelSizing,
  { width, height }: Pick<ImageOptions, 'width' | 'height'>,
): ImageSize {
  const { fixedSizes, defaultSize } = sizing;
  if (fixedSizes === undefined)
    return { width: computePixelSide(sizing, width), height: computePixelSide(sizing, height) };
  const ratio = (width || defaultSize) / (height || defaultSize);
  const getDistance = ([x, y]: readonly [number, number]): number =>
    10 * Math.abs(Math.log(x / y / ratio)) + Math.abs(Math.log(x / (width || defaultSize)));
  const [nearestSize = [defaultSize, defaultSize]] = fixedSizes.toSorted(
    (a, b) => getDistance(a) - getDistance(b),
  );
  return { width: nearestSize[0], height: nearestSize[1] };
}

/**
 * Returns the sizes in pixels to offer to the user, within the limits of the model. Empty for a model whose sizes are
 * not in pixels.
 */
export function listSizeChoices(model: ImageModel): readonly SizeChoice[] {
  const sizing = model.sizing.kind === 'unknown' ? model.sizing.pixels : model.sizing;
  if (sizing?.kind !== 'pixels') return [];
  const choices = imageShapes.map(([shape, width, height]) => ({
    shape,
    ...fitSize(sizing, { width, height }),
  }));
  // If the step is large, several shapes can be rounded to the same size, which is listed once.
  return choices.filter(
    ({ width, height }, index) =>
      choices.findIndex((choice) => choice.width === width && choice.height === height) === index,
  );
}

/**
 * Returns the selected aspect ratio if the model offers it, otherwise the model's default. Returns `undefined` if the
 * model has no aspect ratios or its default is unknown.
 */
export const resolveAspectRatio = (
  sizing: Exclude<ImageSizing, PixelSizing>,
  { aspectRatio }: ImageOptions,
): string | undefined => {
  const { kind, ratios } = sizing;
  const defaultRatio = kind === 'unknown' || ratios.length === 0 ? undefined : sizing.defaultRatio;
  return ratios.find((ratio) => ratio === aspectRatio) ?? defaultRatio;
};

/**
 * Returns the selected resolution if the model offers it, otherwise the model's default. Returns `undefined` for a
 * model without resolutions.
 */
export const resolveResolution = (
  sizing: ImageSizing,
  { resolution }: ImageOptions,
): string | undefined => {
  if (sizing.kind === 'pixels' || sizing.kind === 'ratio') return undefined;
  const chosenResolution = sizing.resolutions.find((tier) => tier === resolution);
  return chosenResolution ?? (sizing.kind === 'tier' ? sizing.defaultResolution : undefined);
};

const imageShapes: readonly (readonly [ImageShape, number, number])[] = [
  ['square', 1_024, 1_024],
  ['landscape', 1_248, 832],
  ['portrait', 832, 1_248],
  ['wide', 1_280, 720],
  ['tall', 720, 1_280],
  ['banner', 1_280, 544],
  ['small-square', 512, 512],
];

function computePixelSide(
  { min, max, divisor, defaultSize }: PixelSizing,
  requestedSide = defaultSize,
): number {
  if (Number.isNaN(requestedSide)) return defaultSize;
  return Math.min(max, Math.max(min, Math.round(requestedSide / divisor) * divisor));
}

/** Parses a ratio such as `16:9`. Returns 1:1 for any other text, such as `auto`. */
function parseRatio(ratio = '1:1'): readonly [number, number] {
  const [ratioWidth = 1, ratioHeight = 1] = ratio.split(':').map(Number);
  return ratioWidth > 0 && ratioHeight > 0 ? [ratioWidth, ratioHeight] : [1, 1];
}

/** Converts a resolution to the length of the longer side in pixels: 2,048 for `2K`. Default: 1,024. */
function getLongerSide(resolution = '1K'): number {
  const [, amount, unit] = /^(\d{1,4}(?:\.\d)?)(k|p|px)?$/iu.exec(resolution) ?? [];
  const side =
    Number(amount ?? '1') * (amount === undefined || /^k$/iu.test(unit ?? '') ? 1_024 : 1);
  return Math.min(8_192, Math.max(1, side));
}

/** Shape of an image as an agent's model requests it, before an image model is selected. */
export interface RequestedShape {
  /** Aspect ratio such as `16:9`. */
  readonly aspectRatio?: string;
  /** Size in pixels such as `1024x768`, or a resolution such as `2K`. */
  readonly size?: string;
}

/**
 * Returns the options of the model that are nearest to the requested shape. Omits an option whose text is invalid. If
 * `aspectRatio` differs from the ratio of `size`, `aspectRatio` applies.
 */
export function chooseOptionsForShape(
  model: ImageModel,
  requestedShape: RequestedShape,
): ImageOptions {
  const { sizing } = model;
  const pixels = parseSize(requestedShape.size);
  const ratio = readRatio(requestedShape.aspectRatio) ?? (pixels && pixels.width / pixels.height);
  const side = pixels
    ? Math.sqrt(pixels.width * pixels.height)
    : parseResolutionSide(requestedShape.size);
  if (sizing.kind === 'pixels') {
    if (ratio === undefined && side === undefined) return {};
    return fitSizeIntoRange(sizing, side ?? sizing.defaultSize, ratio ?? 1);
  }
  if (sizing.kind === 'unknown' && sizing.pixels !== undefined && pixels !== undefined)
    return fitSizeIntoRange(sizing.pixels, side ?? sizing.pixels.defaultSize, ratio ?? 1);
  return omitUndefined({
    aspectRatio: ratio === undefined ? undefined : findNearestRatio(sizing.ratios, ratio),
    resolution:
      sizing.kind !== 'ratio' && sizing.resolutions.length > 0 && side !== undefined
        ? findNearestName(sizing.resolutions, (resolution) =>
            Math.abs(
              Math.log(resolveImageSize(model, { resolution, aspectRatio: '1:1' }).width / side),
            ),
          )
        : undefined,
  });
}

/**
 * Scales both sides into the range of the model. Keeps the aspect ratio if possible, because it is more important than
 * the size.
 */
function fitSizeIntoRange(
  { min, max }: { readonly min: number; readonly max: number },
  side: number,
  ratio: number,
): ImageSize {
  const aspectScale = Math.sqrt(ratio);
  const longerSide = side * Math.max(aspectScale, 1 / aspectScale);
  const shorterSide = side * Math.min(aspectScale, 1 / aspectScale);
  const scale = longerSide > max ? max / longerSide : shorterSide < min ? min / shorterSide : 1;
  return {
    width: Math.round(side * aspectScale * scale),
    height: Math.round((side / aspectScale) * scale),
  };
}

const findNearestRatio = (ratios: readonly string[], ratio: number): string | undefined =>
  findNearestName(ratios, (candidate) => Math.abs(Math.log((readRatio(candidate) ?? 1) / ratio)));

/**
 * Returns the name, such as the aspect ratio `16:9`, for which `getDistance` returns the smallest number. If several
 * names have the same distance, returns the first.
 */
function findNearestName(
  names: readonly string[],
  getDistance: (name: string) => number,
): string | undefined {
  const distances = names.map(getDistance);
  return names[distances.indexOf(Math.min(...distances))];
}

function readRatio(text = ''): number | undefined {
  const [, horizontal = '', vertical = ''] = /^(\d{1,4}):(\d{1,4})$/u.exec(text.trim()) ?? [];
  const ratio = Number(horizontal) / Number(vertical);
  return Number.isFinite(ratio) && ratio > 0 ? ratio : undefined;
}

function parseSize(text = ''): ImageSize | undefined {
  const [, horizontal, vertical] = /^(\d{1,5})\s*[x×*]\s*(\d{1,5})$/iu.exec(text.trim()) ?? [];
  const [width, height] = [Number(horizontal), Number(vertical)];
  return width > 0 && height > 0 ? { width, height } : undefined;
}

/** Converts a resolution such as `2K` to a side length in pixels, here 2,048. Returns undefined for other texts. */
function parseResolutionSide(text = ''): number | undefined {
  const [, amount] = /^(\d{1,2})k$/iu.exec(text.trim()) ?? [];
  return Number(amount) > 0 ? Number(amount) * 1_024 : undefined;
}
