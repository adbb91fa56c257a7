import * as vscode from 'vscode';
import { revealHiddenCharacters } from '../../base/visible-text.ts';
import { confirm } from '../../platform/notifications.ts';
import type { ChangesDecision } from '../../agent/changes/vscode/agent-changes.ts';
import type { Agents } from '../../agent/vscode/agents.ts';
import type { ChatSession } from '../chat-session.ts';

/** Chat session, and the agents that recorded the file changes of its turns. */
export interface ChatWithAgents {
  readonly agents: Agents;
  readonly session: ChatSession;
}

/**
 * Accepts, rejects, undoes or redoes all file changes of a turn. Refuses this action while the turn is running, because
 * the turn's next edits depend on the current files.
 * @returns an error message if the action is refused
 */
export async function decideTurn(
  { agents, session }: ChatWithAgents,
  turnId: string,
  decision: ChangesDecision,
): Promise<string | undefined> {
  const { changes } = await agents.getRuntime();
  if (isTurnRunning(session, turnId)) {
    return vscode.l10n.t('Wait for the answer, or stop it first.');
  }
  return changes.decideChanges(session.conversation.id, turnId, decision);
}

/**
 * Undoes all file changes of the latest turn that changed files.
 * @returns an error message if the undo is refused, or if there is nothing to undo
 */
export async function undoLastTurn(chat: ChatWithAgents): Promise<string | undefined> {
  const { conversation } = chat.session;
  const { turns } = (await chat.agents.getRuntime()).changes;
  await turns.load(conversation.id);
  const turn = conversation
    .listPath()
    .findLast(({ id }) => turns.createChangesView(conversation.id, id)?.undone === false);
  return turn === undefined
    ? vscode.l10n.t('There are no changes to undo.')
    : decideTurn(chat, turn.id, 'undo');
}

interface RestoreOutcome {
  readonly isRestored: boolean;
  /**
   * Message for the user, such as the reason why the restore was refused, or the files that could not be restored.
   */
  readonly notice?: string | undefined;
}

/** Maximum number of files that the confirmation lists. */
const maxListedFiles = 10;

/**
 * Restores the files and the chat to their state before a user message, after the user has confirmed the list of files.
 * Later messages remain as another branch, on which the user can redo the changes of each turn. Stops at the first turn
 * whose changes cannot all be undone, and then does not change the chat.
 */
export async function restoreToMessage(
  chat: ChatWithAgents,
  messageId: string,
): Promise<RestoreOutcome> {
  const { session, agents } = chat;
  const { conversation } = session;
  const path = conversation.listPath();
  const start = path.findIndex(({ id }) => id === messageId);
  if (start === -1) return { isRestored: false };
  if (session.runningAnswerId !== undefined) return createRunningRefusal();
  const { changes } = await agents.getRuntime();
  await changes.turns.load(conversation.id);
  const turnIds = path
    .slice(start)
    .map(({ id }) => id)
    .filter((id) => changes.turns.createChangesView(conversation.id, id)?.undone === false);
  if (turnIds.length > 0 && !(await confirmRestore(chat, turnIds))) return { isRestored: false };
  const notices: string[] = [];
  for (const turnId of turnIds.toReversed()) {
    // A turn may have started while the confirmation was open.
    if (session.runningAnswerId !== undefined) return createRunningRefusal(notices);
    const { isComplete, notice } = await changes.tryDecide(conversation.id, turnId, 'undo');
    if (notice !== undefined) notices.push(notice);
    if (!isComplete) {
      notices.push(vscode.l10n.t('The chat stays as it was.'));
      return { isRestored: false, notice: notices.join(' ') };
    }
  }
  if (!(await session.rewind(messageId))) return createRunningRefusal(notices);
  return { isRestored: true, notice: notices.length === 0 ? undefined : notices.join(' ') };
}

const createRunningRefusal = (notices: readonly string[] = []): RestoreOutcome => ({
  isRestored: false,
  notice: [...notices, vscode.l10n.t('Wait for the answer, or stop it first.')].join(' '),
});

/**
 * Asks the user to confirm the restore. The confirmation lists the files that the turns changed, and the user can
 * compare these files first.
 */
async function confirmRestore(
  { agents, session }: ChatWithAgents,
  turnIds: readonly string[],
): Promise<boolean> {
  const { changes } = await agents.getRuntime();
  const { id } = session.conversation;
  const files = turnIds.flatMap(
    (turnId) => changes.turns.createChangesView(id, turnId)?.files ?? [],
  );
  const labels = [...new Set(files.map(({ label }) => label))];
  const listedLabels = labels.slice(0, maxListedFiles).map(revealHiddenCharacters);
  const unlistedCount = labels.length - listedLabels.length;
  const restoreLabel = vscode.l10n.t('Restore');
  const compareLabel = vscode.l10n.t('Compare');
  const answer = await confirm(
    {
      question: vscode.l10n.t(
        'Restore the chat and its files to before this message? Files: {0}',
        labels.length,
      ),
      detail: [
        ...listedLabels,
        ...(unlistedCount > 0 ? [vscode.l10n.t('{0} more', unlistedCount)] : []),
      ].join('\n'),
    },
    restoreLabel,
    compareLabel,
  );
  if (answer === compareLabel) await changes.previousContentProvider.openComparison(id, turnIds);
  return answer === restoreLabel;
}

function isTurnRunning({ runningAnswerId, conversation }: ChatSession, turnId: string): boolean {
  return runningAnswerId !== undefined && conversation.findTurnStartId(runningAnswerId) === turnId;
}
