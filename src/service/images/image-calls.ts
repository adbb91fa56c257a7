import * as l10n from '@vscode/l10n';
import { omitUndefined, isRecord } from '../../base/json.ts';
import type { PaidRequest } from '../chat/spending.ts';
import type { ServiceContext } from '../http/client.ts';
import { ServiceError } from '../http/failure.ts';
import { createStoppedError, createTimeoutError, toServiceError } from '../http/network-failure.ts';
import { createUnrecognizedResponseError, readJson, withStallTimeout } from '../http/response.ts';
import {
  bindToEndpoint,
  type ServiceCall,
  findEndpoint,
  sendWithRetries,
  yieldRetryWaits,
  listSecrets,
  sendCall,
} from '../http/request.ts';
import { createUnchargedRetryCheck, rejectedStatuses } from '../http/uncharged-retries.ts';
import { hasOnlyCreateRoute, isMissingRoute } from './create-route.ts';
import { listImageFields } from './image-fields.ts';
import { readImageResponse } from './image-response.ts';
import type {
  GenerateOptions,
  ImageCallOptions,
  ImageCombineRequest,
  ImageEditRequest,
  ImageEvent,
  ImageRequest,
  ImageUpscaleRequest,
  RequestImagesOptions,
  VariantCount,
} from './image-types.ts';

/**
 * Timeouts in milliseconds. Long, because the service sends no bytes before the first image is complete, which can take
 * minutes.
 */
const imageTimeouts = { headersMs: 300_000, idleMs: 60_000 };
/**
 * Sends a request for `imageCount` images and streams them. Ignores images beyond this number. Closes the connection
 * when the caller leaves the iteration or aborts `signal`. A stalled download fails as `timeout`. Sends the request
 * only to the service of `endpoint` or, if `endpoint` is omitted, to the service that is active at the start.
 * @throws ServiceError if the request fails
 */
export async function* requestImages(
  context: ServiceContext,
  call: Pick<ServiceCall, 'path' | 'body' | 'accept' | 'optionalFields'>,
  {
    imageCount,
    model,
    signal,
    price,
    endpoint: knownEndpoint,
    isNative = true,
  }: RequestImagesOptions,
): AsyncGenerator<ImageEvent> {
  const paidRequest: PaidRequest = {
    kind: 'image',
    isBackground: false,
    ...omitUndefined({ model, price }),
  };
  const { clock } = context;
  const endpoint = knownEndpoint ?? (await findEndpoint(context));
  const abortController = new AbortController();
  const combinedSignal = AbortSignal.any([signal, abortController.signal]);
  const canRetry = createUnchargedRetryCheck(clock, () =>
    isNative && endpoint?.connection?.vendorPrefix !== undefined
      ? unchargedStatuses
      : rejectedStatuses,
  );
  const paidCall = { ...call, ...bindToEndpoint(endpoint), method: 'POST', canRetry } as const;
  const retries = sendWithRetries(
    context,
    { ...paidCall, timeouts: imageTimeouts },
    combinedSignal,
  );
  try {
    if (context.spending !== undefined) {
      await context.spending.authorizeRequest(paidRequest, combinedSignal);
      yield { type: 'request-start' };
    }
    const response = yield* yieldRetryWaits(retries, (wait) => ({
      ...wait,
      type: 'retry-wait' as const,
    }));
    const onStall = (): void => abortController.abort(createTimeoutError('progress'));
    const body = withStallTimeout(response.body, { clock, onStall });
    for await (const event of readImageResponse({ ...response, body }, { imageCount, signal })) {
      // The first image proves that the service charges for all requested images. A rejected request fails earlier.
      if (event.type === 'image-start' && event.index === 0)
        context.spending?.recordSpending(paidRequest, {});
      yield event;
    }
  } catch (error) {
    const { failure } = toServiceError(error);
    if (failure.refusedField === undefined || endpoint === undefined) throw error;
    endpoint.connection?.recordField(failure.refusedField, false);
    throw new ServiceError({ ...failure, connection: endpoint.baseUrl.href });
  } finally {
    context.spending?.releaseReservedPrice(paidRequest);
    // Has no effect if the response was read completely.
    abortController.abort(createStoppedError());
  }
}

/** `Accept` header for a single image in binary form. A service may respond with JSON regardless. */
export const imageAcceptHeader = 'image/*, application/json';

/**
 * Statuses that guarantee that no image was generated and charged (spec §7.2). Valid only for a service that has sent
 * its vendor prefix. Other servers can have the same routes but no such guarantee.
 */
const unchargedStatuses: ReadonlySet<number> = new Set([429, 500, 503]);
/**
 * Generates images from a prompt with the route `/image/generate` (spec §4.5) or, if the service does not have it, the
 * OpenAI-compatible route (spec §4.7). Never returns more images than requested. Retries only if no image can have been
 * generated and charged. Closes the connection when the caller leaves the iteration or aborts `signal`.
 * @throws ServiceError if the request fails
 */
export async function* generateImages(
  context: ServiceContext,
  request: ImageRequest,
  options: GenerateOptions,
): AsyncGenerator<ImageEvent> {
  const endpoint = await findEndpoint(context);
  const isNativeRouteMissing = hasOnlyCreateRoute(endpoint?.connection);
  const boundOptions = { ...options, endpoint };
  const nativeRouteError = isNativeRouteMissing
    ? undefined
    : yield* generateNatively(context, request, boundOptions);
  if (!isNativeRouteMissing && nativeRouteError === undefined) return;
  const { generateWithCompatibleRoute } = await import('./create-image.ts');
  yield* generateWithCompatibleRoute(context, request, {
    ...boundOptions,
    nativeRouteError,
    requestImages,
  });
}

/**
 * Generates images with the route `/image/generate`. Returns the error if the service does not have this route; throws
 * any other error.
 */
async function* generateNatively(
  context: ServiceContext,
  request: ImageRequest,
  {
    variants,
    isSeedChosen = false,
    ...options
  }: GenerateOptions & Pick<RequestImagesOptions, 'endpoint'>,
): AsyncGenerator<ImageEvent, ServiceError | undefined> {
  const call = {
    path: '/image/generate',
    body: buildGenerateBody(request, variants),
    optionalFields: listImageFields(request.model, isSeedChosen),
    accept: variants === 1 ? imageAcceptHeader : 'application/json',
  };
  let hasImage = false;
  try {
    for await (const event of requestImages(context, call, {
      ...options,
      imageCount: variants,
      model: request.model,
    })) {
      hasImage ||= event.type === 'image-start';
      yield event;
    }
    return undefined;
  } catch (error) {
    const serviceError = toServiceError(error);
    if (hasImage || !isMissingRoute(serviceError.failure)) throw error;
    return serviceError;
  }
}

/**
 * Maximum total size of the input images of a call in bytes. The service permits requests of 35 MB, and base64 makes
 * the images a third larger.
 */
const maxBytes = 25 * 1024 * 1024;

/**
 * Edits an image according to a prompt. Yields the same events and throws the same errors as {@link generateImages}.
 * Also throws `payload-too-large`, before anything is sent, if the images are too large.
 */
export const editImage = (
  context: ServiceContext,
  request: ImageEditRequest,
  options: ImageCallOptions,
): AsyncGenerator<ImageEvent> =>
  requestFromImages(
    context,
    {
      path: '/image/edit',
      model: request.model ?? 'edit',
      images: [request.image],
      body: () => buildEditBody(request),
      optionalFields: listImageFields(request.model ?? ''),
    },
    options,
  );

/**
 * Combines several images into one according to a prompt. Yields the same events and throws the same errors as
 * {@link editImage}.
 */
export const combineImages = (
  context: ServiceContext,
  request: ImageCombineRequest,
  options: ImageCallOptions,
): AsyncGenerator<ImageEvent> =>
  requestFromImages(
    context,
    {
      path: '/image/multi-edit',
      model: request.model ?? 'multi-edit',
      images: request.images,
      body: () => buildCombineBody(request),
      optionalFields: listImageFields(request.model ?? ''),
    },
    options,
  );

/** Enlarges an image. Yields the same events and throws the same errors as {@link editImage}. */
export const upscaleImage = (
  context: ServiceContext,
  request: ImageUpscaleRequest,
  options: ImageCallOptions,
): AsyncGenerator<ImageEvent> =>
  requestFromImages(
    context,
    {
      path: '/image/upscale',
      model: 'upscale',
      images: [request.image],
      body: () => buildUpscaleBody(request),
    },
    options,
  );

/**
 * Makes the background of an image transparent. Yields the same events and throws the same errors as {@link editImage}.
 */
export const removeBackground = (
  context: ServiceContext,
  { image }: { readonly image: Uint8Array },
  options: ImageCallOptions,
): AsyncGenerator<ImageEvent> =>
  requestFromImages(
    context,
    {
      path: '/image/background-remove',
      model: 'background-remove',
      images: [image],
      body: () => buildBackgroundBody(image),
    },
    options,
  );

async function* requestFromImages(
  context: ServiceContext,
  call: Pick<ServiceCall, 'path' | 'optionalFields'> & {
    readonly model: string;
    readonly images: readonly Uint8Array[];
    readonly body: () => object;
  },
  options: ImageCallOptions,
): AsyncGenerator<ImageEvent> {
  const { images, body, model, ...rest } = call;
  const size = images.reduce((sum, { length }) => sum + length, 0);
  if (size >= maxBytes) throw createImagesTooLargeError(images.length);
  yield* requestImages(
    context,
    { ...rest, body, accept: imageAcceptHeader },
    { ...options, imageCount: 1, model },
  );
}

/**
 * Creates the error for input images that exceed the size limit of this extension. The limit is the same for every
 * service.
 */
const createImagesTooLargeError = (count: number): ServiceError =>
  new ServiceError({
    code: 'payload-too-large',
    message:
      count === 1
        ? l10n.t('The image has 25 MB or more. Use a smaller one.')
        : l10n.t('The images have 25 MB or more in total. Use smaller ones.'),
  });

const maxStyles = 1_000;
const maxStyleLength = 128;

/**
 * Lists the names of the style presets (spec §4.6) in the order in which the service sent them. Omits duplicates and
 * invalid names.
 * @throws ServiceError if the request fails
 */
export async function listImageStyles(
  context: ServiceContext,
  { signal }: { signal: AbortSignal },
): Promise<readonly string[]> {
  const response = await sendCall(context, { method: 'GET', path: '/image/styles' }, signal);
  const secrets = listSecrets(response.endpoint);
  const json = await readJson(response.body, { maxBytes: 1024 * 1024, secrets });
  const styles = isRecord(json) ? json['data'] : json;
  if (!Array.isArray(styles)) throw createUnrecognizedResponseError(JSON.stringify(json), secrets);
  return [...new Set(styles.filter(isStyle))].slice(0, maxStyles);
}

const isStyle = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= maxStyleLength;

/**
 * Builds the body of `POST /image/generate` (spec §4.5). Requests a binary response for one image, and JSON for several
 * images.
 */
export const buildGenerateBody = (request: ImageRequest, variants: VariantCount): object =>
  omitUndefined({
    model: request.model,
    prompt: request.prompt,
    negative_prompt: request.negativePrompt,
    width: request.width,
    height: request.height,
    aspect_ratio: request.aspectRatio,
    resolution: request.resolution,
    quality: request.quality,
    format: request.format,
    safe_mode: request.safeMode,
    seed: request.seed,
    cfg_scale: request.cfgScale,
    steps: request.steps,
    style_preset: request.stylePreset,
    lora_strength: request.loraStrength,
    hide_watermark: request.hideWatermark,
    embed_exif_metadata: request.embedExifMetadata,
    enable_web_search: request.enableWebSearch,
    enhance_prompt: request.enhancePrompt,
    style_references: request.styleReferences?.map(({ image, strength }) =>
      omitUndefined({ image, strength }),
    ),
    ...(variants === 1 ? { return_binary: true } : { variants }),
  });

/** Builds the body of `POST /image/edit`. */
export const buildEditBody = (request: ImageEditRequest): object =>
  omitUndefined({
    model: request.model,
    ...buildInstructionFields(request),
    image: encodeBase64(request.image),
  });

/** Builds the body of `POST /image/multi-edit`. The model is in the field `modelId`. */
export const buildCombineBody = (request: ImageCombineRequest): object =>
  omitUndefined({
    modelId: request.model,
    ...buildInstructionFields(request),
    images: request.images.map(encodeBase64),
  });

/** Builds the body of `POST /image/upscale`. */
export const buildUpscaleBody = ({ image, scale, creativity }: ImageUpscaleRequest): object =>
  omitUndefined({ scale, creativity, image: encodeBase64(image) });

/** Builds the body of `POST /image/background-remove`. */
export const buildBackgroundBody = (image: Uint8Array): object => ({ image: encodeBase64(image) });

const buildInstructionFields = (request: Omit<ImageEditRequest, 'image'>): object => ({
  prompt: request.prompt,
  aspect_ratio: request.aspectRatio,
  resolution: request.resolution,
  quality: request.quality,
  output_format: request.format,
  safe_mode: request.safeMode,
  enhance_prompt: request.enhancePrompt,
});

const encodeBase64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
