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
import { buildEditRequest, restoreFileLines, toSentLines } from '../edit-request.ts';
import { type LineSpan, mergeWithOriginalLines } from '../line-span.ts';
import type { ChatEvent, ChatRequest, StreamOutcome } from '../../service/chat/chat-types.ts';
import { createFailedOutcome } from '../../service/http/network-failure.ts';
import type { Host } from '../../host.ts';
import { requireSelectedModel } from '../../models/vscode/selected-model.ts';
import { getFileLabel, readLines } from './editor-target.ts';
import { EditedLines, onWillSave, type WriteResult } from './edited-lines.ts';

/** Input of an inline edit. */
export interface InlineEditOptions {
  readonly document: vscode.TextDocument;
  readonly span: LineSpan;
  readonly instruction: string;
  readonly problems: readonly string[];
}

/**
 * State of an edit. `streaming`: the model writes its answer. `waiting`: the user must accept or reject the lines of
 * the answer. `stopped`: the document contains the original lines, and the user can retry. `completed`: the edit has
 * ended.
 */
export type EditState = 'streaming' | 'waiting' | 'stopped' | 'completed';

/**
 * Model answer that may contain text other than replacement lines, and the reason for its refusal. The document stays
 * unchanged.
 */
export interface RefusedEdit extends RefusedAnswer {
  /** Complete text of the model's answer. */
  readonly answer: string;
}

/**
 * Result of one run of an edit. `changed`: the document contains the lines of the answer. `incomplete`: the user
 * changed lines of an unfinished answer, so these lines remain. `not-restored`: the document contains lines of the
 * answer and cannot be changed. After all other results, the document contains no line of the answer.
 */
export type EditResult =
  | {
      readonly kind:
        | 'changed'
        | 'unchanged'
        | 'nothing'
        | 'stopped'
        | 'incomplete'
        | 'read-only'
        | 'not-restored'
        | 'lost';
    }
  | RefusedEdit
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
  readonly #disposables = new DisposableStore();
  readonly #lines: EditedLines;
  readonly #onDidChangeEmitter = new Emitter<void>();
  readonly onDidChange: Event<void> = (listener) => this.#onDidChangeEmitter.event(listener);
  #state: EditState = 'streaming';
  #abortController = new AbortController();
  #resultPromise: Promise<EditResult> | undefined;
  #answerLineCount = 0;
  #refusal: RefusedEdit | undefined;
  /** True if the user or another extension changed the lines during the current run. */
  #isTouched = false;
  /** Version of the document when the edit ended. Undefined while the edit has not ended. */
  #finalVersion: number | undefined;

  constructor(dependencies: Dependencies, options: InlineEditOptions) {
    this.#dependencies = dependencies;
    this.options = options;
    this.#lines = this.#disposables.add(new EditedLines(options.document, options.span));
    this.#disposables.add(
      this.#lines.onDidModify((isPositionLost) => this.#handleModification(isPositionLost)),
    );
    this.#disposables.add(
      onWillSave(options.document, async () => {
        await this.#lines.prepareSave();
        this.#onDidChangeEmitter.fire();
      }),
    );
  }

  get state(): EditState {
    return this.#state;
  }

  get span(): LineSpan {
    return this.#lines.span;
  }

  get originalLines(): readonly string[] {
    return this.#lines.originalLines;
  }

  /** Result of the last run if the answer was refused. Undefined after a retry and after the end of the edit. */
  get refusal(): RefusedEdit | undefined {
    return this.#refusal;
  }

  /**
   * True if the document contains the original lines. False if the document has changed since the end of the edit,
   * because the position of the lines is then unknown.
   */
  get isOriginal(): boolean {
    const { isClosed, version } = this.options.document;
    const isPositionKnown = !isClosed && (this.#finalVersion ?? version) === version;
    return isPositionKnown && this.#lines.isOriginal;
  }

  /** Number of answer lines in the document. Original lines that the answer has not replaced follow these lines. */
  get answerLineCount(): number {
    return this.#lines.hasWritten ? this.#answerLineCount : 0;
  }

  /** Streams an answer into the document. Never rejects. If a run is in progress, returns the promise of that run. */
  run(): Promise<EditResult> {
    this.#resultPromise ??= this.#streamAnswer()
      .catch((error: unknown): EditResult => {
        this.#dependencies.host.log.error('Could not continue an edit', error);
        return { kind: 'stopped' };
      })
      .then((result) => this.#endRun(result));
    return this.#resultPromise;
  }

  /** Stops the run and restores the original lines, unless the user changed lines of the answer. */
  async stop(): Promise<void> {
    this.#abortController.abort();
    await this.#resultPromise;
  }

  /**
   * Ends the edit and keeps the lines of a complete answer. If the answer is still streaming, restores the original
   * lines instead.
   */
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
    this.#resultPromise = undefined;
    this.#answerLineCount = 0;
    this.#refusal = undefined;
    this.#isTouched = false;
    this.#setState('streaming');
    return this.run();
  }

  /**
   * Writes the lines of the refused answer that are probably the replacement, so that the user can accept or reject
   * them. Returns `lost` if {@link refusal} is undefined or contains no lines.
   */
  async writeRefusedLines(): Promise<EditResult> {
    const lines = this.#refusal?.lines;
    if (lines === undefined) return { kind: 'lost' };
    this.#refusal = undefined;
    this.#setState('streaming');
    this.#resultPromise = this.#writeAnswer(lines).then((result) => this.#endRun(result));
    return this.#resultPromise;
  }

  dispose(): void {
    this.#abortController.abort();
    this.#onDidChangeEmitter.dispose();
    // A run first restores the original lines.
    if (this.#state !== 'streaming' || this.#resultPromise === undefined) this.#finishEdit();
    else void this.#resultPromise.then(() => this.#finishEdit());
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
    if ('kind' in model) return { kind: 'failed', outcome: model };
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
    if (outcome?.kind === 'failed') return { kind: 'failed', outcome };
    return this.#applyFinalAnswer(answer, target, outcome);
  }

  #createStoppedResult(): EditResult {
    return this.#lines.isPositionLost ? { kind: 'lost' } : { kind: 'stopped' };
  }

  async #applyFinalAnswer(
    answer: string,
    target: EditTarget,
    outcome: StreamOutcome | undefined,
  ): Promise<EditResult> {
    const finishReason = outcome?.kind === 'complete' ? outcome.finishReason : undefined;
    const result = readEditAnswer(answer, target, finishReason);
    const isCutOff = result.kind === 'refused' && result.reason === 'cut-off';
    if (answer.trim() === '' && !isCutOff) return { kind: 'nothing' };
    return result.kind === 'refused' ? { ...result, answer } : this.#writeAnswer(result.lines);
  }

  /** Writes the lines of a complete answer. */
  async #writeAnswer(answerLines: readonly string[]): Promise<EditResult> {
    const lines = restoreFileLines(answerLines, this.originalLines);
    this.#answerLineCount = lines.length;
    const writeResult = await this.#lines.finish(lines);
    if (writeResult === 'touched') return this.#createStoppedResult();
    if (writeResult === 'refused') return { kind: 'read-only' };
    return { kind: this.#lines.isOriginal ? 'unchanged' : 'changed' };
  }

  /** Writes the lines of an unfinished answer. */
  async #showAnswer(answerLines: readonly string[]): Promise<WriteResult> {
    const lines = restoreFileLines(answerLines, this.originalLines);
    this.#answerLineCount = lines.length;
    const result = await this.#lines.show(mergeWithOriginalLines(this.originalLines, lines));
    this.#onDidChangeEmitter.fire();
    return result;
  }

  /** Ends a run. Restores the original lines, unless the answer was complete or the user changed lines of it. */
  async #endRun(result: EditResult): Promise<EditResult> {
    if (result.kind === 'changed') {
      this.#setState('waiting');
      return result;
    }
    const obstacle = await this.#restoreOriginalLines();
    if (obstacle !== undefined) {
      this.#setState('waiting');
      return { kind: obstacle };
    }
    const canRetry = /^(?:stopped|failed|refused)$/u.test(result.kind) && !this.#isTouched;
    if (!canRetry) {
      this.#finishEdit();
      return result;
    }
    if (result.kind === 'refused') this.#refusal = result;
    this.#setState('stopped');
    return result;
  }

  /**
   * Replaces the lines of an answer that is incomplete or refused with the original lines. Returns the reason why lines
   * of the answer remain; undefined if none remain.
   */
  async #restoreOriginalLines(): Promise<'incomplete' | 'not-restored' | undefined> {
    const lines = this.#lines;
    if (!lines.hasWritten || lines.isPositionLost || lines.isOriginal) return undefined;
    if (this.#isTouched) return 'incomplete';
    const result = await lines.revert();
    if (result === 'touched') return lines.isPositionLost ? undefined : 'incomplete';
    return result === 'refused' ? 'not-restored' : undefined;
  }

  /**
   * Stops the run after the user changed the edited lines. Completes the edit if the position of these lines is lost,
   * or if the document contains no line of the answer.
   */
  #handleModification(isPositionLost: boolean): void {
    this.#abortController.abort();
    this.#isTouched = true;
    if (this.#state === 'streaming') return;
    const hasAnswer = this.#state === 'waiting' && !isPositionLost && !this.#lines.isOriginal;
    if (hasAnswer) this.#onDidChangeEmitter.fire();
    else this.#finishEdit();
  }

  #finishEdit(): void {
    if (this.#state === 'completed') return;
    this.#disposables.dispose();
    this.#refusal = undefined;
    this.#finalVersion = this.options.document.version;
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
      text: this.originalLines.join('\n'),
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
  let remainingLength = maxContextLength;
  const end = lines.findIndex((line) => (remainingLength -= line.length + 1) < 0);
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
