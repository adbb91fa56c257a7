import * as vscode from 'vscode';
import type { ImageRecord } from '../../image-record.ts';
import type { ImageView, StudioJob } from '../protocol/state.ts';
import type { ImageModeration } from '../../../service/images/image-types.ts';
import { actionLabel } from '../../../account/vscode/failure-actions.ts';
import { type ImageFailure, violationText } from '../../vscode/image-failure.ts';
import type { ImageJob } from './image-jobs.ts';
import { type ImageAsk, promptOf } from '../../vscode/plan-image.ts';
import { shownName, shownPrice, shownSize } from './studio-limits.ts';

/** What the page needs of a picture beyond its record. */
export interface PictureFacts {
  readonly src: string;
  readonly thumb: string | null;
  readonly file: ImageView['file'];
  readonly fileLabel: string;
}

export function imageView(record: ImageRecord, facts: PictureFacts): ImageView {
  const { id, width, height, bytes, createdAt, origin, modelName = '', moderation } = record;
  return {
    id,
    width,
    height,
    bytes,
    prompt: [titleOf(origin), record.subject ?? ''].filter(Boolean).join(' · ').slice(0, 500),
    model: shownName(modelName),
    createdAt,
    origin: origin.kind,
    blurred: moderation.blurred,
    contentViolation: moderation.contentViolation,
    moderationText: moderationText(moderation),
    ...facts,
  };
}

export function jobView(job: ImageJob): StudioJob {
  const { id, task, status, startedAt, durationMs, width, height, images, retry, failure } = job;
  const { ask, modelName = '', price } = task;
  return {
    id,
    origin: ask.kind,
    title: titleOf(ask).slice(0, 500),
    model: shownName(modelName),
    status,
    startedAt: startedAt ?? null,
    durationMs: durationMs ?? null,
    ...shownSize({ width, height }),
    images: [...images],
    retry: retry === undefined ? null : { ...retry, of: 3 },
    failure: failure === undefined ? null : failureCard(failure),
    costText: shownPrice(price),
  };
}

/** A failure as a card. The labels are those of the chat's. */
export function failureCard({
  code,
  message,
  detail,
  retryAt,
  actions,
}: ImageFailure): NonNullable<StudioJob['failure']> {
  return {
    code,
    title: message,
    detail: detail ?? null,
    retryAt: retryAt ?? null,
    actions: actions.map((action) => ({ action, label: actionLabel(action) })),
  };
}

/** The prompt, or what was done. */
export function titleOf(ask: ImageAsk | ImageRecord['origin']): string {
  switch (ask.kind) {
    case 'upscale':
      return vscode.l10n.t('Upscale {0}×', ask.scale);
    case 'remove-background':
      return vscode.l10n.t('Remove background');
    default:
      return promptOf(ask);
  }
}

function moderationText({ blurred, contentViolation, reasons }: ImageModeration): string {
  if (contentViolation) {
    return reasons.includes('minor')
      ? vscode.l10n.t('The service refused this picture: it would show a minor.')
      : violationText();
  }
  if (!blurred) return '';
  return reasons.includes('adult-content')
    ? vscode.l10n.t('Blurred by safe mode: adult content.')
    : vscode.l10n.t('Blurred by safe mode.');
}
