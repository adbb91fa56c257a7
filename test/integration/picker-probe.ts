import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { eventually } from '../support/eventually.ts';

type QuickPick = vscode.QuickPick<vscode.QuickPickItem>;
type Listener = (value: unknown) => unknown;

/** Captures the quick picks that the extension opens. Simulates the user's input in them. */
export class PickerProbe implements Disposable {
  readonly #create = vscode.window.createQuickPick;
  #quickPick: QuickPick | undefined;
  /** Listeners that the extension added, by event name. */
  readonly #listeners = new Map<string, Listener>();

  constructor() {
    const create = (): QuickPick => this.#captureListeners(this.#create());
    Object.assign(vscode.window, { createQuickPick: create });
  }

  get isOpen(): boolean {
    return this.#quickPick !== undefined;
  }

  get quickPick(): QuickPick {
    assert.ok(this.#quickPick);
    return this.#quickPick;
  }

  /** Items that the user can select, that is, all items except separators. */
  get listedItems(): readonly vscode.QuickPickItem[] {
    return this.quickPick.items.filter(({ kind }) => kind !== vscode.QuickPickItemKind.Separator);
  }

  listLabels(): string[] {
    return this.listedItems.map(({ label }) => label);
  }

  /** Resolves when the list has an item whose label matches. */
  async waitForLabel(label: RegExp): Promise<void> {
    await eventually(() => {
      const labels = this.isOpen ? this.listLabels() : [];
      assert.ok(
        labels.some((text) => label.test(text)),
        `${label} is none of ${labels.join(', ')}`,
      );
    });
  }

  findItem(label: string): vscode.QuickPickItem {
    const item = this.quickPick.items.find((item) => item.label === label);
    assert.ok(item, `${label} is none of ${this.listLabels().join(', ')}`);
    return item;
  }

  /** Presses the toggle button of the quick pick whose tooltip matches. */
  pressTitleButton(name: RegExp): void {
    const button = this.quickPick.buttons.find(({ tooltip = '' }) => name.test(tooltip));
    assert.ok(button);
    const { toggle } = button as { readonly toggle?: { checked: boolean } };
    assert.ok(toggle);
    toggle.checked = !toggle.checked;
    this.#fire('onDidTriggerButton', button);
  }

  /** Presses the button of the item whose tooltip matches. */
  async pressItemButton(item: vscode.QuickPickItem, name: RegExp): Promise<void> {
    const button = item.buttons?.find(({ tooltip = '' }) => name.test(tooltip));
    assert.ok(button);
    await this.#fire('onDidTriggerItemButton', { item, button });
  }

  /** Selects these items and deselects all others. */
  selectItems(items: readonly vscode.QuickPickItem[]): void {
    this.quickPick.selectedItems = items;
    this.#fire('onDidChangeSelection', items);
  }

  acceptItems(...items: readonly vscode.QuickPickItem[]): void {
    if (items.length > 0) this.quickPick.selectedItems = items;
    this.#fire('onDidAccept', undefined);
  }

  [Symbol.dispose](): void {
    Object.assign(vscode.window, { createQuickPick: this.#create });
    this.#quickPick?.dispose();
  }

  #fire(event: string, value: unknown): unknown {
    return this.#listeners.get(event)?.(value);
  }

  /** Captures listeners when the extension adds them, because tests cannot fire events of VS Code. */
  #captureListeners(quickPick: QuickPick): QuickPick {
    this.#quickPick = quickPick;
    return new Proxy(quickPick, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof name === 'string' && name.startsWith('onDid')) {
          return (listener: Listener): unknown => {
            this.#listeners.set(name, listener);
            return (value as (listener: Listener) => unknown)(listener);
          };
        }
        return typeof value === 'function' ? value.bind(target) : value;
      },
      set: (target, name, value) => Reflect.set(target, name, value, target),
    });
  }
}
