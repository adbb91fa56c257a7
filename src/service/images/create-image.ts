import * as l10n from '@vscode/l10n';
import { omitUndefined } from '../../base/json.ts';
import type { Cost } from '../chat/chat-types.ts';
import type { Endpoint, ServiceContext } from '../http/client.ts';
import { ServiceError, type ServiceFailure } from '../http/failure.ts';
import { toServiceError } from '../http/network-failure.ts';
import { bindToEndpoint, type ServiceCall } from '../http/request.ts';
import { listModels } from '../models.ts';
import { isMissingRoute, recordHasOnlyCreateRoute, nativeRouteFactKey } from './create-route.ts';
import { listCreateRouteFields } from './image-fields.ts';
import type {
  GenerateOptions,
  ImageCreateRequest,
  ImageEvent,
  ImageRequest,
  RequestImagesOptions,
  VariantCount,
} from './image-types.ts';

interface CompatibleRouteOptions extends GenerateOptions {
  readonly endpoint: Endpoint | undefined;
  /**
   * Error of a preceding attempt with the route `/image/generate`; undefined if this route was not tried. This error is
   * thrown if the model list does not contain the requested model.
   */
  readonly nativeRouteError: ServiceError | undefined;
  /**
   * Sends an image request. Passed by the caller, because an import would make the bundler move the code that all image
   * calls share to a separate file.
   */
  readonly requestImages: (
    context: ServiceContext,
    call: ReturnType<typeof buildCreateRouteCall>,
    options: RequestImagesOptions,
  ) => AsyncGenerator<ImageEvent>;
}

/**
 * Generates an image with the OpenAI-compatible route, and stores whether the service has this route. Sends the request
 * only if the model list contains the model.
 * @throws ServiceError if the request fails
 */
export async function* generateWithCompatibleRoute(
  context: ServiceContext,
  request: ImageRequest,
  options: CompatibleRouteOptions,
): AsyncGenerator<ImageEvent> {
  const { variants, isSeedChosen = false, signal, price, endpoint, nativeRouteError } = options;
  const connection = endpoint?.connection;
  if (!(await isModelListed(context, request.model, { signal, ...bindToEndpoint(endpoint) })))
    throw nativeRouteError ?? createUnlistedModelError();
  checkCreateOptions(request, { variants, isSeedChosen }, endpoint);
  const pricePerImage = price && splitPrice(price, variants);
  try {
    const call = buildCreateRouteCall(toCreateRequest(request));
    const { model } = request;
    const callOptions = {
      imageCount: 1,
      model,
      signal,
      price: pricePerImage,
      endpoint,
      isNative: false,
    };
    const events = options.requestImages(context, call, callOptions);
    for await (const event of events) {
      if (event.type === 'reply-start') yield { ...event, hasOnlyCreateOptions: true };
      else yield event;
      if (event.type === 'image-start') recordHasOnlyCreateRoute(connection, true);
    }
  } catch (error) {
    const { failure } = toServiceError(error);
    const isMissing = isMissingRoute(failure);
    const isValidationError = failure.status === 400 || failure.status === 422;
    if (isMissing || isValidationError) recordHasOnlyCreateRoute(connection, !isMissing);
    throw isMissing ? createNoImageRouteError(failure) : error;
  }
}

const splitPrice = ({ usd, diem }: Cost, count: number): Cost => ({
  ...(usd !== undefined && { usd: usd / count }),
  ...(diem !== undefined && { diem: diem / count }),
});

/** Creates the call to the OpenAI-compatible route (spec §4.7). The route returns one image per request. */
export const buildCreateRouteCall = (
  request: ImageCreateRequest,
): Pick<ServiceCall, 'path' | 'body' | 'optionalFields'> => ({
  path: '/images/generations',
  body: buildCreateRouteBody(request),
  optionalFields: listCreateRouteFields(request.model),
});

/**
 * Converts a request to the options of the OpenAI-compatible image route. The result contains the option for
 * safe mode only if the request turns it off, because services turn it on by default.
 */
export const toCreateRequest = (request: ImageRequest): ImageCreateRequest => {
  const { model, prompt, width, height, quality, format, safeMode } = request;
  return omitUndefined({
    model,
    prompt,
    size: width === undefined || height === undefined ? undefined : `${width}x${height}`,
    quality,
    moderation: safeMode === false ? ('low' as const) : undefined,
    format,
    responseFormat: 'b64_json' as const,
  });
};

type UnsupportedOption = readonly [option: string, value: unknown, getName: () => string];

/**
 * Rejects chosen options that the OpenAI-compatible route does not support, unless the user has agreed to leave out
 * exactly these options.
 * @throws ServiceError `unsupported-option` for such options
 */
function checkCreateOptions(
  request: ImageRequest,
  { variants, isSeedChosen }: { readonly variants: VariantCount; readonly isSeedChosen: boolean },
  endpoint: Endpoint | undefined,
): void {
  const hasShape = request.aspectRatio !== undefined || request.resolution !== undefined;
  const options: readonly UnsupportedOption[] = [
    ['negative_prompt', request.negativePrompt, () => l10n.t('Negative prompt')],
    ['shape', hasShape, () => l10n.t('Aspect ratio')],
    ['cfg_scale', request.cfgScale, () => l10n.t('Prompt guidance')],
    ['style', request.stylePreset ?? request.styleReferences, () => l10n.t('Style')],
    ['steps', request.steps, () => l10n.t('Steps')],
    ['seed', isSeedChosen && request.seed !== undefined, () => l10n.t('Seed')],
    ['enable_web_search', request.enableWebSearch, () => l10n.t('Web search')],
    ['enhance_prompt', request.enhancePrompt, () => l10n.t('Improved prompt')],
    ['hide_watermark', request.hideWatermark, () => l10n.t('Without watermark')],
    ['embed_exif_metadata', request.embedExifMetadata, () => l10n.t('Request in the file (EXIF)')],
    ['variants', variants > 1, () => l10n.t('several images at once')],
  ];
  const chosenOptions = options.filter(([, value]) => Boolean(value));
  // The key contains the options, so that the user's agreement to omit options applies to exactly these options.
  const key = `${nativeRouteFactKey}:${chosenOptions.map(([option]) => option).join()}`;
  if (chosenOptions.length === 0 || endpoint?.connection?.facts.omitted?.includes(key) === true)
    return;
  const names = chosenOptions.map(([, , getName]) => getName());
  throw new ServiceError({
    code: 'unsupported-option',
    message: l10n.t('This service does not support this option: {0}.', names.join(', ')),
    refusedField: key,
    ...(endpoint === undefined ? {} : { connection: endpoint.baseUrl.href }),
  });
}

/**
 * Checks whether the model list contains the model. Without this check, the OpenAI-compatible route could replace an
 * unknown model with another model and charge the user for it. Returns false if the list cannot be loaded.
 * @throws ServiceError `address-changed` if the user switched to another service
 */
const isModelListed = (
  context: ServiceContext,
  model: string,
  options: { readonly signal: AbortSignal; readonly baseUrl?: string },
): Promise<boolean> =>
  listModels(context, { ...options, type: 'all' }).then(
    ({ models }) => models.some(({ id }) => id === model),
    (error: unknown) => {
      if (toServiceError(error).failure.code === 'address-changed') throw error;
      return false;
    },
  );

const createNoImageRouteError = (failure: ServiceFailure): ServiceError =>
  new ServiceError({
    ...failure,
    message: l10n.t('This service has no image model. Switch the connection.'),
  });

/** Builds the body of `POST /images/generations` (spec §4.7). */
const buildCreateRouteBody = (request: ImageCreateRequest): object =>
  omitUndefined({
    model: request.model,
    prompt: request.prompt,
    size: request.size,
    quality: request.quality,
    style: request.style,
    background: request.background,
    moderation: request.moderation,
    output_format: request.format,
    output_compression: request.compression,
    response_format: request.responseFormat,
    user: request.user,
  });

const createUnlistedModelError = (): ServiceError =>
  new ServiceError({
    code: 'model-not-found',
    message: l10n.t(
      'The service does not know this model, or no longer offers it. Choose another model.',
    ),
  });
