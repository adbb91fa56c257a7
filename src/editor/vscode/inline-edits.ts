import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { type EditResult, type InlineEditOptions, InlineEdit } from './inline-edit.ts';
import type { Host } from '../../host.ts';
import type { CommandId } from '../../platform/command-ids.ts';
import { ContextKeys } from '../../platform/commands.ts';
import type { ChatEvent, ChatRequest } from '../../service/chat/chat-types.ts';
import { findLineDifferences } from '../line-span.ts';
import {
  createRemovedTextHover,
  createRemovedTextDecorations,
  decorationStyles,
} from '../../agent/changes/vscode/decoration-styles.ts';
import { readLines } from './editor-target.ts';

type EditCommandId = Extract<CommandId, `inferenceService.inlineEdit.${string}`>;

/** Shows the actions of an edit as code lenses above the edited lines. */
export class EditLenses implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #getEdits: () => Iterable<InlineEdit>;
  readonly #onDidChangeEmitter = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#onDidChangeEmitter.event;
  readonly #registration: vscode.Disposable;

  constructor(getEdits: () => Iterable<InlineEdit>) {
    this.#getEdits = getEdits;
    this.#registration = vscode.languages.registerCodeLensProvider({ pattern: '**' }, this);
  }

  refresh(): void {
    this.#onDidChangeEmitter.fire();
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    return [...this.#getEdits()]
      .filter(({ options }) => options.document === document)
      .flatMap((edit) => createLenses(edit));
  }

  dispose(): void {
    this.#registration.dispose();
    this.#onDidChangeEmitter.dispose();
  }
}

function createLenses({ options, span, state }: InlineEdit): readonly vscode.CodeLens[] {
  const line = Math.min(span.start, options.document.lineCount - 1);
  const createLens = (id: EditCommandId, title: string): vscode.CodeLens =>
    new vscode.CodeLens(new vscode.Range(line, 0, line, 0), {
      title,
      command: id,
      arguments: [options.document.uri],
    });
  const createRetryLens = (): vscode.CodeLens =>
    createLens('inferenceService.inlineEdit.retry', `$(refresh) ${vscode.l10n.t('Retry')}`);
  switch (state) {
    case 'streaming':
      return [
        createLens(
          'inferenceService.inlineEdit.stop',
          vscode.l10n.t('$(loading~spin) Editing… Stop'),
        ),
      ];
    case 'waiting':
      return [
        createLens('inferenceService.inlineEdit.accept', vscode.l10n.t('$(check) Accept')),
        createLens('inferenceService.inlineEdit.reject', vscode.l10n.t('$(discard) Reject')),
        createRetryLens(),
      ];
    case 'stopped':
      return [
        createRetryLens(),
        createLens('inferenceService.inlineEdit.reject', `$(close) ${vscode.l10n.t('Discard')}`),
      ];
    case 'completed':
      return [];
  }
}

/** Inline edits of this window. Each document has at most one edit. */
export class InlineEdits implements Disposable {
  readonly #host: Host;
  readonly #disposables = new DisposableStore();
  readonly #edits = new Map<string, InlineEdit>();
  readonly #decorations = this.#disposables.add(new EditDecorations());
  readonly #lenses = this.#disposables.add(new EditLenses(() => this.#edits.values()));
  readonly #contextKeys = new ContextKeys();

  constructor(host: Host) {
    this.#host = host;
    this.#disposables.add(
      vscode.window.onDidChangeActiveTextEditor(() => this.#updateContextKeys()),
    );
    this.#disposables.add(
      vscode.window.onDidChangeVisibleTextEditors(() => this.#drawDecorations()),
    );
  }

  /**
   * Returns the inline edit of the document with this URI. Without an argument, returns the inline edit of the active
   * document. Returns undefined if the document has none.
   */
  find(uri?: vscode.Uri): InlineEdit | undefined {
    const documentUri = uri ?? vscode.window.activeTextEditor?.document.uri;
    return documentUri && this.#edits.get(documentUri.toString());
  }

  /**
   * Starts an edit. If the document already has an edit, first ends it: the lines of a complete answer remain, and an
   * incomplete answer is replaced with the original lines.
   */
  async start(
    options: InlineEditOptions,
  ): Promise<{ readonly edit: InlineEdit; readonly resultPromise: Promise<EditResult> }> {
    await this.find(options.document.uri)?.accept();
    const edit = new InlineEdit(
      { host: this.#host, stream: (request, signal) => this.#streamRequest(request, signal) },
      options,
    );
    const key = options.document.uri.toString();
    this.#edits.set(key, edit);
    edit.onDidChange(() => {
      if (edit.state === 'completed' && this.#edits.get(key) === edit) this.#edits.delete(key);
      this.#drawDecorations();
    });
    this.#drawDecorations();
    return { edit, resultPromise: edit.run() };
  }

  dispose(): void {
    for (const edit of [...this.#edits.values()]) edit.dispose();
    this.#disposables.dispose();
  }

  #drawDecorations(): void {
    this.#decorations.draw(this.#edits.values());
    this.#lenses.refresh();
    this.#updateContextKeys();
  }

  #updateContextKeys(): void {
    const state = this.find()?.state;
    this.#contextKeys.set('inlineEdit.isStreaming', state === 'streaming');
    this.#contextKeys.set('inlineEdit.isWaiting', state === 'waiting' || state === 'stopped');
  }

  /** Streams an answer. Passes failures and the information from the response headers to the account. */
  async *#streamRequest(
    request: ChatRequest,
    signal: AbortSignal,
  ): AsyncGenerator<readonly ChatEvent[]> {
    const { account, service } = this.#host;
    const { profile } = account;
    const { streamChat } = await import('../../service/chat/stream-chat.ts');
    for await (const events of streamChat(service, request, { signal })) {
      for (const event of events) {
        if (event.type === 'stream-start') account.reportOutcome(event.info, profile);
        if (event.type === 'stream-end' && event.outcome.kind === 'failed') {
          if (event.outcome.failure.code !== 'stopped')
            account.reportOutcome(event.outcome.failure, profile);
        }
      }
      yield events;
    }
  }
}

/** Decorates the added, removed and pending lines of edits in all visible editors. */
export class EditDecorations implements vscode.Disposable {
  readonly #types = {
    added: vscode.window.createTextEditorDecorationType(decorationStyles.added),
    removed: vscode.window.createTextEditorDecorationType(decorationStyles.removedText),
    waiting: vscode.window.createTextEditorDecorationType({ isWholeLine: true, opacity: '0.6' }),
  };

  draw(edits: Iterable<InlineEdit>): void {
    const allEdits = [...edits];
    for (const editor of vscode.window.visibleTextEditors) {
      const documentEdits = allEdits.filter(
        ({ options, state }) => options.document === editor.document && state !== 'completed',
      );
      const decorations = documentEdits.map(createDecorations);
      for (const kind of ['added', 'removed', 'waiting'] as const)
        editor.setDecorations(
          this.#types[kind],
          decorations.flatMap((decoration) => decoration[kind]),
        );
    }
  }

  dispose(): void {
    for (const type of Object.values(this.#types)) type.dispose();
  }
}

type EditDecorationTypes = Readonly<
  Record<'added' | 'removed' | 'waiting', vscode.DecorationOptions[]>
>;

function createDecorations(edit: InlineEdit): EditDecorationTypes {
  const { document } = edit.options;
  const { start } = edit.span;
  const differences = findLineDifferences(edit.originalLines, readLines(document, edit.span));
  const differencesWithAdditions = differences.filter(
    ({ addedSpan }) => addedSpan.end > addedSpan.start,
  );
  return {
    added: differencesWithAdditions.map((difference) => ({
      range: new vscode.Range(
        start + difference.addedSpan.start,
        0,
        start + difference.addedSpan.end - 1,
        0,
      ),
      ...(difference.removedLines.length === 0
        ? {}
        : { hoverMessage: createRemovedTextHover(document, difference.removedLines) }),
    })),
    removed: differences.flatMap(({ addedSpan, removedLines }) =>
      createRemovedTextDecorations(document, {
        addedRange: { start: start + addedSpan.start, end: start + addedSpan.end },
        lines: removedLines,
      }),
    ),
    waiting: decoratePendingLines(edit),
  };
}

function decoratePendingLines({
  state,
  span,
  answerLineCount,
}: InlineEdit): vscode.DecorationOptions[] {
  const firstPendingLine = span.start + answerLineCount;
  if (state !== 'streaming' || firstPendingLine >= span.end) return [];
  return [{ range: new vscode.Range(firstPendingLine, 0, span.end - 1, 0) }];
}
