import { omitUndefined } from '../../base/json.ts';
import type { Connection } from '../http/connection.ts';
import type { ServiceFailure } from '../http/failure.ts';
import type { ImageRequest } from './image-types.ts';

/** Key of the fact in {@link Connection.facts} about whether the service has the route `/image/generate`. */
export const nativeRouteFactKey = 'route:/image/generate';

/**
 * Checks whether the service is known to have only the OpenAI-compatible route for images (spec §4.7), and not
 * `/image/generate`.
 */
export const hasOnlyCreateRoute = (connection: Connection | undefined): boolean =>
  connection?.facts.fields?.[nativeRouteFactKey] === false;

/** Stores whether the service has only the OpenAI-compatible route for images. */
export const recordHasOnlyCreateRoute = (
  connection: Connection | undefined,
  isOnlyRoute: boolean,
): void => connection?.recordField(nativeRouteFactKey, !isOnlyRoute);

/** Matches the text with which LM Studio reports a missing route in a response with status 200. */
const missingRoutePattern = /^Unexpected endpoint or method\b/u;

/**
 * Checks whether a failure means that the service does not have the requested route. Returns false if the error text
 * may be about the model instead. A failure with status 200 counts only if its text is that of LM Studio, because any
 * other request with status 200 may have been charged.
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
