import * as l10n from '@vscode/l10n';
import type { Clock } from '../base/clock.ts';
import type { AnswerReader } from './answer/scope.ts';
import { type Anchor, createAnchor, typedSince } from './completion-cache.ts';
import type {
  SuggestionRequest,
  CompletionExchange,
  CompletionPorts,
  CompletionTarget,
} from './ports.ts';
import { charactersPerToken } from './prompt/prompt-budget.ts';
import type { FilterName } from './reason.ts';
import type { Snapshot } from './snapshot.ts';
import type { ChatEvent, Cost, StreamOutcome, Usage } from '../service/chat/chat-types.ts';
import type { ServiceFailure } from '../service/http/failure.ts';
import { estimateCost } from '../service/pricing.ts';

/** Milliseconds that a suggestion of several lines is held back for its end, once its first line is there. */
const patienceMs = 300;
/** Characters that may be typed before the first piece of an answer came. More is another place. */
const mostTypedUnanswered = 16;
/** Characters that are read of one answer, thoughts included: a model that goes on beyond them is not listened to. */
const mostReceived = 24_000;
/** Milliseconds after which an answer is of no use, however much of it still comes. */
const longestMs = 30_000;

/** How an answer stands to what was typed since it was asked for. */
export type MatchState = 'match' | 'undecided' | 'mismatch';

/** What an answer came to: `text` as the reader gave it, whole or as many whole lines as there are by now. */
export type PendingState =
  | { readonly kind: 'open' }
  | { readonly kind: 'partial'; readonly text: string }
  | { readonly kind: 'whole'; readonly text: string }
  | { readonly kind: 'failed'; readonly failure: ServiceFailure }
  | { readonly kind: 'dropped' };

export interface PendingOptions {
  /** Of the answer that it will be. */
  readonly id: number;
  readonly snapshot: Snapshot;
  readonly target: CompletionTarget;
  readonly ask: SuggestionRequest;
  readonly reader: AnswerReader;
  /** Is called first whenever the state is another one. */
  readonly onChange: (pending: PendingCompletion) => void;
}

/** A request under way. Its stream is read to the point where enough was said, and closed there. */
export class PendingCompletion {
  readonly id: number;
  readonly anchor: Anchor;
  readonly snapshot: Snapshot;
  readonly #options: PendingOptions;
  readonly #ports: CompletionPorts;
  readonly #canceller = new AbortController();
  readonly #watchers = new Set<() => void>();
  readonly #startedAt: number;
  #state: PendingState = { kind: 'open' };
  #callOff = (): void => {};
  #firstLineAt: number | undefined;
  #wholeLines = 0;
  #firstTextMs: number | undefined;
  #received = 0;
  #usage: Usage | undefined;
  #cost: Cost | undefined;

  constructor(options: PendingOptions, ports: CompletionPorts) {
    this.id = options.id;
    this.snapshot = options.snapshot;
    this.anchor = createAnchor(options.snapshot);
    this.#options = options;
    this.#ports = ports;
    this.#startedAt = ports.clock.now();
    this.#callOff = ports.clock.after(longestMs, () => this.drop());
    this.#read().catch(() => this.#fail(unreadable()));
  }

  get state(): PendingState {
    return this.#state;
  }

  get isOver(): boolean {
    const { kind } = this.#state;
    return kind === 'whole' || kind === 'failed' || kind === 'dropped';
  }

  /** Why nothing is left of an answer that had something. */
  get removed(): FilterName | undefined {
    return this.#options.reader.removed;
  }

  /** Whether someone waits for it. */
  get isWatched(): boolean {
    return this.#watchers.size > 0;
  }

  fit(snapshot: Snapshot): MatchState {
    const typed = typedSince(this.anchor, snapshot)?.text;
    if (typed === undefined) return 'mismatch';
    const { text } = this.#options.reader;
    if (text.startsWith(typed))
      return text.length > typed.length || typed === '' ? 'match' : 'undecided';
    if (!typed.startsWith(text)) return 'mismatch';
    return typed.length - text.length > mostTypedUnanswered || this.isOver
      ? 'mismatch'
      : 'undecided';
  }

  /** Calls `watch` whenever more is known, until it is called off. */
  watch(watch: () => void): () => void {
    this.#watchers.add(watch);
    return () => this.#watchers.delete(watch);
  }

  /** Closes the request: its answer is of no use any more. What was received so far is lost. */
  drop(): void {
    if (!this.isOver) this.#finish({ kind: 'dropped' }, 'dropped');
  }

  async #read(): Promise<void> {
    const { reader } = this.#options;
    for await (const batch of this.#ports.sendRequest(this.#options.ask, this.#canceller.signal)) {
      if (this.isOver) return;
      if (this.#takeAll(batch)) return;
      const isEnough = reader.isComplete || this.#received > mostReceived;
      if (isEnough) return this.#finish(this.#whole(), 'cut');
      this.#tellPart();
    }
    this.#fail(unreadable());
  }

  #fail(failure: ServiceFailure): void {
    if (!this.isOver) this.#finish({ kind: 'failed', failure }, 'failed', failure);
  }

  /** @returns whether that was the end */
  #takeAll(batch: readonly ChatEvent[]): boolean {
    for (const event of batch) this.#take(event);
    return this.isOver;
  }

  #take(event: ChatEvent): void {
    const { reader } = this.#options;
    if (event.type === 'text-delta') {
      this.#firstTextMs ??= this.#ports.clock.now() - this.#startedAt;
      this.#received += event.text.length;
      if (!reader.isComplete) reader.push(event.text);
    } else if (event.type === 'reasoning-delta') this.#received += event.text.length;
    else if (event.type === 'usage') {
      this.#usage = event.usage;
      this.#cost = event.cost;
    } else if (event.type === 'stream-end') this.#end(event.outcome);
  }

  #end(outcome: StreamOutcome): void {
    const { reader } = this.#options;
    if (outcome.kind === 'complete') {
      reader.end();
      return this.#finish(this.#whole(), 'complete');
    }
    // A stream that broke off in the middle was paid for: whole lines of it are as good as any.
    if (reader.wholeLinesLength > 0) {
      const text = reader.text.slice(0, reader.wholeLinesLength);
      return this.#finish({ kind: 'whole', text }, 'failed', outcome.failure);
    }
    this.#fail(outcome.failure);
  }

  #whole(): PendingState {
    return { kind: 'whole', text: this.#options.reader.text };
  }

  /** The lines that are whole, when the rest takes its time: at the end of a line, so that none is held back. */
  #tellPart(): void {
    const { wholeLinesLength } = this.#options.reader;
    if (wholeLinesLength > this.#wholeLines) {
      this.#wholeLines = wholeLinesLength;
      const now = this.#ports.clock.now();
      this.#firstLineAt ??= now;
      if (now - this.#firstLineAt >= patienceMs) {
        this.#state = this.#part();
        this.#options.onChange(this);
      }
    }
    this.#tell();
  }

  #part(): PendingState {
    const { text, wholeLinesLength } = this.#options.reader;
    return { kind: 'partial', text: text.slice(0, wholeLinesLength) };
  }

  #finish(state: PendingState, end: CompletionExchange['end'], failure?: ServiceFailure): void {
    this.#state = state;
    this.#callOff();
    // A stream that came to its end by itself leaves its connection for the next one.
    if (end !== 'complete') this.#canceller.abort();
    this.#report(end, failure);
    this.#options.onChange(this);
    this.#tell();
  }

  #tell(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }

  #report(end: CompletionExchange['end'], failure: ServiceFailure | undefined): void {
    const { model } = this.#options.target;
    const usage = this.#usage ?? this.#estimate();
    const cost = this.#cost ?? estimateCost(usage, model.pricing);
    this.#ports.report({
      model,
      usage,
      isEstimate: this.#usage === undefined,
      isCostEstimate: this.#cost === undefined,
      end,
      ...(this.#firstTextMs === undefined ? {} : { timeToFirstTextMs: this.#firstTextMs }),
      ...(cost === undefined ? {} : { cost }),
      ...(failure === undefined ? {} : { failure }),
    });
  }

  /** A call that was refused took nothing. */
  #estimate(): Usage {
    const isFree = this.#state.kind === 'failed' && this.#received === 0;
    const prompt = textOf(this.#options.ask);
    const perToken = charactersPerToken(prompt);
    const promptTokens = isFree ? 0 : Math.ceil(prompt.length / perToken);
    const completionTokens = Math.ceil(this.#received / perToken);
    return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens };
  }
}

const unreadable = (): ServiceFailure => ({
  code: 'internal-error',
  message: l10n.t('The suggestion could not be read: something in this extension failed.'),
});

function textOf(ask: SuggestionRequest): string {
  if (ask.route === 'completions') return `${ask.request.prompt}${ask.request.suffix ?? ''}`;
  return ask.request.messages
    .map(({ content }) => (typeof content === 'string' ? content : ''))
    .join('');
}

/**
 * Waits until one of the answers has more, or has ended.
 * @param until milliseconds since the epoch; then it is `late`
 * @returns `stopped` when the signal was aborted
 */
export async function nextChange(
  pendings: readonly Pick<PendingCompletion, 'watch'>[],
  { clock, signal, until }: { clock: Clock; signal: AbortSignal; until: number },
): Promise<'changed' | 'stopped' | 'late'> {
  if (signal.aborted) return 'stopped';
  return new Promise((resolve) => {
    const end = (how: 'changed' | 'stopped' | 'late'): void => {
      for (const unwatch of calledOff) unwatch();
      resolve(how);
    };
    const stop = (): void => end('stopped');
    signal.addEventListener('abort', stop, { once: true });
    const calledOff = [
      () => signal.removeEventListener('abort', stop),
      clock.after(until - clock.now(), () => end('late')),
      ...pendings.map((pending) => pending.watch(() => end('changed'))),
    ];
  });
}
