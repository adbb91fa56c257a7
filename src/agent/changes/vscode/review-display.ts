import * as vscode from 'vscode';
import type { Disposable } from '../../../base/disposable.ts';
import { isDeletion } from './review-marks.ts';
import { hunkId, type Reviews } from './reviews.ts';

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
