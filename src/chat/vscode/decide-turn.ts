import * as vscode from 'vscode';
import type { ChangesDecision } from '../../agent/changes/vscode/agent-changes.ts';
import type { Agents } from '../../agent/vscode/agents.ts';
import type { ChatSession } from '../chat-session.ts';

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
