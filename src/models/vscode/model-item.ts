import * as vscode from 'vscode';
import { formatTokens } from '../../base/amounts.ts';
import { capabilitiesOf } from '../capability.ts';
import { formatPricing } from '../../service/pricing.ts';
import type { Model } from '../../service/model-types.ts';
import { withoutIcons } from '../../platform/notifications.ts';
import { modelWarning } from './model-view.ts';
import { modelWord } from './model-labels.ts';

/** A line of the picker that stands for a model. */
export interface ModelItem extends vscode.QuickPickItem {
  readonly model: Model;
}

/** @param current The id of the chat model in use. */
export function modelItem(model: Model, current: string | undefined): ModelItem {
  const icon = model.offline ? 'circle-slash' : model.id === current ? 'check' : 'blank';
  return {
    model,
    label: withoutIcons(model.name),
    description: withoutIcons(facts(model).join(' · ')),
    detail: withoutIcons(notes(model).join(' · ')),
    iconPath: new vscode.ThemeIcon(icon),
    buttons: runsInEnclave(model) ? [attestationButton()] : [],
  };
}

const runsInEnclave = ({ capabilities }: Model): boolean =>
  capabilities.supportsTeeAttestation || capabilities.supportsE2EE;

const attestationButton = (): vscode.QuickInputButton => ({
  iconPath: new vscode.ThemeIcon('verified'),
  tooltip: vscode.l10n.t('Show attestation'),
});

/** What decides: size, price, where the text goes. */
function facts({ contextTokens, pricing, privacy = '' }: Model): string[] {
  const context = contextTokens === undefined ? '' : formatTokens(contextTokens);
  return present([context, formatPricing(pricing), modelWord(privacy)]);
}

/** The id comes with it since people know models by it, and the picker searches what it shows. */
function notes(model: Model): string[] {
  const abilities = capabilitiesOf(model).filter((capability) => capability !== 'private');
  return present([
    modelWarning(model),
    model.id,
    ...[...abilities, ...model.traits].map(modelWord),
  ]);
}

const present = (texts: readonly string[]): string[] =>
  [...new Set(texts)].filter((text) => text !== '');
