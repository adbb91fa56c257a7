import * as vscode from 'vscode';
import { sliceLines } from '../three-way.ts';
import {
  createRemovedTextHover,
  type DecorationKind,
  decorateRemovedText,
  decorationKinds,
  decorationStyles,
} from './decoration-styles.ts';
import { getHunkId, type PendingHunk, type Reviews } from './reviews.ts';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';

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
    const hunks = pendingHunks.flatMap((pending) => {
      const line = Math.min(pending.hunk.now.start, document.lineCount - 1);
      const [keep, undo] = [vscode.l10n.t('Keep'), vscode.l10n.t('Undo')];
      return [
        createCodeLens(line, 'acceptChange', keep, [uri, getHunkId(pending)]),
        createCodeLens(line, 'rejectChange', undo, [uri, getHunkId(pending)]),
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
      ...hunks,
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
  readonly #owned = new DisposableStore();
  #types: DecorationTypes | undefined;

  constructor(reviews: Reviews) {
    this.#reviews = reviews;
    this.#owned.add(reviews.onDidChange(() => this.#updateDecorations()));
    this.#owned.add(vscode.window.onDidChangeVisibleTextEditors(() => this.#updateDecorations()));
    this.#updateDecorations();
  }

  dispose(): void {
    this.#clearDecorations();
    this.#owned.dispose();
  }

  #updateDecorations(): void {
    if (this.#reviews.isEmpty) this.#clearDecorations();
    else for (const editor of vscode.window.visibleTextEditors) this.#decorateEditor(editor);
  }

  #decorateEditor(editor: vscode.TextEditor): void {
    const { document } = editor;
    if (!this.#reviews.has(document.uri) && this.#types === undefined) return;
    this.#types ??= createDecorationTypes();
    const decorations = createReviewDecorations(document, this.#reviews.listHunks(document));
    for (const kind of decorationKinds) editor.setDecorations(this.#types[kind], decorations[kind]);
  }

  #clearDecorations(): void {
    if (this.#types !== undefined) {
      for (const kind of decorationKinds) this.#types[kind].dispose();
    }
    this.#types = undefined;
  }
}

type DecorationTypes = Readonly<Record<DecorationKind, vscode.TextEditorDecorationType>>;

function createDecorationTypes(): DecorationTypes {
  const create = (kind: DecorationKind): vscode.TextEditorDecorationType =>
    vscode.window.createTextEditorDecorationType(decorationStyles[kind]);
  return {
    added: create('added'),
    removedBelow: create('removedBelow'),
    removedAbove: create('removedAbove'),
    removedText: create('removedText'),
  };
}

/** Returns the decorations for the pending hunks of a document. */
export function createReviewDecorations(
  document: vscode.TextDocument,
  pending: readonly PendingHunk[],
): Readonly<Record<DecorationKind, vscode.DecorationOptions[]>> {
  const decorations: Record<DecorationKind, vscode.DecorationOptions[]> = {
    added: [],
    removedBelow: [],
    removedAbove: [],
    removedText: [],
  };
  for (const pendingHunk of pending) {
    const { review, hunk } = pendingHunk;
    const { start } = hunk.now;
    const lines = sliceLines(review.before, hunk.before);
    decorations.removedText.push(...decorateRemovedText(document, { added: hunk.now, lines }));
    if (!isDeletion(pendingHunk))
      decorations.added.push(createAddedLinesDecoration(document, pendingHunk));
    else if (start === 0) decorations.removedAbove.push(createLineRange(document, 0));
    else decorations.removedBelow.push(createLineRange(document, start - 1));
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

const createLineRange = (
  document: vscode.TextDocument,
  line: number,
): vscode.DecorationOptions => ({
  range: document.lineAt(Math.min(line, document.lineCount - 1)).range,
});
