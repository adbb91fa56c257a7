import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/event.ts';
import {
  type EditTarget,
  maxAnswerCharacters,
  previewEditAnswer,
  readEditAnswer,
  type RefusedAnswer,
} from '../../agent/answer/edit-answer.ts';
import { buildEditRequest, restoreFileText, toSentLines } from '../edit-request.ts';
import { type LineSpan, mergeWithOriginal } from '../line-span.ts';
import type { ChatEvent, ChatRequest, StreamOutcome } from '../../service/chat/chat-types.ts';
import { createFailedOutcome } from '../../service/http/network-failure.ts';
import type { Host } from '../../host.ts';
import { requireSelectedModel } from '../../models/vscode/selected-model.ts';
import { getFileLabel, readLines } from './editor-target.ts';
import { EditedLines, type WriteResult } from './edited-lines.ts';

/** Input of an inline edit. */
export interface InlineEditOptions {
  readonly document: vscode.TextDocument;
  readonly span: LineSpan;
  readonly instruction: string;
  readonly problems: readonly string[];
}

/**
 * State of an edit: `streaming` while lines arrive, then `waiting` for the user's decision, then
 * `completed`.
 */
export type EditState = 'streaming' | 'waiting' | 'completed';

/** Result of one run of an edit. */
export type EditResult =
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
  /** The answer may contain text other than replacement lines, so the document stays unchanged. */
  | RefusedAnswer
  | { readonly kind: 'failed'; readonly outcome: Extract<StreamOutcome, { kind: 'failed' }> };

interface Dependencies {
  readonly host: Host;
  readonly stream: (
    request: ChatRequest,
    signal: AbortSignal,
  ) => AsyncIterable<readonly ChatEvent[]>;
}

/**
 * Minimum interval between document changes in milliseconds. Users do not notice faster changes.
 */
const minWriteIntervalMs = 80;
/** Maximum length in characters of the context before the edited lines, and of the context after these lines. */
const maxContextLength = 40_000;

/**
 * Edit of a range of lines. Begins with the first streamed line and ends when the user accepts or
 * rejects the edit.
 */
export class InlineEdit implements Disposable {
  readonly options: InlineEditOptions;
  readonly #dependencies: Dependencies;
  readonly #owned = new DisposableStore();
  readonly #lines: EditedLines;
  readonly #onDidChangeEmitter = new Emitter<void>();
  readonly onDidChange: Event<void> = (listener) => this.#onDidChangeEmitter.event(listener);
  #state: EditState = 'streaming';
  #abortController = new AbortController();
  #currentRun: Promise<EditResult> | undefined;
  #answerLineCount = 0;

  constructor(dependencies: Dependencies, options: InlineEditOptions) {
    this.#dependencies = dependencies;
    this.options = options;
    this.#lines = this.#owned.add(new EditedLines(options.document, options.span));
    this.#owned.add(
      this.#lines.onDidModify((isPositionLost) => this.#handleModification(isPositionLost)),
    );
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

  /** Number of answer lines in the document. The original lines that the answer has not replaced follow these lines. */
  get answerLineCount(): number {
    return this.#answerLineCount;
  }

  /** Streams an answer into the document. Never rejects. If a run is in progress, returns the promise of that run. */
  run(): Promise<EditResult> {
    this.#currentRun ??= this.#streamAnswer()
      .catch((error: unknown): EditResult => {
        this.#dependencies.host.log.error('Could not continue an edit', error);
        return { kind: 'stopped' };
      })
      .then((result) => this.#handleEnd(result));
    return this.#currentRun;
  }

  /** Stops the run. The written lines remain until the user accepts or rejects them. */
  async stop(): Promise<void> {
    this.#abortController.abort();
    await this.#currentRun;
  }

  /** Stops the run, keeps the written lines, and completes the edit. */
  async accept(): Promise<void> {
    await this.stop();
    this.#finishEdit();
  }

  /** Stops the run and restores the original lines. Returns false if the document cannot be changed. */
  async reject(): Promise<boolean> {
    await this.stop();
    if (this.#state === 'completed') return true;
    const isRestored = await this.#lines.restore();
    if (isRestored) this.#finishEdit();
    return isRestored;
  }

  /** Stops the run, restores the original lines and starts another run. */
  async retry(): Promise<EditResult> {
    await this.stop();
    if (this.#state === 'completed') return { kind: 'lost' };
    await this.#lines.restore();
    this.#abortController = new AbortController();
    this.#currentRun = undefined;
    this.#answerLineCount = 0;
    this.#setState('streaming');
    return this.run();
  }

  dispose(): void {
    this.#abortController.abort();
    this.#finishEdit();
    this.#onDidChangeEmitter.dispose();
  }

  async #streamAnswer(): Promise<EditResult> {
    const { clock } = this.#dependencies.host.service;
    const { signal } = this.#abortController;
    let outcome: StreamOutcome | undefined;
    let lastWriteAt = clock.now();
    const model = await requireSelectedModel(this.#dependencies.host.models, signal).catch(
      createFailedOutcome,
    );
    if (signal.aborted) return this.#createStoppedResult();
    if ('kind' in model) return this.#handleFailure([], model);
    const { request, target } = this.#buildRequest(model.id);
    let answer = '';
    for await (const events of this.#dependencies.stream(request, signal)) {
      // The user may have changed the lines since the previous events.
      if (signal.aborted) return this.#createStoppedResult();
      for (const event of events) {
        if (event.type === 'stream-end') outcome = event.outcome;
        else if (event.type === 'text-delta') answer += event.text;
      }
      if (answer.length > maxAnswerCharacters) break;
      if (clock.now() - lastWriteAt < minWriteIntervalMs) continue;
      const lines = previewEditAnswer(answer, target);
      if (lines.length === this.#answerLineCount) continue;
      if ((await this.#showAnswer(lines)) === 'refused') return { kind: 'read-only' };
      lastWriteAt = clock.now();
    }
    if (signal.aborted) return this.#createStoppedResult();
    if (outcome?.kind === 'failed')
      return this.#handleFailure(previewEditAnswer(answer, target), outcome);
    return this.#applyFinalAnswer(answer, target, outcome);
  }

  #createStoppedResult(): EditResult {
    return this.#lines.isPositionLost ? { kind: 'lost' } : { kind: 'stopped' };
  }

  async #handleFailure(
    lines: readonly string[],
    outcome: Extract<StreamOutcome, { kind: 'failed' }>,
  ): Promise<EditResult> {
    if (lines.length > 0) await this.#showAnswer(lines);
    return { kind: 'failed', outcome };
  }

  async #applyFinalAnswer(
    answer: string,
    target: EditTarget,
    outcome: StreamOutcome | undefined,
  ): Promise<EditResult> {
    const finishReason = outcome?.kind === 'complete' ? outcome.finishReason : undefined;
    const result = readEditAnswer(answer, target, finishReason);
    if (result.kind === 'refused' && result.reason === 'cut-off')
      return this.#toEditResult(
        await this.#showAnswer(previewEditAnswer(`${answer}\n`, target)),
        'cut-off',
      );
    if (answer.trim() === '') return { kind: 'nothing' };
    if (result.kind === 'refused') return this.#refuseEdit(result);
    const lines = restoreFileText(result.lines, this.original);
    this.#answerLineCount = lines.length;
    return this.#toEditResult(
      await this.#lines.finish(lines),
      this.#lines.isOriginal ? 'unchanged' : 'changed',
    );
  }

  /**
   * Replaces lines that were written during streaming with the original lines, and returns a refusal with the reason.
   */
  async #refuseEdit(refusal: RefusedAnswer): Promise<EditResult> {
    if (!this.#lines.isOriginal) await this.#lines.restore();
    return refusal;
  }

  #toEditResult(result: WriteResult, kind: 'changed' | 'unchanged' | 'cut-off'): EditResult {
    if (result === 'touched') return this.#createStoppedResult();
    return { kind: result === 'refused' ? 'read-only' : kind };
  }

  /** Writes the lines of an unfinished answer. */
  async #showAnswer(answer: readonly string[]): Promise<WriteResult> {
    const lines = restoreFileText(answer, this.original);
    this.#answerLineCount = lines.length;
    const result = await this.#lines.show(mergeWithOriginal(this.original, lines));
    this.#onDidChangeEmitter.fire();
    return result;
  }

  #handleEnd(result: EditResult): EditResult {
    const hasChanges = !this.#lines.isPositionLost && !this.#lines.isOriginal;
    if (hasChanges) this.#setState('waiting');
    else this.#finishEdit();
    return result;
  }

  /**
   * Stops the run after the user changed the edited lines. Completes the edit if the position of these lines is lost,
   * or if the user restored the original lines.
   */
  #handleModification(isPositionLost: boolean): void {
    this.#abortController.abort();
    if (this.#state === 'streaming') return;
    if (isPositionLost || this.#lines.isOriginal) this.#finishEdit();
    else this.#onDidChangeEmitter.fire();
  }

  #finishEdit(): void {
    if (this.#state === 'completed') return;
    this.#owned.dispose();
    this.#setState('completed');
  }

  #setState(state: EditState): void {
    this.#state = state;
    this.#onDidChangeEmitter.fire();
  }

  /** Returns the request for the edit, and the lines that the request contains. */
  #buildRequest(model: string): { readonly request: ChatRequest; readonly target: EditTarget } {
    const { document, instruction, problems } = this.options;
    const { before, after } = this.#getContextLines();
    const text = {
      text: this.original.join('\n'),
      before: before.join('\n'),
      after: after.join('\n'),
    };
    const language = document.languageId;
    const path = getFileLabel(document);
    return {
      request: buildEditRequest({ model, instruction, problems, path, language, ...text }),
      target: { ...toSentLines(text), language, instruction, path, ...readIndentOptions(document) },
    };
  }

  #getContextLines(): { readonly before: readonly string[]; readonly after: readonly string[] } {
    const { document } = this.options;
    const { start, end } = this.span;
    const before = takeNearestLines(
      readLines(document, { start: 0, end: start }).toReversed(),
    ).toReversed();
    return {
      before,
      after: takeNearestLines(readLines(document, { start: end, end: document.lineCount })),
    };
  }
}

function takeNearestLines(lines: readonly string[]): readonly string[] {
  let remaining = maxContextLength;
  const end = lines.findIndex((line) => (remaining -= line.length + 1) < 0);
  return end < 0 ? lines : lines.slice(0, end);
}

function readIndentOptions(
  document: vscode.TextDocument,
): Pick<EditTarget, 'usesTabs' | 'tabSize'> {
  const editor = vscode.window.visibleTextEditors.find(
    (candidate) => candidate.document === document,
  );
  const { tabSize, insertSpaces } = editor?.options ?? {};
  return {
    tabSize: typeof tabSize === 'number' ? tabSize : 4,
    usesTabs: insertSpaces === false,
  };
}
