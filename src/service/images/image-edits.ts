import * as l10n from '@vscode/l10n';
import type { ServiceContext } from '../http/client.ts';
import { ServiceError } from '../http/failure.ts';
import { backgroundBody, combineBody, editBody, upscaleBody } from './image-body.ts';
import { acceptPicture, callForImages, type ImageCallOptions } from './image-call.ts';
import type {
  ImageCombineRequest,
  ImageEditRequest,
  ImageEvent,
  ImageUpscaleRequest,
} from './image-types.ts';

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
  yield* callForImages(context, { path, body, accept: acceptPicture }, { ...options, count: 1 });
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
