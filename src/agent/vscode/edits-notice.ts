import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/event.ts';
import type { PermissionLevel } from '../../conversation/protocol.ts';
import { onDidChangeSettings, setSetting, getSetting } from '../../platform/settings.ts';

const noticeStateKey = 'agent.editsNotice';

/**
 * Notice to users of an earlier version: the agent now edits files without approval. Every chat shows the notice until
 * the user answers it. A new installation never shows it.
 */
export class EditsNotice implements Disposable {
  readonly #state: vscode.Memento;
  readonly #disposables = new DisposableStore();
  readonly #onDidChangeEmitter = this.#disposables.add(new Emitter<void>());
  #isForEarlierChats = false;
  /** Value of `isDue` at the time of the last change event. */
  #wasDue = false;

  /** @param hasChats Checks whether chats of an earlier version exist. */
  constructor(state: vscode.Memento, hasChats: () => Promise<boolean>) {
    this.#state = state;
    const update = (): void => this.#updateNotice();
    this.#disposables.add(onDidChangeSettings(['inferenceService.agent.permissions'], update));
    // Another window may have stored the answer.
    this.#disposables.add(vscode.window.onDidChangeWindowState(update));
    if (!this.#isAnswered) void this.#detectEarlierChats(hasChats);
  }

  readonly onDidChange: Event<void> = (listener) => this.#onDidChangeEmitter.event(listener);

  get isDue(): boolean {
    return (
      this.#isForEarlierChats &&
      !this.#isAnswered &&
      getSetting('inferenceService.agent.permissions') !== 'ask'
    );
  }

  async close(): Promise<void> {
    this.#isForEarlierChats = false;
    this.#updateNotice();
    await this.#state.update(noticeStateKey, 'answered');
  }

  /**
   * Lets the user choose the permission level for new chats and for the chat that shows the notice. The notice stays if
   * the user cancels.
   */
  async changeLevel(setChatLevel: (level: PermissionLevel) => Promise<void>): Promise<void> {
    const level = await pickPermissionLevel();
    if (level === undefined) return;
    await setChatLevel(level);
    await setSetting('inferenceService.agent.permissions', level);
    await this.close();
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  get #isAnswered(): boolean {
    return this.#state.get(noticeStateKey) !== undefined;
  }

  #updateNotice(): void {
    if (this.isDue === this.#wasDue) return;
    this.#wasDue = this.isDue;
    this.#onDidChangeEmitter.fire();
  }

  async #detectEarlierChats(hasChats: () => Promise<boolean>): Promise<void> {
    try {
      this.#isForEarlierChats = await hasChats();
      if (this.#isForEarlierChats) this.#updateNotice();
      else await this.#state.update(noticeStateKey, 'new');
    } catch {
      // Without a stored answer, the next activation checks again.
    }
  }
}

async function pickPermissionLevel(): Promise<PermissionLevel | undefined> {
  const createItem = (level: PermissionLevel, label: string) => ({ label, level });
  const items = [
    createItem('ask', vscode.l10n.t('Ask before changes')),
    createItem('applyEdits', vscode.l10n.t('Apply edits')),
    createItem('runCommands', vscode.l10n.t('Apply edits, run allowed commands')),
  ];
  const title = vscode.l10n.t('Permissions');
  const placeHolder = vscode.l10n.t('Applies to this chat and to new chats');
  return (await vscode.window.showQuickPick(items, { title, placeHolder }))?.level;
}
