import * as vscode from 'vscode';
import { createFailureView } from '../../../account/vscode/failure-actions.ts';
import type { Disposable } from '../../../base/disposable.ts';
import { Emitter, type Event } from '../../../base/event.ts';
import type { EditModel, ImageModel, ImageSizing } from '../../image-model.ts';
import type { ImageOptions } from '../../image-options.ts';
import { estimateEditPrice, estimateImagePrice } from '../../image-price.ts';
import { type ImageShape, listSizeChoices } from '../../image-size.ts';
import type {
  StudioEditModel,
  StudioModel,
  StudioModels,
  StudioSizing,
  StudioStyles,
} from '../protocol/form.ts';
import { truncateName, formatShortPrice } from './studio-view.ts';
import type { ImageChoice } from '../../vscode/image-choice.ts';
import type { ModelCatalog } from '../../../models/vscode/model-catalog.ts';
import type { Host } from '../../../host.ts';
import { toServiceError } from '../../../service/http/network-failure.ts';
import { listImageStyles } from '../../../service/images/image-calls.ts';
import type { Price } from '../../../service/model-types.ts';

/** Converts the service's models to the view state of the studio's forms. */
export function createStudioModels(choice: ImageChoice, catalog: ModelCatalog): StudioModels {
  const imageModels = choice.models.map(createStudioModel);
  const { failure, staleReason, isLoading } = catalog;
  return {
    create: imageModels,
    edit: choice.editModels.map(createStudioEditModel),
    suggested: { create: choice.model?.id ?? '', edit: choice.editModels[0]?.id ?? '' },
    loading: isLoading,
    stale: staleReason ?? null,
    failure: failure === undefined || imageModels.length > 0 ? null : createFailureView(failure),
  };
}

function createStudioModel(model: ImageModel): StudioModel {
  const { id, name, description = '', offline, privacy = '', traits, maxPromptChars } = model;
  const { defaultQuality = null } = model;
  return {
    id,
    name: truncateName(name),
    description,
    offline,
    privacy,
    traits: [...traits],
    priceText: formatShortPrice(estimateImagePrice(model, {})),
    warning: offline ? getOfflineText() : '',
    promptLimit: maxPromptChars,
    sizing: createStudioSizing(model, model.sizing),
    steps: model.steps === undefined ? null : { default: null, ...model.steps },
    qualities: model.qualities.map((name) => ({
      name,
      priceText: formatShortPrice(estimateImagePrice(model, { quality: name })),
    })),
    defaultQuality,
    webSearchPrice: model.supportsWebSearch ? formatExtraPrice(model, { webSearch: true }) : null,
    enhancePrice: model.hasBasicOptionsOnly
      ? null
      : formatExtraPrice(model, { enhancePrompt: true }),
    hasBasicOptionsOnly: model.hasBasicOptionsOnly,
  };
}

function createStudioSizing(model: ImageModel, sizing: ImageSizing): StudioSizing {
  switch (sizing.kind) {
    case 'pixels': {
      const { kind, min, max, divisor, defaultSize } = sizing;
      const choices = listSizeChoices(model).map(({ shape, width, height }) => ({
        ratio: ratios[shape],
        width,
        height,
      }));
      // Shows one tile per aspect ratio, because the user can type other sizes.
      const sizes = choices.filter(
        ({ ratio }, index) =>
          choices.findIndex((otherChoice) => otherChoice.ratio === ratio) === index,
      );
      const defaults = { defaultWidth: defaultSize, defaultHeight: defaultSize };
      const isFixed = sizing.fixedSizes !== undefined;
      return { kind, min, max, divisor, ...defaults, sizes, isFixed };
    }
    case 'unknown': {
      const { kind, ratios, resolutions, pixels } = sizing;
      return {
        kind,
        ratios: [...ratios],
        resolutions: listPricedResolutions(model, resolutions),
        pixels: pixels ? { min: pixels.min, max: pixels.max, divisor: pixels.divisor } : null,
      };
    }
    case 'ratio':
      return { ...sizing, ratios: [...sizing.ratios] };
    case 'tier':
      return {
        ...sizing,
        ratios: [...sizing.ratios],
        resolutions: listPricedResolutions(model, sizing.resolutions),
      };
  }
}

const listPricedResolutions = (model: ImageModel, names: readonly string[]) =>
  names.map((name) => ({
    name,
    priceText: formatShortPrice(estimateImagePrice(model, { resolution: name })),
  }));

function createStudioEditModel(model: EditModel): StudioEditModel {
  const { id, name, offline, privacy = '', traits, maxPromptChars, ratios, maxImages } = model;
  return {
    id,
    name: truncateName(name),
    offline,
    privacy,
    traits: [...traits],
    priceText: formatShortPrice(estimateEditPrice(model)),
    warning: offline ? getOfflineText() : '',
    promptLimit: maxPromptChars,
    ratios: [...ratios],
    resolutions: model.resolutions.map((name) => ({
      name,
      priceText: formatShortPrice(estimateEditPrice(model, { resolution: name })),
    })),
    qualities: model.qualities.map((name) => ({
      name,
      priceText: formatShortPrice(estimateEditPrice(model, { quality: name })),
    })),
    takesSingleImageRatio: model.takesSingleImageRatio,
    maxImages,
    enhancePrice: formatPriceDifference(
      estimateEditPrice(model, { enhancePrompt: true }),
      estimateEditPrice(model),
    ),
  };
}

/**
 * Formats in dollars how much the options add to the default price of the model. Returns an empty string if a price in
 * dollars is unknown.
 */
const formatExtraPrice = (model: ImageModel, options: ImageOptions): string =>
  formatPriceDifference(estimateImagePrice(model, options), estimateImagePrice(model, {}));

function formatPriceDifference(minuend: Price | undefined, subtrahend: Price | undefined): string {
  if (minuend?.usd === undefined || subtrahend?.usd === undefined) return '';
  return formatShortPrice({ usd: Number((minuend.usd - subtrahend.usd).toFixed(9)) });
}

/**
 * Nominal aspect ratio of each image shape. The actual aspect ratio can differ slightly, because sides are rounded to a
 * multiple that the model requires.
 */
const ratios: Readonly<Record<ImageShape, string>> = {
  square: '1:1',
  landscape: '3:2',
  portrait: '2:3',
  wide: '16:9',
  tall: '9:16',
  banner: '21:9',
  'small-square': '1:1',
};

const getOfflineText = (): string => vscode.l10n.t('This model is offline. Choose another one.');

/** Style presets of the service (spec §4.6), loaded on request. */
export class StyleList implements Disposable {
  readonly #host: Pick<Host, 'service' | 'account'>;
  readonly #onDidChangeEmitter = new Emitter<void>();
  #view: StudioStyles = { status: 'unasked', names: [], problem: null };
  #loadCount = 0;

  constructor(host: Pick<Host, 'service' | 'account'>) {
    this.#host = host;
  }

  readonly onDidChange: Event<void> = (listener) => this.#onDidChangeEmitter.event(listener);

  get view(): StudioStyles {
    return this.#view;
  }

  /** Loads the styles. Never throws: the view state contains the failure. */
  async loadStyles(): Promise<void> {
    const loadNumber = ++this.#loadCount;
    const { service, account } = this.#host;
    const { profile } = account;
    this.#setView({ status: 'loading', names: [], problem: null });
    try {
      const signal = AbortSignal.timeout(30_000);
      const names = await listImageStyles(service, { signal });
      if (loadNumber === this.#loadCount)
        this.#setView({ status: 'ready', names: [...names], problem: null });
    } catch (error) {
      const { failure } = toServiceError(error);
      account.reportOutcome(failure, profile);
      if (loadNumber === this.#loadCount)
        this.#setView({ status: 'failed', names: [], problem: failure.message });
    }
  }

  /** Discards the styles when the profile changes, because another service can have other styles. */
  discardStyles(): void {
    this.#loadCount++;
    this.#setView({ status: 'unasked', names: [], problem: null });
  }

  dispose(): void {
    this.#onDidChangeEmitter.dispose();
  }

  #setView(view: StudioStyles): void {
    this.#view = view;
    this.#onDidChangeEmitter.fire();
  }
}
