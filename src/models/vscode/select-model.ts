import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { type Capability, capabilities, hasAll } from '../capability.ts';
import { chatModels } from '../choice.ts';
import type { Host } from '../../host.ts';
import { knownAskedModel } from './asked-model.ts';
import { type ModelItem, modelItem } from './model-item.ts';
import { lockItem, pickerMessages } from './picker-messages.ts';

type PickerHost = Pick<Host, 'models'>;
type Item = ModelItem | (vscode.QuickPickItem & { readonly run?: () => unknown });

/** "Select model": opens at once with what is known, and follows the list while it loads. */
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
    const shown = known.filter((model) => hasAll(model, this.#wanted));
    const current = knownAskedModel(models)?.id;
    const active = pick.activeItems[0];
    const items = shown.map((model) => modelItem(model, current));
    pick.busy = models.loading;
    pick.placeholder = this.#placeholder(shown.length, known.length);
    pick.items = [
      ...(models.privateOnly ? [lockItem()] : []),
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

const refreshButton = (): vscode.QuickInputButton => ({
  iconPath: new vscode.ThemeIcon('refresh'),
  tooltip: vscode.l10n.t('Refresh'),
});
