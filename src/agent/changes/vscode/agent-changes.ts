import * as vscode from 'vscode';
import { sliceLines } from '../three-way.ts';
import {
  createRemovedTextHover,
  type DecorationKind,
  createRemovedTextDecorations,
  decorationKinds,
  decorationStyles,
} from './decoration-styles.ts';
import type { Clock } from '../../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';
import type { Log } from '../../../platform/log.ts';
import type { TurnRef } from './change-recorder.ts';
import type { UriLocator } from '../../../workspace/vscode/paths.ts';
import { PreviousContentProvider } from './previous-content-provider.ts';
import { formatOutcomeMessage, type UndoOutcome, getUntrustedMessage } from './undo-turn.ts';
import { ReviewActions } from './review-actions.ts';
import { ReviewCommands } from './review-commands.ts';
import { getHunkId, type PendingHunk, Reviews } from './reviews.ts';
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
  readonly listFolders: () => readonly vscode.WorkspaceFolder[];
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
  readonly #disposables = new DisposableStore();
  readonly #reviewActions: ReviewActions;
  readonly #log: Log;
  readonly #isTrusted: () => boolean;

  constructor(options: AgentChangesOptions) {
    const { storage, clock, log, paths, listFolders, isTrusted } = options;
    this.#log = log;
    this.#isTrusted = isTrusted;
    const changes = this.#disposables.add(new TurnChanges({ storage, log, paths, listFolders }));
    const reviews = this.#disposables.add(new Reviews({ changes, clock, log }));
    const previousContentProvider = this.#disposables.add(new PreviousContentProvider(changes));
    const actions = new ReviewActions(changes, reviews);
    this.#disposables.add(new ReviewCodeLenses(reviews));
    this.#disposables.add(new ReviewDecorations(reviews));
    this.reviewCommands = this.#disposables.add(
      new ReviewCommands({ changes, reviews, actions, previousContentProvider, isTrusted }),
    );
    this.#disposables.add(
      reviews.onDidChange(() => void actions.settleAllReviews().catch(this.#logFailure)),
    );
    this.turns = changes;
    this.previousContentProvider = previousContentProvider;
    this.reviews = reviews;
    this.#reviewActions = actions;
  }

  /**
   * Accepts or rejects the pending changes of a whole turn, or undoes or redoes all of its changes.
   * @returns a message that tells the user about a refusal, conflicts and restored sensitive files; undefined if there
   *   are none
   */
  async decideChanges(
    conversationId: string,
    turnId: string,
    decision: ChangesDecision,
  ): Promise<string | undefined> {
    return (await this.tryDecide(conversationId, turnId, decision)).notice;
  }

  /** Decides like {@link decideChanges}. Also returns whether the request was completed for all files. */
  async tryDecide(
    conversationId: string,
    turnId: string,
    decision: ChangesDecision,
  ): Promise<DecisionOutcome> {
    const turn = { conversationId, turnId };
    const refusal = this.#findDecisionRefusal(turn, decision);
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
    this.#disposables.dispose();
  }

  #findDecisionRefusal(turn: TurnRef, decision: ChangesDecision): string | undefined {
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

/** Provides code lenses at each pending change and at the top of its file. */
export class ReviewCodeLenses implements vscode.CodeLensProvider, Disposable {
  readonly #reviews: Reviews;
  readonly #onDidChangeCodeLensesEmitter = new vscode.EventEmitter<void>();
  readonly #subscription: Disposable;
  readonly onDidChangeCodeLenses = this.#onDidChangeCodeLensesEmitter.event;
  #registration: vscode.Disposable | undefined;

  constructor(reviews: Reviews) {
    this.#reviews = reviews;
    this.#subscription = reviews.onDidChange(() => this.#updateVisibility());
    this.#updateVisibility();
  }

  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    if (!this.#reviews.has(document.uri)) return [];
    await this.#reviews.waitUntilReady();
    const pendingHunks = this.#reviews.listHunks(document);
    const isRenamed = this.#reviews
      .listReviews(document)
      .some(({ changeKind }) => changeKind === 'renamed');
    if (pendingHunks.length === 0 && !isRenamed) return [];
    const { uri } = document;
    const hunkLenses = pendingHunks.flatMap((pendingHunk) => {
      const line = Math.min(pendingHunk.hunk.now.start, document.lineCount - 1);
      const [keepLabel, undoLabel] = [vscode.l10n.t('Keep'), vscode.l10n.t('Undo')];
      return [
        createCodeLens(line, 'acceptChange', keepLabel, [uri, getHunkId(pendingHunk)]),
        createCodeLens(line, 'rejectChange', undoLabel, [uri, getHunkId(pendingHunk)]),
      ];
    });
    return [
      createCodeLens(
        0,
        'acceptFile',
        vscode.l10n.t('Keep All in File ({0})', pendingHunks.length),
        [uri],
      ),
      createCodeLens(0, 'rejectFile', vscode.l10n.t('Undo All Changes in File'), [uri]),
      createCodeLens(0, 'showChanges', vscode.l10n.t('Compare'), [uri]),
      ...hunkLenses,
    ];
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#registration?.dispose();
    this.#onDidChangeCodeLensesEmitter.dispose();
  }

  /** Registers the code lens provider if changes are pending, and unregisters it otherwise. */
  #updateVisibility(): void {
    if (this.#reviews.isEmpty) {
      this.#registration?.dispose();
      this.#registration = undefined;
    } else if (this.#registration === undefined) {
      this.#registration = vscode.languages.registerCodeLensProvider({ pattern: '**' }, this);
    } else this.#onDidChangeCodeLensesEmitter.fire();
  }
}

const createCodeLens = (
  line: number,
  command: string,
  title: string,
  args: readonly unknown[],
): vscode.CodeLens =>
  new vscode.CodeLens(new vscode.Range(line, 0, line, 0), {
    title,
    command: `inferenceService.agent.${command}`,
    arguments: [...args],
  });

/** Highlights pending changes in visible editors with VS Code's diff colors. */
export class ReviewDecorations implements Disposable {
  readonly #reviews: Reviews;
  readonly #disposables = new DisposableStore();
  #decorationTypes: DecorationTypes | undefined;

  constructor(reviews: Reviews) {
    this.#reviews = reviews;
    this.#disposables.add(reviews.onDidChange(() => this.#updateDecorations()));
    this.#disposables.add(
      vscode.window.onDidChangeVisibleTextEditors(() => this.#updateDecorations()),
    );
    this.#updateDecorations();
  }

  dispose(): void {
    this.#clearDecorations();
    this.#disposables.dispose();
  }

  #updateDecorations(): void {
    if (this.#reviews.isEmpty) this.#clearDecorations();
    else for (const editor of vscode.window.visibleTextEditors) this.#decorateEditor(editor);
  }

  #decorateEditor(editor: vscode.TextEditor): void {
    const { document } = editor;
    if (!this.#reviews.has(document.uri) && this.#decorationTypes === undefined) return;
    this.#decorationTypes ??= createDecorationTypes();
    const decorations = createReviewDecorations(document, this.#reviews.listHunks(document));
    for (const kind of decorationKinds)
      editor.setDecorations(this.#decorationTypes[kind], decorations[kind]);
  }

  #clearDecorations(): void {
    if (this.#decorationTypes !== undefined) {
      for (const kind of decorationKinds) this.#decorationTypes[kind].dispose();
    }
    this.#decorationTypes = undefined;
  }
}

type DecorationTypes = Readonly<Record<DecorationKind, vscode.TextEditorDecorationType>>;

function createDecorationTypes(): DecorationTypes {
  const createDecorationType = (kind: DecorationKind): vscode.TextEditorDecorationType =>
    vscode.window.createTextEditorDecorationType(decorationStyles[kind]);
  return {
    added: createDecorationType('added'),
    removedBelow: createDecorationType('removedBelow'),
    removedAbove: createDecorationType('removedAbove'),
    removedText: createDecorationType('removedText'),
  };
}

/** Returns the decorations for the pending hunks of a document. */
export function createReviewDecorations(
  document: vscode.TextDocument,
  pendingHunks: readonly PendingHunk[],
): Readonly<Record<DecorationKind, vscode.DecorationOptions[]>> {
  const decorations: Record<DecorationKind, vscode.DecorationOptions[]> = {
    added: [],
    removedBelow: [],
    removedAbove: [],
    removedText: [],
  };
  for (const pendingHunk of pendingHunks) {
    const { review, hunk } = pendingHunk;
    const { start } = hunk.now;
    const lines = sliceLines(review.before, hunk.before);
    decorations.removedText.push(
      ...createRemovedTextDecorations(document, { addedRange: hunk.now, lines }),
    );
    if (!isDeletion(pendingHunk))
      decorations.added.push(createAddedLinesDecoration(document, pendingHunk));
    else if (start === 0) decorations.removedAbove.push(createLineDecoration(document, 0));
    else decorations.removedBelow.push(createLineDecoration(document, start - 1));
  }
  return decorations;
}

const isDeletion = ({ hunk }: PendingHunk): boolean => hunk.now.end === hunk.now.start;

function createAddedLinesDecoration(
  document: vscode.TextDocument,
  { review, hunk }: PendingHunk,
): vscode.DecorationOptions {
  const range = new vscode.Range(hunk.now.start, 0, hunk.now.end - 1, 0);
  const oldLines = sliceLines(review.before, hunk.before);
  return oldLines.length === 0
    ? { range }
    : { range, hoverMessage: createRemovedTextHover(document, oldLines) };
}

const createLineDecoration = (
  document: vscode.TextDocument,
  line: number,
): vscode.DecorationOptions => ({
  range: document.lineAt(Math.min(line, document.lineCount - 1)).range,
});
