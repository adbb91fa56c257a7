import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/disposable.ts';
import { confirm, showWarning } from '../../../platform/notifications.ts';
import type { BeforeDocuments } from './before-documents.ts';
import { untrustedText } from './undo-turn.ts';
import type { ReviewActions } from './review-actions.ts';
import { hunkId, type Reviews, type WaitingHunk } from './reviews.ts';
import type { TurnChanges } from './turn-changes.ts';

/** True while the active editor shows a file with changes that wait: for menus and keys. */
const contextKey = 'inferenceService.agent.reviewing';

interface ReviewCommandsOptions {
  readonly changes: TurnChanges;
  readonly reviews: Reviews;
  readonly actions: ReviewActions;
  readonly before: BeforeDocuments;
  readonly isTrusted: () => boolean;
}

/** The commands about changes that wait for review. Without a file, they work at the cursor of the active editor. */
export class ReviewCommands implements Disposable {
  readonly #options: ReviewCommandsOptions;
  readonly #owned = new DisposableStore();
  #reviewing = false;

  constructor(options: ReviewCommandsOptions) {
    this.#options = options;
    const { reviews } = options;
    this.#owned.add(reviews.onDidChange(() => this.#updateKey()));
    this.#owned.add(vscode.window.onDidChangeActiveTextEditor(() => this.#updateKey()));
  }

  dispose(): void {
    this.#owned.dispose();
  }

  /** @param id Of a change, as its button names it; without it, the one at the cursor. */
  acceptChange(uri: unknown, id: unknown): Promise<void> {
    const { actions } = this.#options;
    return this.#atChange(uri, id, (document, waiting) => actions.accept(document, waiting));
  }

  /** @param id As for {@link acceptChange}. */
  rejectChange(uri: unknown, id: unknown): Promise<void> {
    return this.#atChange(uri, id, (document, waiting) => this.#reject(document, waiting));
  }

  acceptFile(uri: unknown): Promise<void> {
    return this.#decide(uri, (document) => this.#options.actions.acceptFile(document));
  }

  rejectFile(uri: unknown): Promise<void> {
    return this.#decide(uri, (document) => this.#options.actions.rejectFile(document));
  }

  showChanges(uri: unknown): Promise<void> {
    return this.#inFile(uri, (document) => this.#show(document));
  }

  /** Moves the cursor to a change of the active editor. Past the last one it goes on at the first. */
  goTo(which: 'next' | 'previous'): void {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) return;
    const { document } = editor;
    const lines = this.#options.reviews
      .hunks(document)
      .map(({ hunk }) => Math.min(hunk.now.start, document.lineCount - 1));
    const { line } = editor.selection.active;
    const target =
      which === 'next'
        ? (lines.find((each) => each > line) ?? lines[0])
        : (lines.findLast((each) => each < line) ?? lines.at(-1));
    if (target === undefined) return;
    const place = new vscode.Position(target, 0);
    editor.selection = new vscode.Selection(place, place);
    editor.revealRange(
      new vscode.Range(place, place),
      vscode.TextEditorRevealType.InCenterIfOutsideViewport,
    );
  }

  async #atChange(
    uri: unknown,
    id: unknown,
    run: (document: vscode.TextDocument, waiting: WaitingHunk) => Decided,
  ): Promise<void> {
    await this.#decide(uri, async (document) => {
      const line = vscode.window.activeTextEditor?.selection.active.line ?? 0;
      const found = this.#options.reviews
        .hunks(document)
        .find((each) => (typeof id === 'string' ? hunkId(each) === id : isAt(each, line)));
      return found === undefined ? undefined : run(document, found);
    });
  }

  async #decide(uri: unknown, run: (document: vscode.TextDocument) => Decided): Promise<void> {
    await this.#inFile(uri, async (document) => {
      const refusal = this.#options.isTrusted() ? await run(document) : untrustedText();
      if (refusal !== undefined) void showWarning(refusal);
    });
  }

  async #inFile(
    uri: unknown,
    run: (document: vscode.TextDocument) => Promise<void>,
  ): Promise<void> {
    const { reviews } = this.#options;
    const active = vscode.window.activeTextEditor?.document.uri;
    const place = uri instanceof vscode.Uri ? uri : active;
    if (place === undefined || !reviews.has(place)) return;
    const document = await vscode.workspace.openTextDocument(place);
    await reviews.ready();
    await run(document);
  }

  /** What the person typed into the change only goes when they say so. */
  async #reject(
    document: vscode.TextDocument,
    waiting: WaitingHunk,
  ): Promise<string | undefined | void> {
    const { actions, reviews } = this.#options;
    if (!waiting.hunk.mixed) return actions.reject(document, waiting);
    const { version } = document;
    const answer = await askToReject();
    if (answer === 'compare') return this.#show(document);
    // They said it of the text that they saw, which may be another one by now.
    if (answer !== 'reject' || document.isClosed || document.version !== version) return undefined;
    const id = hunkId(waiting);
    const found = reviews.hunks(document).find((each) => hunkId(each) === id);
    return found === undefined ? undefined : actions.reject(document, found);
  }

  async #show(document: vscode.TextDocument): Promise<void> {
    const { before, changes, reviews } = this.#options;
    const [newest] = reviews.of(document);
    if (newest === undefined) return;
    const { turn, file } = newest.of;
    await before.open(turn, changes.stateOf(turn)?.changed.indexOf(file) ?? -1);
  }

  #updateKey(): void {
    const uri = vscode.window.activeTextEditor?.document.uri;
    const reviewing = uri !== undefined && this.#options.reviews.has(uri);
    if (reviewing === this.#reviewing) return;
    this.#reviewing = reviewing;
    void vscode.commands.executeCommand('setContext', contextKey, reviewing);
  }
}

/** What could not be done and why, for the person. */
type Decided = Promise<string | undefined | void>;

async function askToReject(): Promise<'reject' | 'compare' | undefined> {
  const reject = vscode.l10n.t('Reject Anyway');
  const compare = vscode.l10n.t('Compare');
  const answer = await confirm(
    {
      question: vscode.l10n.t('You changed these lines too. Reject anyway?'),
      detail: vscode.l10n.t(
        'The old lines come back, and what you typed there goes with the change.',
      ),
    },
    reject,
    compare,
  );
  if (answer === reject) return 'reject';
  return answer === compare ? 'compare' : undefined;
}

function isAt({ hunk }: WaitingHunk, line: number): boolean {
  const { start, end } = hunk.now;
  return line >= start && line < Math.max(end, start + 1);
}
