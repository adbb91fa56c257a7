import * as vscode from 'vscode';
import { getActionLabel } from '../../../account/vscode/failure-actions.ts';
import { formatBytes, formatDecimal } from '../../../base/amounts.ts';
import { formatPrice } from '../../../service/pricing.ts';
import type { ImageOrigin, ImageRecord, ImageSourceReference } from '../../image-record.ts';
import { mayBeCharged } from '../../image-generator.ts';
import type { ImageSize } from '../../image-size.ts';
import type { ImageAction, ImageDetails, ImageView } from '../protocol/gallery.ts';
import type { StudioJob } from '../protocol/job.ts';
import type { ImageJob } from './image-jobs.ts';
import { type ImageFailure, getContentViolationMessage } from '../../vscode/image-failure.ts';
import { type ImageOperation, getPrompt } from '../../vscode/plan-image.ts';
import { getRequestOptionLabel } from '../../vscode/refused-option.ts';
import type { ImageModeration, ImageRequest } from '../../../service/images/image-types.ts';
import type { Price } from '../../../service/model-types.ts';
import type { InputImage } from '../protocol/form.ts';
import type { Gallery } from '../../vscode/gallery.ts';
import type { SavedFiles } from '../../vscode/save-image.ts';
import type { StudioInput } from './studio.ts';

// Functions that convert values from the service or from disk to valid fields of studio messages.

/** Maximum length of names and labels in characters. */
const maxNameLength = 300;
const maxPriceLength = 60;
/** Maximum length of image URIs in characters. */
const maxUriLength = 8_192;
/** Maximum length of a side in pixels. */
const maxSidePx = 65_536;

export const truncateName = (name: string): string => truncate(name, maxNameLength);

/** Formats a price for the page. Returns an empty string if the price is unknown. */
export const formatShortPrice = (price: Price | undefined): string =>
  truncate(formatPrice(price), maxPriceLength);

/** Returns the URI, or an empty string if the URI is too long for a message. */
export const omitLongUri = (uri: string): string => (uri.length > maxUriLength ? '' : uri);

/** Scales a size down until both sides are within the limit of the messages. */
export function fitSize({ width, height }: ImageSize): ImageSize {
  const scale = Math.min(1, maxSidePx / Math.max(width, height));
  return { width: clampSide(width * scale), height: clampSide(height * scale) };
}

const clampSide = (value: number): number =>
  Math.min(maxSidePx, Math.max(1, Math.round(value) || 1));

const truncate = (text: string, maxLength: number): string =>
  text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;

/**
 * Fields of an {@link ImageView} that are derived from files on disk. All other fields are derived from the image's
 * record.
 */
export interface ImageFileFacts {
  readonly src: string;
  readonly thumb: string | null;
  readonly file: ImageView['file'];
  readonly fileLabel: string;
}

export function createImageView(record: ImageRecord, facts: ImageFileFacts): ImageView {
  const { id, width, height, bytes, createdAt, origin, modelName = '', moderation } = record;
  return {
    id,
    width,
    height,
    bytes,
    prompt: [formatOperationTitle(origin), record.subject ?? '']
      .filter(Boolean)
      .join(' · ')
      .slice(0, 500),
    model: truncateName(modelName),
    createdAt,
    origin: origin.kind,
    blurred: moderation.blurred,
    contentViolation: moderation.contentViolation,
    moderationText: formatModeration(moderation),
    ...facts,
  };
}

export function createJobView(job: ImageJob): StudioJob {
  const { id, task, status, startedAt, durationMs, width, height, images, retry, failure } = job;
  const { operation, modelName = '', price } = task;
  return {
    id,
    origin: operation.kind,
    title: formatOperationTitle(operation).slice(0, 500),
    model: truncateName(modelName),
    status,
    startedAt: startedAt ?? null,
    durationMs: durationMs ?? null,
    ...fitSize({ width, height }),
    images: [...images],
    retry: retry === undefined ? null : { ...retry, of: 3 },
    failure: failure === undefined ? null : createFailureCard(failure),
    costText: isUnchargedJob(job) ? '' : formatShortPrice(price),
  };
}

/**
 * Checks whether a completed job certainly cost nothing. True if no image was received, and the job was canceled before
 * its request was sent or failed before the service generated an image.
 */
function isUnchargedJob({ status, startedAt, images, failure }: ImageJob): boolean {
  if (images.some((id) => id !== null)) return false;
  return status === 'canceled'
    ? startedAt === undefined
    : status === 'failed' && !mayBeCharged(failure?.code);
}

/** Converts a failure to the content of a failure card. Actions have the same labels as in the chat. */
export function createFailureCard({
  code,
  message,
  detail,
  retryAt,
  actions,
}: ImageFailure): NonNullable<StudioJob['failure']> {
  return {
    code,
    title: message,
    detail: detail ?? null,
    retryAt: retryAt ?? null,
    actions: actions.map((action) => ({ action, label: getActionLabel(action) })),
  };
}

/** Returns the prompt of an operation, or the name of an operation without a prompt. */
export function formatOperationTitle(operation: ImageOperation | ImageRecord['origin']): string {
  switch (operation.kind) {
    case 'upscale':
      return vscode.l10n.t('Upscale {0}×', operation.scale);
    case 'remove-background':
      return vscode.l10n.t('Remove Image Background');
    default:
      return getPrompt(operation);
  }
}

function formatModeration({ blurred, contentViolation, reasons }: ImageModeration): string {
  if (contentViolation) {
    return reasons.includes('minor')
      ? vscode.l10n.t('The service refused this image: it would show a minor.')
      : getContentViolationMessage();
  }
  if (!blurred) return '';
  return vscode.l10n.t('Blurred by safe mode');
}

type DetailRow = ImageDetails['rows'][number];
type AvailableAction = ImageDetails['actions'][number];

/** Values in the details of an image that the image's record does not contain. */
export interface DetailFacts {
  /**
   * Formats the price of generating the image again with the same seed or with a new seed. A request with the same seed
   * can contain several images; the price is then for all of them. Empty if the price is unknown.
   */
  readonly formatRerunPrice: (seed: 'same' | 'other') => string;
  /** Formats the price of upscaling the image. Returns an empty string if the price is unknown. */
  readonly formatUpscalePrice: (scale: 2 | 4) => string;
  /** Reason why the image cannot be inserted, as a message for the user. Empty if the image can be inserted. */
  readonly insertProblem: string;
  /** True if at least one saved file of the image exists. */
  readonly isSaved: boolean;
  readonly source: ImageDetails['source'];
}

/** Builds the details of an image for the large view. */
export function createImageDetails(record: ImageRecord, facts: DetailFacts): ImageDetails {
  return {
    id: record.id,
    rows: createDetailRows(record),
    json: JSON.stringify(record.origin, undefined, 2),
    source: facts.source,
    actions: listActions(record, facts),
  };
}

function listActions({ origin, moderation }: ImageRecord, facts: DetailFacts): AvailableAction[] {
  const createAction = (
    action: ImageAction,
    priceText = '',
    disabledReason = '',
  ): AvailableAction => ({
    action,
    priceText,
    disabled: disabledReason,
  });
  const createRepeatActions = ({ seed }: ImageRequest): AvailableAction[] => [
    createAction('use-settings'),
    ...(seed === undefined ? [] : [createAction('same-seed', facts.formatRerunPrice('same'))]),
    createAction('vary', facts.formatRerunPrice('other')),
  ];
  const commonActions = [
    createAction('open'),
    ...(origin.kind === 'generate' ? createRepeatActions(origin.request) : []),
  ];
  // The service sent a placeholder instead of an image, so most actions are not available.
  if (moderation.contentViolation) return [...commonActions, createAction('delete')];
  return [
    createAction('save'),
    createAction('insert', '', facts.insertProblem),
    ...commonActions,
    ...(facts.isSaved ? [createAction('reveal')] : []),
    createAction('upscale-2', facts.formatUpscalePrice(2)),
    createAction('upscale-4', facts.formatUpscalePrice(4)),
    createAction('edit'),
    createAction('remove-background'),
    createAction('use-as-input'),
    createAction('delete'),
  ];
}

function createDetailRows(record: ImageRecord): DetailRow[] {
  const { width, height, format, bytes, modelName, price, durationMs, createdAt } = record;
  const { enhancedPrompt } = record;
  const rows: (readonly [string, string | number | boolean | undefined])[] = [
    [vscode.l10n.t('Model'), modelName],
    ...createOriginRows(record.origin),
    [vscode.l10n.t('Improved prompt'), enhancedPrompt],
    [
      vscode.l10n.t('Image'),
      `${width} × ${height} · ${format.toUpperCase()} · ${formatBytes(bytes)}`,
    ],
    [vscode.l10n.t('Price'), formatPrice(price)],
    [vscode.l10n.t('Time'), durationMs === undefined ? undefined : formatSeconds(durationMs)],
    [vscode.l10n.t('Made'), new Date(createdAt).toLocaleString(vscode.env.language)],
  ];
  return rows.flatMap(([label, value]) =>
    value === undefined || value === '' ? [] : [{ label, value: String(value) }],
  );
}

function createOriginRows(
  origin: ImageOrigin,
): (readonly [string, string | number | boolean | undefined])[] {
  switch (origin.kind) {
    case 'generate': {
      const { model: _, ...request } = origin.request;
      const getLabel = (name: string): string =>
        name === 'seed' && origin.variant > 0 ? vscode.l10n.t('Seed') : getRequestOptionLabel(name);
      const rows = Object.entries(request).map(
        ([name, value]) => [getLabel(name), toText(value)] as const,
      );
      if (origin.variants === 1) return rows;
      const variantLabel = vscode.l10n.t('{0} of {1}', origin.variant + 1, origin.variants);
      return [...rows, [vscode.l10n.t('Image'), variantLabel]];
    }
    case 'upscale':
      return [[vscode.l10n.t('Upscale'), `${origin.scale}×`], createSourceRow(origin.sources)];
    case 'remove-background':
      return [createSourceRow(origin.sources)];
    default:
      return [
        [vscode.l10n.t('Prompt'), origin.prompt],
        [vscode.l10n.t('Aspect ratio'), origin.aspectRatio],
        [vscode.l10n.t('Resolution'), origin.resolution],
        createSourceRow(origin.sources),
      ];
  }
}

const createSourceRow = (sources: readonly ImageSourceReference[]): readonly [string, string] => [
  vscode.l10n.t('Made from'),
  sources.map(formatSourceLabel).join(', '),
];

export const formatSourceLabel = (source: ImageSourceReference): string =>
  source.type === 'gallery'
    ? vscode.l10n.t('Gallery')
    : vscode.workspace.asRelativePath(vscode.Uri.parse(source.uri));

const toText = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;

const formatSeconds = (ms: number): string => vscode.l10n.t('{0} s', formatDecimal(ms / 1_000, 1));

export interface StudioImagesOptions {
  readonly webview: vscode.Webview;
  readonly gallery: Gallery;
  readonly savedFiles: SavedFiles;
}

/** Converts images to views for a page. The page receives URIs, never image bytes. */
export class StudioImages {
  readonly #options: StudioImagesOptions;
  /** Ids of images for which a thumbnail file exists. */
  readonly #thumbnailIds = new Set<string>();

  constructor(options: StudioImagesOptions) {
    this.#options = options;
  }

  /** Reads the list of thumbnail files. Call this method before `createView`. */
  async loadThumbnailIds(): Promise<void> {
    for (const id of await this.#options.gallery.listThumbnailIds()) this.#thumbnailIds.add(id);
  }

  async storeThumbnail(id: string, bytes: Uint8Array): Promise<void> {
    if (await this.#options.gallery.storeThumbnail(id, bytes)) this.#thumbnailIds.add(id);
  }

  createView(record: ImageRecord): ImageView {
    const { savedFiles } = this.#options;
    const file = savedFiles.findSavedUri(record);
    const lastFileUri = file ?? record.saved.at(-1);
    return createImageView(record, {
      src: this.#getImageWebviewUri(record),
      thumb: this.#getThumbnail(record.id),
      file: lastFileUri === undefined ? 'unsaved' : file === undefined ? 'missing' : 'saved',
      fileLabel:
        lastFileUri === undefined
          ? ''
          : vscode.workspace.asRelativePath(vscode.Uri.parse(lastFileUri)),
    });
  }

  async createInputImage({ id, source, label, width, height }: StudioInput): Promise<InputImage> {
    const src = (await this.#getSourceWebviewUri(source).catch(() => undefined)) ?? '';
    return { id, label: truncateName(label), src, thumb: this.#getThumbnail(id), width, height };
  }

  /**
   * Returns the source image for the comparison with the result. Returns null if the source is deleted, or if the image
   * does not have exactly one source.
   */
  async findSource({ origin }: ImageRecord): Promise<ImageDetails['source']> {
    const [source, ...otherSources] = origin.kind === 'generate' ? [] : origin.sources;
    if (source === undefined || otherSources.length > 0) return null;
    const src = await this.#getSourceWebviewUri(source);
    return src === undefined || src === ''
      ? null
      : { src, label: truncateName(formatSourceLabel(source)) };
  }

  async #getSourceWebviewUri(source: ImageSourceReference): Promise<string | undefined> {
    if (source.type === 'file') return this.#toWebviewUri(vscode.Uri.parse(source.uri));
    const record = await this.#options.gallery.find(source.id);
    return record && this.#getImageWebviewUri(record);
  }

  #getImageWebviewUri(record: ImageRecord): string {
    return this.#toWebviewUri(vscode.Uri.file(this.#options.gallery.getImagePath(record)));
  }

  #getThumbnail(id: string): string | null {
    if (!this.#thumbnailIds.has(id)) return null;
    return this.#toWebviewUri(vscode.Uri.file(this.#options.gallery.getThumbnailPath(id)));
  }

  #toWebviewUri(uri: vscode.Uri): string {
    return omitLongUri(this.#options.webview.asWebviewUri(uri).toString());
  }
}
