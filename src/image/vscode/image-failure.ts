import * as vscode from 'vscode';
import {
  type FailureAction,
  failureTable,
  ServiceError,
  type ServiceFailure,
} from '../../service/http/failure.ts';
import { diskErrorText, diskText, isDiskFull } from '../../platform/disk-error.ts';
import { networkFailure } from '../../service/http/network-failure.ts';
import { InvalidImageError } from './image-file.ts';

/** Why there is no picture, or not where it should be. */
export interface ImageFailure {
  /** A code of the service's failures, or one of ours: `no-picture`, `disk-full`, `disk`, `source`, `newer-version`. */
  readonly code: string;
  /** What happened and what to do next. */
  readonly message: string;
  readonly detail?: string;
  /** Milliseconds since the epoch from when on a retry can succeed. */
  readonly retryAt?: number;
  readonly actions: readonly FailureAction[];
  /** What the account is told; absent when the service had no part in it. */
  readonly service?: ServiceFailure;
}

/** What stands in the place of a picture that the service refused, whatever it was asked for. */
export const contentViolationMessage = (): string =>
  vscode.l10n.t(
    'The service made no picture: it is against its content rules. Nothing was charged.',
  );

/** A file that was to be worked on cannot be. The message is for the person. */
export class ImageSourceError extends Error {}

/** A folder is not the one that was allowed any more. The message is for the person. */
export class FolderMovedError extends Error {}

/** What went wrong on the way from the service to a file. */
export function imageFailure(error: unknown, now: number): ImageFailure {
  if (error instanceof InvalidImageError) return notAPicture(error);
  if (error instanceof ImageSourceError) {
    return { code: 'source', message: error.message, actions: [] };
  }
  const { code } = error as NodeJS.ErrnoException;
  if (!(error instanceof ServiceError) && typeof code === 'string') return diskFailure(code);
  return serviceFailure(networkFailure(error).failure, now);
}

function notAPicture({ reason }: InvalidImageError): ImageFailure {
  return { code: 'no-picture', message: notAPictureText(reason), actions: ['retry'] };
}

function notAPictureText(reason: InvalidImageError['reason']): string {
  switch (reason) {
    case 'no-picture':
      return vscode.l10n.t(
        'The service sent something that is no PNG, JPEG or WebP. It was not saved.',
      );
    case 'cut-off':
      return vscode.l10n.t(
        'The picture ended before it was complete. It was not saved. Try again.',
      );
    case 'too-large':
      return vscode.l10n.t(
        'The service sent a picture of more than 100 million pixels. It was not saved. Ask for a smaller one.',
      );
  }
}

const diskFailure = (code: string): ImageFailure => ({
  code: isDiskFull(code) ? 'disk-full' : 'disk',
  message: diskText(code),
  actions: ['retry'],
});

/** What a file system refused, for the person. */
export const fileErrorMessage = (error: unknown): string =>
  error instanceof FolderMovedError ? error.message : diskErrorText(error);

function serviceFailure(failure: ServiceFailure, now: number): ImageFailure {
  const { code, message, detail, retryAfterMs } = failure;
  return {
    code,
    message,
    ...(detail === undefined || message.includes(detail) ? {} : { detail }),
    ...(retryAfterMs === undefined ? {} : { retryAt: now + retryAfterMs }),
    // A picture is not continued, and there is no chat to begin anew.
    actions: failureTable[code].actions.filter(
      (action) => action !== 'continue' && action !== 'new-chat',
    ),
    service: failure,
  };
}
