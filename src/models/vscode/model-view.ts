import * as vscode from 'vscode';
import { listCapabilities } from '../capability.ts';
import type { ModelView } from '../protocol.ts';
import type { Model, ModelPricing } from '../../service/model-types.ts';

/** Converts a model to an entry of the chat's model picker. */
export const toModelView = (model: Model): ModelView => ({
  id: model.id,
  name: model.name,
  description: model.description ?? '',
  contextTokens: toSafeInteger(model.contextTokens),
  price: createPriceView(model.pricing),
  privacy: model.privacy ?? '',
  traits: [...model.traits],
  capabilities: [...listCapabilities(model)],
  maxImagesPerMessage: getMaxImagesPerMessage(model),
  ...(mayUseLastImageOnly(model) && { usesLastImage: true as const }),
  warning: formatModelWarning(model),
  offline: model.offline,
});

function createPriceView({ input, output, extended }: ModelPricing): ModelView['price'] {
  const hasUsd = input?.usd !== undefined || output?.usd !== undefined;
  const unit = hasUsd ? 'usd' : 'diem';
  const [inputPrice = null, outputPrice = null] = [input?.[unit], output?.[unit]];
  if (inputPrice === null && outputPrice === null) return null;
  const extendedInput = extended?.input?.[unit];
  return {
    unit,
    input: inputPrice,
    output: outputPrice,
    ...(extended !== undefined &&
      extendedInput !== undefined && {
        extended: {
          threshold: extended.threshold,
          input: extendedInput,
          output: extended.output?.[unit] ?? outputPrice,
        },
      }),
  };
}

const maxNameLength = 300;

/**
 * Creates the picker entry of a selected model that is not in the model list.
 * @param isRemoved true if the service no longer offers the model; false if no model list is loaded yet
 */
export const createUnlistedModelView = (name: string, isRemoved: boolean): ModelView => ({
  id: name.slice(0, maxNameLength),
  name: name.slice(0, maxNameLength),
  description: '',
  contextTokens: null,
  price: null,
  privacy: '',
  traits: [],
  capabilities: [],
  maxImagesPerMessage: null,
  warning: isRemoved ? formatRemovedModelWarning(name) : '',
  offline: false,
});

/** Returns the warning for a selected model that the service no longer offers. */
export const formatRemovedModelWarning = (name: string): string =>
  vscode.l10n.t(
    'The service no longer offers {0}. Choose another model.',
    name.slice(0, maxNameLength),
  );

/**
 * Returns the maximum number of images per message. Returns 0 if the model accepts no images, and null if the service
 * reports no maximum.
 */
export const getMaxImagesPerMessage = ({ capabilities }: Model): number | null =>
  capabilities.supportsVision === false ? 0 : toSafeInteger(capabilities.maxImages);

/**
 * Checks whether the model record contains no maximum number of images and states that the model does not support
 * several images. Such a model may ignore all images of a message except the last.
 */
const mayUseLastImageOnly = (model: Model): boolean =>
  model.capabilities.supportsMultipleImages === false && getMaxImagesPerMessage(model) === null;

/** Returns a short warning for the model picker. Empty without a warning. */
export function formatModelWarning({ offline, beta, deprecation }: Model): string {
  if (deprecation !== undefined) return formatDeprecationWarning(deprecation);
  if (offline) return vscode.l10n.t('offline');
  return beta ? vscode.l10n.t('Beta') : '';
}

/**
 * Returns the value if it is a non-negative safe integer, otherwise null. Messages to the chat page permit no other
 * numbers.
 */
const toSafeInteger = (value: number | undefined): number | null =>
  value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : null;

function formatDeprecationWarning({
  date,
  removesAt,
  replacementModelId,
}: NonNullable<Model['deprecation']>): string {
  const day = formatDay(removesAt ?? date);
  if (day !== undefined && replacementModelId !== undefined) {
    return `${vscode.l10n.t('Removed on {0}', day)} → ${replacementModelId}`;
  }
  if (day !== undefined) return vscode.l10n.t('Removed on {0}', day);
  return vscode.l10n.t('To be removed');
}

/** Returns the date in UTC of an ISO 8601 time, such as `2026-12-01`. Returns `undefined` for other texts. */
function formatDay(isoTime: string | undefined): string | undefined {
  const time = Date.parse(isoTime ?? '');
  return Number.isNaN(time) ? undefined : new Date(time).toISOString().slice(0, 10);
}
