import { defined } from '../../../base/json.ts';
import type { EditOptions } from '../../image-request.ts';
import type { ImageOptions } from '../../image-options.ts';
import { type CreateDraft, type EditDraft, readCreateDraft } from '../protocol/state.ts';
import type { ImageRequest } from '../../../service/images/image-types.ts';

/** An edit form that nobody has filled in. */
export const emptyEdit: EditDraft = {
  model: '',
  prompt: '',
  aspectRatio: null,
  resolution: null,
  format: null,
  safeMode: true,
  enhancePrompt: false,
};

interface DraftSource {
  readonly model: string;
  readonly prompt: string;
  readonly options: ImageOptions;
}

/** A form that would make the same choices; without those from disk that no form can hold. */
export const draftOf = (from: DraftSource): CreateDraft =>
  readCreateDraft(formOf(from)) ??
  readCreateDraft(formOf({ ...from, options: {} })) ??
  formOf({ model: '', prompt: '', options: {} });

function formOf(from: DraftSource): CreateDraft {
  const { options } = from;
  return {
    model: from.model,
    prompt: from.prompt,
    negativePrompt: options.negativePrompt ?? '',
    width: options.width ?? null,
    height: options.height ?? null,
    aspectRatio: options.aspectRatio ?? null,
    resolution: options.resolution ?? null,
    quality: options.quality ?? null,
    steps: options.steps ?? null,
    cfgScale: options.cfgScale ?? null,
    seed: options.seed ?? null,
    stylePreset: options.stylePreset ?? null,
    format: options.format ?? null,
    safeMode: options.safeMode ?? true,
    webSearch: options.webSearch ?? false,
    enhancePrompt: options.enhancePrompt ?? false,
    hideWatermark: options.hideWatermark ?? false,
    embedExifMetadata: options.embedExifMetadata ?? false,
    variants: options.variants ?? 1,
  };
}

/** The choices of a form; what it leaves to the model is absent. */
export function optionsOf(draft: CreateDraft): ImageOptions {
  const given = <T>(value: T | null): T | undefined => value ?? undefined;
  const flag = (value: boolean): true | undefined => value || undefined;
  return defined({
    negativePrompt: draft.negativePrompt.trim() === '' ? undefined : draft.negativePrompt,
    width: given(draft.width),
    height: given(draft.height),
    aspectRatio: given(draft.aspectRatio),
    resolution: given(draft.resolution),
    quality: given(draft.quality),
    steps: given(draft.steps),
    cfgScale: given(draft.cfgScale),
    seed: given(draft.seed),
    stylePreset: given(draft.stylePreset),
    format: given(draft.format),
    safeMode: draft.safeMode,
    webSearch: flag(draft.webSearch),
    enhancePrompt: flag(draft.enhancePrompt),
    hideWatermark: flag(draft.hideWatermark),
    embedExifMetadata: flag(draft.embedExifMetadata),
    variants: draft.variants,
  });
}

/** The choices of the form for changes; what it leaves to the model is absent. */
export function editOptionsOf(draft: EditDraft): EditOptions {
  return defined({
    aspectRatio: draft.aspectRatio ?? undefined,
    resolution: draft.resolution ?? undefined,
    format: draft.format ?? undefined,
    safeMode: draft.safeMode,
    enhancePrompt: draft.enhancePrompt || undefined,
  });
}

/** The choices that led to a request. */
export function optionsOfRequest(request: ImageRequest): ImageOptions {
  const { negativePrompt, width, height, aspectRatio, resolution, quality, format } = request;
  const { safeMode, seed, cfgScale, steps, stylePreset, hideWatermark } = request;
  const { embedExifMetadata, enableWebSearch, enhancePrompt } = request;
  return defined({
    negativePrompt,
    width,
    height,
    aspectRatio,
    resolution,
    quality,
    format,
    safeMode,
    seed,
    cfgScale,
    steps,
    stylePreset,
    hideWatermark,
    embedExifMetadata,
    enhancePrompt,
    webSearch: enableWebSearch,
  });
}
