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
  /** Of all pictures of the call together, by the model's prices. */
  readonly price?: Cost | undefined;
}

/** A picture has no bytes before it is made, which takes up to minutes. */
const imageTimeouts = { headers: 300_000, idle: 60_000 };
/** A connection that was closed from idle says so at once; later, the picture may have been made and charged. */
const atOnceMs = 500;

/**
 * Posts a call that makes `count` pictures, and reads them as they come; what comes beyond them is left. Leaving the
 * iteration, or aborting `signal`, closes the connection at once, and a body that does not get on fails as `timeout`.
 * @throws ServiceError
 */
export async function* requestImages(
  context: ServiceContext,
  call: Pick<Call, 'path' | 'body' | 'accept'>,
  { count, signal, price }: ImageCallOptions & { count: number },
): AsyncGenerator<ImageEvent> {
  const paid: PaidRequest = { kind: 'image', isBackground: false, ...omitUndefined({ price }) };
  const { clock } = context;
  const canceller = new AbortController();
  const either = AbortSignal.any([signal, canceller.signal]);
  const canRetry = repeatsWithoutCharge(clock);
  const tries = sendWithRetries(
    context,
    { ...call, method: 'POST', timeouts: imageTimeouts, canRetry: canRetry },
    either,
  );
  try {
    await context.spending?.authorize(paid, either);
    let step = await tries.next();
    for (; !step.done; step = await tries.next()) yield { type: 'retry-wait', ...step.value };
    const onStall = (): void => canceller.abort(timeoutError('progress'));
    const body = withStallTimeout(step.value.body, { clock, onStall });
    for await (const event of readImageResponse({ ...step.value, body }, { count, signal })) {
      // All that were asked for are made by now, and none of a request that was refused.
      if (event.type === 'image-start' && event.index === 0)
        context.spending?.recordSpent(paid, {});
      yield event;
    }
  } finally {
    context.spending?.release(paid);
    // Without effect on a reply that was read to its end.
    canceller.abort(stoppedError());
  }
}

/** For calls whose answer is one picture's bytes; a service may answer with JSON all the same. */
export const acceptImage = 'image/*, application/json';

/** What the service, or a gateway before it, answers in place of a picture (spec §7.2). */
const refusals: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);
/** The codes of failures from before there was a connection, so that nothing was sent. */
const unconnected = /^(ENOTFOUND|EAI_|ECONNREFUSED|ERR_NAME_NOT_RESOLVED|ERR_CONNECTION_REFUSED)/;

/**
 * A try is repeated only if it cannot have made a picture. A connection that fails without an answer counts as closed
 * from idle in the first try only: a fresh one that fails as well has another reason.
 */
function repeatsWithoutCharge(clock: Clock): (failure: ServiceFailure) => boolean {
  const start = clock.now();
  let isFirst = true;
  return ({ code, status, detail = '' }) => {
    const isAtOnce = isFirst && clock.now() - start < atOnceMs;
    isFirst = false;
    if (status !== undefined) return refusals.has(status) && failureTable[code].retryable;
    if (code === 'offline') return isAtOnce || unconnected.test(detail);
    return code === 'interrupted' && isAtOnce;
  };
}

/**
 * Makes pictures from words (spec §4.5). One picture is asked for as bytes, which are passed on as they come; several
 * come as JSON, which is decoded as it comes; never more than were asked for. Repeated only if nothing can have been
 * made and charged. Leaving the iteration, or aborting `signal`, closes the connection at once.
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
 * {@link generateImages} for deployments that have only the OpenAI-compatible endpoint (spec §4.7): one picture, fewer
 * parameters.
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

/** The pictures of one call are smaller than this together: as base64, with the rest, they stay below its 35 MB. */
const maxBytes = 25 * 1024 * 1024;

/**
 * Changes a picture as words say. Events and failures as those of `generateImages`; a picture that is too large for the
 * service fails as `payload-too-large` before it is sent.
 */
export const editImage = (
  context: ServiceContext,
  request: ImageEditRequest,
  options: ImageCallOptions,
): AsyncGenerator<ImageEvent> =>
  work(
    context,
    { path: '/image/edit', images: [request.image], body: () => editBody(request) },
    options,
  );

/** Makes one picture from several, as words say; otherwise as {@link editImage}. */
export const combineImages = (
  context: ServiceContext,
  request: ImageCombineRequest,
  options: ImageCallOptions,
): AsyncGenerator<ImageEvent> =>
  work(
    context,
    { path: '/image/multi-edit', images: request.images, body: () => combineBody(request) },
    options,
  );

/** Makes a picture larger; otherwise as {@link editImage}. */
export const upscaleImage = (
  context: ServiceContext,
  request: ImageUpscaleRequest,
  options: ImageCallOptions,
): AsyncGenerator<ImageEvent> =>
  work(
    context,
    { path: '/image/upscale', images: [request.image], body: () => upscaleBody(request) },
    options,
  );

/** Makes the background of a picture transparent; otherwise as {@link editImage}. */
export const removeBackground = (
  context: ServiceContext,
  { image }: { readonly image: Uint8Array },
  options: ImageCallOptions,
): AsyncGenerator<ImageEvent> =>
  work(
    context,
    { path: '/image/background-remove', images: [image], body: () => backgroundBody(image) },
    options,
  );

async function* work(
  context: ServiceContext,
  call: { path: string; images: readonly Uint8Array[]; body: () => object },
  options: ImageCallOptions,
): AsyncGenerator<ImageEvent> {
  const { path, images, body } = call;
  const size = images.reduce((sum, { length }) => sum + length, 0);
  if (size >= maxBytes) throw tooLarge(images.length);
  yield* requestImages(context, { path, body, accept: acceptImage }, { ...options, count: 1 });
}

const tooLarge = (count: number): ServiceError =>
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
 * The names that a style preset can have (spec §4.6), each once, in the service's order. What is no name is left out.
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
