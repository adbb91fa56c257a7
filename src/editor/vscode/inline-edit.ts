import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/event.ts';
import { AnswerLines, fitIndentation, type Indentation, withoutContext } from '../answer-lines.ts';
import { editRequest } from '../edit-request.ts';
import { type LineSpan, shownLines } from '../line-span.ts';
import type { ChatEvent, ChatRequest, StreamOutcome } from '../../service/chat/chat-types.ts';
import { failedOutcome } from '../../service/http/network-failure.ts';
import type { Host } from '../../host.ts';
import { requireSelectedModel } from '../../models/vscode/selected-model.ts';
import { fileLabel, linesIn } from './editor-target.ts';
import { EditedLines, type WriteResult } from './edited-lines.ts';

/** Input of an inline edit. */
export interface EditWish {
  readonly document: vscode.TextDocument;
  readonly span: LineSpan;
  readonly instruction: string;
  readonly problems: readonly string[];
}

/**
 * State of an edit: `streaming` while lines arrive, `waiting` for the user's decision, then `over`.
 */
export type EditState = 'streaming' | 'waiting' | 'over';

/** Result of one run of an edit. */
export type EditEnd =
  | {
      readonly kind:
        | 'changed'
        | 'unchanged'
        | 'nothing'
        | 'cut-off'
        | 'stopped'
        | 'read-only'
        | 'lost';
    }
  | { readonly kind: 'failed'; readonly outcome: Extract<StreamOutcome, { kind: 'failed' }> };

interface Parts {
  readonly host: Host;
  readonly stream: (
    request: ChatRequest,
    signal: AbortSignal,
  ) => AsyncIterable<readonly ChatEvent[]>;
}

/**
 * Minimum interval between document changes, in milliseconds. Faster changes cost more than they
 * show.
 */
const betweenWrites = 80;
/** Maximum context around the lines, in characters. */
const mostAround = 40_000;

/** An edit of some lines, from the first streamed line until the user accepts or rejects it. */
export class InlineEdit implements Disposable {
  readonly wish: EditWish;
  readonly #parts: Parts;
  readonly #owned = new DisposableStore();
  readonly #lines: EditedLines;
  readonly #changed = new Emitter<void>();
  readonly onDidChange: Event<void> = (listener) => this.#changed.event(listener);
  #state: EditState = 'streaming';
  #abort = new AbortController();
  #run: Promise<EditEnd> | undefined;
  #answered = 0;

  constructor(parts: Parts, wish: EditWish) {
    this.#parts = parts;
    this.wish = wish;
    this.#lines = this.#owned.add(new EditedLines(wish.document, wish.span));
    this.#owned.add(this.#lines.onDidTouch((isLost) => this.#touched(isLost)));
  }

  get state(): EditState {
    return this.#state;
  }

  get span(): LineSpan {
    return this.#lines.span;
  }

  get original(): readonly string[] {
    return this.#lines.original;
  }

  /** Number of new lines so far. The lines after them are still the original ones. */
  get answered(): number {
    return this.#answered;
  }

  /**
   * Streams an answer into the document. Never rejects. During a run, returns the result of that
   * run.
   */
  run(): Promise<EditEnd> {
    this.#run ??= this.#stream()
      .catch((error: unknown): EditEnd => {
        this.#parts.host.log.error('An edit could not go on', error);
        return { kind: 'stopped' };
      })
      .then((end) => this.#ended(end));
    return this.#run;
  }

  /** Stops the run. The lines written so far remain until the user accepts or rejects them. */
  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#run;
  }

  /** Keeps the lines as they are. */
  async accept(): Promise<void> {
    await this.stop();
    this.#finish();
  }

  /** Restores the original lines. Returns false if the document cannot be changed. */
  async reject(): Promise<boolean> {
    await this.stop();
    if (this.#state === 'over') return true;
    const done = await this.#lines.restore();
    if (done) this.#finish();
    return done;
  }

  /** Restores the original lines and starts another run. */
  async retry(): Promise<EditEnd> {
    await this.stop();
    if (this.#state === 'over') return { kind: 'lost' };
    await this.#lines.restore();
    this.#abort = new AbortController();
    this.#run = undefined;
    this.#answered = 0;
    this.#set('streaming');
    return this.run();
  }

  dispose(): void {
    this.#abort.abort();
    this.#finish();
    this.#changed.dispose();
  }

  async #stream(): Promise<EditEnd> {
    const { document } = this.wish;
    const { clock } = this.#parts.host.service;
    const reader = new AnswerLines(document.languageId);
    const { signal } = this.#abort;
    let outcome: StreamOutcome | undefined;
    let written = clock.now();
    const model = await requireSelectedModel(this.#parts.host.models, signal).catch(failedOutcome);
    if (signal.aborted) return this.#stopped();
    if ('kind' in model) return this.#failed([], model);
    for await (const events of this.#parts.stream(this.#request(model.id), signal)) {
      // The user may have changed the lines while these events were on their way.
      if (signal.aborted) return this.#stopped();
      for (const event of events) {
        if (reader.isOver) break;
        if (event.type === 'stream-end') outcome = event.outcome;
        else if (event.type === 'text-delta') reader.push(event.text);
      }
      if (reader.isOver) break;
      if (clock.now() - written < betweenWrites || reader.lines.length === this.#answered) continue;
      if ((await this.#show(reader.lines)) === 'refused') return { kind: 'read-only' };
      written = clock.now();
    }
    if (signal.aborted) return this.#stopped();
    if (outcome?.kind === 'failed') return this.#failed(reader.lines, outcome);
    reader.end();
    return this.#complete(reader.lines, outcome);
  }

  #stopped(): EditEnd {
    return this.#lines.isLost ? { kind: 'lost' } : { kind: 'stopped' };
  }

  async #failed(
    lines: readonly string[],
    outcome: Extract<StreamOutcome, { kind: 'failed' }>,
  ): Promise<EditEnd> {
    if (lines.length > 0) await this.#show(lines);
    return { kind: 'failed', outcome };
  }

  async #complete(answer: readonly string[], outcome: StreamOutcome | undefined): Promise<EditEnd> {
    if (answer.length === 0) return { kind: 'nothing' };
    const isCut = outcome?.kind === 'complete' && outcome.finishReason === 'length';
    if (isCut) return this.#written(await this.#show(answer), 'cut-off');
    const lines = fitIndentation(withoutContext(answer, this.#around()), this.#indentation());
    this.#answered = lines.length;
    const result = await this.#lines.finish(lines);
    return this.#written(result, this.#lines.isOriginal ? 'unchanged' : 'changed');
  }

  #written(result: WriteResult, kind: 'changed' | 'unchanged' | 'cut-off'): EditEnd {
    if (result === 'touched') return this.#stopped();
    return { kind: result === 'refused' ? 'read-only' : kind };
  }

  /** Shows the lines of an unfinished answer. */
  async #show(answer: readonly string[]): Promise<WriteResult> {
    const lines = fitIndentation(answer, this.#indentation());
    this.#answered = lines.length;
    const done = await this.#lines.show(shownLines(this.original, lines));
    this.#changed.fire();
    return done;
  }

  #ended(end: EditEnd): EditEnd {
    const isKept = !this.#lines.isLost && !this.#lines.isOriginal;
    if (isKept) this.#set('waiting');
    else this.#finish();
    return end;
  }

  /** Stops the run, since the user changed the lines. */
  #touched(isLost: boolean): void {
    this.#abort.abort();
    if (this.#state === 'streaming') return;
    if (isLost || this.#lines.isOriginal) this.#finish();
    else this.#changed.fire();
  }

  #finish(): void {
    if (this.#state === 'over') return;
    this.#owned.dispose();
    this.#set('over');
  }

  #set(state: EditState): void {
    this.#state = state;
    this.#changed.fire();
  }

  #request(model: string): ChatRequest {
    const { document, instruction, problems } = this.wish;
    const { before, after } = this.#around();
    return editRequest({
      model,
      instruction,
      problems,
      path: fileLabel(document),
      language: document.languageId,
      text: this.original.join('\n'),
      before: before.join('\n'),
      after: after.join('\n'),
    });
  }

  #around(): { readonly before: readonly string[]; readonly after: readonly string[] } {
    const { document } = this.wish;
    const { start, end } = this.span;
    const before = nearest(linesIn(document, { start: 0, end: start }).toReversed()).toReversed();
    return { before, after: nearest(linesIn(document, { start: end, end: document.lineCount })) };
  }

  #indentation(): Indentation {
    const first = this.original.find((line) => line.trim() !== '') ?? this.original[0] ?? '';
    const options = editorOptions(this.wish.document);
    return { first: /^[\t ]*/u.exec(first)?.[0] ?? '', ...options };
  }
}

function nearest(lines: readonly string[]): readonly string[] {
  let left = mostAround;
  const end = lines.findIndex((line) => (left -= line.length + 1) < 0);
  return end < 0 ? lines : lines.slice(0, end);
}

function editorOptions(document: vscode.TextDocument): Omit<Indentation, 'first'> {
  const editor = vscode.window.visibleTextEditors.find((each) => each.document === document);
  const { tabSize, insertSpaces } = editor?.options ?? {};
  return {
    tabSize: typeof tabSize === 'number' ? tabSize : 4,
    usesTabs: insertSpaces === false,
  };
}
