import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { listCompletionModels, chooseDefaultCompletionModel } from '../model-choice.ts';
import { formatPricing } from '../../service/pricing.ts';
import type { Host } from '../../host.ts';
import {
  type ModelItem,
  createModelItem,
  createMessageItems,
  showTitleWithWait,
} from '../../models/vscode/select-model.ts';
import { escapeIcons } from '../../platform/notifications.ts';
import {
  getConfiguredModel,
  getCompletionModelName,
  setCompletionModelName,
} from './completion-settings.ts';

type CompletionModelItem =
  | ModelItem
  | BestModelItem
  | (vscode.QuickPickItem & { readonly run?: () => unknown });

/** Item that lets the extension select the best model. */
interface BestModelItem extends vscode.QuickPickItem {
  readonly isBest: true;
}

/** Shows the model picker immediately with the known models. Updates the items when the model list is loaded. */
export function selectCompletionModel(host: Pick<Host, 'models'>, onChoose: () => void): void {
  new CompletionModelPicker(host, onChoose).show();
}

class CompletionModelPicker implements Disposable {
  readonly #host: Pick<Host, 'models'>;
  readonly #onChoose: () => void;
  readonly #disposables = new DisposableStore();
  readonly #pick = this.#disposables.add(vscode.window.createQuickPick<CompletionModelItem>());

  constructor(host: Pick<Host, 'models'>, onChoose: () => void) {
    this.#host = host;
    this.#onChoose = onChoose;
    const title = vscode.l10n.t('Model for suggestions');
    this.#disposables.add(showTitleWithWait(this.#pick, title, host.models));
    this.#pick.placeholder = vscode.l10n.t('Best for code');
    this.#pick.matchOnDescription = true;
    this.#pick.matchOnDetail = true;
    this.#disposables.add(this.#pick.onDidAccept(() => void this.#acceptItem()));
    this.#disposables.add(this.#pick.onDidHide(() => this.dispose()));
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

  #updateItems(): void {
    const { models } = this.#host;
    const knownModels = listCompletionModels(models.models);
    const currentId =
      getCompletionModelName() === '' ? undefined : getConfiguredModel(this.#host)?.id;
    const items = knownModels.map((model) => createModelItem(model, currentId));
    const active = this.#pick.activeItems[0];
    this.#pick.busy = models.isLoading;
    this.#pick.items = [
      ...this.#createBestItems(),
      ...items,
      ...createMessageItems({
        matchCount: knownModels.length,
        modelCount: knownModels.length,
        models,
        reopen: () => selectCompletionModel(this.#host, this.#onChoose),
      }),
    ];
    const activeId = active !== undefined && 'model' in active ? active.model.id : currentId;
    const activeItem = items.find(({ model }) => model.id === activeId);
    if (activeItem !== undefined) this.#pick.activeItems = [activeItem];
  }

  #createBestItems(): BestModelItem[] {
    const model = chooseDefaultCompletionModel(this.#host.models.models);
    if (model === undefined) return [];
    const icon = getCompletionModelName() === '' ? 'check' : 'blank';
    return [
      {
        isBest: true,
        label: vscode.l10n.t('Best for code'),
        description: escapeIcons(`${model.name} · ${formatPricing(model.pricing)}`),
        iconPath: new vscode.ThemeIcon(icon),
      },
    ];
  }

  async #acceptItem(): Promise<void> {
    const [item] = this.#pick.selectedItems;
    if (item === undefined) return;
    this.#pick.hide();
    if ('isBest' in item) await setCompletionModelName(undefined);
    else if ('model' in item) await setCompletionModelName(item.model.id);
    else return void (await item.run?.());
    this.#onChoose();
  }
}
