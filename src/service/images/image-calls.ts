import * as l10n from '@vscode/l10n';
import type { Clock } from '../../base/clock.ts';
import { omitUndefined, isRecord } from '../../base/json.ts';
import type { Cost } from '../chat/chat-types.ts';
import type { PaidRequest } from '../chat/spending.ts';
import type { ServiceContext } from '../http/client.ts';
import { failureTable, ServiceError, type ServiceFailure } from '../http/failure.ts';
import { stoppedError, timeoutError } from '../http/network-failure.ts';
import { unrecognizedResponse, readJson, withStallTimeout } from '../http/response.ts';
import { type Call, sendWithRetries, secretsOf, send } from '../http/request.ts';
import {
  backgroundBody,
  combineBody,
  createBody,
  editBody,
  generateBody,
  upscaleBody,
} from './image-body.ts';
import { readImageResponse } from './image-response.ts';
import type {
  ImageCombineRequest,
  ImageCreateRequest,
  ImageEditRequest,
  ImageEvent,
  ImageRequest,
  ImageUpscaleRequest,
  VariantCount,
} from './image-types.ts';

export interface ImageCallOptions {
  readonly signal: AbortSignal;
  /** Price of all images of the call, according to the model's price list. */
  readonly price?: Cost | undefined;
}

/** Timeouts in milliseconds. The service sends no bytes before the first image is complete, which can take minutes. */
const imageTimeouts = { headers: 300_000, idle: 60_000 };
/**
 * Milliseconds in which a request fails if the service had already closed the idle connection. After a later failure,
 * the service may have generated and charged an image.
 */
const staleConnectionMs = 500;

/**
 * Sends a request for `count` images and streams them. Ignores further images. Closes the connection when the caller
 * leaves the iteration or aborts `signal`. A stalled download fails as `timeout`.
 * @throws ServiceError
 */
export async function* requestImages(
  context: ServiceContext,
  call: Pick<Call, 'path' | 'body' | 'accept'>,
  { count, signal, price }: ImageCallOptions & { count: number },
): AsyncGenerator<ImageEvent> {
  const paidRequest: PaidRequest = {
    kind: 'image',
    isBackground: false,
    ...omitUndefined({ price }),
  };
  const { clock } = context;
  const canceller = new AbortController();
  const combinedSignal = AbortSignal.any([signal, canceller.signal]);
  const canRetry = allowUnchargedRetries(clock);
  const retries = sendWithRetries(
    context,
    { ...call, method: 'POST', timeouts: imageTimeouts, canRetry },
    combinedSignal,
  );
  try {
    await context.spending?.authorize(paidRequest, combinedSignal);
    let result = await retries.next();
    for (; !result.done; result = await retries.next())
      yield { type: 'retry-wait', ...result.value };
    const onStall = (): void => canceller.abort(timeoutError('progress'));
    const body = withStallTimeout(result.value.body, { clock, onStall });
    for await (const event of readImageResponse({ ...result.value, body }, { count, signal })) {
      // The first image proves that the service charges for all requested images. A rejected request fails earlier.
      if (event.type === 'image-start' && event.index === 0)
        context.spending?.recordSpent(paidRequest, {});
      yield event;
    }
  } finally {
    context.spending?.release(paidRequest);
    // Has no effect if the response was read completely.
    canceller.abort(stoppedError());
  }
}

/** `Accept` header for a single image in binary form. A service may respond with JSON regardless. */
export const acceptImage = 'image/*, application/json';

/** Statuses of responses that prove that no image was generated (spec §7.2). */
const rejectionStatuses: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);
/** Matches error codes of failures before a connection was open, when no request was sent. */
const unconnectedPattern =
  /^(ENOTFOUND|EAI_|ECONNREFUSED|ERR_NAME_NOT_RESOLVED|ERR_CONNECTION_REFUSED)/;

/**
 * Creates the retry check of an image call. Allows a retry only if no image can have been generated and charged. A
 * connection that closes without a response is safe to retry only after the first attempt, because later attempts use a
 * new connection.
 */
function allowUnchargedRetries(clock: Clock): (failure: ServiceFailure) => boolean {
  const start = clock.now();
  let isFirst = true;
  return ({ code, status, detail = '' }) => {
    const isImmediate = isFirst && clock.now() - start < staleConnectionMs;
    isFirst = false;
    if (status !== undefined) return rejectionStatuses.has(status) && failureTable[code].retryable;
    if (code === 'offline') return isImmediate || unconnectedPattern.test(detail);
    return code === 'interrupted' && isImmediate;
  };
}

/**
 * Generates images from a prompt (spec §4.5). Never returns more images than requested. Retries only if no image can
 * have been generated and charged. Closes the connection when the caller leaves the iteration or aborts `signal`.
 * @throws ServiceError
 */
export const generateImages = (
  context: ServiceContext,
  request: ImageRequest,
  { variants, signal, price }: ImageCallOptions & { variants: VariantCount },
): AsyncGenerator<ImageEvent> =>
  requestImages(
    context,
    {
      path: '/image/generate',
      body: generateBody(request, variants),
      accept: variants === 1 ? acceptImage : 'application/json',
    },
    { count: variants, signal, price },
  );

/**
 * Generates one image with the OpenAI-compatible endpoint (spec §4.7), for deployments without `POST /image/generate`.
 * Supports fewer parameters than {@link generateImages}.
 * @throws ServiceError
 */
export const createImages = (
  context: ServiceContext,
  request: ImageCreateRequest,
  options: ImageCallOptions,
): AsyncGenerator<ImageEvent> =>
  requestImages(
    context,
    { path: '/images/generations', body: createBody(request) },
    { ...options, count: 1 },
  );

/**
 * Maximum total size in bytes of the input images of a call. As base64, the images then stay below the service's
 * request limit of 35 MB.
 */
const maxBytes = 25 * 1024 * 1024;

/**
 * Edits an image according to a prompt. Has the same events and failures as {@link generateImages}. Too large images
 * fail as `payload-too-large` before anything is sent.
 */
export const editImage = (
  context: ServiceContext,
  request: ImageEditRequest,
  options: ImageCallOptions,
): AsyncGenerator<ImageEvent> =>
  requestFromImages(
    context,
    { path: '/image/edit', images: [request.image], body: () => editBody(request) },
    options,
  );

/** Combines several images into one according to a prompt. Has the same events and failures as {@link editImage}. */
export const combineImages = (
  context: ServiceContext,
  request: ImageCombineRequest,
  options: ImageCallOptions,
): AsyncGenerator<ImageEvent> =>
  requestFromImages(
    context,
    { path: '/image/multi-edit', images: request.images, body: () => combineBody(request) },
    options,
  );

/** Enlarges an image. Has the same events and failures as {@link editImage}. */
export const upscaleImage = (
  context: ServiceContext,
  request: ImageUpscaleRequest,
  options: ImageCallOptions,
): AsyncGenerator<ImageEvent> =>
  requestFromImages(
    context,
    { path: '/image/upscale', images: [request.image], body: () => upscaleBody(request) },
    options,
  );

/** Makes the background of an image transparent. Has the same events and failures as {@link editImage}. */
export const removeBackground = (
  context: ServiceContext,
  { image }: { readonly image: Uint8Array },
  options: ImageCallOptions,
): AsyncGenerator<ImageEvent> =>
  requestFromImages(
    context,
    { path: '/image/background-remove', images: [image], body: () => backgroundBody(image) },
    options,
  );

async function* requestFromImages(
  context: ServiceContext,
  call: { path: string; images: readonly Uint8Array[]; body: () => object },
  options: ImageCallOptions,
): AsyncGenerator<ImageEvent> {
  const { path, images, body } = call;
  const size = images.reduce((sum, { length }) => sum + length, 0);
  if (size >= maxBytes) throw imagesTooLargeError(images.length);
  yield* requestImages(context, { path, body, accept: acceptImage }, { ...options, count: 1 });
}

const imagesTooLargeError = (count: number): ServiceError =>
  new ServiceError({
    code: 'payload-too-large',
    message:
      count === 1
        ? l10n.t(
            'The picture is too large for the service, which takes less than 25 MB. Use a smaller one.',
          )
        : l10n.t(
            'The pictures together are too large for the service, which takes less than 25 MB. Use smaller ones.',
          ),
  });

const maxStyles = 1_000;
const maxStyleLength = 128;

/**
 * Lists the unique names of style presets (spec §4.6) in the order of the service. Omits invalid names.
 * @throws ServiceError
 */
export async function listImageStyles(
  context: ServiceContext,
  { signal }: { signal: AbortSignal },
): Promise<readonly string[]> {
  const response = await send(context, { method: 'GET', path: '/image/styles' }, signal);
  const secrets = secretsOf(response.endpoint);
  const json = await readJson(response.body, { maxBytes: 1024 * 1024, secrets });
  const styles = isRecord(json) ? json['data'] : json;
  if (!Array.isArray(styles)) throw unrecognizedResponse(JSON.stringify(json), secrets);
  return [...new Set(styles.filter(isStyle))].slice(0, maxStyles);
}

const isStyle = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= maxStyleLength;
