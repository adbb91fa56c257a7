import * as vscode from 'vscode';
import { actionLabel, failureAction, isChatAction } from '../../account/vscode/failure-actions.ts';
import { formatTokens } from '../../base/amounts.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import {
  capabilities,
  capabilitiesOf,
  type Capability,
  hasAllCapabilities,
} from '../capability.ts';
import { chatModels } from '../model-selection.ts';
import { findSelectedModel, unlistedSelection } from './selected-model.ts';
import type { ModelCatalog } from './model-catalog.ts';
import { modelTermLabel } from './model-labels.ts';
import { removedModelWarning, modelWarning } from './model-view.ts';
import { type Action, escapeIcons } from '../../platform/notifications.ts';
import {
  type FailureAction,
  failureTable,
  type ServiceFailure,
} from '../../service/http/failure.ts';
import type { Model } from '../../service/model-types.ts';
import { formatPricing } from '../../service/pricing.ts';
import { refreshButton } from '../../platform/quick-pick.ts';

/** Picker item of a model. */
export interface ModelItem extends vscode.QuickPickItem {
  readonly model: Model;
}

/** @param current Id of the chat model in use. */
export function modelItem(model: Model, current: string | undefined): ModelItem {
  const icon = model.offline ? 'circle-slash' : model.id === current ? 'check' : 'blank';
  return {
    model,
    label: escapeIcons(model.name),
    description: escapeIcons(facts(model).join(' · ')),
    detail: escapeIcons(notes(model).join(' · ')),
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

/** Returns the main facts: context size, price, privacy. */
function facts({ contextTokens, pricing, privacy = '' }: Model): string[] {
  const context = contextTokens === undefined ? '' : formatTokens(contextTokens);
  return present([context, formatPricing(pricing), modelTermLabel(privacy)]);
}

/** Returns further details. Includes the id, because the picker searches only visible text. */
function notes(model: Model): string[] {
  const abilities = capabilitiesOf(model).filter((capability) => capability !== 'private');
  return present([
    modelWarning(model),
    model.id,
    ...[...abilities, ...model.traits].map(modelTermLabel),
  ]);
}

const present = (texts: readonly string[]): string[] =>
  [...new Set(texts)].filter((text) => text !== '');

interface Shown {
  /** Number of models that pass the filters. */
  readonly shown: number;
  readonly known: number;
  readonly models: ModelCatalog;
}

interface MessageItem extends vscode.QuickPickItem {
  readonly run: () => unknown;
}

/** Returns the picker items that explain missing or outdated models, with actions. */
export function pickerMessages(list: Shown): vscode.QuickPickItem[] {
  const gone = unlistedSelection(list.models);
  const isGone = gone !== undefined && list.known > 0;
  return [...(isGone ? [line(removedModelWarning(gone), 'warning')] : []), ...listMessages(list)];
}

/** Creates an item that explains the private-only setting and opens it when selected. */
export const privateOnlyItem = (): MessageItem => ({
  ...line(vscode.l10n.t('Private models only'), 'lock'),
  description: vscode.l10n.t('A setting keeps all other models away. Open it.'),
  run: failureAction('open-private-setting').run,
});

function listMessages({ shown, known, models }: Shown): vscode.QuickPickItem[] {
  const { failure, staleReason: stale, isLoading: loading } = models;
  if (failure !== undefined)
    return [line(stale ?? failure.message, 'warning'), ...actions(failure)];
  if (shown > 0 || loading) return [];
  if (known > 0)
    return [line(vscode.l10n.t('No model has all that. Turn off a filter.'), 'filter')];
  return models.privateOnly && chatModels(models.allModels).length > 0
    ? [line(vscode.l10n.t('The service offers no private chat models to this account.'), 'info')]
    : [line(vscode.l10n.t('The service offers no chat models to this account.'), 'info')];
}

/** Creates an item that explains the list and stays visible with any filter. */
const line = (label: string, icon: string): vscode.QuickPickItem => ({
  label,
  iconPath: new vscode.ThemeIcon(icon),
  alwaysShow: true,
});

/** Returns actions for a failure. Omits "Choose model", because the picker is already open. */
function actions({ code }: ServiceFailure): MessageItem[] {
  const wanted: readonly FailureAction[] = failureTable[code].actions;
  return wanted.flatMap((action) => {
    if (action === 'retry') return [actionItem({ label: actionLabel(action), run: openAgain })];
    const isHere = action === 'choose-model' || isChatAction(action);
    return isHere ? [] : [actionItem(failureAction(action))];
  });
}

const openAgain = (): unknown => vscode.commands.executeCommand('inferenceService.selectModel');

const actionItem = (action: Action): MessageItem => ({
  ...action,
  iconPath: new vscode.ThemeIcon('arrow-right'),
  alwaysShow: true,
});

interface PickerHost {
  readonly models: ModelCatalog;
}

type Item = ModelItem | (vscode.QuickPickItem & { readonly run?: () => unknown });

/** Runs "Select model": opens with the known models and updates while the list loads. */
export function selectModel(host: PickerHost): void {
  const picker = new ModelPicker(host);
  picker.show();
}

class ModelPicker implements Disposable {
  readonly #host: PickerHost;
  readonly #owned = new DisposableStore();
  readonly #pick = this.#owned.add(vscode.window.createQuickPick<Item>());
  readonly #wanted = new Set<Capability>();
  readonly #filters = capabilities.map(filterButton);

  constructor(host: PickerHost) {
    this.#host = host;
    const pick = this.#pick;
    pick.title = vscode.l10n.t('Select model');
    pick.matchOnDescription = true;
    pick.matchOnDetail = true;
    pick.buttons = [...this.#filters, refreshButton()];
    this.#owned.add(pick.onDidTriggerButton((button) => this.#press(button)));
    this.#owned.add(pick.onDidTriggerItemButton(({ item }) => this.#showAttestation(item)));
    this.#owned.add(pick.onDidAccept(() => void this.#accept()));
    this.#owned.add(pick.onDidHide(() => this.dispose()));
    this.#owned.add(host.models.onDidChange(() => this.#update()));
  }

  show(): void {
    void this.#host.models.refresh();
    this.#update();
    this.#pick.show();
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #press(button: vscode.QuickInputButton): void {
    const filter = this.#filters.find((each) => each === button);
    if (filter === undefined) return void this.#host.models.refresh({ force: true });
    if (filter.toggle.checked) this.#wanted.add(filter.capability);
    else this.#wanted.delete(filter.capability);
    this.#update();
  }

  #showAttestation(item: Item): void {
    if (!('model' in item)) return;
    this.#pick.hide();
    void vscode.commands.executeCommand('inferenceService.showAttestation', item.model.id);
  }

  #update(): void {
    const { models } = this.#host;
    const pick = this.#pick;
    const known = chatModels(models.models);
    const shown = known.filter((model) => hasAllCapabilities(model, this.#wanted));
    const current = findSelectedModel(models)?.id;
    const active = pick.activeItems[0];
    const items = shown.map((model) => modelItem(model, current));
    pick.busy = models.isLoading;
    pick.placeholder = this.#placeholder(shown.length, known.length);
    pick.items = [
      ...(models.privateOnly ? [privateOnlyItem()] : []),
      ...items,
      ...pickerMessages({ shown: shown.length, known: known.length, models }),
    ];
    const wanted = active !== undefined && 'model' in active ? active.model.id : current;
    const next = items.find(({ model }) => model.id === wanted) ?? items[0];
    if (next !== undefined) pick.activeItems = [next];
  }

  #placeholder(shown: number, known: number): string {
    if (this.#host.models.privateOnly && this.#wanted.size === 0) {
      return vscode.l10n.t('{0} private chat models: others are locked by a setting', known);
    }
    if (this.#wanted.size === 0) {
      return vscode.l10n.t('{0} chat models: type to search, Tab to the filters', known);
    }
    return vscode.l10n.t('{0} of {1} chat models: {2}', shown, known, [...this.#wanted].join(', '));
  }

  async #accept(): Promise<void> {
    const [item] = this.#pick.selectedItems;
    if (item === undefined) return;
    this.#pick.hide();
    if ('model' in item) await this.#host.models.selectChatModel(item.model.id);
    else await item.run?.();
  }
}

interface FilterButton extends vscode.QuickInputButton {
  readonly capability: Capability;
  readonly toggle: { checked: boolean };
}

const icons: Readonly<Record<Capability, string>> = {
  code: 'code',
  reasoning: 'lightbulb',
  vision: 'eye',
  tools: 'tools',
  web: 'globe',
  private: 'lock',
  attested: 'verified',
  encrypted: 'shield',
};

const filterButton = (capability: Capability): FilterButton => ({
  capability,
  iconPath: new vscode.ThemeIcon(icons[capability]),
  tooltip: filterNames()[capability],
  location: vscode.QuickInputButtonLocation.Input,
  toggle: { checked: false },
});

const filterNames = (): Record<Capability, string> => ({
  code: vscode.l10n.t('Only models for code'),
  reasoning: vscode.l10n.t('Only models that reason'),
  vision: vscode.l10n.t('Only models that see images'),
  tools: vscode.l10n.t('Only models that call tools'),
  web: vscode.l10n.t('Only models that search the web'),
  private: vscode.l10n.t('Only private models'),
  attested: vscode.l10n.t('Only models in an enclave that can be verified'),
  encrypted: vscode.l10n.t('Only models that chats are encrypted to'),
});
