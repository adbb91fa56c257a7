import * as vscode from 'vscode';
import type { CommandId } from '../../platform/command-ids.ts';
import type { InlineEdit } from './inline-edit.ts';

type EditCommand = Extract<CommandId, `inferenceService.inlineEdit.${string}`>;

/** Buttons above lines that are being edited. */
export class EditLenses implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #edits: () => Iterable<InlineEdit>;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#changed.event;
  readonly #registered: vscode.Disposable;

  constructor(edits: () => Iterable<InlineEdit>) {
    this.#edits = edits;
    this.#registered = vscode.languages.registerCodeLensProvider({ pattern: '**' }, this);
  }

  changed(): void {
    this.#changed.fire();
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    return [...this.#edits()]
      .filter(({ wish }) => wish.document === document)
      .flatMap((edit) => lensesOf(edit));
  }

  dispose(): void {
    this.#registered.dispose();
    this.#changed.dispose();
  }
}

function lensesOf({ wish, span, state }: InlineEdit): readonly vscode.CodeLens[] {
  const line = Math.min(span.start, wish.document.lineCount - 1);
  const lens = (id: EditCommand, title: string): vscode.CodeLens =>
    new vscode.CodeLens(new vscode.Range(line, 0, line, 0), {
      title,
      command: id,
      arguments: [wish.document.uri],
    });
  switch (state) {
    case 'streaming':
      return [
        lens('inferenceService.inlineEdit.stop', vscode.l10n.t('$(loading~spin) Editing… Stop')),
      ];
    case 'waiting':
      return [
        lens('inferenceService.inlineEdit.accept', vscode.l10n.t('$(check) Accept')),
        lens('inferenceService.inlineEdit.reject', vscode.l10n.t('$(discard) Reject')),
        lens('inferenceService.inlineEdit.retry', vscode.l10n.t('$(refresh) Retry')),
      ];
    case 'over':
      return [];
  }
}
