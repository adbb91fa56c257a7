import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import type { ConversationSummary } from '../../chat/conversation-store.ts';
import { excerptAround, searchSummaries } from '../../chat/summary.ts';

interface Item extends vscode.QuickPickItem {
  readonly summary: ConversationSummary;
}

export interface HistoryActions {
  readonly list: () => Promise<readonly ConversationSummary[]>;
  readonly open: (id: string) => Promise<void>;
  readonly openInEditor: (id: string) => Promise<void>;
  readonly rename: (id: string) => Promise<void>;
  readonly remove: (id: string) => Promise<void>;
}

const atMost = 200;

/** The list of conversations, searched by everything that was said in them. */
export async function showHistory(actions: HistoryActions): Promise<void> {
  const buttons = {
    openInEditor: button('link-external', vscode.l10n.t('Open in Editor')),
    rename: button('edit', vscode.l10n.t('Rename')),
    remove: button('trash', vscode.l10n.t('Delete')),
  };
  const owned = new DisposableStore();
  const pick = owned.add(vscode.window.createQuickPick<Item>());
  pick.title = vscode.l10n.t('Chat History');
  pick.placeholder = vscode.l10n.t('Search in titles and in everything that was said');
  pick.busy = true;
  pick.show();
  let summaries: readonly ConversationSummary[] = [];
  const fill = (): void => {
    const found = searchSummaries(summaries, pick.value);
    pick.items = found.slice(0, atMost).map((summary) => ({
      summary,
      label: summary.title || vscode.l10n.t('Untitled'),
      description: ageOf(summary.updatedAt),
      detail: excerptAround(summary, pick.value),
      // The search is ours: VS Code's own would hide what matches only in the text.
      alwaysShow: true,
      buttons: [buttons.openInEditor, buttons.rename, buttons.remove],
    }));
    pick.title =
      summaries.length === 0
        ? vscode.l10n.t('Chat History: nothing yet')
        : vscode.l10n.t('Chat History ({0} of {1})', found.length, summaries.length);
  };
  const reload = async (): Promise<void> => {
    summaries = await actions.list();
    pick.busy = false;
    fill();
  };
  owned.add(pick.onDidChangeValue(fill));
  owned.add(
    pick.onDidAccept(() => {
      const [item] = pick.selectedItems;
      pick.hide();
      if (item !== undefined) void actions.open(item.summary.id);
    }),
  );
  owned.add(
    pick.onDidTriggerItemButton(({ button: pressed, item: { summary } }) => {
      if (pressed === buttons.remove) {
        void actions.remove(summary.id).then(reload);
        return;
      }
      pick.hide();
      void (pressed === buttons.rename ? actions.rename : actions.openInEditor)(summary.id);
    }),
  );
  owned.add(pick.onDidHide(() => owned.dispose()));
  await reload();
}

const button = (icon: string, tooltip: string): vscode.QuickInputButton => ({
  iconPath: new vscode.ThemeIcon(icon),
  tooltip,
});

function ageOf(time: number): string {
  const minutes = Math.max(0, Math.round((Date.now() - time) / 60_000));
  const format = new Intl.RelativeTimeFormat(vscode.env.language, { numeric: 'auto' });
  if (minutes < 60) return format.format(-minutes, 'minute');
  if (minutes < 24 * 60) return format.format(-Math.round(minutes / 60), 'hour');
  if (minutes < 30 * 24 * 60) return format.format(-Math.round(minutes / (24 * 60)), 'day');
  return new Date(time).toLocaleDateString(vscode.env.language);
}
