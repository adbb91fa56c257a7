import * as vscode from 'vscode';
import type { ChangesDecision } from '../../agent/changes/vscode/agent-changes.ts';
import type { TurnChanges } from '../../agent/changes/vscode/turn-changes.ts';
import type { Agents } from '../../agent/vscode/agents.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import type { ChatSession } from '../chat-session.ts';
import type { ChangesView } from '../../agent/protocol.ts';
import type { Log } from '../../platform/log.ts';

export interface ChatChangesOptions {
  readonly agents: Agents;
  readonly session: ChatSession;
  readonly log: Log;
  /** Told each time what a turn changed is new. */
  readonly put: (changes: ChangesView) => void;
}

/** What the turns of a chat changed in files. From the first tool on: the recorder of changes is loaded by then. */
export class ChatChanges implements Disposable {
  readonly #options: ChatChangesOptions;
  readonly #owned = new DisposableStore();
  #all: readonly ChangesView[] = [];
  #following = false;
  #disposed = false;

  constructor(options: ChatChangesOptions) {
    this.#options = options;
    const { session } = options;
    this.#owned.add(
      session.onDidChange(({ type }) => {
        if (type === 'tool-run') void this.#follow();
      }),
    );
    if (hasRuns(session)) void this.#follow();
  }

  /** Of each turn that changed something, as far as it is read. */
  get all(): readonly ChangesView[] {
    return this.#all;
  }

  dispose(): void {
    this.#disposed = true;
    this.#owned.dispose();
  }

  async #follow(): Promise<void> {
    if (this.#following) return;
    this.#following = true;
    const { agents, log } = this.#options;
    try {
      const { changes } = await agents.runtime();
      await this.#read(changes.turns);
    } catch (error) {
      // The next tool tries again.
      this.#following = false;
      log.error('The changes of a chat could not be read', error);
    }
  }

  async #read(changes: TurnChanges): Promise<void> {
    const { conversation } = this.#options.session;
    const { id } = conversation;
    this.#owned.add(
      changes.onDidChange(({ conversationId, turnId }) => {
        if (conversationId === id) this.#put(changes.changesView(id, turnId));
      }),
    );
    await changes.load(id);
    for (const { id: turnId, role } of conversation.path()) {
      if (role === 'user') this.#put(changes.changesView(id, turnId));
    }
  }

  /** Another chat may be shown by the time something was read. */
  #put(changes: ChangesView | undefined): void {
    if (changes === undefined || this.#disposed) return;
    const others = this.#all.filter(({ turnId }) => turnId !== changes.turnId);
    this.#all = [...others, changes];
    this.#options.put(changes);
  }
}

const hasRuns = ({ conversation }: ChatSession): boolean =>
  conversation
    .path()
    .some((message) => message.role === 'assistant' && message.toolRuns.length > 0);

/** A chat, and who knows what its turns changed. */
export interface DecidingChat {
  readonly agents: Agents;
  readonly session: ChatSession;
}

/**
 * Decides about all file changes of a turn, unless it still runs: what it changes next would rest on what was undone.
 * @returns why not, for the person
 */
export async function decideTurn(
  { agents, session }: DecidingChat,
  turnId: string,
  decision: ChangesDecision,
): Promise<string | undefined> {
  const { changes } = await agents.runtime();
  if (isRunning(session, turnId)) {
    return vscode.l10n.t('Stop this turn before you decide about all of its changes.');
  }
  return changes.decide(session.conversation.id, turnId, decision);
}

/**
 * Takes back all file changes of the last turn that made some.
 * @returns why not, for the person
 */
export async function undoLastTurn(chat: DecidingChat): Promise<string | undefined> {
  const { conversation } = chat.session;
  const { turns } = (await chat.agents.runtime()).changes;
  await turns.load(conversation.id);
  const turn = conversation
    .path()
    .findLast(({ id }) => turns.changesView(conversation.id, id)?.undone === false);
  return turn === undefined
    ? vscode.l10n.t('Nothing was changed in files, or it is undone already.')
    : decideTurn(chat, turn.id, 'undo');
}

function isRunning({ streaming, conversation }: ChatSession, turnId: string): boolean {
  return streaming !== undefined && conversation.findTurnStart(streaming) === turnId;
}
