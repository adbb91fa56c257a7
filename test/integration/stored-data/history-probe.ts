import assert from 'node:assert/strict';
import * as vscode from 'vscode';

type HistoryPick = vscode.QuickPick<vscode.QuickPickItem>;
type Listener = (value: unknown) => unknown;

/** Captures the conversation list of the activated extension. Simulates the user's input in it. */
export class HistoryProbe implements Disposable {
  readonly #window: typeof vscode.window;
  readonly #create: typeof vscode.window.createQuickPick;
  readonly #filledItems = Promise.withResolvers<readonly vscode.QuickPickItem[]>();
  readonly #listeners = new Map<string, Listener>();
  #quickPick: HistoryPick | undefined;

  constructor({ window }: typeof vscode) {
    this.#window = window;
    this.#create = window.createQuickPick;
    Object.assign(window, { createQuickPick: () => this.#watchPick(this.#create.call(window)) });
  }

  async open(): Promise<readonly vscode.QuickPickItem[]> {
    void vscode.commands.executeCommand('inferenceService.showHistory');
    const items = await this.#filledItems.promise;
    return items.filter(({ kind }) => kind !== vscode.QuickPickItemKind.Separator);
  }

  acceptItem(item: vscode.QuickPickItem): void {
    assert.ok(this.#quickPick);
    this.#quickPick.selectedItems = [item];
    this.#listeners.get('onDidAccept')?.(undefined);
  }

  /** Presses the button of the item whose tooltip contains this text. */
  async pressItemButton(item: vscode.QuickPickItem, tooltip: string): Promise<void> {
    const button = item.buttons?.find((button) => button.tooltip?.includes(tooltip));
    assert.ok(button);
    await this.#listeners.get('onDidTriggerItemButton')?.({ item, button });
  }

  [Symbol.dispose](): void {
    Object.assign(this.#window, { createQuickPick: this.#create });
    this.#quickPick?.hide();
  }

  #watchPick(pick: HistoryPick): HistoryPick {
    this.#quickPick = pick;
    return new Proxy(pick, {
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
      set: (target, name, value) => {
        if (name === 'items') this.#filledItems.resolve(value as vscode.QuickPickItem[]);
        return Reflect.set(target, name, value, target);
      },
    });
  }
}
