import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { EditMarks } from './edit-marks.ts';
import { type EditEnd, type EditWish, InlineEdit } from './inline-edit.ts';
import type { Host } from '../../host.ts';
import type { CommandId } from '../../platform/command-ids.ts';
import { ContextKeys } from '../../platform/commands.ts';
import type { ChatEvent, ChatRequest } from '../../service/chat/chat-types.ts';

type EditCommand = Extract<CommandId, `inferenceService.inlineEdit.${string}`>;

/** Code lenses with the actions of an edit, above its lines. */
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

/** The inline edits of this window, at most one per document. */
export class InlineEdits implements Disposable {
  readonly #host: Host;
  readonly #owned = new DisposableStore();
  readonly #edits = new Map<string, InlineEdit>();
  readonly #marks = this.#owned.add(new EditMarks());
  readonly #lenses = this.#owned.add(new EditLenses(() => this.#edits.values()));
  readonly #keys = new ContextKeys();

  constructor(host: Host) {
    this.#host = host;
    this.#owned.add(vscode.window.onDidChangeActiveTextEditor(() => this.#tellKeys()));
    this.#owned.add(vscode.window.onDidChangeVisibleTextEditors(() => this.#draw()));
  }

  /** Returns the edit of the document, or else of the active editor. */
  of(uri?: vscode.Uri): InlineEdit | undefined {
    const wanted = uri ?? vscode.window.activeTextEditor?.document.uri;
    return wanted && this.#edits.get(wanted.toString());
  }

  /** Starts an edit. Stops and accepts an earlier edit of the same document. */
  async begin(
    wish: EditWish,
  ): Promise<{ readonly edit: InlineEdit; readonly end: Promise<EditEnd> }> {
    await this.of(wish.document.uri)?.accept();
    const edit = new InlineEdit(
      { host: this.#host, stream: (request, signal) => this.#stream(request, signal) },
      wish,
    );
    const name = wish.document.uri.toString();
    this.#edits.set(name, edit);
    edit.onDidChange(() => {
      if (edit.state === 'over' && this.#edits.get(name) === edit) this.#edits.delete(name);
      this.#draw();
    });
    this.#draw();
    return { edit, end: edit.run() };
  }

  dispose(): void {
    for (const edit of [...this.#edits.values()]) edit.dispose();
    this.#owned.dispose();
  }

  #draw(): void {
    this.#marks.draw(this.#edits.values());
    this.#lenses.changed();
    this.#tellKeys();
  }

  #tellKeys(): void {
    const state = this.of()?.state;
    this.#keys.set('inlineEdit.isStreaming', state === 'streaming');
    this.#keys.set('inlineEdit.isWaiting', state === 'waiting');
  }

  /** Streams an answer and reports its start and failure to the account. */
  async *#stream(request: ChatRequest, signal: AbortSignal): AsyncGenerator<readonly ChatEvent[]> {
    const { account, service } = this.#host;
    const { profile } = account;
    const { streamChat } = await import('../../service/chat/stream-chat.ts');
    for await (const events of streamChat(service, request, { signal })) {
      for (const event of events) {
        if (event.type === 'stream-start') account.report(event.info, profile);
        if (event.type === 'stream-end' && event.outcome.kind === 'failed') {
          if (event.outcome.failure.code !== 'stopped')
            account.report(event.outcome.failure, profile);
        }
      }
      yield events;
    }
  }
}
