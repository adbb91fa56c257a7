import { defined, isRecord, numberOr, stringOr } from '../base/json.ts';
import type { ImageOptions } from './image-options.ts';

/** {@link ImageOptions} from where another version or another program may have written them: what is no option is left out. */
export function readImageOptions(value: unknown): ImageOptions {
  if (!isRecord(value)) return {};
  const text = (name: string): string | undefined => stringOr(value[name], undefined);
  const figure = (name: string): number | undefined => numberOr(value[name], undefined);
  const flag = (name: string): boolean | undefined =>
    typeof value[name] === 'boolean' ? value[name] : undefined;
  return defined({
    negativePrompt: text('negativePrompt'),
    width: figure('width'),
    height: figure('height'),
    aspectRatio: text('aspectRatio'),
    resolution: text('resolution'),
    quality: text('quality'),
    steps: figure('steps'),
    cfgScale: figure('cfgScale'),
    seed: figure('seed'),
    stylePreset: text('stylePreset'),
    format: oneOf(['png', 'jpeg', 'webp'] as const, value['format']),
    safeMode: flag('safeMode'),
    webSearch: flag('webSearch'),
    enhancePrompt: flag('enhancePrompt'),
    hideWatermark: flag('hideWatermark'),
    embedExifMetadata: flag('embedExifMetadata'),
    variants: oneOf([1, 2, 3, 4] as const, value['variants']),
  });
}

const oneOf = <T>(allowed: readonly T[], value: unknown): T | undefined =>
  allowed.find((each) => each === value);
