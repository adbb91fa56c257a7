import * as vscode from 'vscode';
import { formatTokens } from '../base/amounts.ts';
import { isRecord, omitUndefined } from '../base/json.ts';
import {
  type ReasoningEffort,
  getReasoningEffortLabel,
  listSupportedReasoningEfforts,
} from '../conversation/chat-options.ts';
import { listCapabilities } from '../models/capability.ts';
import { selectChatModels } from '../models/model-selection.ts';
import { formatPricing } from '../service/pricing.ts';
import type { Model, Price } from '../service/model-types.ts';
import { formatOrigins } from '../models/vscode/model-origins.ts';
import { getModelTermLabel } from '../models/vscode/model-labels.ts';
import { escapeIcons } from '../platform/notifications.ts';

/** Default context size in tokens, for a model that reports none. */
const defaultContextTokens = 32_768;
/**
 * Default maximum output in tokens, for a model that reports none. Answers are rarely longer. The context contains both
 * input and output, so a higher maximum would reduce the input.
 */
const defaultOutputTokens = 16_384;

/**
 * Value of the field `version` of the account's models in VS Code. Distinguishes these models from the models of model
 * groups, which may have the same ids.
 */
export const accountVersion = '1';

/**
 * Converts chat models to VS Code's format, in the order of {@link selectChatModels}. Excludes offline models, because
 * VS Code's picker cannot mark models as offline.
 */
export const toModelInformation = (models: readonly Model[]): readonly ModelInformation[] =>
  selectChatModels(models)
    .filter(({ offline }) => !offline)
    .map(toInformation);

/**
 * Model in VS Code's format, with additional fields that VS Code's public types do not declare. Editors ignore the
 * fields that they do not support.
 */
export interface ModelInformation extends vscode.LanguageModelChatInformation {
  /** Prices of the model, formatted for the model picker. */
  readonly pricing?: string;
  /** Price of a million input tokens in credits of VS Code's chat: one credit is $0.01. */
  readonly inputCost?: number;
  readonly outputCost?: number;
  readonly cacheCost?: number;
  readonly cacheWriteCost?: number;
  readonly maxContextWindowTokens?: number;
  /** JSON Schema of the options that the model picker shows. */
  readonly configurationSchema?: {
    readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
}

function toInformation(model: Model): ModelInformation {
  const { pricing } = model;
  return {
    id: model.id,
    name: escapeIcons(model.name),
    family: model.id,
    version: accountVersion,
    detail: escapeIcons(
      removeEmptyTexts([formatPricing(model.pricing), getModelTermLabel(model.privacy ?? '')]).join(
        ' · ',
      ),
    ),
    tooltip: buildTooltip(model),
    ...computeTokenLimits(model),
    ...omitUndefined({
      pricing: formatPricing(pricing) || undefined,
      inputCost: toCredits(pricing.input),
      outputCost: toCredits(pricing.output),
      cacheCost: toCredits(pricing.cacheInput),
      cacheWriteCost: toCredits(pricing.cacheWrite),
      maxContextWindowTokens: model.contextTokens,
      configurationSchema: createConfigurationSchema(model),
    }),
    capabilities: {
      imageInput: model.capabilities.supportsVision !== false,
      toolCalling: model.capabilities.supportsFunctionCalling !== false,
    },
  };
}

function toCredits(price: Price | undefined): number | undefined {
  const amount = price?.usd ?? price?.diem;
  return amount === undefined ? undefined : Number((amount * 100).toPrecision(12));
}

/**
 * Returns the schema that lets the user select a reasoning effort; `undefined` if the model lists no efforts.
 */
function createConfigurationSchema(model: Model): ModelInformation['configurationSchema'] {
  const { supportsReasoningEffort, reasoningEffortOptions, defaultReasoningEffort } =
    model.capabilities;
  const efforts = listSupportedReasoningEfforts(model);
  const isKnown = supportsReasoningEffort === true || reasoningEffortOptions !== undefined;
  if (!isKnown || efforts.length === 0) return undefined;
  const defaultEffort = efforts.find((effort) => effort === defaultReasoningEffort);
  return {
    properties: {
      reasoningEffort: {
        type: 'string',
        title: vscode.l10n.t('Reasoning effort'),
        enum: efforts,
        enumItemLabels: efforts.map(getReasoningEffortLabel),
        ...(defaultEffort === undefined ? {} : { default: defaultEffort }),
        group: 'navigation',
      },
    },
  };
}

/**
 * Returns the reasoning effort that the user chose in the model picker. Undefined if the user chose the model's
 * default, and in editors without this choice.
 */
export function readChosenReasoningEffort(
  information: vscode.LanguageModelChatInformation,
  options: object,
): ReasoningEffort | undefined {
  const { modelConfiguration } = options as { readonly modelConfiguration?: unknown };
  const property = (information as ModelInformation).configurationSchema?.properties[
    'reasoningEffort'
  ];
  const chosenEffort = isRecord(modelConfiguration)
    ? modelConfiguration['reasoningEffort']
    : undefined;
  const isOffered = Array.isArray(property?.['enum']) && property['enum'].includes(chosenEffort);
  return isOffered && chosenEffort !== property['default']
    ? (chosenEffort as ReasoningEffort)
    : undefined;
}

/** Splits a model's context size into an input limit and an output limit, both in tokens. */
export function computeTokenLimits({
  contextTokens = defaultContextTokens,
  maxCompletionTokens = defaultOutputTokens,
}: Pick<Model, 'contextTokens' | 'maxCompletionTokens'>): {
  readonly maxInputTokens: number;
  readonly maxOutputTokens: number;
} {
  const contextLength = Math.max(2, Math.floor(contextTokens));
  const maxOutput = Math.max(1, Math.floor(contextLength / 4));
  const maxOutputTokens = Math.min(Math.max(1, Math.floor(maxCompletionTokens)), maxOutput);
  return { maxInputTokens: contextLength - maxOutputTokens, maxOutputTokens };
}

function buildTooltip(model: Model): string {
  const { description = '', contextTokens, pricing, privacy = '' } = model;
  const contextText = contextTokens === undefined ? '' : formatTokens(contextTokens);
  const capabilities = listCapabilities(model).filter((capability) => capability !== 'private');
  const labels = [privacy, ...capabilities].map(getModelTermLabel);
  const details = removeEmptyTexts([contextText, formatPricing(pricing), ...labels]).join(' · ');
  return escapeIcons(
    removeEmptyTexts([description, details, ...formatOrigins(model), model.id]).join('\n\n'),
  );
}

const removeEmptyTexts = (texts: readonly string[]): string[] =>
  texts.filter((text) => text !== '');
