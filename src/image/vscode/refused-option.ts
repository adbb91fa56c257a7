import * as vscode from 'vscode';
import {
  type AccountConnections,
  isActiveBaseUrl,
  omitRefusedField,
} from '../../account/vscode/show-failure.ts';
import type { FailureAction } from '../../service/http/failure.ts';
import type { ImageFailure } from './image-failure.ts';

/**
 * Returns the actions to offer for a failure. If another service is active now, omits the action that repeats the
 * request without the rejected option.
 */
export const listAvailableActions = (
  { actions, service }: ImageFailure,
  account: AccountConnections,
): readonly FailureAction[] =>
  actions.filter(
    (action) => action !== 'send-without' || isActiveBaseUrl(service?.connection, account),
  );

/**
 * Omits the rejected option from further requests to the service that rejected it. Returns false if another service is
 * now active, or if the failure concerns no option.
 */
export const omitRefusedOption = (
  { service }: Pick<ImageFailure, 'service'>,
  account: AccountConnections,
): boolean => service !== undefined && omitRefusedField(service, account);

/** Returns the translated label of a request option. */
export const getRequestOptionLabel = (name: string): string =>
  getRequestOptionLabels()[name] ?? name;

const getRequestOptionLabels = (): Readonly<Record<string, string>> => ({
  prompt: vscode.l10n.t('Prompt'),
  negativePrompt: vscode.l10n.t('Negative prompt'),
  width: vscode.l10n.t('Width'),
  height: vscode.l10n.t('Height'),
  aspectRatio: vscode.l10n.t('Aspect ratio'),
  resolution: vscode.l10n.t('Resolution'),
  quality: vscode.l10n.t('Quality'),
  format: vscode.l10n.t('Format'),
  safeMode: vscode.l10n.t('Safe mode'),
  seed: vscode.l10n.t('Seed'),
  cfgScale: vscode.l10n.t('Prompt guidance'),
  steps: vscode.l10n.t('Steps'),
  stylePreset: vscode.l10n.t('Style'),
  hideWatermark: vscode.l10n.t('Without watermark'),
  embedExifMetadata: vscode.l10n.t('Request in the file (EXIF)'),
  enableWebSearch: vscode.l10n.t('Web search'),
  enhancePrompt: vscode.l10n.t('Improved prompt'),
  variants: vscode.l10n.t('several images at once'),
});

/** Returns a sentence about chosen options that are left out of requests. Returns an empty string for an empty list. */
export const formatUnsentOptions = (options: readonly string[]): string =>
  options.length === 0
    ? ''
    : vscode.l10n.t(
        'Not sent, because this model does not support it: {0}.',
        options.map(getRequestOptionLabel).join(', '),
      );
