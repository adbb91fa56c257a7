import type { Clock } from '../base/clock.ts';
import { createAnswerReader } from './answer/read-answer.ts';
import { completionScope } from './answer/scope.ts';
import { PendingCompletion } from './pending-completion.ts';
import type { SuggestionRequest, CompletionExchange, CompletionPorts } from './ports.ts';
import { buildRequest } from './prompt/build-request.ts';
import type { Reason } from './reason.ts';
import type { Snapshot } from './snapshot.ts';
import { failureTable, type ServiceFailure } from '../service/http/failure.ts';

/** Failures in a row before requests pause. */
const most = 3;
const firstPauseMs = 30_000;
const longestPauseMs = 10 * 60_000;

/**
 * Lets requests rest after several failed in a row: a service that is down, an empty account or a wrong key must not be
 * asked at every key press, and the service blocks a key that fails too often. What does not pass by itself counts at
 * once. Each further failure doubles the rest.
 */
export class FailureBackoff {
  readonly #clock: Clock;
  #inRow = 0;
  #pause: { readonly until: number; readonly failure: ServiceFailure } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Until when nothing may be asked (milliseconds since the epoch), and because of what. */
  get pause(): { readonly until: number; readonly failure: ServiceFailure } | undefined {
    return this.#pause !== undefined && this.#clock.now() < this.#pause.until
      ? this.#pause
      : undefined;
  }

  failed(failure: ServiceFailure): void {
    this.#inRow += 1;
    const asked = failure.retryAfterMs ?? 0;
    const mayPass = failureTable[failure.code].retryable;
    if (mayPass && asked === 0 && this.#inRow < most) return;
    const doubled = firstPauseMs * 2 ** Math.max(0, this.#inRow - most);
    const ms = Math.max(asked, Math.min(doubled, longestPauseMs));
    this.#pause = { until: this.#clock.now() + ms, failure };
  }

  /** A request went well, or what made them fail has changed. */
  reset(): void {
    this.#inRow = 0;
    this.#pause = undefined;
  }
}

/** Milliseconds in which the next key press may take over what nobody waits for any more. */
const graceMs = 150;
/** Nobody reads more: programs that edit and loops of events ask faster. */
const mostInMinute = 40;
/** For the first answer at a place, and for others beside it: the more, the further they may be from the likely. */
const temperatures = [undefined, 0.7, 1] as const;
const usualFirstTextMs = 300;

/** The requests under way, and whether another may be made. */
export class ActiveRequests {
  readonly #ports: CompletionPorts;
  readonly #onChange: (pending: PendingCompletion) => void;
  readonly #budget: FailureBackoff;
  /** With the answer whose text a request goes on from, when it was made ahead. */
  readonly #open = new Map<PendingCompletion, number | undefined>();
  /** When the requests of the last minute began. */
  #begun: number[] = [];
  #firstTextMs = usualFirstTextMs;
  #lastId = 0;

  /** @param onChange is called when more of an answer arrived and when it ended */
  constructor(ports: CompletionPorts, onChange: (pending: PendingCompletion) => void) {
    this.#ports = ports;
    this.#onChange = onChange;
    this.#budget = new FailureBackoff(ports.clock);
  }

  /** Milliseconds from a request to its first text, lately. */
  get firstTextMs(): number {
    return this.#firstTextMs;
  }

  /** Why no request may be made now, wherever. */
  get obstacle(): Reason | undefined {
    const { pause } = this.#budget;
    if (pause !== undefined) return { kind: 'paused', ...pause };
    if (this.#ports.target() === undefined) return { kind: 'rule', rule: 'no-model' };
    const minuteAgo = this.#ports.clock.now() - 60_000;
    this.#begun = this.#begun.filter((at) => at > minuteAgo);
    const isOften = this.#begun.length >= mostInMinute;
    return isOften ? { kind: 'rule', rule: 'too-many-requests' } : undefined;
  }

  /**
   * Undefined when there is an {@link obstacle}.
   * @param how.ahead the answer after which this place comes
   * @param how.variant 0 for the likeliest answer
   */
  begin(
    snapshot: Snapshot,
    how: { ahead?: number; variant?: number } = {},
  ): PendingCompletion | undefined {
    const target = this.#ports.target();
    if (target === undefined || this.obstacle !== undefined) return undefined;
    const wanted = completionScope(snapshot);
    const context = this.#ports.context(snapshot);
    const ask = buildRequest({ snapshot, context, target, wanted });
    this.#lastId += 1;
    this.#begun.push(this.#ports.clock.now());
    const pending = new PendingCompletion(
      {
        id: this.#lastId,
        snapshot,
        target,
        ask: varied(ask, how.variant ?? 0),
        reader: createAnswerReader(snapshot, wanted),
        onChange: (changed) => this.#changed(changed),
      },
      { ...this.#ports, report: (exchange) => this.#report(exchange) },
    );
    this.#open.set(pending, how.ahead);
    return pending;
  }

  /** A request whose answer goes on from here, or may do so. */
  fitting(snapshot: Snapshot): PendingCompletion | undefined {
    const open = [...this.#open.keys()].map((pending) => [pending, pending.fit(snapshot)] as const);
    const [best] = open.find(([, fit]) => fit === 'match') ?? [];
    return best ?? open.find(([, fit]) => fit === 'undecided')?.[0];
  }

  /** The answers to come that go on from here, or may do so. */
  fittingIds(snapshot: Snapshot): readonly number[] {
    const open = [...this.#open.keys()].filter((pending) => pending.fit(snapshot) !== 'mismatch');
    return open.map(({ id }) => id);
  }

  /** Requests whose answer goes on from here. */
  allFitting(snapshot: Snapshot): readonly PendingCompletion[] {
    return [...this.#open.keys()].filter((pending) => pending.fit(snapshot) === 'match');
  }

  /**
   * Closes what cannot fit here any more.
   * @param shown answers that go on from here: what was asked for ahead of one of them is kept
   */
  dropStrayed(snapshot: Snapshot, shown: readonly number[]): void {
    for (const [pending, ahead] of [...this.#open]) {
      const isAhead = ahead !== undefined && shown.includes(ahead);
      if (!isAhead && pending.fit(snapshot) === 'mismatch') pending.drop();
    }
  }

  /**
   * Closes what the cursor went away from. On its line it may be before the place: an item that is chosen in a list
   * counts as typed.
   */
  moved(to: Pick<Snapshot, 'document' | 'position'> | undefined): void {
    for (const [pending, ahead] of [...this.#open]) {
      const isAbove = to !== undefined && to.position.line < pending.anchor.position.line;
      if (to?.document !== pending.anchor.document) pending.drop();
      else if (ahead === undefined && isAbove) pending.drop();
    }
  }

  /** Closes it unless someone waits for it again soon, or sees what it has said so far. */
  leave(pending: PendingCompletion, isSeen: () => boolean): void {
    this.#ports.clock.after(graceMs, () => {
      if (!pending.isWatched && !isSeen()) pending.drop();
    });
  }

  dropAll(): void {
    for (const pending of [...this.#open.keys()]) pending.drop();
  }

  /** What made requests fail may have changed. */
  forgive(): void {
    this.#budget.reset();
  }

  #changed(pending: PendingCompletion): void {
    if (pending.isOver) this.#open.delete(pending);
    this.#onChange(pending);
  }

  #report(exchange: CompletionExchange): void {
    const { failure, end, timeToFirstTextMs: firstTextMs } = exchange;
    if (firstTextMs !== undefined) this.#firstTextMs += (firstTextMs - this.#firstTextMs) / 5;
    if (failure !== undefined) this.#budget.failed(failure);
    else if (end === 'complete' || end === 'cut') this.#budget.reset();
    this.#ports.report(exchange);
  }
}

function varied(ask: SuggestionRequest, variant: number): SuggestionRequest {
  const temperature = temperatures[variant];
  if (temperature === undefined) return ask;
  return ask.route === 'chat'
    ? { ...ask, request: { ...ask.request, temperature, seed: variant } }
    : { ...ask, request: { ...ask.request, temperature } };
}
