import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import {
  type ConversationSummary,
  excerptAroundMatch,
  searchSummaries,
} from '../../conversation/summary.ts';
import { newerVersionMessage } from '../../platform/notifications.ts';
import { escapeIcons } from '../../platform/notifications.ts';

interface Item extends vscode.QuickPickItem {
  readonly summary: ConversationSummary;
}

export interface HistoryActions {
  readonly list: () => Promise<readonly ConversationSummary[]>;
  readonly open: (id: string) => Promise<void>;
  readonly openInEditor: (id: string) => Promise<void>;
  readonly rename: (id: string) => Promise<void>;
  readonly remove: (summary: ConversationSummary) => Promise<void>;
  readonly readContent: (id: string) => Promise<Uint8Array>;
  readonly onFailure: (error: unknown) => void;
}

const maxItems = 200;

/** Shows a quick pick of all conversations. The user can search titles and messages. */
export async function showHistory(actions: HistoryActions): Promise<void> {
  await new HistoryPick(actions).show();
}

class HistoryPick {
  readonly #actions: HistoryActions;
  readonly #owned = new DisposableStore();
  readonly #pick = this.#owned.add(vscode.window.createQuickPick<Item>());
  readonly #openInEditor = createButton('link-external', vscode.l10n.t('Open in Editor'));
  readonly #rename = createButton('edit', vscode.l10n.t('Rename'));
  readonly #remove = createButton('trash', vscode.l10n.t('Delete'));
  readonly #showRest = createButton('eye', vscode.l10n.t('Show What Is Left'));
  readonly #keepFile = createButton('save-as', vscode.l10n.t('Keep the File'));
  #summaries: readonly ConversationSummary[] = [];

  constructor(actions: HistoryActions) {
    this.#actions = actions;
    const pick = this.#pick;
    pick.title = vscode.l10n.t('Chat History');
    pick.placeholder = vscode.l10n.t('Search in titles and in everything that was said');
    this.#owned.add(pick.onDidChangeValue(() => this.#updateItems()));
    this.#owned.add(pick.onDidAccept(() => this.#accept()));
    this.#owned.add(pick.onDidTriggerItemButton((event) => this.#onButton(event)));
    this.#owned.add(pick.onDidHide(() => this.#owned.dispose()));
  }

  async show(): Promise<void> {
    this.#pick.busy = true;
    this.#pick.show();
    await this.#reload();
  }

  async #reload(): Promise<void> {
    this.#summaries = await this.#actions.list();
    this.#pick.busy = false;
    this.#updateItems();
  }

  #updateItems(): void {
    const { value } = this.#pick;
    const found = searchSummaries(this.#summaries, value);
    this.#pick.items = found.slice(0, maxItems).map((summary) => this.#item(summary, value));
    this.#pick.title =
      this.#summaries.length === 0
        ? vscode.l10n.t('Chat History: nothing yet')
        : vscode.l10n.t('Chat History ({0} of {1})', found.length, this.#summaries.length);
  }

  #item(summary: ConversationSummary, query: string): Item {
    if (summary.isNewer) return this.#createNewerVersionItem(summary);
    if (summary.isDamaged) return this.#createDamagedItem(summary, query);
    return {
      summary,
      label: escapeIcons(summary.title || vscode.l10n.t('Untitled')),
      description: formatAge(summary.updatedAt),
      detail: escapeIcons(excerptAroundMatch(summary, query)),
      // This class searches the messages. Without `alwaysShow`, VS Code would hide items that match only in a
      // message.
      alwaysShow: true,
      buttons: [this.#openInEditor, this.#rename, this.#remove],
    };
  }

  #createNewerVersionItem(summary: ConversationSummary): Item {
    const title = summary.title || vscode.l10n.t('Chat from a newer version');
    return {
      summary,
      label: `$(circle-slash) ${escapeIcons(title)}`,
      description: newerVersionMessage(),
      alwaysShow: true,
      buttons: [this.#remove],
    };
  }

  #createDamagedItem(summary: ConversationSummary, query: string): Item {
    const hasMessages = summary.text !== '';
    return {
      summary,
      label: `$(warning) ${escapeIcons(summary.title || vscode.l10n.t('Damaged chat'))}`,
      description: hasMessages
        ? vscode.l10n.t('Damaged: select to show what is left')
        : vscode.l10n.t('Damaged: select to keep the file'),
      detail: escapeIcons(excerptAroundMatch(summary, query)),
      alwaysShow: true,
      buttons: [...(hasMessages ? [this.#showRest] : []), this.#keepFile, this.#remove],
    };
  }

  #accept(): void {
    const [item] = this.#pick.selectedItems;
    this.#pick.hide();
    if (item === undefined) return;
    const { summary } = item;
    const isUnreadable = summary.isDamaged && summary.text === '';
    this.#run(() => (isUnreadable ? this.#saveFile(summary.id) : this.#actions.open(summary.id)));
  }

  #onButton({ button: pressedButton, item }: vscode.QuickPickItemButtonEvent<Item>): void {
    const { id } = item.summary;
    if (pressedButton === this.#remove) {
      this.#run(async () => {
        await this.#actions.remove(item.summary);
        await this.#reload();
      });
      return;
    }
    this.#pick.hide();
    if (pressedButton === this.#keepFile) return this.#run(() => this.#saveFile(id));
    if (pressedButton === this.#showRest) return this.#run(() => this.#actions.open(id));
    const action =
      pressedButton === this.#rename ? this.#actions.rename : this.#actions.openInEditor;
    this.#run(() => action(id));
  }

  /** Saves a copy of a damaged file where the user chooses. */
  async #saveFile(id: string): Promise<void> {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const uri = await vscode.window.showSaveDialog({
      title: vscode.l10n.t('Keep the File'),
      ...(folder && { defaultUri: vscode.Uri.joinPath(folder, `${id}.jsonl`) }),
    });
    if (uri === undefined) return;
    await vscode.workspace.fs.writeFile(uri, await this.#actions.readContent(id));
  }

  #run(action: () => Promise<void>): void {
    action().catch(this.#actions.onFailure);
  }
}

const createButton = (icon: string, tooltip: string): vscode.QuickInputButton => ({
  iconPath: new vscode.ThemeIcon(icon),
  tooltip,
});

function formatAge(time: number): string {
  const minutes = Math.max(0, Math.round((Date.now() - time) / 60_000));
  const format = new Intl.RelativeTimeFormat(vscode.env.language, { numeric: 'auto' });
  if (minutes < 60) return format.format(-minutes, 'minute');
  if (minutes < 24 * 60) return format.format(-Math.round(minutes / 60), 'hour');
  if (minutes < 30 * 24 * 60) return format.format(-Math.round(minutes / (24 * 60)), 'day');
  return new Date(time).toLocaleDateString(vscode.env.language);
}
