import * as vscode from 'vscode';
import { sliceLines } from '../three-way.ts';
import { type DecorationKind, decorationKinds, decorationStyles } from './decoration-styles.ts';
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
    await this.#reviews.ready();
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
        createLens(line, 'acceptChange', keep, [uri, getHunkId(pending)]),
        createLens(line, 'rejectChange', undo, [uri, getHunkId(pending)]),
      ];
    });
    return [
      createLens(0, 'acceptFile', vscode.l10n.t('Keep All in File ({0})', pendingHunks.length), [
        uri,
      ]),
      createLens(0, 'rejectFile', vscode.l10n.t('Undo All in File'), [uri]),
      createLens(0, 'showChanges', vscode.l10n.t('Compare'), [uri]),
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

const createLens = (
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
    this.#types ??= createTypes();
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

function createTypes(): DecorationTypes {
  const create = (kind: DecorationKind): vscode.TextEditorDecorationType =>
    vscode.window.createTextEditorDecorationType(decorationStyles[kind]);
  return {
    added: create('added'),
    removedBelow: create('removedBelow'),
    removedAbove: create('removedAbove'),
  };
}

/** Maximum number of characters of the old text in a hover. The diff editor shows the complete text. */
const maxHoverLength = 4_000;

/** Returns the decorations for the pending hunks of a document. */
export function createReviewDecorations(
  document: vscode.TextDocument,
  pending: readonly PendingHunk[],
): Readonly<Record<DecorationKind, vscode.DecorationOptions[]>> {
  const decorations: Record<DecorationKind, vscode.DecorationOptions[]> = {
    added: [],
    removedBelow: [],
    removedAbove: [],
  };
  for (const pendingHunk of pending) {
    const { start } = pendingHunk.hunk.now;
    if (!isDeletion(pendingHunk)) decorations.added.push(decorateAddedLines(document, pendingHunk));
    else if (start === 0)
      decorations.removedAbove.push(decorateRemovedLines(document, pendingHunk, 0));
    else decorations.removedBelow.push(decorateRemovedLines(document, pendingHunk, start - 1));
  }
  return decorations;
}

const isDeletion = ({ hunk }: PendingHunk): boolean => hunk.now.end === hunk.now.start;

function decorateAddedLines(
  document: vscode.TextDocument,
  { review, hunk }: PendingHunk,
): vscode.DecorationOptions {
  const range = new vscode.Range(hunk.now.start, 0, hunk.now.end - 1, 0);
  const oldLines = sliceLines(review.before, hunk.before);
  return oldLines.length === 0
    ? { range }
    : { range, hoverMessage: createOldTextHover(document, oldLines) };
}

/** Creates a decoration that shows the number of removed lines at the end of the adjacent line. */
function decorateRemovedLines(
  document: vscode.TextDocument,
  { review, hunk }: PendingHunk,
  line: number,
): vscode.DecorationOptions {
  const oldLines = sliceLines(review.before, hunk.before);
  return {
    range: document.lineAt(Math.min(line, document.lineCount - 1)).range,
    hoverMessage: createOldTextHover(document, oldLines),
    renderOptions: {
      after: {
        contentText:
          hunk.now.start === 0
            ? decorateRemovedAbove(oldLines.length)
            : decorateRemovedBelow(oldLines.length),
        margin: '0 0 0 2em',
        color: new vscode.ThemeColor('editorCodeLens.foreground'),
      },
    },
  };
}

const decorateRemovedAbove = (lines: number): string => vscode.l10n.t('Lines removed: {0}', lines);

const decorateRemovedBelow = (lines: number): string => vscode.l10n.t('Lines removed: {0}', lines);

function createOldTextHover(
  document: vscode.TextDocument,
  lines: readonly string[],
): vscode.MarkdownString {
  const text = lines.join('\n');
  const visible = text.length > maxHoverLength ? `${text.slice(0, maxHoverLength)}…` : text;
  return new vscode.MarkdownString(vscode.l10n.t('Before')).appendCodeblock(
    visible,
    document.languageId,
  );
}
