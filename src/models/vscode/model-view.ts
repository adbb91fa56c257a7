import * as vscode from 'vscode';
import { capabilitiesOf } from '../capability.ts';
import type { ModelView } from '../protocol.ts';
import type { Model } from '../../service/model-types.ts';

/** A model as the chat's picker shows it. */
export const toModelView = (model: Model): ModelView => ({
  id: model.id,
  name: model.name,
  description: model.description ?? '',
  contextTokens: wholeNumber(model.contextTokens),
  inputUsd: model.pricing.input?.usd ?? null,
  outputUsd: model.pricing.output?.usd ?? null,
  privacy: model.privacy ?? '',
  traits: [...model.traits],
  capabilities: [...capabilitiesOf(model)],
  pictures: maxImagesPerMessage(model),
  warning: modelWarning(model),
  offline: model.offline,
});

const longestName = 300;

/** A model of which only the name is known. `isGone` says that there is a list, and that it is not in it. */
export const unlistedModelView = (name: string, isGone: boolean): ModelView => ({
  id: name.slice(0, longestName),
  name: name.slice(0, longestName),
  description: '',
  contextTokens: null,
  inputUsd: null,
  outputUsd: null,
  privacy: '',
  traits: [],
  capabilities: [],
  pictures: null,
  warning: isGone ? removedModelWarning(name) : '',
  offline: false,
});

/** What to know of a chosen model that the service does not list. */
export const removedModelWarning = (name: string): string =>
  vscode.l10n.t(
    'The service does not offer {0} any more. Choose another model.',
    name.slice(0, longestName),
  );

/** One that does not say so may still see several: the number is told, and not enforced, for 1. */
export function maxImagesPerMessage({ capabilities }: Model): number | null {
  const { supportsVision, supportsMultipleImages, maxImages } = capabilities;
  if (!supportsVision) return 0;
  return wholeNumber(maxImages) ?? (supportsMultipleImages ? null : 1);
}

/** What to know before choosing a model, in one short sentence; empty when nothing. */
export function modelWarning({ offline, beta, deprecation }: Model): string {
  if (deprecation !== undefined) return deprecationWarning(deprecation);
  if (offline) return vscode.l10n.t('Offline at the moment');
  return beta ? vscode.l10n.t('Beta') : '';
}

/** The chat's protocol takes nothing else. */
const wholeNumber = (value: number | undefined): number | null =>
  value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : null;

function deprecationWarning({
  date,
  removesAt,
  replacementModelId,
}: NonNullable<Model['deprecation']>): string {
  const day = dayOf(removesAt ?? date);
  if (day !== undefined && replacementModelId !== undefined) {
    return vscode.l10n.t('Removed on {0}; use {1}', day, replacementModelId);
  }
  if (day !== undefined) return vscode.l10n.t('Removed on {0}', day);
  return vscode.l10n.t('To be removed');
}

/** `2026-12-01` of an ISO instant; `undefined` for what is none. */
function dayOf(instant: string | undefined): string | undefined {
  const time = Date.parse(instant ?? '');
  return Number.isNaN(time) ? undefined : new Date(time).toISOString().slice(0, 10);
}
