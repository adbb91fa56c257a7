import { omitUndefined } from '../../base/json.ts';
import type { Connection } from '../http/connection.ts';
import type { ServiceFailure } from '../http/failure.ts';
import type { ImageRequest } from './image-types.ts';

/** Key of the entry in {@link Connection.facts} that states whether the deployment has the native image route. */
export const nativeRouteFactKey = 'route:/image/generate';

/** Checks whether the deployment has only the OpenAI-compatible route for images (spec §4.7). */
export const hasOnlyCreateRoute = (connection: Connection | undefined): boolean =>
  connection?.facts.fields?.[nativeRouteFactKey] === false;

/** Stores whether the deployment has only the OpenAI-compatible route. */
export const recordHasOnlyCreateRoute = (
  connection: Connection | undefined,
  hasOnly: boolean,
): void => connection?.recordField(nativeRouteFactKey, !hasOnly);

/** Matches the text with which LM Studio reports a missing route in a response with status 200. */
const missingRoutePattern = /^Unexpected endpoint or method\b/u;

/**
 * Checks whether a failure means that the service does not have the requested route. Returns false if the error text
 * may be about the model. Also returns false for any other failure inside a response with status 200, because such a
 * request may have been charged.
 */
export const isMissingRoute = ({ code, status, detail = '' }: ServiceFailure): boolean =>
  code === 'not-found' &&
  (status === undefined
    ? missingRoutePattern.test(detail)
    : status === 404 && !/\bmodels?\b|\bendpoints found\b/iu.test(detail));

/** Removes the options that the OpenAI-compatible route does not support. */
export const removeUnsupportedOptions = (request: ImageRequest): ImageRequest => {
  const { model, prompt, width, height, quality, format, safeMode } = request;
  return omitUndefined({ model, prompt, width, height, quality, format, safeMode });
};
