import { createId } from '../../../base/ids.ts';
import { DisposableStore } from '../../../base/disposable.ts';
import { Emitter, type Event } from '../../../base/event.ts';
import { omitUndefined } from '../../../base/json.ts';
import type { EditModel, ImageModel } from '../../image-model.ts';
import type { ImageOptions } from '../../image-options.ts';
import { estimateEditPrice, estimateImagePrice, findUpscalePrice } from '../../image-price.ts';
import type { ImageRecord, ImageSourceReference } from '../../image-record.ts';
import {
  type EditOptions,
  type EditRequest,
  buildEditRequest,
  buildImageRequest,
} from '../../image-request.ts';
import { resolveImageSize } from '../../image-size.ts';
import { type CreateDraft, type EditDraft, readCreateDraft } from '../protocol/form.ts';
import { ImageJobs } from './image-jobs.ts';
import type { ImageServices } from '../../vscode/image-services.ts';
import type { ImageTask } from '../../vscode/plan-image.ts';
import type { ModelCatalog } from '../../../models/vscode/model-catalog.ts';
import type { ImageRequest, VariantCount } from '../../../service/images/image-types.ts';
import type { Price } from '../../../service/model-types.ts';

/** Initial state of the edit form. */
export const emptyEditDraft: EditDraft = {
  model: '',
  prompt: '',
  aspectRatio: null,
  resolution: null,
  quality: null,
  format: null,
  safeMode: true,
  enhancePrompt: false,
};

interface DraftSource {
  readonly model: string;
  readonly prompt: string;
  readonly options: ImageOptions;
}

/**
 * Creates the contents of the create form from the model, the prompt and the options in `source`. Omits all options if
 * one of these values is invalid. If the contents are still invalid, also omits the model and the prompt.
 */
export const createDraft = (source: DraftSource): CreateDraft =>
  readCreateDraft(createUncheckedDraft(source)) ??
  readCreateDraft(createUncheckedDraft({ ...source, options: {} })) ??
  createUncheckedDraft({ model: '', prompt: '', options: {} });

function createUncheckedDraft(source: DraftSource): CreateDraft {
  const { options } = source;
  return {
    model: source.model,
    prompt: source.prompt,
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

/**
 * Converts the contents of the create form to image options. Omits fields with the value null, which means the model's
 * default.
 */
export function toImageOptions(draft: CreateDraft): ImageOptions {
  const nullToUndefined = <T>(value: T | null): T | undefined => value ?? undefined;
  const falseToUndefined = (value: boolean): true | undefined => value || undefined;
  return omitUndefined({
    negativePrompt: draft.negativePrompt.trim() === '' ? undefined : draft.negativePrompt,
    width: nullToUndefined(draft.width),
    height: nullToUndefined(draft.height),
    aspectRatio: nullToUndefined(draft.aspectRatio),
    resolution: nullToUndefined(draft.resolution),
    quality: nullToUndefined(draft.quality),
    steps: nullToUndefined(draft.steps),
    cfgScale: nullToUndefined(draft.cfgScale),
    seed: nullToUndefined(draft.seed),
    stylePreset: nullToUndefined(draft.stylePreset),
    format: nullToUndefined(draft.format),
    safeMode: draft.safeMode,
    webSearch: falseToUndefined(draft.webSearch),
    enhancePrompt: falseToUndefined(draft.enhancePrompt),
    hideWatermark: falseToUndefined(draft.hideWatermark),
    embedExifMetadata: falseToUndefined(draft.embedExifMetadata),
    variants: draft.variants,
  });
}

/**
 * Converts the contents of the edit form to edit options. Omits fields with the value null, which means the model's
 * default.
 */
export function toEditOptions(draft: EditDraft): EditOptions {
  return omitUndefined({
    aspectRatio: draft.aspectRatio ?? undefined,
    resolution: draft.resolution ?? undefined,
    quality: draft.quality ?? undefined,
    format: draft.format ?? undefined,
    safeMode: draft.safeMode,
    enhancePrompt: draft.enhancePrompt || undefined,
  });
}

/** Converts a stored request to the image options with which it was built. */
export function readRequestOptions(request: ImageRequest): ImageOptions {
  const { negativePrompt, width, height, aspectRatio, resolution, quality, format } = request;
  const { safeMode, seed, cfgScale, steps, stylePreset, hideWatermark } = request;
  const { embedExifMetadata, enableWebSearch, enhancePrompt } = request;
  return omitUndefined({
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

/** Input image of an edit. */
export interface StudioInput {
  /** Id of the gallery image, or a generated id for an image file. */
  readonly id: string;
  readonly source: ImageSourceReference;
  readonly label: string;
  readonly width: number;
  readonly height: number;
}

type GenerateOrigin = Extract<ImageRecord['origin'], { kind: 'generate' }>;

export interface StudioOptions {
  readonly services: ImageServices;
  readonly catalog: ModelCatalog;
}

/** State of the studio: forms, input images and jobs. Exists until the window closes, even while no page is open. */
export class Studio {
  readonly jobs: ImageJobs;
  readonly #options: StudioOptions;
  readonly #disposables = new DisposableStore();
  readonly #onDidChangeInputsEmitter = this.#disposables.add(new Emitter<void>());
  createFormDraft: CreateDraft;
  editFormDraft: EditDraft = emptyEditDraft;
  /**
   * False until a page sends its drafts to this extension host, or the host itself changes a draft. While false, a page
   * may have newer drafts than the host.
   */
  hasCurrentDrafts = false;
  #inputs: readonly StudioInput[] = [];

  constructor(options: StudioOptions) {
    this.#options = options;
    const { services } = options;
    const { clock } = services;
    this.jobs = this.#disposables.add(
      new ImageJobs({
        clock,
        createId,
        run: (task, runOptions) => services.run(task, runOptions),
      }),
    );
    const { model, options: lastOptions } = services.choice;
    this.createFormDraft = createDraft({
      model: model?.id ?? '',
      prompt: '',
      options: lastOptions,
    });
  }

  readonly onDidChangeInputs: Event<void> = (listener) =>
    this.#onDidChangeInputsEmitter.event(listener);

  get inputs(): readonly StudioInput[] {
    return this.#inputs;
  }

  setInputs(inputs: readonly StudioInput[]): void {
    this.#inputs = inputs;
    this.#onDidChangeInputsEmitter.fire();
  }

  addInput(input: StudioInput): void {
    if (!this.#inputs.some(({ id }) => id === input.id)) this.setInputs([...this.#inputs, input]);
  }

  /**
   * Returns the model that is selected in the create form, or the default model without a selection. Returns undefined
   * if the model is not in the model list.
   */
  getCreateFormModel(draft = this.createFormDraft): ImageModel | undefined {
    const { models } = this.#options.services.choice;
    return (
      models.find(({ id }) => id === draft.model) ?? (draft.model === '' ? models[0] : undefined)
    );
  }

  getEditFormModel(draft = this.editFormDraft): EditModel | undefined {
    const { editModels } = this.#options.services.choice;
    const foundModel = editModels.find(({ id }) => id === draft.model);
    return foundModel ?? (draft.model === '' ? editModels[0] : undefined);
  }

  /** Starts a job for a draft of the create form. The caller must check the draft first. */
  async startCreateJob(draft: CreateDraft): Promise<void> {
    const model = this.getCreateFormModel(draft);
    if (model === undefined) return;
    const { services } = this.#options;
    const options = toImageOptions(draft);
    const seed = draft.seed ?? services.generateSeed();
    const request = buildImageRequest(model, draft.prompt, { ...options, seed });
    const variants = model.hasBasicOptionsOnly ? 1 : draft.variants;
    const isSeedChosen = draft.seed !== null;
    this.#startJob({ kind: 'generate', request, variants }, { model, isSeedChosen });
    // Stores the options from the request, which contains no unsupported options, so that the next image does not start with
    // them.
    await services.choice.storeChoice(model, readRequestOptions(request));
  }

  /** Generates an image again with the same seed or a new random seed. */
  regenerateImage({ origin }: ImageRecord, seed: 'same' | 'other'): void {
    if (origin.kind !== 'generate') return;
    const { request } = origin;
    const variants = countRerunVariants(origin, seed);
    const change = seed === 'same' ? {} : { seed: this.#options.services.generateSeed() };
    const operation = { kind: 'generate', request: { ...request, ...change }, variants } as const;
    this.#startJob(operation, { model: this.#findModel(request), isSeedChosen: seed === 'same' });
  }

  /** Returns the price of {@link regenerateImage} at the current prices. */
  estimateRerunPrice({ origin }: ImageRecord, seed: 'same' | 'other'): Price | undefined {
    if (origin.kind !== 'generate') return undefined;
    const model = this.#findModel(origin.request);
    return model && estimateRequestPrice(model, origin.request, countRerunVariants(origin, seed));
  }

  startEditJob(draft: EditDraft): void {
    const model = this.getEditFormModel(draft);
    const [firstInput] = this.#inputs;
    if (model === undefined || firstInput === undefined) return;
    const sources = this.#inputs.map(({ source }) => source);
    const imageCount = sources.length;
    const request = buildEditRequest(model, draft.prompt, {
      ...toEditOptions(draft),
      imageCount,
    });
    const price = estimateEditPrice(model, { ...request, imageCount });
    const task: ImageTask = {
      operation: { kind: chooseEditKind(model, request, imageCount), ...request, sources },
      modelName: model.name,
      ...(price === undefined ? {} : { price }),
    };
    this.jobs.startJob(task, firstInput);
  }

  startUpscaleJob(input: StudioInput, scale: 2 | 4): void {
    const price = findUpscalePrice(this.#options.catalog.models, scale);
    const task: ImageTask = {
      operation: { kind: 'upscale', scale, sources: [input.source] },
      ...(price === undefined ? {} : { price }),
    };
    this.jobs.startJob(task, { width: input.width * scale, height: input.height * scale });
  }

  startBackgroundRemoval(input: StudioInput): void {
    this.jobs.startJob(
      { operation: { kind: 'remove-background', sources: [input.source] } },
      input,
    );
  }

  /**
   * Copies the prompt and options of an image into the create form. Returns the new contents of the form, or undefined
   * if the image was not generated from a prompt.
   */
  useSettings({ origin }: ImageRecord): CreateDraft | undefined {
    if (origin.kind !== 'generate') return undefined;
    const { request } = origin;
    this.createFormDraft = createDraft({
      model: request.model,
      prompt: request.prompt,
      options: { ...readRequestOptions(request), variants: toVariantCount(origin.variants) },
    });
    return this.createFormDraft;
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  #findModel(request: ImageRequest): ImageModel | undefined {
    return this.#options.services.choice.models.find(({ id }) => id === request.model);
  }

  #startJob(
    operation: Extract<ImageTask['operation'], { kind: 'generate' }>,
    { model, isSeedChosen }: { model: ImageModel | undefined; isSeedChosen: boolean },
  ): void {
    const options = readRequestOptions(operation.request);
    const price = model && estimateRequestPrice(model, operation.request, operation.variants);
    const task: ImageTask = {
      operation,
      modelName: model?.name ?? operation.request.model,
      isSeedChosen,
      ...(price === undefined ? {} : { price }),
    };
    this.jobs.startJob(task, model === undefined ? squareSize : resolveImageSize(model, options));
  }
}

/**
 * Chooses the API call for an edit. Only the call `combine`, which is meant for several images, documents the option
 * `quality`. A single image with a chosen quality is therefore also sent with `combine` if the model accepts several
 * images.
 */
const chooseEditKind = (
  { maxImages }: EditModel,
  { quality }: EditRequest,
  imageCount: number,
): 'edit' | 'combine' =>
  imageCount > 1 || (quality !== undefined && maxImages > 1) ? 'combine' : 'edit';

const squareSize = { width: 1_024, height: 1_024 };

const estimateRequestPrice = (
  model: ImageModel,
  request: ImageRequest,
  variants: VariantCount,
): Price | undefined => estimateImagePrice(model, { ...readRequestOptions(request), variants });

/**
 * Returns the number of images to request when an image is generated again. The seed of a request applies only to its
 * first image. To repeat another image of the request with the same seed, all its images must be generated again.
 */
const countRerunVariants = (origin: GenerateOrigin, seed: 'same' | 'other'): VariantCount =>
  seed === 'same' && origin.variant > 0 ? toVariantCount(origin.variants) : 1;

const toVariantCount = (count: number): VariantCount =>
  ([1, 2, 3, 4] as const).find((variants) => variants === count) ?? 1;

export const createGalleryInput = (record: ImageRecord, label: string): StudioInput => ({
  id: record.id,
  source: { type: 'gallery', id: record.id },
  label,
  width: record.width,
  height: record.height,
});
