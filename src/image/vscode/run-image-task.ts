import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { Clock } from '../../base/clock.ts';
import { omitUndefined } from '../../base/json.ts';
import { hasTooManyPixels, readImageHeader } from '../image-header.ts';
import { allocatePrice } from '../image-price.ts';
import type { ImageRecord, ImageSourceReference } from '../image-record.ts';
import { getImageSubject } from '../image-text.ts';
import type { Gallery } from './gallery.ts';
import {
  addPaidImageActions,
  createMemoryFullFailure,
  type ImageFailure,
  toImageFailure,
  ImageSourceError,
} from './image-failure.ts';
import { ImageFile, UnstoredImageError } from './image-file.ts';
import { authorizeUpload } from './image-location.ts';
import { type ImageOperation, type ImageTask, createOrigin } from './plan-image.ts';
import { readRegularFile } from '../../platform/files.ts';
import type { ResponseInfo } from '../../service/chat/chat-types.ts';
import type { ServiceContext } from '../../service/http/client.ts';
import type { RetryWait } from '../../service/http/failure.ts';
import {
  combineImages,
  editImage,
  generateImages,
  removeBackground,
  upscaleImage,
} from '../../service/images/image-calls.ts';
import { removeUnsupportedOptions } from '../../service/images/create-route.ts';
import { removeFieldOptions } from '../../service/images/image-fields.ts';
import type {
  ImageCallOptions,
  ImageEvent,
  ImageModeration,
} from '../../service/images/image-types.ts';
import { isOnDisk } from '../../workspace/vscode/real-paths.ts';

/** Size in bytes from which a source file is rejected. The limit of the service itself may be lower. */
export const maxSourceBytes = 25 * 1024 * 1024;

/**
 * Reads a source file.
 * @throws ImageSourceError if the file is missing, not a file, empty or too large
 */
export async function readSourceFile(uri: vscode.Uri): Promise<Uint8Array> {
  if (!isOnDisk(uri)) return readVirtualFile(uri);
  const maxFileBytes = maxSourceBytes - 1;
  const readResult = await readRegularFile(uri.fsPath, { maxFileBytes }).catch((error: unknown) => {
    throw createMissingFileError(uri, error);
  });
  if (typeof readResult !== 'string') return readResult;
  throw readResult === 'too-long' ? createSourceTooLargeError() : createNotAnImageError();
}

async function readVirtualFile(uri: vscode.Uri): Promise<Uint8Array> {
  const { fs } = vscode.workspace;
  const { type, size } = await Promise.resolve(fs.stat(uri)).catch((error: unknown) => {
    throw createMissingFileError(uri, error);
  });
  // The type of a symbolic link to a file has both the file bit and the link bit.
  if ((type & vscode.FileType.File) === 0 || size <= 0) throw createNotAnImageError();
  if (size >= maxSourceBytes) throw createSourceTooLargeError();
  return fs.readFile(uri);
}

const createMissingFileError = ({ path }: vscode.Uri, cause: unknown): ImageSourceError =>
  new ImageSourceError(
    vscode.l10n.t('{0} is no longer where it was.', path.slice(path.lastIndexOf('/') + 1)),
    { cause },
  );

const createMissingImageError = (cause?: unknown): ImageSourceError =>
  new ImageSourceError(vscode.l10n.t('The image is no longer in the gallery.'), { cause });

export const createNotAnImageError = (): ImageSourceError =>
  new ImageSourceError(
    vscode.l10n.t('The file is not a PNG, JPEG or WebP image. Choose another one.'),
  );

export const createSourceTooLargeError = (): ImageSourceError =>
  new ImageSourceError(vscode.l10n.t('The image has 25 MB or more. Use a smaller one.'));

/**
 * Reads the bytes of a source image.
 * @throws ImageSourceError if the image is missing, too large or invalid, has too many pixels, or must not be sent
 */
export type ReadImageSource = (source: ImageSourceReference) => Promise<Uint8Array>;

/** Creates a function that reads gallery images and files on any file system. */
export function createSourceReader(gallery: Gallery): ReadImageSource {
  return async (source) => {
    const bytes = await (source.type === 'gallery'
      ? readFromGallery(gallery, source.id)
      : readFromFile(vscode.Uri.parse(source.uri, true)));
    if (bytes.length >= maxSourceBytes) throw createSourceTooLargeError();
    if (hasTooManyPixels(bytes)) throw createTooManyPixelsError();
    if (readImageHeader(bytes) === undefined) throw createNotAnImageError();
    return bytes;
  };
}

async function readFromFile(uri: vscode.Uri): Promise<Uint8Array> {
  const file = await authorizeUpload(uri).catch((error: unknown) => {
    throw error instanceof ImageSourceError ? error : createMissingFileError(uri, error);
  });
  return readSourceFile(file);
}

async function readFromGallery(gallery: Gallery, id: string): Promise<Uint8Array> {
  const record = await gallery.find(id);
  if (record === undefined) throw createMissingImageError();
  return readFile(gallery.getImagePath(record)).catch((error: unknown) => {
    throw createMissingImageError(error);
  });
}

export const createTooManyPixelsError = (): ImageSourceError =>
  new ImageSourceError(
    vscode.l10n.t('The image has more than 100 million pixels. Choose a smaller one.'),
  );

export interface ImageTaskPorts {
  readonly service: ServiceContext;
  readonly gallery: Gallery;
  readonly readSource: ReadImageSource;
  readonly clock: Clock;
  readonly createId: () => string;
  /**
   * Storage for images that the gallery could not store. `add` keeps an image in memory and offers to save it.
   * `notifyAgain` repeats offers that the user closed. Neither function waits for the user.
   */
  readonly unstoredImages: {
    readonly add: (image: UnstoredImageError) => void;
    /** True if the images in memory have reached their size limit. No further image may then be requested. */
    readonly isFull: boolean;
    readonly notifyAgain: () => void;
  };
}

export type ImageProgress =
  | ({ readonly type: 'retry-wait' } & RetryWait)
  /** Sent when the request to the service starts. The user has then answered all confirmation dialogs. */
  | { readonly type: 'request-start' }
  | { readonly type: 'reply-start' }
  | { readonly type: 'image-end'; readonly record: ImageRecord };

export interface ImageOutcome {
  /** Records of the images stored in the gallery, including those received before a failure. */
  readonly records: readonly ImageRecord[];
  readonly failure?: ImageFailure;
  /** Information from the response headers. Absent without a response. */
  readonly info?: ResponseInfo;
}

/**
 * Runs an image call, and stores each image in the gallery as soon as it is complete. Never throws. The gallery also
 * contains images that were received before a failure or an abort, because the service charges for them.
 */
export async function runImageTask(
  ports: ImageTaskPorts,
  task: ImageTask,
  options: { signal: AbortSignal; onProgress: (progress: ImageProgress) => void },
): Promise<ImageOutcome> {
  const run = new TaskRun(ports, task, options.onProgress);
  const { signal } = options;
  const toFailure = (error: unknown): ImageFailure => toImageFailure(error, ports.clock.now());
  ports.unstoredImages.notifyAgain();
  if (ports.unstoredImages.isFull) return { records: [], failure: createMemoryFullFailure() };
  try {
    await run.prepareCall();
  } catch (error) {
    await run.cleanUp();
    return { ...run.outcome, failure: toFailure(error) };
  }
  try {
    const { operation, price, isSeedChosen } = task;
    const events = await startCall(ports, operation, { signal, price, isSeedChosen });
    for await (const event of events) await run.handleEvent(event);
    return run.createFinalOutcome(run.firstError, toFailure);
  } catch (error) {
    if (!signal.aborted) await run.retainPartialImage();
    return run.createFinalOutcome(error, toFailure);
  } finally {
    await run.cleanUp();
  }
}

async function startCall(
  { service, readSource }: ImageTaskPorts,
  operation: ImageOperation,
  options: ImageCallOptions & { readonly isSeedChosen: boolean | undefined },
): Promise<AsyncIterable<ImageEvent>> {
  if (operation.kind === 'generate') {
    const { request, variants } = operation;
    return generateImages(service, request, { ...options, variants });
  }
  const images = await Promise.all(operation.sources.map(readSource));
  const [image = new Uint8Array()] = images;
  switch (operation.kind) {
    case 'edit':
    case 'combine': {
      const { kind, sources, ...request } = operation;
      return sources.length === 1 && kind === 'edit'
        ? editImage(service, { ...request, image }, options)
        : combineImages(service, { ...request, images }, options);
    }
    case 'upscale':
      return upscaleImage(service, { image, scale: operation.scale }, options);
    case 'remove-background':
      return removeBackground(service, { image }, options);
  }
}

class TaskRun {
  readonly #ports: ImageTaskPorts;
  readonly #task: ImageTask;
  readonly #onProgress: (progress: ImageProgress) => void;
  #startedAt: number;
  readonly #records: ImageRecord[] = [];
  #moderation: ImageModeration = { blurred: false, contentViolation: false, reasons: [] };
  #info: ResponseInfo | undefined;
  #enhancedPrompt: string | undefined;
  /**
   * True if only `POST /images/generations` was available, so that the request contained only the options of this
   * endpoint.
   */
  #hasOnlyCreateOptions = false;
  /** Names of the request fields that the request omitted. */
  #omittedFields: readonly string[] = [];
  #imageFile: ImageFile | undefined;
  /** Empty file that is reserved for the next image. */
  #reservedFile: ImageFile | undefined;
  #subject: string | undefined;
  /** True if the gallery could not store an image of the call. The image is then in `unstoredImages`. */
  #hasUnstoredImages = false;
  /**
   * First error that prevented an image of the call from being stored, such as a disk error. The call continues, and
   * later images may be stored.
   */
  firstError: unknown;

  constructor(
    ports: ImageTaskPorts,
    task: ImageTask,
    onProgress: (progress: ImageProgress) => void,
  ) {
    this.#ports = ports;
    this.#task = task;
    this.#onProgress = onProgress;
    this.#startedAt = ports.clock.now();
  }

  /**
   * Prepares the call. Reads the subject of the source image, because the user can delete the source image during the
   * call. Creates the file of the first image, so that no image is requested if the gallery cannot store it.
   */
  async prepareCall(): Promise<void> {
    const { operation } = this.#task;
    this.#reservedFile = await this.#ports.gallery.createImageFile();
    const [source] = operation.kind === 'generate' ? [] : operation.sources;
    if (source?.type === 'file') this.#subject = getFileSubject(source.uri);
    if (source?.type !== 'gallery') return;
    const record = await this.#ports.gallery.find(source.id);
    if (record !== undefined) this.#subject = getImageSubject(record);
  }

  get outcome(): ImageOutcome {
    return omitUndefined({ records: this.#records, info: this.#info });
  }

  async handleEvent(event: ImageEvent): Promise<void> {
    switch (event.type) {
      case 'request-start':
        this.#startedAt = this.#ports.clock.now();
        return this.#onProgress(event);
      case 'retry-wait':
        return this.#onProgress(event);
      case 'reply-start':
        this.#moderation = event.moderation;
        this.#info = event.info;
        this.#enhancedPrompt = event.enhancedPrompt;
        this.#hasOnlyCreateOptions = event.hasOnlyCreateOptions === true;
        this.#omittedFields = event.omittedFields ?? [];
        return this.#onProgress({ type: 'reply-start' });
      case 'image-start':
        this.#imageFile = this.#reservedFile ?? (await this.#createImageFile());
        this.#reservedFile = undefined;
        return undefined;
      case 'image-bytes':
        return this.#imageFile?.write(event.bytes).catch(async (error: unknown) => {
          await this.#imageFile?.deleteTemporaryFile();
          this.#imageFile = undefined;
          this.firstError ??= error;
        });
      case 'image-end':
        return this.#storeImage(event.index).catch((error: unknown) => {
          if (error instanceof UnstoredImageError) this.#retainUnstoredImage(error);
          this.firstError ??= error;
        });
      case 'reply-end':
        return undefined;
    }
  }

  /** Operation with the options that were actually sent to the service. */
  get #sentOperation(): ImageOperation {
    const { operation } = this.#task;
    if (operation.kind !== 'generate') return removeFieldOptions(operation, this.#omittedFields);
    const request = removeFieldOptions(operation.request, this.#omittedFields);
    return this.#hasOnlyCreateOptions
      ? { kind: 'generate', request: removeUnsupportedOptions(request), variants: 1 }
      : { ...operation, request };
  }

  /** Retains the received part of an image after a failed download. The user may have paid for the image. */
  async retainPartialImage(): Promise<void> {
    const image = await this.#imageFile?.takePartialImage();
    if (image !== undefined) this.#retainUnstoredImage(image);
  }

  /**
   * Returns the outcome of the call. If `error` is defined, the outcome contains the failure that `toFailure` creates
   * from it.
   */
  createFinalOutcome(error: unknown, toFailure: (error: unknown) => ImageFailure): ImageOutcome {
    if (error === undefined) return this.outcome;
    return {
      ...this.outcome,
      failure: addPaidImageActions(toFailure(error), this.#hasUnstoredImages),
    };
  }

  #retainUnstoredImage(image: UnstoredImageError): void {
    this.#hasUnstoredImages = true;
    this.#ports.unstoredImages.add(image);
  }

  /**
   * Creates the file of a further image. A disk error does not end the call, because the service has already charged
   * for the image.
   */
  async #createImageFile(): Promise<ImageFile> {
    const { gallery } = this.#ports;
    return gallery
      .createImageFile()
      .catch((error: unknown) => ImageFile.createInMemory(gallery.folder, error));
  }

  async cleanUp(): Promise<void> {
    await this.#imageFile?.deleteTemporaryFile();
    await this.#reservedFile?.deleteTemporaryFile();
    // The new images remain even if older images cannot be deleted to make room.
    await this.#ports.gallery.enforceSizeLimit(this.#records.map(({ id }) => id)).catch(() => {});
  }

  async #storeImage(variant: number): Promise<void> {
    const { gallery, clock, createId } = this.#ports;
    if (this.#imageFile === undefined) return;
    const id = createId();
    const file = this.#imageFile;
    this.#imageFile = undefined;
    const { format, width, height, byteCount } = await file
      .completeAs(id)
      .catch(async (error: unknown) => {
        await file.deleteTemporaryFile();
        throw error;
      });
    const { modelName, price } = this.#task;
    const operation = this.#sentOperation;
    const count = operation.kind === 'generate' ? operation.variants : 1;
    const share = price && allocatePrice(price, { index: this.#records.length, count });
    const record: ImageRecord = omitUndefined({
      id,
      createdAt: clock.now(),
      origin: createOrigin(operation, variant),
      subject: this.#subject,
      modelName,
      format,
      width,
      height,
      bytes: byteCount,
      moderation: this.#moderation,
      price: this.#moderation.contentViolation ? { usd: 0, diem: 0 } : share,
      enhancedPrompt: this.#enhancedPrompt,
      durationMs: clock.now() - this.#startedAt,
      saved: [],
    });
    await gallery.add(record);
    this.#records.push(record);
    this.#onProgress({ type: 'image-end', record });
  }
}

/** Derives the subject of an image from its file name: `old logo` for `file:///w/media/old-logo.png`. */
const getFileSubject = (uri: string): string =>
  decodeURIComponent(/[^/]*$/u.exec(uri)?.[0] ?? '')
    .replace(/\.[^.]*$/u, '')
    .replaceAll(/[-_]+/gu, ' ');
