import type { ServiceContext } from '../http/client.ts';
import { createBody, generateBody } from './image-body.ts';
import { acceptPicture, callForImages, type ImageCallOptions } from './image-call.ts';
import type { ImageCreateRequest, ImageEvent, ImageRequest, VariantCount } from './image-types.ts';

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
  callForImages(
    context,
    {
      path: '/image/generate',
      body: generateBody(request, variants),
      accept: variants === 1 ? acceptPicture : 'application/json',
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
  callForImages(
    context,
    { path: '/images/generations', body: createBody(request) },
    { ...options, count: 1 },
  );
