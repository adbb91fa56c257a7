import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/event.ts';
import type { PermissionLevel } from '../../conversation/protocol.ts';
import { onDidChangeSettings, setSetting, setting } from '../../platform/settings.ts';

const stateKey = 'agent.editsNotice';

/**
 * Notice after an update that edits land without a question. Shown in every chat until the user
 * answers it; never after a new installation.
 */
export class EditsNotice implements Disposable {
  readonly #state: vscode.Memento;
  readonly #owned = new DisposableStore();
  readonly #onDidChangeEmitter = this.#owned.add(new Emitter<void>());
  #isForEarlierChats = false;
  /** Value of `isDue` that listeners know. */
  #wasDue = false;

  /** @param hasChats Checks whether chats of an earlier version exist. */
  constructor(state: vscode.Memento, hasChats: () => Promise<boolean>) {
    this.#state = state;
    const update = (): void => this.#update();
    this.#owned.add(onDidChangeSettings(['inferenceService.agent.permissions'], update));
    // Another window may have stored the answer.
    this.#owned.add(vscode.window.onDidChangeWindowState(update));
    if (!this.#isAnswered) void this.#load(hasChats);
  }

  readonly onDidChange: Event<void> = (listener) => this.#onDidChangeEmitter.event(listener);

  get isDue(): boolean {
    return (
      this.#isForEarlierChats &&
      !this.#isAnswered &&
      setting('inferenceService.agent.permissions') !== 'ask'
    );
  }

  async close(): Promise<void> {
    this.#isForEarlierChats = false;
    this.#update();
    await this.#state.update(stateKey, 'answered');
  }

  /**
   * Lets the user choose the level of new chats and of the chat that shows the notice. The notice
   * stays if the user cancels.
   */
  async change(setChatLevel: (level: PermissionLevel) => Promise<void>): Promise<void> {
    const level = await pickLevel();
    if (level === undefined) return;
    await setChatLevel(level);
    await setSetting('inferenceService.agent.permissions', level);
    await this.close();
  }

  dispose(): void {
    this.#owned.dispose();
  }

  get #isAnswered(): boolean {
    return this.#state.get(stateKey) !== undefined;
  }

  #update(): void {
    if (this.isDue === this.#wasDue) return;
    this.#wasDue = this.isDue;
    this.#onDidChangeEmitter.fire();
  }

  async #load(hasChats: () => Promise<boolean>): Promise<void> {
    try {
      this.#isForEarlierChats = await hasChats();
      if (this.#isForEarlierChats) this.#update();
      else await this.#state.update(stateKey, 'new');
    } catch {
      // Without a stored answer, the next activation checks again.
    }
  }
}

async function pickLevel(): Promise<PermissionLevel | undefined> {
  const item = (level: PermissionLevel, label: string) => ({ label, level });
  const items = [
    item('ask', vscode.l10n.t('Ask before changes')),
    item('applyEdits', vscode.l10n.t('Apply edits')),
    item('runCommands', vscode.l10n.t('Apply edits, run allowed commands')),
  ];
  const title = vscode.l10n.t('Permissions');
  const placeHolder = vscode.l10n.t('Applies to this chat and to new chats');
  return (await vscode.window.showQuickPick(items, { title, placeHolder }))?.level;
}
