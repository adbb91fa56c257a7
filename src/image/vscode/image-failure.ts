import * as vscode from 'vscode';
import {
  type FailureAction,
  failureTable,
  ServiceError,
  type ServiceFailure,
} from '../../service/http/failure.ts';
import { formatDiskError, formatDiskErrorCode, isDiskFull } from '../../platform/disk-error.ts';
import { toServiceError } from '../../service/http/network-failure.ts';
import { mayBeCharged } from '../image-generator.ts';
import { InvalidImageError, UnstoredImageError } from './image-file.ts';
import { labelRetryAsPaid } from '../../account/vscode/failure-actions.ts';

/** Failure of an image call, or of storing its images. */
export interface ImageFailure {
  /** Code of a service failure, or `not-an-image`, `disk-full`, `disk`, `source`, `memory-full` or `newer-version`. */
  readonly code: string;
  /** One or two sentences for the user: the problem and how to resolve it. */
  readonly message: string;
  readonly detail?: string;
  /** Earliest time at which a retry can succeed, in milliseconds since the epoch. Absent if this time is unknown. */
  readonly retryAt?: number;
  readonly actions: readonly FailureAction[];
  /**
   * Failure that the service reported, from which the account updates its status. Absent if the failure has another
   * cause, such as a full disk.
   */
  readonly service?: ServiceFailure;
}

/** Returns the message for an image that the service refused to generate. */
export const getContentViolationMessage = (): string =>
  vscode.l10n.t('The service made no image: it is against its content rules. Nothing was charged.');

/** Thrown if a source image cannot be used. The message is for the user. */
export class ImageSourceError extends Error {}

/** Thrown if a folder no longer leads to the location that the user authorized. The message is for the user. */
export class FolderMovedError extends Error {}

/** Converts an error of the service, of an image file or of the disk to a failure. */
export function toImageFailure(error: unknown, now: number): ImageFailure {
  if (error instanceof InvalidImageError) return createInvalidImageFailure();
  if (error instanceof UnstoredImageError)
    return createUnstoredImageFailure(formatUnstoredImage(error));
  if (error instanceof ImageSourceError) {
    return { code: 'source', message: error.message, actions: [] };
  }
  const { code } = error as NodeJS.ErrnoException;
  if (!(error instanceof ServiceError) && typeof code === 'string') return createDiskFailure(code);
  return createServiceFailure(toServiceError(error).failure, now);
}

/** Returns the failure of a call whose paid images exist only in memory, because the gallery could not store them. */
const createUnstoredImageFailure = (message: string): ImageFailure => ({
  code: 'unstored-image',
  message,
  actions: failureTable['unstored-image'].actions,
});

/** Returns the failure of a call that was not sent, because the paid images in memory have reached their size limit. */
export const createMemoryFullFailure = (): ImageFailure => ({
  code: 'memory-full',
  message: vscode.l10n.t('Save or discard the images that are not in the gallery first.'),
  actions: failureTable['unstored-image'].actions.slice(0, 2),
});

/**
 * Adds actions for paid images to a failure: actions that save or discard unstored images, and a retry whose label
 * warns of another charge.
 * @param hasUnstoredImages true if images of the call are in memory because the gallery could not store them
 */
export function addPaidImageActions(
  failure: ImageFailure,
  hasUnstoredImages: boolean,
): ImageFailure {
  const paidActions = labelRetryAsPaid(failure.actions, mayBeCharged(failure.code));
  const actions = hasUnstoredImages
    ? [...new Set([...failureTable['unstored-image'].actions.slice(0, 2), ...paidActions])]
    : paidActions;
  return { ...failure, actions };
}

/** Returns the message for a paid image that exists only in memory, because the gallery could not store it. */
export function formatUnstoredImage({ reason, code }: UnstoredImageError): string {
  if (reason !== 'disk')
    return vscode.l10n.t(
      'The image is incomplete or too large for the gallery. Save or discard it.',
    );
  return isDiskFull(code)
    ? vscode.l10n.t('The disk is full, so the image is not in the gallery. Save it elsewhere.')
    : vscode.l10n.t(
        'The image could not be written to the gallery ({0}). Save it elsewhere.',
        code,
      );
}

const createInvalidImageFailure = (): ImageFailure => ({
  code: 'not-an-image',
  message: vscode.l10n.t(
    'The service sent something that is no PNG, JPEG or WebP image. Retry, or choose another model.',
  ),
  actions: ['retry'],
});

const createDiskFailure = (code: string): ImageFailure => ({
  code: isDiskFull(code) ? 'disk-full' : 'disk',
  message: formatDiskErrorCode(code),
  actions: ['retry'],
});

/** Returns a message for the user about a file system error. */
export const formatFileError = (error: unknown): string =>
  error instanceof FolderMovedError ? error.message : formatDiskError(error);

function createServiceFailure(failure: ServiceFailure, now: number): ImageFailure {
  const { code, message, detail, retryAfterMs } = failure;
  return {
    code,
    message,
    ...(detail === undefined || message.includes(detail) ? {} : { detail }),
    ...(retryAfterMs === undefined ? {} : { retryAt: now + retryAfterMs }),
    // Removes actions for chats, because image calls cannot be continued and have no chat.
    actions: failureTable[code].actions.filter(
      (action) => action !== 'continue' && action !== 'new-chat',
    ),
    service: failure,
  };
}
