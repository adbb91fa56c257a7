import type * as vscode from 'vscode';
import { formatTokens } from '../base/amounts.ts';
import { capabilitiesOf } from '../models/capability.ts';
import { chatModels } from '../models/model-selection.ts';
import { formatPricing } from '../service/pricing.ts';
import type { Model } from '../service/model-types.ts';
import { modelTermLabel } from '../models/vscode/model-labels.ts';
import { withoutIcons } from '../platform/notifications.ts';

/** Of a model that does not say how much it takes. */
const defaultContextTokens = 32_768;
/** Answers are rarely longer, and what is kept for them is lost to what is asked. */
const defaultOutputTokens = 16_384;

/** Of models of the account. It tells them from those of groups, which can have the same ids. */
export const accountVersion = '1';

/** Chat models as VS Code lists them, best first. What is offline is left out: its picker cannot tell. */
export const toModelInformation = (
  models: readonly Model[],
): readonly vscode.LanguageModelChatInformation[] =>
  chatModels(models)
    .filter(({ offline }) => !offline)
    .map(toInformation);

function toInformation(model: Model): vscode.LanguageModelChatInformation {
  return {
    id: model.id,
    name: withoutIcons(model.name),
    family: model.id,
    version: accountVersion,
    detail: withoutIcons(
      joinable([formatPricing(model.pricing), modelTermLabel(model.privacy ?? '')]).join(' · '),
    ),
    tooltip: buildTooltip(model),
    ...tokenLimits(model),
    capabilities: {
      imageInput: model.capabilities.supportsVision,
      toolCalling: model.capabilities.supportsFunctionCalling,
    },
  };
}

/** What can go in and come out: together what the model holds. */
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
  const facts = joinable([context, formatPricing(pricing), ...labels]).join(' · ');
  return withoutIcons(joinable([description, facts, model.id]).join('\n\n'));
}

const joinable = (texts: readonly string[]): string[] => texts.filter((text) => text !== '');
