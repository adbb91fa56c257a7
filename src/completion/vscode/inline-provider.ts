import * as vscode from 'vscode';
import type { SuggestionProvider, ProvidedSuggestions, Suggestion } from '../ports.ts';
import type { EditorCause, Reason } from '../reason.ts';
import type { Snapshot } from '../snapshot.ts';
import type { NextEditJump } from './next-edit-jump.ts';
import type { NextEdits } from './next-edits.ts';

/** Internal command that VS Code runs when the user accepts a suggestion. */
export const acceptedCommand = 'inferenceService.completion.accepted';

export interface InlineProviderOptions {
  readonly pipeline: Pick<SuggestionProvider, 'provide'>;
  readonly nextEdits: Pick<NextEdits, 'createItem' | 'consumeOwnTrigger'> & {
    readonly jump: Pick<NextEditJump, 'state' | 'onDidShow' | 'reset'>;
  };
  /** Returns the rule that prevents suggestions in a document; undefined if they are allowed. Never rejects. */
  readonly getBlockingCause: (document: vscode.TextDocument) => Promise<EditorCause | undefined>;
  /**
   * Returns the snapshot at a position. The snapshot contains the selected item of the suggest widget as if the user
   * had accepted the item. Undefined if no suggestion can extend the item.
   */
  readonly getSnapshotAt: (
    document: vscode.TextDocument,
    position: vscode.Position,
    selectedItem: vscode.SelectedCompletionInfo | undefined,
  ) => Snapshot | undefined;
  /** Called with the outcome of each provider call. */
  readonly onAttempt: (attempt: ProviderAttempt) => void;
  /** Called with the id of each suggestion that is returned. */
  readonly onSuggest: (id: number) => void;
}

/** Position and outcome of a provider call. */
export interface ProviderAttempt {
  readonly documentUri: string;
  readonly position: vscode.Position;
  /** Reason why the call returned no suggestion. Absent if it returned a suggestion. */
  readonly reason?: Reason;
}

/**
 * Connects the completion pipeline to VS Code: converts documents to snapshots, and suggestions to inline completion
 * items.
 */
export class InlineProvider implements vscode.InlineCompletionItemProvider {
  readonly #options: InlineProviderOptions;

  constructor(options: InlineProviderOptions) {
    this.#options = options;
  }

  async provideInlineCompletionItems(
    document: vscode.TextDocument,
    position: vscode.Position,
    { triggerKind, selectedCompletionInfo: selectedItem }: vscode.InlineCompletionContext,
    token: vscode.CancellationToken,
  ): Promise<vscode.InlineCompletionItem[]> {
    const reportAttempt = (reason: Reason | undefined): void => {
      const attempt = { documentUri: document.uri.toString(), position };
      this.#options.onAttempt(reason === undefined ? attempt : { ...attempt, reason });
    };
    const isExplicit = triggerKind === vscode.InlineCompletionTriggerKind.Invoke;
    const { nextEdits } = this.#options;
    const isNextEditTrigger = nextEdits.consumeOwnTrigger(document);
    const edit = selectedItem === undefined ? nextEdits.createItem(document, position) : undefined;
    const edits = edit === undefined ? [] : [edit];
    if (isNextEditTrigger || (edit !== undefined && !isExplicit)) {
      if (edit !== undefined) reportAttempt(undefined);
      return edits;
    }
    const { jump } = nextEdits;
    // Tab would accept ghost text instead of the next edit that is shown.
    const isSuperseded = (): boolean => !isExplicit && jump.state !== 'hidden';
    if (isSuperseded()) return [];
    const blockingCause = await this.#options.getBlockingCause(document);
    if (token.isCancellationRequested || isSuperseded()) return [];
    const snapshot =
      blockingCause === undefined
        ? this.#options.getSnapshotAt(document, position, selectedItem)
        : undefined;
    if (blockingCause !== undefined) reportAttempt({ kind: 'rule', rule: blockingCause });
    if (snapshot === undefined) return edits;
    const result = await this.#provideItems(snapshot, isExplicit, token);
    if (isSuperseded()) return [];
    reportAttempt(result.reason);
    if (result.suggestions.length > 0) jump.reset();
    const items = result.suggestions.map((suggestion) =>
      this.#createItem(suggestion, position, selectedItem),
    );
    return [...edits, ...items];
  }

  async #provideItems(
    snapshot: Snapshot,
    isExplicit: boolean,
    token: vscode.CancellationToken,
  ): Promise<ProvidedSuggestions> {
    const abortController = new AbortController();
    const listener = token.onCancellationRequested(() => abortController.abort());
    const showListener = isExplicit
      ? undefined
      : this.#options.nextEdits.jump.onDidShow(() => abortController.abort());
    if (token.isCancellationRequested) abortController.abort();
    try {
      return await this.#options.pipeline.provide(snapshot, {
        isExplicit,
        signal: abortController.signal,
      });
    } finally {
      listener.dispose();
      showListener?.dispose();
    }
  }

  #createItem(
    { id, text, replaceLength }: Suggestion,
    position: vscode.Position,
    selectedItem: vscode.SelectedCompletionInfo | undefined,
  ): vscode.InlineCompletionItem {
    const { start, end } = selectedItem?.range ?? new vscode.Range(position, position);
    const range = new vscode.Range(start, end.translate(0, replaceLength));
    this.#options.onSuggest(id);
    // VS Code does not show the title.
    const command = { command: acceptedCommand, title: '', arguments: [id] };
    return new vscode.InlineCompletionItem(`${selectedItem?.text ?? ''}${text}`, range, command);
  }
}
