import { defined } from '../base/json.ts';
import type { ImageModel } from './image-model.ts';
import type { ImageOptions } from './image-options.ts';
import { type ImageSize, sizeOf } from './image-size.ts';

/** A shape in words that fit every model: from a caller that does not know what a model takes. */
export interface WantedShape {
  /** `16:9`. */
  readonly aspectRatio?: string;
  /** In pixels as `1024x768`, or a side as `2K`. */
  readonly size?: string;
}

/**
 * What comes nearest to the wanted shape of what the model takes. Words that say nothing leave the choice to the model;
 * a ratio goes before that of a size.
 */
export function shapeOptions(model: ImageModel, wanted: WantedShape): ImageOptions {
  const { sizing } = model;
  const pixels = pixelsOf(wanted.size);
  const ratio = ratioOf(wanted.aspectRatio) ?? (pixels && pixels.width / pixels.height);
  const side = pixels ? Math.sqrt(pixels.width * pixels.height) : sideOf(wanted.size);
  if (sizing.kind === 'pixels') {
    if (ratio === undefined && side === undefined) return {};
    return within(sizing, side ?? sizing.defaultSize, ratio ?? 1);
  }
  return defined({
    aspectRatio: ratio === undefined ? undefined : nearestRatio(sizing.ratios, ratio),
    resolution:
      sizing.kind === 'tier' && side !== undefined
        ? nearest(sizing.resolutions, (resolution) =>
            Math.abs(Math.log(sizeOf(model, { resolution, aspectRatio: '1:1' }).width / side)),
          )
        : undefined,
  });
}

/** A side that is too long or too short takes the other with it: the shape matters more than the size. */
function within(
  { min, max }: { readonly min: number; readonly max: number },
  side: number,
  ratio: number,
): ImageSize {
  const stretch = Math.sqrt(ratio);
  const longest = side * Math.max(stretch, 1 / stretch);
  const shortest = side * Math.min(stretch, 1 / stretch);
  const scale = longest > max ? max / longest : shortest < min ? min / shortest : 1;
  return {
    width: Math.round(side * stretch * scale),
    height: Math.round((side / stretch) * scale),
  };
}

const nearestRatio = (ratios: readonly string[], wanted: number): string | undefined =>
  nearest(ratios, (each) => Math.abs(Math.log((ratioOf(each) ?? 1) / wanted)));

/** The first of those that are the least far away. */
function nearest(names: readonly string[], distance: (name: string) => number): string | undefined {
  const distances = names.map(distance);
  return names[distances.indexOf(Math.min(...distances))];
}

function ratioOf(text = ''): number | undefined {
  const [, across = '', down = ''] = /^(\d{1,4}):(\d{1,4})$/u.exec(text.trim()) ?? [];
  const ratio = Number(across) / Number(down);
  return Number.isFinite(ratio) && ratio > 0 ? ratio : undefined;
}

function pixelsOf(text = ''): ImageSize | undefined {
  const [, across, down] = /^(\d{1,5})\s*[x×*]\s*(\d{1,5})$/iu.exec(text.trim()) ?? [];
  const [width, height] = [Number(across), Number(down)];
  return width > 0 && height > 0 ? { width, height } : undefined;
}

/** `2K` is 2,048 pixels. */
function sideOf(text = ''): number | undefined {
  const [, amount] = /^(\d{1,2})k$/iu.exec(text.trim()) ?? [];
  return Number(amount) > 0 ? Number(amount) * 1_024 : undefined;
}
