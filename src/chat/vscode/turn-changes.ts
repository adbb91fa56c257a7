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
  /** Called when the file changes of a turn are loaded or have changed. */
  readonly onChange: (changes: ChangesView) => void;
}

/** Provides the file changes of all turns of a chat. Loads them after the first tool run, when the recorder exists. */
export class ChatChanges implements Disposable {
  readonly #options: ChatChangesOptions;
  readonly #owned = new DisposableStore();
  #all: readonly ChangesView[] = [];
  #isReading = false;
  #disposed = false;

  constructor(options: ChatChangesOptions) {
    this.#options = options;
    const { session } = options;
    this.#owned.add(
      session.onDidChange(({ type }) => {
        if (type === 'tool-run') void this.#startReading();
      }),
    );
    if (hasToolRuns(session)) void this.#startReading();
  }

  /** File changes that are loaded, one entry per turn. */
  get all(): readonly ChangesView[] {
    return this.#all;
  }

  dispose(): void {
    this.#disposed = true;
    this.#owned.dispose();
  }

  async #startReading(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    const { agents, log } = this.#options;
    try {
      const { changes } = await agents.runtime();
      await this.#read(changes.turns);
    } catch (error) {
      // The next tool run starts another attempt.
      this.#isReading = false;
      log.error('Could not read the changes of a chat', error);
    }
  }

  async #read(changes: TurnChanges): Promise<void> {
    const { conversation } = this.#options.session;
    const { id } = conversation;
    this.#owned.add(
      changes.onDidChange(({ conversationId, turnId }) => {
        if (conversationId === id) this.#update(changes.changesView(id, turnId));
      }),
    );
    await changes.load(id);
    for (const { id: turnId, role } of conversation.path()) {
      if (role === 'user') this.#update(changes.changesView(id, turnId));
    }
  }

  /** Stores and reports loaded changes, unless the page already shows another chat. */
  #update(changes: ChangesView | undefined): void {
    if (changes === undefined || this.#disposed) return;
    const otherChanges = this.#all.filter(({ turnId }) => turnId !== changes.turnId);
    this.#all = [...otherChanges, changes];
    this.#options.onChange(changes);
  }
}

const hasToolRuns = ({ conversation }: ChatSession): boolean =>
  conversation
    .path()
    .some((message) => message.role === 'assistant' && message.toolRuns.length > 0);

/** Chat session and the agents that recorded its file changes. */
export interface ChatWithAgents {
  readonly agents: Agents;
  readonly session: ChatSession;
}

/**
 * Accepts, rejects, undoes or redoes all file changes of a turn. Refuses while the turn is running, because its next
 * edits depend on the current files.
 * @returns an error message if refused
 */
export async function decideTurn(
  { agents, session }: ChatWithAgents,
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
 * Undoes all file changes of the latest turn that changed files.
 * @returns an error message if refused, or if there is nothing to undo
 */
export async function undoLastTurn(chat: ChatWithAgents): Promise<string | undefined> {
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
