import * as vscode from 'vscode';
import type { Clock } from '../../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';
import type { Log } from '../../../platform/log.ts';
import type { TurnRef } from './change-recorder.ts';
import type { UriLocator } from '../../../workspace/vscode/paths.ts';
import { PreviousContentProvider } from './previous-content-provider.ts';
import { formatOutcomeMessage, type UndoOutcome, getUntrustedMessage } from './undo-turn.ts';
import { ReviewActions } from './review-actions.ts';
import { ReviewCommands } from './review-commands.ts';
import { ReviewDecorations, ReviewCodeLenses } from './review-display.ts';
import { Reviews } from './reviews.ts';
import { TurnChanges } from './turn-changes.ts';

export type ChangesDecision = 'accept' | 'reject' | 'undo' | 'redo';

export interface DecisionOutcome {
  /**
   * False if the request to accept, reject, undo or redo was refused or failed, or if files stay unchanged because of
   * conflicts.
   */
  readonly isComplete: boolean;
  /**
   * Message that tells the user about a refused request, conflicts, or restored sensitive files; undefined if there is
   * nothing to report.
   */
  readonly notice: string | undefined;
}

export interface AgentChangesOptions {
  /** Storage folder of the extension. */
  readonly storage: vscode.Uri;
  readonly clock: Clock;
  readonly log: Log;
  /** Resolves the paths that an undo may restore. */
  readonly paths: UriLocator;
  /** Returns the open workspace folders. */
  readonly folders: () => readonly vscode.WorkspaceFolder[];
  /**
   * Checks whether the workspace is trusted. Without trust, the user can neither accept, reject, undo nor redo changes.
   */
  readonly isTrusted: () => boolean;
}

/** Records the file changes of turns, shows them in editors for review, and undoes and redoes them. */
export class AgentChanges implements Disposable {
  readonly turns: TurnChanges;
  /** Provides the content of files before a turn. */
  readonly previousContentProvider: PreviousContentProvider;
  readonly reviews: Reviews;
  readonly reviewCommands: ReviewCommands;
  readonly #owned = new DisposableStore();
  readonly #reviewActions: ReviewActions;
  readonly #log: Log;
  readonly #isTrusted: () => boolean;

  constructor(options: AgentChangesOptions) {
    const { storage, clock, log, paths, folders, isTrusted } = options;
    this.#log = log;
    this.#isTrusted = isTrusted;
    const changes = this.#owned.add(new TurnChanges({ storage, log, paths, folders }));
    const reviews = this.#owned.add(new Reviews({ changes, clock, log }));
    const before = this.#owned.add(new PreviousContentProvider(changes));
    const actions = new ReviewActions(changes, reviews);
    this.#owned.add(new ReviewCodeLenses(reviews));
    this.#owned.add(new ReviewDecorations(reviews));
    this.reviewCommands = this.#owned.add(
      new ReviewCommands({ changes, reviews, actions, previousContentProvider: before, isTrusted }),
    );
    this.#owned.add(
      reviews.onDidChange(() => void actions.settleAllReviews().catch(this.#logFailure)),
    );
    this.turns = changes;
    this.previousContentProvider = before;
    this.reviews = reviews;
    this.#reviewActions = actions;
  }

  /**
   * Accepts or rejects the pending changes of a whole turn, or undoes or redoes all of its changes.
   * @returns a message that tells the user about a refusal, conflicts and restored sensitive files; undefined if there
   *   are none
   */
  async decide(
    conversationId: string,
    turnId: string,
    decision: ChangesDecision,
  ): Promise<string | undefined> {
    return (await this.tryDecide(conversationId, turnId, decision)).notice;
  }

  /** Does the same as {@link decide}, and also returns whether the request was completed for all files. */
  async tryDecide(
    conversationId: string,
    turnId: string,
    decision: ChangesDecision,
  ): Promise<DecisionOutcome> {
    const turn = { conversationId, turnId };
    const refusal = this.#refuseDecision(turn, decision);
    if (refusal !== undefined) return { isComplete: false, notice: refusal };
    try {
      const outcome = await this.#applyDecision(turn, decision);
      const isComplete = outcome.conflicts.length === 0;
      return { isComplete, notice: formatOutcomeMessage(outcome) };
    } catch (error) {
      this.#logFailure(error);
      const notice = vscode.l10n.t('That did not work. See the log for details.');
      return { isComplete: false, notice };
    }
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #refuseDecision(turn: TurnRef, decision: ChangesDecision): string | undefined {
    if (!this.#isTrusted()) return getUntrustedMessage();
    const changesView = this.turns.createChangesView(turn.conversationId, turn.turnId);
    if (changesView === undefined)
      return vscode.l10n.t('The state before this turn is no longer stored.');
    if (changesView.isDamaged)
      return vscode.l10n.t('Undo isn’t available. The record of this turn is damaged.');
    if (decision === 'redo') {
      return changesView.undone ? undefined : vscode.l10n.t('This turn was not undone.');
    }
    return changesView.undone ? vscode.l10n.t('There are no changes to undo.') : undefined;
  }

  async #applyDecision(turn: TurnRef, decision: ChangesDecision): Promise<UndoOutcome> {
    switch (decision) {
      case 'accept':
        await this.#reviewActions.acceptTurn(turn);
        return { restoredFiles: [], conflicts: [], sensitiveFiles: [] };
      case 'reject':
        return this.#reviewActions.rejectTurn(turn);
      case 'undo':
        return this.turns.undo(turn);
      case 'redo':
        return this.turns.redo(turn);
    }
  }

  readonly #logFailure = (error: unknown): void =>
    this.#log.error('Could not settle the changes of a turn', error);
}
