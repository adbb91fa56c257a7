import * as vscode from 'vscode';
import type { SuggestionProvider, ProvidedSuggestions, Suggestion } from '../ports.ts';
import type { EditorRule, Reason } from '../reason.ts';
import type { Snapshot } from '../snapshot.ts';
import type { NextEdits } from './next-edits.ts';

/** The command that an accepted item runs; no command of the palette. */
export const acceptedCommand = 'inferenceService.completion.accepted';

export interface InlineProviderOptions {
  readonly pipeline: Pick<SuggestionProvider, 'provide'>;
  readonly nextEdits: Pick<NextEdits, 'itemFor' | 'consumeOwnTrigger'>;
  /** What the editor says against a suggestion in a document, once it was looked at. Never rejects. */
  readonly ruleOf: (document: vscode.TextDocument) => Promise<EditorRule | undefined>;
  /**
   * The text around the cursor; with an item chosen in the list of suggestions, as if it were accepted already.
   * Undefined where no suggestion can extend the item.
   */
  readonly snapshotOf: (
    document: vscode.TextDocument,
    position: vscode.Position,
    selected: vscode.SelectedCompletionInfo | undefined,
  ) => Snapshot | undefined;
  /** Is told of each place that was asked for. */
  readonly onAttempt: (attempt: Attempt) => void;
  /** Is told of each suggestion that goes to the editor. */
  readonly onSuggest: (id: number) => void;
}

/** A place that was asked for, and why nothing came of it. */
export interface Attempt {
  readonly document: string;
  readonly position: vscode.Position;
  /** Absent when something was suggested. */
  readonly reason?: Reason;
}

/** Between the editor and the engine: documents become snapshots, suggestions become items. */
export class InlineProvider implements vscode.InlineCompletionItemProvider {
  readonly #parts: InlineProviderOptions;

  constructor(parts: InlineProviderOptions) {
    this.#parts = parts;
  }

  async provideInlineCompletionItems(
    document: vscode.TextDocument,
    position: vscode.Position,
    { triggerKind, selectedCompletionInfo: selected }: vscode.InlineCompletionContext,
    token: vscode.CancellationToken,
  ): Promise<vscode.InlineCompletionItem[]> {
    const report = (reason: Reason | undefined): void => {
      const place = { document: document.uri.toString(), position };
      this.#parts.onAttempt(reason === undefined ? place : { ...place, reason });
    };
    const isExplicit = triggerKind === vscode.InlineCompletionTriggerKind.Invoke;
    const { nextEdits } = this.#parts;
    const isForEdit = nextEdits.consumeOwnTrigger(document);
    const edit = selected === undefined ? nextEdits.itemFor(document, position) : undefined;
    const edits = edit === undefined ? [] : [edit];
    if (isForEdit || (edit !== undefined && !isExplicit)) {
      if (edit !== undefined) report(undefined);
      return edits;
    }
    const rule = await this.#parts.ruleOf(document);
    if (token.isCancellationRequested) return [];
    const snapshot =
      rule === undefined ? this.#parts.snapshotOf(document, position, selected) : undefined;
    if (rule !== undefined) report({ kind: 'rule', rule });
    if (snapshot === undefined) return edits;
    const provided = await this.#ask(snapshot, isExplicit, token);
    report(provided.reason);
    const items = provided.suggestions.map((each) => this.#item(each, position, selected));
    return [...edits, ...items];
  }

  async #ask(
    snapshot: Snapshot,
    isExplicit: boolean,
    token: vscode.CancellationToken,
  ): Promise<ProvidedSuggestions> {
    const wait = new AbortController();
    const cancelling = token.onCancellationRequested(() => wait.abort());
    if (token.isCancellationRequested) wait.abort();
    try {
      return await this.#parts.pipeline.provide(snapshot, { isExplicit, signal: wait.signal });
    } finally {
      cancelling.dispose();
    }
  }

  #item(
    { id, text, replaceLength: replaces }: Suggestion,
    position: vscode.Position,
    selected: vscode.SelectedCompletionInfo | undefined,
  ): vscode.InlineCompletionItem {
    const { start, end } = selected?.range ?? new vscode.Range(position, position);
    const range = new vscode.Range(start, end.translate(0, replaces));
    this.#parts.onSuggest(id);
    // The title is shown nowhere.
    const command = { command: acceptedCommand, title: '', arguments: [id] };
    return new vscode.InlineCompletionItem(`${selected?.text ?? ''}${text}`, range, command);
  }
}
