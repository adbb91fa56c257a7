import * as vscode from 'vscode';
import { formatAmount, formatTokens, formatUsd } from '../../base/amounts.ts';
import { isRecord, type JsonRecord } from '../../base/json.ts';
import { escapeIcons } from '../../platform/notifications.ts';
import type { Model, ModelFact, Price } from '../../service/model-types.ts';
import { formatPrice } from '../../service/pricing.ts';
import { readPrice } from '../../service/read-model.ts';
import { getModelTermLabel } from './model-labels.ts';
import { formatOrigin } from './model-origins.ts';
import { formatModelWarning } from './model-view.ts';

/** Label, value and origin of a model fact, for display. */
export interface ModelDetail {
  readonly label: string;
  readonly value: string;
  /** Label of the origin. Empty if the details show no origin for this fact. */
  readonly origin: string;
}

/**
 * Lists the known facts about a model for display. Shows the origin of each capability, and prices in US dollars and
 * DIEM. Omits facts that the service does not report.
 */
export function listModelDetails(model: Model): readonly ModelDetail[] {
  const createDetail = (
    label: string,
    value: string | undefined,
    fact?: ModelFact,
  ): ModelDetail[] =>
    value === undefined || value === ''
      ? []
      : [{ label, value, origin: fact === undefined ? '' : formatFactOrigin(model, fact) }];
  const { capabilities, contextTokens, maxCompletionTokens } = model;
  return [
    ...createDetail(vscode.l10n.t('Warning'), formatModelWarning(model)),
    ...createDetail(vscode.l10n.t('Id'), model.id),
    ...createDetail(vscode.l10n.t('Description'), model.description),
    ...createDetail(vscode.l10n.t('Source'), model.modelSource),
    ...createDetail(vscode.l10n.t('Quantization'), capabilities.quantization),
    ...createDetail(vscode.l10n.t('Type'), getModelTypeLabel(model.type)),
    ...createDetail(vscode.l10n.t('Privacy'), getModelTermLabel(model.privacy ?? '')),
    ...createDetail(vscode.l10n.t('Context size'), formatTokenCount(contextTokens), 'context'),
    ...createDetail(vscode.l10n.t('Longest answer'), formatTokenCount(maxCompletionTokens)),
    ...createCapabilityDetails(model),
    ...createPriceDetails(model),
  ];
}

const formatTokenCount = (count: number | undefined): string | undefined =>
  count === undefined ? undefined : vscode.l10n.t('{0} tokens', formatTokens(count));

/** Returns the label of a fact's origin. A fact without an entry in `origins` is from the model list. */
const formatFactOrigin = ({ origins = {} }: Model, fact: ModelFact): string => {
  const origin = origins[fact];
  return origin === undefined ? vscode.l10n.t('From the model list') : formatOrigin(origin);
};

/**
 * Lists the capabilities of a model. For a chat model, includes unknown capabilities, because requests use such a
 * capability until the model rejects it. Omits capabilities that the model does not have.
 */
function createCapabilityDetails(model: Model): ModelDetail[] {
  const { capabilities, type } = model;
  const facts: readonly [label: string, value: boolean | undefined, fact: ModelFact | undefined][] =
    [
      [vscode.l10n.t('Tools'), capabilities.supportsFunctionCalling, 'tools'],
      [vscode.l10n.t('Images'), capabilities.supportsVision, 'images'],
      [vscode.l10n.t('Reasoning'), capabilities.supportsReasoning, 'reasoning'],
      [vscode.l10n.t('Reasoning effort'), capabilities.supportsReasoningEffort, undefined],
      [vscode.l10n.t('Code'), capabilities.optimizedForCode || undefined, undefined],
      [vscode.l10n.t('Web search'), capabilities.supportsWebSearch || undefined, undefined],
      [
        vscode.l10n.t('Verified enclave'),
        capabilities.supportsTeeAttestation || undefined,
        undefined,
      ],
      [vscode.l10n.t('Encrypted end to end'), capabilities.supportsE2EE || undefined, undefined],
    ];
  const isChat = type === 'text' || type === 'code';
  return facts.flatMap(([label, value, fact]) => {
    if (value === undefined)
      return fact === undefined || !isChat
        ? []
        : [{ label, value: vscode.l10n.t('unknown'), origin: '' }];
    const text = value ? vscode.l10n.t('yes') : vscode.l10n.t('no');
    const origin =
      fact === undefined ? vscode.l10n.t('From the model list') : formatFactOrigin(model, fact);
    return [{ label, value: text, origin }];
  });
}

/**
 * Lists the prices in US dollars and DIEM. If the model is not priced by token, labels each price with its field name
 * in the model record.
 */
function createPriceDetails(model: Model): ModelDetail[] {
  const { extended, ...prices } = model.pricing;
  const priceNames: Readonly<Record<keyof typeof prices, string>> = {
    input: vscode.l10n.t('Input'),
    output: vscode.l10n.t('Output'),
    cacheInput: vscode.l10n.t('From cache'),
    cacheWrite: vscode.l10n.t('Written to the cache'),
  };
  const createRows = (tokenPrices: typeof prices, isExtended: boolean): ModelDetail[] =>
    (Object.keys(priceNames) as (keyof typeof prices)[]).flatMap((name) => {
      const price = tokenPrices[name];
      if (price === undefined) return [];
      const value = vscode.l10n.t('{0} / 1M', formatPriceWithDiem(price));
      const label = isExtended
        ? vscode.l10n.t(
            '{0} over {1} tokens',
            priceNames[name],
            formatTokens(extended?.threshold ?? 0),
          )
        : priceNames[name];
      return [{ label, value, origin: formatFactOrigin(model, 'price') }];
    });
  const details = [
    ...createRows(prices, false),
    ...(extended === undefined ? [] : createRows(extended, true)),
  ];
  if (details.length > 0) return details;
  return flattenPrices(model.rawPricing).map(({ name, price }) => ({
    label: vscode.l10n.t('{0}: {1}', vscode.l10n.t('Price'), name),
    value: formatPriceWithDiem(price),
    origin: vscode.l10n.t('From the model list'),
  }));
}

/**
 * Formats a price in US dollars, or in DIEM if there is no price in dollars. Appends the DIEM amount if it differs from
 * the dollar amount, such as `$0.70 · 0.6 DIEM`.
 */
const formatPriceWithDiem = (price: Price): string => {
  const { usd, diem } = price;
  const isDifferent = usd !== undefined && diem !== undefined && diem !== usd;
  return isDifferent ? `${formatUsd(usd)} · ${formatAmount(diem)} DIEM` : formatPrice(price);
};

const maxListedPrices = 40;
const maxPriceNesting = 4;

/**
 * Lists the prices in a price record of unknown format. Labels each price with the names of the nested fields that
 * contain it, such as `resolutions 2K`.
 */
function flattenPrices(
  pricing: JsonRecord,
  path: readonly string[] = [],
): { readonly name: string; readonly price: Price }[] {
  if (path.length > maxPriceNesting) return [];
  return Object.entries(pricing)
    .flatMap(([name, value]) => {
      const price = readPrice(value);
      const names = [...path, name.slice(0, 64)];
      if (price !== undefined) return [{ name: names.join(' '), price }];
      return isRecord(value) ? flattenPrices(value, names) : [];
    })
    .slice(0, maxListedPrices);
}

/** Returns the label of a model type (spec §2.1). Returns an unknown type as it is. */
export function getModelTypeLabel(type: string): string {
  switch (type) {
    case 'text':
    case 'code':
      return vscode.l10n.t('Chat');
    case 'image':
      return vscode.l10n.t('Images');
    case 'inpaint':
      return vscode.l10n.t('Image editing');
    case 'upscale':
      return vscode.l10n.t('Upscale');
    case 'tts':
      return vscode.l10n.t('Speech');
    case 'asr':
      return vscode.l10n.t('Dictation');
    default:
      return type;
  }
}

/**
 * Shows the details of a model as a list.
 * @param goBack opens the previous list again
 */
export function showModelDetails(model: Model, goBack: () => void): void {
  const pick = vscode.window.createQuickPick();
  const { Back: backButton } = vscode.QuickInputButtons;
  pick.title = model.name;
  pick.placeholder = vscode.l10n.t('Details');
  pick.matchOnDescription = true;
  pick.buttons = [backButton];
  pick.items = listModelDetails(model).map(({ label, value, origin }) => ({
    label,
    description: escapeIcons(value),
    detail: origin,
  }));
  pick.onDidTriggerButton(() => goBack());
  pick.onDidAccept(() => {
    const [selectedItem] = pick.selectedItems;
    pick.hide();
    if (selectedItem !== undefined)
      void vscode.env.clipboard.writeText(selectedItem.description ?? '');
  });
  pick.onDidHide(() => pick.dispose());
  pick.show();
}
