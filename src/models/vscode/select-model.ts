import * as vscode from 'vscode';
import {
  getActionLabel,
  createFailureAction,
  isChatAction,
} from '../../account/vscode/failure-actions.ts';
import { retryWhenAllowed } from '../../account/vscode/show-failure.ts';
import { formatTokens, stripEllipsis } from '../../base/amounts.ts';
import { systemClock } from '../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import {
  capabilities,
  listCapabilities,
  type Capability,
  hasAllCapabilities,
} from '../capability.ts';
import {
  selectChatModels,
  compareModels,
  groupModels,
  isChatModel,
  type ModelGroup,
  modelGroups,
} from '../model-selection.ts';
import { getModelTypeLabel, showModelDetails } from './model-details.ts';
import {
  findSelectedModel,
  getChatSelection,
  getUnlistedSelection,
  type ModelSession,
  selectModelOfChat,
} from './selected-model.ts';
import type { ModelCatalog } from './model-catalog.ts';
import { formatOrigins } from './model-origins.ts';
import { getModelTermLabel } from './model-labels.ts';
import { formatRemovedModelWarning, formatModelWarning } from './model-view.ts';
import { createInputLocation, isVersionAtLeast } from '../../platform/newer-vscode.ts';
import { type Action, escapeIcons } from '../../platform/notifications.ts';
import {
  type FailureAction,
  failureTable,
  type ServiceFailure,
} from '../../service/http/failure.ts';
import type { Model } from '../../service/model-types.ts';
import { formatPricing, comparePrices } from '../../service/pricing.ts';
import { createRefreshButton } from '../../platform/window.ts';

/** Item of the model picker. */
export interface ModelItem extends vscode.QuickPickItem {
  readonly model: Model;
}

/**
 * Creates the picker item of a model.
 * @param currentId id of the chat model in use
 */
export function createModelItem(model: Model, currentId: string | undefined): ModelItem {
  const icon = model.offline ? 'circle-slash' : model.id === currentId ? 'check' : 'blank';
  return {
    model,
    label: escapeIcons(model.name),
    description: escapeIcons(formatDescriptionFacts(model).join(' · ')),
    detail: escapeIcons(formatDetailProperties(model).join(' · ')),
    iconPath: new vscode.ThemeIcon(icon),
    buttons: runsInEnclave(model) ? [createAttestationButton()] : [],
  };
}

const runsInEnclave = ({ capabilities }: Model): boolean =>
  capabilities.supportsTeeAttestation === true || capabilities.supportsE2EE === true;

const createAttestationButton = (): vscode.QuickInputButton => ({
  iconPath: new vscode.ThemeIcon('verified'),
  tooltip: stripEllipsis(vscode.l10n.t('Show Attestation of a Model…')),
});

/**
 * Returns the facts to show next to the name of a model: the type of a non-chat model, the context size and the
 * price.
 */
function formatDescriptionFacts(model: Model): string[] {
  const { contextTokens, pricing } = model;
  const contextLabel = contextTokens === undefined ? '' : formatTokens(contextTokens);
  const type = isChatModel(model) ? '' : getModelTypeLabel(model.type);
  return removeRedundantTexts([type, contextLabel, formatPricing(pricing)]);
}

/**
 * Returns the model properties to show below the name in the picker. Includes the id, because the picker searches only
 * visible text.
 */
function formatDetailProperties(model: Model): string[] {
  const otherCapabilities = listCapabilities(model).filter(
    (capability) => capability !== 'private',
  );
  return removeRedundantTexts([
    getModelTermLabel(model.privacy ?? ''),
    ...[...otherCapabilities, ...model.traits].map(getModelTermLabel),
    ...formatOrigins(model),
    formatModelWarning(model),
    model.id,
  ]);
}

const removeRedundantTexts = (texts: readonly string[]): string[] =>
  [...new Set(texts)].filter((text) => text !== '');

interface PickerState {
  /** Number of models that match the picker's filters. */
  readonly matchCount: number;
  readonly modelCount: number;
  readonly models: ModelCatalog;
  /** True if the picker lists models of all types, false if it lists only chat models. */
  readonly includesAllTypes?: boolean;
  /** Opens the picker again. */
  readonly reopen: () => unknown;
}

interface MessageItem extends vscode.QuickPickItem {
  readonly run: () => unknown;
}

/**
 * Returns the items that explain why models are missing or outdated. Some items run an action when
 * selected.
 */
export function createMessageItems(state: PickerState): vscode.QuickPickItem[] {
  const unlistedName = getUnlistedSelection(state.models);
  const isUnlisted = unlistedName !== undefined && state.modelCount > 0;
  return [
    ...(isUnlisted ? [createInfoItem(formatRemovedModelWarning(unlistedName), 'warning')] : []),
    ...createStatusItems(state),
  ];
}

/** Creates the item that explains the private-only setting. Selecting it opens the setting. */
export const createPrivateOnlyItem = (): MessageItem => ({
  ...createInfoItem(vscode.l10n.t('Private models only'), 'lock'),
  description: vscode.l10n.t('A setting hides all other models. Open it.'),
  run: createFailureAction('open-private-setting').run,
});

function createStatusItems({
  matchCount,
  modelCount,
  models,
  includesAllTypes = false,
  reopen,
}: PickerState): vscode.QuickPickItem[] {
  const { failure, staleReason: reason, isLoading, isWaiting } = models;
  if (failure !== undefined) {
    const warningItem = createInfoItem(reason ?? failure.message, 'warning');
    return [
      warningItem,
      ...(isWaiting
        ? [createCancelItem(models, reopen)]
        : createFailureItems(failure, models, reopen)),
    ];
  }
  if (matchCount > 0 || isLoading) return [];
  if (modelCount > 0)
    return [createInfoItem(vscode.l10n.t('No model has all that. Turn off a filter.'), 'filter')];
  return [createInfoItem(getNoModelsText(models, includesAllTypes), 'info')];
}

function getNoModelsText(
  { isPrivateOnly, allModels }: ModelCatalog,
  includesAllTypes: boolean,
): string {
  const lockedModels = includesAllTypes ? allModels : selectChatModels(allModels);
  if (isPrivateOnly && lockedModels.length > 0) {
    return vscode.l10n.t('The service offers no private models');
  }
  return vscode.l10n.t('The service offers no models to this account.');
}

/** Creates an item that stays visible for any filter text in the picker. */
const createInfoItem = (label: string, icon: string): vscode.QuickPickItem => ({
  label,
  iconPath: new vscode.ThemeIcon(icon),
  alwaysShow: true,
});

/** Creates the item that cancels a pending retry of the request for the model list. */
const createCancelItem = (models: ModelCatalog, reopen: () => unknown): MessageItem =>
  createActionItem({
    label: vscode.l10n.t('Cancel'),
    run: () => {
      models.cancelRetry();
      reopen();
    },
  });

/**
 * Shows the title of a picker. While the request for the model list waits for a retry, the title includes the remaining
 * seconds.
 */
export function showTitleWithWait(
  pick: Pick<vscode.QuickPick<vscode.QuickPickItem>, 'title'>,
  title: string,
  models: Pick<ModelCatalog, 'retryAt' | 'isWaiting' | 'onDidChange'>,
): Disposable {
  let stop = (): void => {};
  const update = (): void => {
    stop();
    const remainingMs = models.isWaiting ? (models.retryAt ?? 0) - Date.now() : 0;
    pick.title =
      remainingMs > 0
        ? `${title}: ${vscode.l10n.t('Trying again in {0}', vscode.l10n.t('{0} s', Math.ceil(remainingMs / 1_000)))}`
        : title;
    if (remainingMs > 0) stop = systemClock.after(Math.min(remainingMs, 1_000), update);
  };
  update();
  const subscription = models.onDidChange(update);
  return {
    dispose: () => {
      stop();
      subscription.dispose();
    },
  };
}

/**
 * Returns picker items for the actions that can resolve a failure. Omits "Choose model", because the picker is already
 * open. The item "Retry" first waits until the service permits another request.
 */
function createFailureItems(
  { code, origin }: ServiceFailure,
  models: ModelCatalog,
  reopen: () => unknown,
): MessageItem[] {
  const suggestedActions: readonly FailureAction[] = failureTable[code].actions;
  return suggestedActions.flatMap((action) => {
    if (action === 'retry') {
      const run = (): Promise<void> => retryWhenAllowed(models.retryAt, reopen);
      return [createActionItem({ label: getActionLabel(action), run })];
    }
    const isExcluded = action === 'choose-model' || isChatAction(action);
    return isExcluded ? [] : [createActionItem(createFailureAction(action, origin))];
  });
}

const createActionItem = (action: Action): MessageItem => ({
  ...action,
  iconPath: new vscode.ThemeIcon('arrow-right'),
  alwaysShow: true,
});

interface PickerHost {
  readonly models: ModelCatalog;
  /** Session of the chat for which the user selects a model. If absent, the selection applies only to new chats. */
  readonly session?: ModelSession;
}

type ModelPickerItem = ModelItem | (vscode.QuickPickItem & { readonly run?: () => unknown });

/**
 * Runs "Select Model". Opens the picker with the models that are already known, and updates the picker when the list is
 * loaded.
 */
export function selectModel(host: PickerHost): void {
  const picker = new ModelPicker(host);
  picker.show();
}

class ModelPicker implements Disposable {
  readonly #host: PickerHost;
  readonly #disposables = new DisposableStore();
  readonly #pick = this.#disposables.add(vscode.window.createQuickPick<ModelPickerItem>());
  readonly #requiredCapabilities = new Set<Capability>();
  readonly #filterButtons = capabilities.map(createFilterButton);
  readonly #priceOrderButton = createToggleButton('symbol-numeric', vscode.l10n.t('Sort by price'));
  readonly #allTypesButton = createToggleButton('list-unordered', vscode.l10n.t('All models'));

  constructor(host: PickerHost) {
    this.#host = host;
    const pick = this.#pick;
    const title = stripEllipsis(vscode.l10n.t('Select Model…'));
    this.#disposables.add(showTitleWithWait(pick, title, host.models));
    pick.matchOnDescription = true;
    pick.matchOnDetail = true;
    pick.buttons = [
      ...this.#filterButtons,
      this.#allTypesButton,
      this.#priceOrderButton,
      createRefreshButton(),
    ];
    this.#disposables.add(pick.onDidTriggerButton((button) => this.#handleButton(button)));
    this.#disposables.add(
      pick.onDidTriggerItemButton(({ item, button }) => this.#handleItemButton(item, button)),
    );
    this.#disposables.add(pick.onDidAccept(() => void this.#acceptItem()));
    this.#disposables.add(pick.onDidHide(() => this.dispose()));
    this.#disposables.add(host.models.onDidChange(() => this.#updateItems()));
  }

  show(): void {
    void this.#host.models.refresh();
    this.#updateItems();
    this.#pick.show();
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  #handleButton(button: vscode.QuickInputButton): void {
    const filter = this.#filterButtons.find((candidate) => candidate === button);
    // Editors before VS Code 1.109 do not switch the button.
    if (!isVersionAtLeast(109)) {
      const toggles = [...this.#filterButtons, this.#allTypesButton, this.#priceOrderButton];
      const toggle = toggles.find((candidate) => candidate === button)?.toggle;
      if (toggle !== undefined) toggle.checked = !toggle.checked;
    }
    if (button === this.#allTypesButton || button === this.#priceOrderButton)
      return this.#updateItems();
    if (filter === undefined) return void this.#host.models.refreshForUser();
    if (filter.toggle.checked) this.#requiredCapabilities.add(filter.capability);
    else this.#requiredCapabilities.delete(filter.capability);
    this.#updateItems();
  }

  #handleItemButton(item: ModelPickerItem, button: vscode.QuickInputButton): void {
    if (!('model' in item)) return;
    if (button === item.buttons?.[0]) return void this.#host.models.togglePin(item.model.id);
    if (button === item.buttons?.at(-1)) return this.#showDetails(item.model);
    this.#pick.hide();
    void vscode.commands.executeCommand('inferenceService.showAttestation', item.model.id);
  }

  #showDetails(model: Model): void {
    this.#pick.hide();
    showModelDetails(model, () => selectModel(this.#host));
  }

  #updateItems(): void {
    const { models, session } = this.#host;
    const pick = this.#pick;
    const listOptions = {
      requiredCapabilities: this.#requiredCapabilities,
      includesAllTypes: this.#allTypesButton.toggle.checked,
      isSortedByPrice: this.#priceOrderButton.toggle.checked,
    };
    const matchingModels = selectListedModels(models.models, listOptions);
    const modelCount = listOptions.includesAllTypes
      ? models.models.length
      : selectChatModels(models.models).length;
    const selection =
      session === undefined ? models : getChatSelection(models, session.conversation);
    const currentId = findSelectedModel(selection)?.id;
    const activeItem = pick.activeItems[0];
    const groupedModels =
      listOptions.isSortedByPrice || listOptions.includesAllTypes
        ? matchingModels.map((model) => ({ model, group: 'all' as const }))
        : groupModels(matchingModels, models.choices);
    const items = groupedModels.map(({ model, group }) => ({
      ...addButtons(createModelItem(model, currentId), models.choices.pinnedIds.includes(model.id)),
      group,
    }));
    pick.busy = models.isLoading;
    pick.placeholder = this.#formatPlaceholder(matchingModels.length, modelCount);
    pick.items = [
      ...(models.isPrivateOnly ? [createPrivateOnlyItem()] : []),
      ...addSeparators(items),
      ...createMessageItems({
        matchCount: matchingModels.length,
        modelCount,
        models,
        includesAllTypes: listOptions.includesAllTypes,
        reopen: () => selectModel(this.#host),
      }),
    ];
    const activeId =
      activeItem !== undefined && 'model' in activeItem ? activeItem.model.id : currentId;
    const nextActiveItem = items.find(({ model }) => model.id === activeId) ?? items[0];
    if (nextActiveItem !== undefined) pick.activeItems = [nextActiveItem];
  }

  #formatPlaceholder(matchCount: number, modelCount: number): string {
    const capabilities = [...this.#requiredCapabilities].join(', ');
    if (capabilities !== '') {
      return vscode.l10n.t('{0} of {1} models: {2}', matchCount, modelCount, capabilities);
    }
    if (this.#host.models.isPrivateOnly) {
      return vscode.l10n.t('{0} private models: others are locked by a setting', modelCount);
    }
    return vscode.l10n.t('{0} models: type to search, Tab to the filters', modelCount);
  }

  async #acceptItem(): Promise<void> {
    const [selectedItem] = this.#pick.selectedItems;
    if (selectedItem === undefined) return;
    // A second event would select the item that is active after the update of the list.
    this.dispose();
    if ('model' in selectedItem && !isChatModel(selectedItem.model))
      return this.#showDetails(selectedItem.model);
    if (!('model' in selectedItem)) return void (await selectedItem.run?.());
    const { models, session } = this.#host;
    const { id } = selectedItem.model;
    await (session === undefined
      ? models.selectChatModel(id)
      : selectModelOfChat(models, session, id));
  }
}

/**
 * Inserts a separator with the group title before each group. If there is only one group, returns the items unchanged.
 */
function addSeparators(
  items: readonly (ModelItem & { readonly group: ModelGroup })[],
): readonly ModelPickerItem[] {
  const titles = getGroupTitles();
  const groups = Object.groupBy(items, ({ group }) => group);
  if (Object.keys(groups).length < 2) return items;
  return modelGroups.flatMap((group) => {
    const groupItems = groups[group] ?? [];
    const separator = { label: titles[group], kind: vscode.QuickPickItemKind.Separator };
    return groupItems.length === 0 ? [] : [separator, ...groupItems];
  });
}

const getGroupTitles = (): Record<ModelGroup, string> => ({
  pinned: vscode.l10n.t('Pinned'),
  recent: vscode.l10n.t('Recent'),
  recommended: vscode.l10n.t('Recommended'),
  all: vscode.l10n.t('All models'),
});

const addButtons = (item: ModelItem, isPinned: boolean): ModelItem => ({
  ...item,
  buttons: [
    {
      iconPath: new vscode.ThemeIcon(isPinned ? 'pinned' : 'pin'),
      tooltip: isPinned ? vscode.l10n.t('Unpin') : vscode.l10n.t('Pin'),
    },
    ...(item.buttons ?? []),
    { iconPath: new vscode.ThemeIcon('info'), tooltip: vscode.l10n.t('Details') },
  ],
});

interface ToggleButton extends vscode.QuickInputButton {
  readonly toggle: { checked: boolean };
}

const createToggleButton = (icon: string, tooltip: string): ToggleButton => ({
  iconPath: new vscode.ThemeIcon(icon),
  tooltip,
  ...createInputLocation(),
  toggle: { checked: false },
});

interface FilterButton extends vscode.QuickInputButton {
  readonly capability: Capability;
  readonly toggle: { checked: boolean };
}

const capabilityIcons: Readonly<Record<Capability, string>> = {
  code: 'code',
  reasoning: 'lightbulb',
  vision: 'eye',
  tools: 'tools',
  web: 'globe',
  private: 'lock',
  attested: 'verified',
  encrypted: 'shield',
};

const createFilterButton = (capability: Capability): FilterButton => ({
  capability,
  iconPath: new vscode.ThemeIcon(capabilityIcons[capability]),
  tooltip: vscode.l10n.t('Filter: {0}', getFilterNames()[capability]),
  ...createInputLocation(),
  toggle: { checked: false },
});

const getFilterNames = (): Record<Capability, string> => ({
  code: vscode.l10n.t('code'),
  reasoning: vscode.l10n.t('reasoning'),
  vision: vscode.l10n.t('vision'),
  tools: vscode.l10n.t('tools'),
  web: vscode.l10n.t('web'),
  private: vscode.l10n.t('private'),
  attested: vscode.l10n.t('attested'),
  encrypted: vscode.l10n.t('encrypted'),
});

/** Options of the model list. */
interface ModelListing {
  readonly requiredCapabilities: ReadonlySet<Capability>;
  /** True to list models of all types, false to list only chat models. */
  readonly includesAllTypes: boolean;
  /** True to sort by the input price, then by the output price. Models without a price come last. */
  readonly isSortedByPrice: boolean;
}

/** Returns the models to list, in display order. */
export function selectListedModels(
  models: readonly Model[],
  { requiredCapabilities, includesAllTypes, isSortedByPrice }: ModelListing,
): readonly Model[] {
  const listedModels = includesAllTypes
    ? [...models].sort(compareModels)
    : selectChatModels(models);
  const matchingModels = listedModels.filter((model) =>
    hasAllCapabilities(model, requiredCapabilities),
  );
  if (!isSortedByPrice) return matchingModels;
  return matchingModels.toSorted(
    ({ pricing: a }, { pricing: b }) =>
      comparePrices(a.input, b.input) || comparePrices(a.output, b.output),
  );
}
