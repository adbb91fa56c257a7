import * as vscode from 'vscode';
import type { ChatSession } from '../chat-session.ts';
import type { Agents } from '../../agent/vscode/agents.ts';
import type { ChangesDecision } from '../../agent/changes/vscode/agent-changes.ts';

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
  const { changes } = await chat.agents.runtime();
  await changes.load(conversation.id);
  const turn = conversation
    .path()
    .findLast(({ id }) => changes.changesOf(conversation.id, id)?.undone === false);
  return turn === undefined
    ? vscode.l10n.t('Nothing was changed in files, or it is undone already.')
    : decideTurn(chat, turn.id, 'undo');
}

function isRunning({ streaming, conversation }: ChatSession, turnId: string): boolean {
  return streaming !== undefined && conversation.turnOf(streaming) === turnId;
}
