import { hashText } from '../random.ts';
import type { EditModel } from '../catalog/edit-models.ts';
import type { EditBody } from './edit-body.ts';
import { findHue } from './find-hue.ts';
import { isBlurred, type ModerationVerdict } from './moderation.ts';
import {
  createBlackImage,
  blurPixels,
  encodeImage,
  type Format,
  openImage,
  type Pixels,
  toPixels,
} from './pixels.ts';
import { getLongSidePx, computeRatioSize } from './sizes.ts';

export interface EditJob {
  readonly model: EditModel;
  readonly body: EditBody;
  readonly images: readonly [Pixels, ...Pixels[]];
  readonly verdict: ModerationVerdict;
}

/** Edits an image and returns the resulting file. If there are several images, first joins them side by side. */
export async function editImage({ model, body, images, verdict }: EditJob): Promise<Buffer> {
  const joinedImage = await joinSideBySide(images);
  const editedImage = await fitToRequest(
    await applyInstruction(joinedImage, body.prompt),
    model,
    body,
  );
  const format = getOutputFormat(body);
  if (verdict.isViolation) return encodeImage(createBlackImage(editedImage), format);
  const output = isBlurred(verdict, body.safe_mode) ? await blurPixels(editedImage) : editedImage;
  return encodeImage(output, format);
}

/**
 * Returns the output format: the requested format, otherwise PNG for the resolution 1K and JPEG for higher resolutions.
 */
export function getOutputFormat({ output_format, resolution = '1K' }: EditBody): Format {
  const format = output_format ?? (resolution === '1K' ? 'png' : 'jpeg');
  return format === 'jpg' ? 'jpeg' : format;
}

/** Joins images side by side after scaling them to the height of the first image. */
async function joinSideBySide(images: readonly [Pixels, ...Pixels[]]): Promise<Pixels> {
  const [firstImage, ...otherImages] = images;
  if (otherImages.length === 0) return firstImage;
  const { height } = firstImage;
  const resizedImages = await Promise.all(
    images.map(async (image) =>
      toPixels((await openImage(image)).ensureAlpha().resize({ height })),
    ),
  );
  const width = resizedImages.reduce((sum, image) => sum + image.width, 0);
  let nextOffset = 0;
  const overlays = resizedImages.map(({ data, channels, ...dimensions }) => {
    const offset = nextOffset;
    nextOffset += dimensions.width;
    const rawFormat = { width: dimensions.width, height: dimensions.height, channels };
    return { input: data, raw: rawFormat, left: offset, top: 0 };
  });
  const emptyImage = {
    data: Buffer.alloc(width * height * 4),
    width,
    height,
    channels: 4 as const,
  };
  return toPixels((await openImage(emptyImage)).composite(overlays));
}

/**
 * Crops the image to the requested aspect ratio. If the model supports several resolutions, scales the image to the
 * requested resolution.
 */
async function fitToRequest(
  pixels: Pixels,
  { constraints }: EditModel,
  body: EditBody,
): Promise<Pixels> {
  const { aspect_ratio: ratio = 'auto', resolution } = body;
  const currentLongSide = Math.max(pixels.width, pixels.height);
  const longSide =
    constraints.resolutions === undefined ? currentLongSide : getLongSidePx(resolution);
  const targetRatio = ratio === 'auto' ? `${pixels.width}:${pixels.height}` : ratio;
  const size = computeRatioSize(targetRatio, longSide);
  if (size.width === pixels.width && size.height === pixels.height) return pixels;
  return toPixels((await openImage(pixels)).resize({ ...size, fit: 'cover' }));
}

type PixelOperation = (pixels: Pixels) => Promise<Pixels>;

const sepiaMatrix: [[number, number, number], [number, number, number], [number, number, number]] =
  [
    [0.39, 0.77, 0.19],
    [0.35, 0.69, 0.17],
    [0.27, 0.53, 0.13],
  ];

/**
 * Operations on an image, each with the pattern of the instructions that request it. All matching operations are
 * applied, in this order.
 */
const editOperations: readonly (readonly [RegExp, PixelOperation])[] = [
  [/\brotat\w*.*?\b180\b/i, createRotation(180)],
  [/\brotat\w*.*?\b(?:270|left|anticlockwise|counter-?clockwise)\b/i, createRotation(270)],
  [/\brotat(?!\w*.*?\b(?:180|270|left|anticlockwise|counter-?clockwise)\b)/i, createRotation(90)],
  [/\bmirror|\bflip\w* horizontal/i, async (pixels) => toPixels((await openImage(pixels)).flop())],
  [
    /\bflip(?!\w* horizontal)|upside down/i,
    async (pixels) => toPixels((await openImage(pixels)).flip()),
  ],
  [/\bgr[ae]y|black.and.white|\bmonochrom/i, createModulation({ saturation: 0 })],
  [/\bsepia\b/i, async (pixels) => toPixels((await openImage(pixels)).recomb(sepiaMatrix))],
  [/\binvert/i, async (pixels) => toPixels((await openImage(pixels)).negate({ alpha: false }))],
  [/\bdark/i, createModulation({ brightness: 0.55 })],
  [/\bbright|\blight(?:er|en)\b/i, createModulation({ brightness: 1.45 })],
  [/\bsharpen/i, async (pixels) => toPixels((await openImage(pixels)).sharpen({ sigma: 2 }))],
  [/\bblur/i, async (pixels) => toPixels((await openImage(pixels)).blur(8))],
];

/** Applies all operations that the instruction requests. If it requests none, tints the image. */
async function applyInstruction(pixels: Pixels, instruction: string): Promise<Pixels> {
  const matchingOperations = editOperations
    .filter(([wordsPattern]) => wordsPattern.test(instruction))
    .map(([, operation]) => operation);
  const hue = findHue(instruction);
  if (hue !== undefined) matchingOperations.push(createTint(hue));
  if (matchingOperations.length === 0)
    matchingOperations.push(createTint(hashText(instruction) % 360));
  let editedPixels = pixels;
  for (const applyOperation of matchingOperations)
    editedPixels = await applyOperation(editedPixels);
  return editedPixels;
}

function createRotation(degrees: number): PixelOperation {
  return async (pixels) => toPixels((await openImage(pixels)).rotate(degrees));
}

function createModulation(options: { saturation?: number; brightness?: number }): PixelOperation {
  return async (pixels) => toPixels((await openImage(pixels)).modulate(options));
}

function createTint(hue: number): PixelOperation {
  return async (pixels) => toPixels((await openImage(pixels)).tint(`hsl(${hue}, 90%, 50%)`));
}
