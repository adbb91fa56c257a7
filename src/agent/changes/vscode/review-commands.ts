import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/disposable.ts';
import { confirm, showWarning } from '../../../platform/notifications.ts';
import type { PreviousContentProvider } from './previous-content-provider.ts';
import { getUntrustedMessage } from './undo-turn.ts';
import type { ReviewActions } from './review-actions.ts';
import { getHunkId, type Reviews, type PendingHunk } from './reviews.ts';
import type { TurnChanges } from './turn-changes.ts';

/** Context key for menus and key bindings, which is true while the active editor shows a file with pending changes. */
const contextKey = 'inferenceService.agent.reviewing';

interface ReviewCommandsOptions {
  readonly changes: TurnChanges;
  readonly reviews: Reviews;
  readonly actions: ReviewActions;
  readonly previousContentProvider: PreviousContentProvider;
  readonly isTrusted: () => boolean;
}

/** Commands for pending changes. Without a URI argument, they apply to the hunk at the cursor of the active editor. */
export class ReviewCommands implements Disposable {
  readonly #options: ReviewCommandsOptions;
  readonly #disposables = new DisposableStore();
  #isReviewing = false;

  constructor(options: ReviewCommandsOptions) {
    this.#options = options;
    const { reviews } = options;
    this.#disposables.add(reviews.onDidChange(() => this.#updateContextKey()));
    this.#disposables.add(
      vscode.window.onDidChangeActiveTextEditor(() => this.#updateContextKey()),
    );
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  /**
   * Accepts a hunk.
   * @param id Hunk id that a code lens passes. Omit it for the hunk at the cursor.
   */
  acceptChange(uri: unknown, id: unknown): Promise<void> {
    const { actions } = this.#options;
    return this.#runAtChange(uri, id, (document, pendingHunk) =>
      actions.acceptHunk(document, pendingHunk),
    );
  }

  /**
   * Rejects a hunk.
   * @param id Hunk id that a code lens passes. Omit it for the hunk at the cursor.
   */
  rejectChange(uri: unknown, id: unknown): Promise<void> {
    return this.#runAtChange(uri, id, (document, pendingHunk) =>
      this.#rejectHunk(document, pendingHunk),
    );
  }

  acceptFile(uri: unknown): Promise<void> {
    return this.#decideInFile(uri, (document) => this.#options.actions.acceptFile(document));
  }

  rejectFile(uri: unknown): Promise<void> {
    return this.#decideInFile(uri, (document) => this.#options.actions.rejectFile(document));
  }

  showChanges(uri: unknown): Promise<void> {
    return this.#runInFile(uri, (document) => this.#showDocument(document));
  }

  /**
   * Moves the cursor to the next or previous change in the active editor. If the file contains no further change in
   * this direction, opens the next or previous file with pending changes. If there is no such file, continues at the
   * opposite end of the active file.
   */
  async goToChange(direction: Direction): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) return;
    const { line } = editor.selection.active;
    const changedLines = this.#listChangeStarts(editor.document);
    const targetLine =
      direction === 'next'
        ? changedLines.find((otherLine) => otherLine > line)
        : changedLines.findLast((otherLine) => otherLine < line);
    if (targetLine !== undefined) return revealLine(editor, targetLine);
    for (const uri of this.#listOtherFiles(editor.document.uri, direction)) {
      if (await this.#showFirstChange(uri, direction)) return;
    }
    const firstLine = direction === 'next' ? changedLines[0] : changedLines.at(-1);
    if (firstLine !== undefined) revealLine(editor, firstLine);
  }

  /** Returns the index of the first line of each change. For a renamed file without changed lines, returns only 0. */
  #listChangeStarts(document: vscode.TextDocument): readonly number[] {
    const { reviews } = this.#options;
    const hunks = reviews.listHunks(document);
    const isRenamed = reviews
      .listReviews(document)
      .some(({ changeKind }) => changeKind === 'renamed');
    if (hunks.length === 0 && isRenamed) return [0];
    return hunks.map(({ hunk }) => Math.min(hunk.now.start, document.lineCount - 1));
  }

  /** Returns the other files with pending changes in the order in which navigation from `uri` reaches them. */
  #listOtherFiles(uri: vscode.Uri, direction: Direction): readonly vscode.Uri[] {
    const { uris } = this.#options.reviews;
    const index = uris.findIndex((otherUri) => otherUri.toString() === uri.toString());
    const otherUris = [...uris.slice(index + 1), ...uris.slice(0, Math.max(index, 0))];
    return direction === 'next' ? otherUris : otherUris.reverse();
  }

  /**
   * Opens a file at its first or last change.
   * @returns false if no editor can show the changes
   */
  async #showFirstChange(uri: vscode.Uri, direction: Direction): Promise<boolean> {
    try {
      const document = await vscode.workspace.openTextDocument(uri);
      await this.#options.reviews.waitUntilReady();
      const line = this.#listChangeStarts(document).at(direction === 'next' ? 0 : -1);
      if (line === undefined) return false;
      revealLine(await vscode.window.showTextDocument(document), line);
      return true;
    } catch {
      // Binary and deleted files have no text.
      return false;
    }
  }

  async #runAtChange(
    uri: unknown,
    id: unknown,
    run: (document: vscode.TextDocument, pendingHunk: PendingHunk) => DecisionResult,
  ): Promise<void> {
    await this.#decideInFile(uri, async (document) => {
      const line = vscode.window.activeTextEditor?.selection.active.line ?? 0;
      const pendingHunk = this.#options.reviews
        .listHunks(document)
        .find((pendingHunk) =>
          typeof id === 'string' ? getHunkId(pendingHunk) === id : isHunkAtLine(pendingHunk, line),
        );
      return pendingHunk === undefined ? undefined : run(document, pendingHunk);
    });
  }

  async #decideInFile(
    uri: unknown,
    run: (document: vscode.TextDocument) => DecisionResult,
  ): Promise<void> {
    await this.#runInFile(uri, async (document) => {
      const refusal = this.#options.isTrusted() ? await run(document) : getUntrustedMessage();
      if (refusal !== undefined) void showWarning(refusal);
    });
  }

  async #runInFile(
    uri: unknown,
    run: (document: vscode.TextDocument) => Promise<void>,
  ): Promise<void> {
    const { reviews } = this.#options;
    const activeUri = vscode.window.activeTextEditor?.document.uri;
    const target = uri instanceof vscode.Uri ? uri : activeUri;
    if (target === undefined || !reviews.has(target)) return;
    const document = await vscode.workspace.openTextDocument(target);
    await reviews.waitUntilReady();
    await run(document);
  }

  /**
   * Rejects a hunk. Asks for confirmation if the rejection would lose edits of the user.
   * @returns an error message to show; undefined on success, and if the user does not confirm
   */
  async #rejectHunk(
    document: vscode.TextDocument,
    pendingHunk: PendingHunk,
  ): Promise<string | undefined | void> {
    const { actions, reviews } = this.#options;
    if (!pendingHunk.hunk.hasUserEdits) return actions.rejectHunk(document, pendingHunk);
    const { version } = document;
    const answer = await confirmReject();
    if (answer === 'compare') return this.#showDocument(document);
    // Rejects nothing if the text changed after the user confirmed.
    if (answer !== 'reject' || document.isClosed || document.version !== version) return undefined;
    const id = getHunkId(pendingHunk);
    const currentHunk = reviews.listHunks(document).find((hunk) => getHunkId(hunk) === id);
    return currentHunk === undefined ? undefined : actions.rejectHunk(document, currentHunk);
  }

  async #showDocument(document: vscode.TextDocument): Promise<void> {
    const { previousContentProvider, changes, reviews } = this.#options;
    const [newestReview] = reviews.listReviews(document);
    if (newestReview === undefined) return;
    const { turn, fileIndex } = newestReview.target;
    await previousContentProvider.open(
      turn,
      changes.getState(turn)?.changedIndexes.indexOf(fileIndex) ?? -1,
    );
  }

  #updateContextKey(): void {
    // A file without pending changes stays under review while it is open, so that a rejection can be undone.
    const document = vscode.window.activeTextEditor?.document;
    const isReviewing = document !== undefined && this.#listChangeStarts(document).length > 0;
    if (isReviewing === this.#isReviewing) return;
    this.#isReviewing = isReviewing;
    void vscode.commands.executeCommand('setContext', contextKey, isReviewing);
  }
}

type Direction = 'next' | 'previous';

function revealLine(editor: vscode.TextEditor, line: number): void {
  const position = new vscode.Position(line, 0);
  editor.selection = new vscode.Selection(position, position);
  editor.revealRange(
    new vscode.Range(position, position),
    vscode.TextEditorRevealType.InCenterIfOutsideViewport,
  );
}

/** Resolves to an error message to show, or to undefined on success. */
type DecisionResult = Promise<string | undefined | void>;

async function confirmReject(): Promise<'reject' | 'compare' | undefined> {
  const rejectLabel = vscode.l10n.t('Undo Anyway');
  const compareLabel = vscode.l10n.t('Compare');
  const answer = await confirm(
    {
      question: vscode.l10n.t('You changed these lines too. Undo anyway?'),
      detail: vscode.l10n.t(
        'The old lines come back, and what you typed there goes with the change.',
      ),
    },
    rejectLabel,
    compareLabel,
  );
  if (answer === rejectLabel) return 'reject';
  return answer === compareLabel ? 'compare' : undefined;
}

function isHunkAtLine({ hunk }: PendingHunk, line: number): boolean {
  const { start, end } = hunk.now;
  return line >= start && line < Math.max(end, start + 1);
}
