import * as vscode from 'vscode';
import {
  readUsagePageMessage,
  type UsageHostMessage,
  type UsagePageMessage,
  type UsagePeriod,
  usageVersion,
} from '../usage-protocol.ts';
import {
  type ConversationCosts,
  exportUsage,
  readUsage,
  type UsageDependencies,
} from './read-usage.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import type { Log } from '../../platform/log.ts';
import type { CommandId } from '../../platform/command-ids.ts';
import { setTabIcon } from '../../platform/newer-vscode.ts';
import { createWebviewHtml, createWebviewOptions } from '../../platform/webview-html.ts';

export interface UsagePanelOptions {
  readonly dependencies: UsageDependencies & {
    readonly context: Pick<vscode.ExtensionContext, 'extensionUri'>;
    readonly log: Log;
  };
  /** Reads the stored conversations and their costs. Each call reads the files again. */
  readonly readCosts: () => AsyncIterable<ConversationCosts>;
  readonly openConversation: (id: string) => Promise<void>;
}

/**
 * Editor tab that shows usage and cost. Refreshes when it becomes visible, and after each billed
 * request.
 */
export class UsagePanel implements Disposable {
  readonly #options: UsagePanelOptions;
  readonly #panel: vscode.WebviewPanel;
  readonly #disposables = new DisposableStore();
  #days: UsagePeriod = 7;
  /** Id of the latest read. The result of an earlier read that ends later is discarded. */
  #lastReadId = 0;

  constructor(options: UsagePanelOptions, onClose: () => void) {
    this.#options = options;
    const { dependencies } = options;
    this.#panel = vscode.window.createWebviewPanel(
      'inferenceService.usage',
      vscode.l10n.t('Usage and cost'),
      vscode.ViewColumn.Active,
    );
    setTabIcon(this.#panel, 'graph');
    this.#panel.webview.options = createWebviewOptions(dependencies.context.extensionUri);
    this.#disposables.add(
      this.#panel.webview.onDidReceiveMessage((message: unknown) =>
        this.#handleRawMessage(message),
      ),
    );
    this.#panel.onDidDispose(() => {
      this.#disposables.dispose();
      onClose();
    });
    void this.#refreshOnSpending();
    this.#loadPage();
  }

  reveal(): void {
    this.#panel.reveal();
  }

  dispose(): void {
    this.#panel.dispose();
  }

  async #refreshOnSpending(): Promise<void> {
    const watch = await this.#options.dependencies.budget?.getWatch();
    if (watch !== undefined) this.#disposables.add(watch.onDidChange(() => void this.#showUsage()));
  }

  #loadPage(): void {
    const { webview } = this.#panel;
    webview.html = createWebviewHtml(webview, this.#options.dependencies.context.extensionUri, {
      title: vscode.l10n.t('Usage and cost'),
      script: 'usage',
      style: 'usage',
    });
  }

  #handleRawMessage(rawMessage: unknown): void {
    const { log } = this.#options.dependencies;
    const message = readUsagePageMessage(rawMessage);
    if (message === undefined) return log.warn('Could not read a message of the usage page');
    this.#handleMessage(message).catch((error: unknown) =>
      log.error(`Could not handle the message ${message.type}`, error),
    );
  }

  async #handleMessage(message: UsagePageMessage): Promise<unknown> {
    switch (message.type) {
      case 'ready':
        if (message.version !== usageVersion) return this.#loadPage();
        this.#days = message.days;
        return this.#showUsage();
      case 'period-set':
        this.#days = message.days;
        return this.#showUsage();
      case 'conversation-open':
        return this.#options.openConversation(message.id);
      case 'budget-set':
        return vscode.commands.executeCommand('inferenceService.budget.set' satisfies CommandId);
      case 'usage-export':
        return exportUsage(this.#options.dependencies);
    }
  }

  async #showUsage(): Promise<void> {
    this.#lastReadId += 1;
    const readId = this.#lastReadId;
    const message = await this.#readUsage();
    if (readId === this.#lastReadId) await this.#panel.webview.postMessage(message);
  }

  async #readUsage(): Promise<UsageHostMessage> {
    const { dependencies, readCosts } = this.#options;
    try {
      const usage = await readUsage({ dependencies, readCosts, days: this.#days });
      return { type: 'usage-set', version: usageVersion, usage };
    } catch (error) {
      dependencies.log.error('Could not read the recorded spending', error);
      return {
        type: 'usage-fail',
        message: vscode.l10n.t('That did not work. See the log for details.'),
      };
    }
  }
}

let openPanel: UsagePanel | undefined;

/** Opens the usage tab, or reveals it if it is open. Each window has at most one usage tab. */
export function showUsage(options: UsagePanelOptions): void {
  if (openPanel !== undefined) return openPanel.reveal();
  openPanel = new UsagePanel(options, () => (openPanel = undefined));
}
