import * as vscode from 'vscode';
import {
  isDeletion,
  type DecorationKind,
  decorationKinds,
  decorationStyles,
  reviewDecorations,
} from './review-marks.ts';
import { hunkId, type Reviews } from './reviews.ts';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';

/** Code lenses at each pending change and at the top of its file. */
export class ReviewCodeLenses implements vscode.CodeLensProvider, Disposable {
  readonly #reviews: Reviews;
  readonly #onDidChangeCodeLensesEmitter = new vscode.EventEmitter<void>();
  readonly #subscription: Disposable;
  readonly onDidChangeCodeLenses = this.#onDidChangeCodeLensesEmitter.event;
  #registration: vscode.Disposable | undefined;

  constructor(reviews: Reviews) {
    this.#reviews = reviews;
    this.#subscription = reviews.onDidChange(() => this.#update());
    this.#update();
  }

  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    if (!this.#reviews.has(document.uri)) return [];
    await this.#reviews.ready();
    const pending = this.#reviews.hunksIn(document);
    const isRenamed = this.#reviews
      .reviewsIn(document)
      .some(({ changeKind }) => changeKind === 'renamed');
    if (pending.length === 0 && !isRenamed) return [];
    const { uri } = document;
    const hunks = pending.flatMap((pending) => {
      const line = Math.min(pending.hunk.now.start, document.lineCount - 1);
      // Mentions the deletion, because the line below the lens is not part of the change.
      const [accept, reject] = isDeletion(pending)
        ? [vscode.l10n.t('Accept Deletion'), vscode.l10n.t('Reject Deletion')]
        : [vscode.l10n.t('Accept'), vscode.l10n.t('Reject')];
      return [
        createLens(line, 'acceptChange', accept, [uri, hunkId(pending)]),
        createLens(line, 'rejectChange', reject, [uri, hunkId(pending)]),
      ];
    });
    return [
      createLens(0, 'acceptFile', vscode.l10n.t('Accept All in File ({0})', pending.length), [uri]),
      createLens(0, 'rejectFile', vscode.l10n.t('Reject All in File'), [uri]),
      createLens(0, 'showChanges', vscode.l10n.t('Compare'), [uri]),
      ...hunks,
    ];
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#registration?.dispose();
    this.#onDidChangeCodeLensesEmitter.dispose();
  }

  /** Registers the provider only while changes are pending. */
  #update(): void {
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

/** Highlights pending changes in visible editors, in VS Code's diff colors. */
export class ReviewDecorations implements Disposable {
  readonly #reviews: Reviews;
  readonly #owned = new DisposableStore();
  #types: DecorationTypes | undefined;

  constructor(reviews: Reviews) {
    this.#reviews = reviews;
    this.#owned.add(reviews.onDidChange(() => this.#update()));
    this.#owned.add(vscode.window.onDidChangeVisibleTextEditors(() => this.#update()));
    this.#update();
  }

  dispose(): void {
    this.#clear();
    this.#owned.dispose();
  }

  #update(): void {
    if (this.#reviews.isEmpty) this.#clear();
    else for (const editor of vscode.window.visibleTextEditors) this.#decorate(editor);
  }

  #decorate(editor: vscode.TextEditor): void {
    const { document } = editor;
    if (!this.#reviews.has(document.uri) && this.#types === undefined) return;
    this.#types ??= createTypes();
    const decorations = reviewDecorations(document, this.#reviews.hunksIn(document));
    for (const kind of decorationKinds) editor.setDecorations(this.#types[kind], decorations[kind]);
  }

  #clear(): void {
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
