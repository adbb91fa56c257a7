import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import type { Event } from '../../base/event.ts';
import {
  type ConversationSummary,
  extractTextAroundMatch,
  searchSummaries,
} from '../../conversation/summary.ts';
import { getNewerVersionMessage } from '../../platform/notifications.ts';
import { escapeIcons } from '../../platform/notifications.ts';

interface HistoryItem extends vscode.QuickPickItem {
  /** Summary of the conversation that this row of the quick pick shows. Absent for separators. */
  readonly summary?: ConversationSummary;
}

export interface HistoryActions {
  readonly listConversations: () => Promise<readonly ConversationSummary[]>;
  readonly openChat: (id: string) => Promise<void>;
  readonly openInEditor: (id: string) => Promise<void>;
  readonly renameConversation: (id: string) => Promise<void>;
  readonly removeConversation: (summary: ConversationSummary) => Promise<void>;
  readonly removeAll: () => Promise<void>;
  readonly pins: PinnedChats;
  /** Returns the state of the turn that runs in the chat; undefined if no turn runs. */
  readonly getStatus: (id: string) => 'running' | 'waiting' | undefined;
  readonly onDidChangeStatus: Event<void>;
  readonly readContent: (id: string) => Promise<Uint8Array>;
  readonly onFailure: (error: unknown) => void;
}

const maxItems = 200;

const pinsKey = 'chat.pinned';

/**
 * Ids of the pinned chats, which stay at the top of the history. The retention setting does not apply to pinned
 * chats.
 */
export class PinnedChats {
  readonly #state: Pick<vscode.Memento, 'get' | 'update'>;

  constructor(state: Pick<vscode.Memento, 'get' | 'update'>) {
    this.#state = state;
  }

  isPinned(id: string): boolean {
    return this.#ids.includes(id);
  }

  async togglePin(id: string): Promise<void> {
    const otherIds = this.#ids.filter((pinnedId) => pinnedId !== id);
    await this.#state.update(pinsKey, this.isPinned(id) ? otherIds : [...otherIds, id]);
  }

  get #ids(): readonly string[] {
    const storedIds: unknown = this.#state.get(pinsKey);
    return Array.isArray(storedIds) ? storedIds.filter((id) => typeof id === 'string') : [];
  }
}

/** Group of chats in the history. The title is the label of the group's separator. */
interface HistoryGroup {
  readonly title: string;
  readonly summaries: readonly ConversationSummary[];
}

/**
 * Groups chats by the day of their last message, newest first. Before these groups, there is one group for running
 * chats and one for pinned chats.
 */
export function groupByDay(
  summaries: readonly ConversationSummary[],
  {
    isPinned,
    isRunning,
    now,
  }: {
    readonly isPinned: (id: string) => boolean;
    readonly isRunning: (id: string) => boolean;
    readonly now: number;
  },
): readonly HistoryGroup[] {
  const groups = new Map<string, ConversationSummary[]>();
  const formatTitle = ({ id, updatedAt }: ConversationSummary): string => {
    if (isRunning(id)) return getRunningLabel();
    return isPinned(id) ? vscode.l10n.t('Pinned') : formatDay(updatedAt, now);
  };
  const getRank = ({ id }: ConversationSummary): number =>
    isRunning(id) ? 0 : isPinned(id) ? 1 : 2;
  for (const summary of summaries.toSorted((a, b) => getRank(a) - getRank(b))) {
    const title = formatTitle(summary);
    groups.set(title, [...(groups.get(title) ?? []), summary]);
  }
  return [...groups].map(([title, members]) => ({ title, summaries: members }));
}

const getRunningLabel = (): string => vscode.l10n.t('Running');

/** Formats a day: "Today", "Yesterday", the name of a weekday in the last week, or a date. */
function formatDay(time: number, now: number): string {
  const dayCount = Math.round((getStartOfDay(now) - getStartOfDay(time)) / (24 * 60 * 60_000));
  const { language } = vscode.env;
  if (dayCount < 2) {
    const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
    const text = format.format(-Math.max(0, dayCount), 'day');
    return text.charAt(0).toLocaleUpperCase(language) + text.slice(1);
  }
  const isThisYear = new Date(time).getFullYear() === new Date(now).getFullYear();
  return new Date(time).toLocaleDateString(
    language,
    dayCount < 7
      ? { weekday: 'long' }
      : { day: 'numeric', month: 'long', ...(isThisYear ? {} : { year: 'numeric' }) },
  );
}

const getStartOfDay = (time: number): number => new Date(time).setHours(0, 0, 0, 0);

/** Shows all conversations in a quick pick. The user can search their titles and messages. */
export async function showHistory(actions: HistoryActions): Promise<void> {
  await new HistoryPick(actions).show();
}

class HistoryPick {
  readonly #actions: HistoryActions;
  readonly #disposables = new DisposableStore();
  readonly #pick = this.#disposables.add(vscode.window.createQuickPick<HistoryItem>());
  readonly #openInEditorButton = createButton(
    'link-external',
    vscode.l10n.t('Open Chat in Editor'),
  );
  readonly #renameButton = createButton('edit', vscode.l10n.t('Rename'));
  readonly #removeButton = createButton('trash', vscode.l10n.t('Delete'));
  readonly #removeAllButton = createButton('clear-all', vscode.l10n.t('Delete All Chats…'));
  readonly #pinButton = createButton('pin', vscode.l10n.t('Pin'));
  readonly #unpinButton = createButton('pinned', vscode.l10n.t('Unpin'));
  readonly #showRestButton = createButton('eye', vscode.l10n.t('Show What Is Left'));
  readonly #keepFileButton = createButton('save-as', vscode.l10n.t('Keep the File'));
  #summaries: readonly ConversationSummary[] = [];
  #lastQuery = '';

  constructor(actions: HistoryActions) {
    this.#actions = actions;
    const pick = this.#pick;
    pick.title = vscode.l10n.t('Chat History');
    pick.placeholder = vscode.l10n.t('Search');
    pick.buttons = [this.#removeAllButton];
    this.#disposables.add(
      pick.onDidTriggerButton(() => {
        pick.hide();
        this.#runAction(() => this.#actions.removeAll());
      }),
    );
    this.#disposables.add(pick.onDidChangeValue(() => this.#updateItems()));
    this.#disposables.add(pick.onDidAccept(() => this.#acceptItem()));
    this.#disposables.add(pick.onDidTriggerItemButton((event) => this.#onButton(event)));
    this.#disposables.add(this.#actions.onDidChangeStatus(() => this.#updateItems()));
    this.#disposables.add(pick.onDidHide(() => this.#disposables.dispose()));
  }

  async show(): Promise<void> {
    this.#pick.busy = true;
    this.#pick.show();
    await this.#reloadItems();
  }

  async #reloadItems(): Promise<void> {
    this.#summaries = await this.#actions.listConversations();
    this.#pick.busy = false;
    this.#updateItems();
  }

  #updateItems(): void {
    const { value } = this.#pick;
    const foundSummaries = searchSummaries(this.#summaries, value);
    const { pins, getStatus } = this.#actions;
    const groups = groupByDay(foundSummaries.slice(0, maxItems), {
      isPinned: (id) => pins.isPinned(id),
      isRunning: (id) => getStatus(id) !== undefined,
      now: Date.now(),
    });
    const activeId = this.#pick.activeItems[0]?.summary?.id;
    const isEmpty = this.#summaries.length === 0;
    const items: readonly HistoryItem[] = isEmpty
      ? [{ label: vscode.l10n.t('There are no chats.'), alwaysShow: true }]
      : groups.flatMap(({ title, summaries }) => [
          { label: title, kind: vscode.QuickPickItemKind.Separator },
          ...summaries.map((summary) => this.#createItem(summary, value)),
        ]);
    this.#pick.items = items;
    // VS Code activates the first of the new items, so the previously active item is activated again.
    const activeItem = items.find(
      ({ summary }) => summary !== undefined && summary.id === activeId,
    );
    if (activeItem !== undefined && value === this.#lastQuery)
      this.#pick.activeItems = [activeItem];
    this.#lastQuery = value;
    this.#pick.buttons = isEmpty ? [] : [this.#removeAllButton];
    this.#pick.title = isEmpty
      ? vscode.l10n.t('Chat History')
      : vscode.l10n.t('Chat History ({0} of {1})', foundSummaries.length, this.#summaries.length);
  }

  #createItem(summary: ConversationSummary, query: string): HistoryItem {
    if (summary.isNewer) return this.#createNewerVersionItem(summary);
    if (summary.isDamaged) return this.#createDamagedItem(summary, query);
    const { icon = '', state = '' } = this.#describeStatus(summary) ?? {};
    return {
      summary,
      label: `${icon}${escapeIcons(summary.title || vscode.l10n.t('New Chat'))}`,
      description: [state, formatAge(summary.updatedAt)].filter(Boolean).join(' · '),
      detail: escapeIcons(extractTextAroundMatch(summary, query)),
      // The search in messages happens here. Without `alwaysShow`, VS Code would hide items that match only in a message.
      alwaysShow: true,
      buttons: [
        this.#actions.pins.isPinned(summary.id) ? this.#unpinButton : this.#pinButton,
        this.#openInEditorButton,
        this.#renameButton,
        this.#removeButton,
      ],
    };
  }

  /** Returns the icon and the text for a chat that runs, waits for the user or has failed. */
  #describeStatus({ id, hasFailed }: ConversationSummary) {
    switch (this.#actions.getStatus(id)) {
      case 'running':
        return { icon: '$(loading~spin) ', state: getRunningLabel() };
      case 'waiting':
        return { icon: '$(bell-dot) ', state: vscode.l10n.t('Waiting for you') };
      default:
        return hasFailed && { icon: '$(error) ', state: vscode.l10n.t('Failed') };
    }
  }

  #createNewerVersionItem(summary: ConversationSummary): HistoryItem {
    const title = summary.title || vscode.l10n.t('Chat from a newer version');
    return {
      summary,
      label: `$(circle-slash) ${escapeIcons(title)}`,
      description: getNewerVersionMessage(),
      alwaysShow: true,
      buttons: [this.#removeButton],
    };
  }

  #createDamagedItem(summary: ConversationSummary, query: string): HistoryItem {
    const hasMessages = summary.text !== '';
    return {
      summary,
      label: `$(warning) ${escapeIcons(summary.title || vscode.l10n.t('Damaged chat'))}`,
      description: vscode.l10n.t(
        '{0}: {1}',
        vscode.l10n.t('Damaged chat'),
        hasMessages ? vscode.l10n.t('Show What Is Left') : vscode.l10n.t('Keep the File'),
      ),
      detail: escapeIcons(extractTextAroundMatch(summary, query)),
      alwaysShow: true,
      buttons: [
        ...(hasMessages ? [this.#showRestButton] : []),
        this.#keepFileButton,
        this.#removeButton,
      ],
    };
  }

  #acceptItem(): void {
    const [item] = this.#pick.selectedItems;
    this.#pick.hide();
    const summary = item?.summary;
    if (summary === undefined) return;
    const isUnreadable = summary.isDamaged && summary.text === '';
    this.#runAction(() =>
      isUnreadable ? this.#saveFile(summary.id) : this.#actions.openChat(summary.id),
    );
  }

  #onButton({ button: pressedButton, item }: vscode.QuickPickItemButtonEvent<HistoryItem>): void {
    const { summary } = item;
    if (summary === undefined) return;
    const { id } = summary;
    if (pressedButton === this.#removeButton) {
      this.#runAction(async () => {
        await this.#actions.removeConversation(summary);
        await this.#reloadItems();
      });
      return;
    }
    if (pressedButton === this.#pinButton || pressedButton === this.#unpinButton) {
      this.#runAction(async () => {
        await this.#actions.pins.togglePin(id);
        this.#updateItems();
      });
      return;
    }
    this.#pick.hide();
    if (pressedButton === this.#keepFileButton) return this.#runAction(() => this.#saveFile(id));
    if (pressedButton === this.#showRestButton)
      return this.#runAction(() => this.#actions.openChat(id));
    const action =
      pressedButton === this.#renameButton
        ? this.#actions.renameConversation
        : this.#actions.openInEditor;
    this.#runAction(() => action(id));
  }

  /** Saves a copy of a damaged file at a location that the user chooses. */
  async #saveFile(id: string): Promise<void> {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const uri = await vscode.window.showSaveDialog({
      title: vscode.l10n.t('Keep the File'),
      ...(folder && { defaultUri: vscode.Uri.joinPath(folder, `${id}.jsonl`) }),
    });
    if (uri === undefined) return;
    await vscode.workspace.fs.writeFile(uri, await this.#actions.readContent(id));
  }

  #runAction(action: () => Promise<void>): void {
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
