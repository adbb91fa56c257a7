import type * as vscode from 'vscode';
import { formatTokens } from '../base/amounts.ts';
import { capabilitiesOf } from '../models/capability.ts';
import { chatModels } from '../models/model-selection.ts';
import { formatPricing } from '../service/pricing.ts';
import type { Model } from '../service/model-types.ts';
import { formatOrigins } from '../models/vscode/model-origins.ts';
import { modelTermLabel } from '../models/vscode/model-labels.ts';
import { escapeIcons } from '../platform/notifications.ts';

/** Context size in tokens of a model that reports none. */
const defaultContextTokens = 32_768;
/**
 * Maximum output in tokens of a model that reports none. Answers are rarely longer, and tokens
 * reserved for output reduce the input.
 */
const defaultOutputTokens = 16_384;

/**
 * Version of the account's models. Distinguishes them from models of groups, which may have the
 * same ids.
 */
export const accountVersion = '1';

/**
 * Converts chat models to VS Code's format, in the order of {@link chatModels}. Excludes offline
 * models, because VS Code's picker cannot mark them.
 */
export const toModelInformation = (
  models: readonly Model[],
): readonly vscode.LanguageModelChatInformation[] =>
  chatModels(models)
    .filter(({ offline }) => !offline)
    .map(toInformation);

function toInformation(model: Model): vscode.LanguageModelChatInformation {
  return {
    id: model.id,
    name: escapeIcons(model.name),
    family: model.id,
    version: accountVersion,
    detail: escapeIcons(
      removeEmptyTexts([formatPricing(model.pricing), modelTermLabel(model.privacy ?? '')]).join(
        ' · ',
      ),
    ),
    tooltip: buildTooltip(model),
    ...tokenLimits(model),
    capabilities: {
      imageInput: model.capabilities.supportsVision !== false,
      toolCalling: model.capabilities.supportsFunctionCalling !== false,
    },
  };
}

/** Splits a model's context size into input and output limits in tokens. */
export function tokenLimits({
  contextTokens = defaultContextTokens,
  maxCompletionTokens = defaultOutputTokens,
}: Pick<Model, 'contextTokens' | 'maxCompletionTokens'>): {
  readonly maxInputTokens: number;
  readonly maxOutputTokens: number;
} {
  const context = Math.max(2, Math.floor(contextTokens));
  const maxOutput = Math.max(1, Math.floor(context / 4));
  const maxOutputTokens = Math.min(Math.max(1, Math.floor(maxCompletionTokens)), maxOutput);
  return { maxInputTokens: context - maxOutputTokens, maxOutputTokens };
}

function buildTooltip(model: Model): string {
  const { description = '', contextTokens, pricing, privacy = '' } = model;
  const context = contextTokens === undefined ? '' : formatTokens(contextTokens);
  const capabilities = capabilitiesOf(model).filter((capability) => capability !== 'private');
  const labels = [privacy, ...capabilities].map(modelTermLabel);
  const details = removeEmptyTexts([context, formatPricing(pricing), ...labels]).join(' · ');
  return escapeIcons(
    removeEmptyTexts([description, details, ...formatOrigins(model), model.id]).join('\n\n'),
  );
}

const removeEmptyTexts = (texts: readonly string[]): string[] =>
  texts.filter((text) => text !== '');
