import * as vscode from 'vscode';
import { isDeletion, type MarkKind, markKinds, markStyles, reviewMarks } from './review-marks.ts';
import { hunkId, type Reviews } from './reviews.ts';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';

/** Buttons above each change that waits for review, and at the top of its file. */
export class ReviewLenses implements vscode.CodeLensProvider, Disposable {
  readonly #reviews: Reviews;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #listening: Disposable;
  readonly onDidChangeCodeLenses = this.#changed.event;
  #registered: vscode.Disposable | undefined;

  constructor(reviews: Reviews) {
    this.#reviews = reviews;
    this.#listening = reviews.onDidChange(() => this.#update());
    this.#update();
  }

  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    if (!this.#reviews.has(document.uri)) return [];
    await this.#reviews.ready();
    const waiting = this.#reviews.hunks(document);
    const isMoved = this.#reviews.of(document).some(({ change }) => change === 'renamed');
    if (waiting.length === 0 && !isMoved) return [];
    const { uri } = document;
    const hunks = waiting.flatMap((each) => {
      const line = Math.min(each.hunk.now.start, document.lineCount - 1);
      // The line below these buttons stays.
      const [accept, reject] = isDeletion(each)
        ? [vscode.l10n.t('Accept Deletion'), vscode.l10n.t('Reject Deletion')]
        : [vscode.l10n.t('Accept'), vscode.l10n.t('Reject')];
      return [
        lens(line, 'acceptChange', accept, [uri, hunkId(each)]),
        lens(line, 'rejectChange', reject, [uri, hunkId(each)]),
      ];
    });
    return [
      lens(0, 'acceptFile', vscode.l10n.t('Accept All in File ({0})', waiting.length), [uri]),
      lens(0, 'rejectFile', vscode.l10n.t('Reject All in File'), [uri]),
      lens(0, 'showChanges', vscode.l10n.t('Compare'), [uri]),
      ...hunks,
    ];
  }

  dispose(): void {
    this.#listening.dispose();
    this.#registered?.dispose();
    this.#changed.dispose();
  }

  /** The editor asks no provider of ours while nothing waits. */
  #update(): void {
    if (this.#reviews.isEmpty) {
      this.#registered?.dispose();
      this.#registered = undefined;
    } else if (this.#registered === undefined) {
      this.#registered = vscode.languages.registerCodeLensProvider({ pattern: '**' }, this);
    } else this.#changed.fire();
  }
}

const lens = (
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

/** Colours what waits for review in the editors on the screen, in the colours of the editor's own comparisons. */
export class ReviewDecorations implements Disposable {
  readonly #reviews: Reviews;
  readonly #owned = new DisposableStore();
  #types: MarkTypes | undefined;

  constructor(reviews: Reviews) {
    this.#reviews = reviews;
    this.#owned.add(reviews.onDidChange(() => this.#draw()));
    this.#owned.add(vscode.window.onDidChangeVisibleTextEditors(() => this.#draw()));
    this.#draw();
  }

  dispose(): void {
    this.#clear();
    this.#owned.dispose();
  }

  #draw(): void {
    if (this.#reviews.isEmpty) this.#clear();
    else for (const editor of vscode.window.visibleTextEditors) this.#drawIn(editor);
  }

  #drawIn(editor: vscode.TextEditor): void {
    const { document } = editor;
    if (!this.#reviews.has(document.uri) && this.#types === undefined) return;
    this.#types ??= createTypes();
    const marks = reviewMarks(document, this.#reviews.hunks(document));
    for (const kind of markKinds) editor.setDecorations(this.#types[kind], marks[kind]);
  }

  #clear(): void {
    if (this.#types !== undefined) {
      for (const kind of markKinds) this.#types[kind].dispose();
    }
    this.#types = undefined;
  }
}

type MarkTypes = Readonly<Record<MarkKind, vscode.TextEditorDecorationType>>;

function createTypes(): MarkTypes {
  const create = (kind: MarkKind): vscode.TextEditorDecorationType =>
    vscode.window.createTextEditorDecorationType(markStyles[kind]);
  return {
    added: create('added'),
    removedBelow: create('removedBelow'),
    removedAbove: create('removedAbove'),
  };
}
