import type { EditModel } from '../catalogue/edit-models.ts';
import type { EditBody } from './edit-body.ts';
import { applyInstruction } from './instructions.ts';
import { isBlurred, type ModerationVerdict } from './moderation.ts';
import {
  blackImage,
  blur,
  encodeImage,
  type Format,
  openImage,
  type Pixels,
  toPixels,
} from './pixels.ts';
import { longSidePx, sizeOfRatio } from './sizes.ts';

export interface EditJob {
  readonly model: EditModel;
  readonly body: EditBody;
  readonly pictures: readonly [Pixels, ...Pixels[]];
  readonly verdict: ModerationVerdict;
}

/** The file of the edited picture; several are put side by side first. */
export async function editImage({ model, body, pictures, verdict }: EditJob): Promise<Buffer> {
  const joined = await sideBySide(pictures);
  const changed = await fitted(await applyInstruction(joined, body.prompt), model, body);
  const format = outputFormat(body);
  if (verdict.violation) return encodeImage(blackImage(changed), format);
  const shown = isBlurred(verdict, body.safe_mode) ? await blur(changed) : changed;
  return encodeImage(shown, format);
}

/** Large pictures come as JPEG unless asked otherwise. */
export function outputFormat({ output_format, resolution = '1K' }: EditBody): Format {
  const format = output_format ?? (resolution === '1K' ? 'png' : 'jpeg');
  return format === 'jpg' ? 'jpeg' : format;
}

/** In the height of the first. */
async function sideBySide(pictures: readonly [Pixels, ...Pixels[]]): Promise<Pixels> {
  const [first, ...others] = pictures;
  if (others.length === 0) return first;
  const { height } = first;
  const same = await Promise.all(
    pictures.map(async (each) =>
      toPixels((await openImage(each)).ensureAlpha().resize({ height })),
    ),
  );
  const width = same.reduce((sum, each) => sum + each.width, 0);
  let left = 0;
  const placed = same.map(({ data, channels, ...each }) => {
    const at = left;
    left += each.width;
    const raw = { width: each.width, height: each.height, channels };
    return { input: data, raw, left: at, top: 0 };
  });
  const empty = { data: Buffer.alloc(width * height * 4), width, height, channels: 4 as const };
  return toPixels((await openImage(empty)).composite(placed));
}

/** Cropped to the ratio that is asked for, and in the tier of models that have some. */
async function fitted(pixels: Pixels, { constraints }: EditModel, body: EditBody): Promise<Pixels> {
  const { aspect_ratio: ratio = 'auto', resolution } = body;
  const longest = Math.max(pixels.width, pixels.height);
  const longSide = constraints.resolutions === undefined ? longest : longSidePx(resolution);
  const shape = ratio === 'auto' ? `${pixels.width}:${pixels.height}` : ratio;
  const size = sizeOfRatio(shape, longSide);
  if (size.width === pixels.width && size.height === pixels.height) return pixels;
  return toPixels((await openImage(pixels)).resize({ ...size, fit: 'cover' }));
}
