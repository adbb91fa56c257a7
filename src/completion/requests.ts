import type { ServiceFailure } from '../service/failure.ts';
import { readAnswer } from './answer/read-answer.ts';
import { wantedLines } from './answer/wanted-lines.ts';
import type { CompletionAsk } from './completion-ask.ts';
import type { CompletionExchange, CompletionPorts } from './completion-ports.ts';
import { FailureBudget } from './failure-budget.ts';
import { PendingAnswer } from './pending-answer.ts';
import { buildAsk } from './prompt/build-ask.ts';
import type { Snapshot } from './snapshot.ts';

/** Milliseconds in which the next key press may take over what nobody waits for any more. */
const graceMs = 150;
/** For the first answer at a place, and for others beside it: the more, the further they may be from the likely. */
const temperatures = [undefined, 0.7, 1] as const;

export interface RequestOptions {
  readonly ports: CompletionPorts;
  readonly isCutOff: boolean;
  /** More of an answer is there. */
  readonly onChange: (pending: PendingAnswer) => void;
}

/** The requests under way, and whether another may be made. */
export class Requests {
  readonly #options: RequestOptions;
  readonly #ports: CompletionPorts;
  readonly #budget: FailureBudget;
  /** With the answer whose text a request goes on from, when it was made ahead. */
  readonly #open = new Map<PendingAnswer, number | undefined>();
  #lastId = 0;

  constructor(options: RequestOptions) {
    this.#options = options;
    const { clock } = options.ports;
    this.#budget = new FailureBudget(clock);
    this.#ports = { ...options.ports, report: (exchange) => this.#report(exchange) };
  }

  /** Until when requests rest after failures, in milliseconds since the epoch. */
  get pause(): { readonly until: number; readonly failure: ServiceFailure } | undefined {
    return this.#budget.pause;
  }

  /**
   * @param how.ahead the answer after which this place comes
   * @param how.variant 0 for the likeliest answer
   */
  begin(snapshot: Snapshot, how: { ahead?: number; variant?: number } = {}): PendingAnswer {
    const wanted = wantedLines(snapshot);
    const target = this.#ports.target();
    const context = this.#ports.context(snapshot);
    const ask = buildAsk({ snapshot, context, target, wanted });
    this.#lastId += 1;
    const pending = new PendingAnswer(
      {
        id: this.#lastId,
        snapshot,
        target,
        ask: varied(ask, how.variant ?? 0),
        reader: readAnswer(snapshot, wanted),
        isCutOff: this.#options.isCutOff,
        onChange: (changed) => this.#changed(changed),
      },
      this.#ports,
    );
    this.#open.set(pending, how.ahead);
    return pending;
  }

  /** A request whose answer goes on from here, or may do so. */
  fitting(snapshot: Snapshot): PendingAnswer | undefined {
    const open = [...this.#open.keys()].map((pending) => [pending, pending.fit(snapshot)] as const);
    const [best] = open.find(([, fit]) => fit === 'fits') ?? [];
    return best ?? open.find(([, fit]) => fit === 'unknown')?.[0];
  }

  /** The answers to come that go on from here, or may do so. */
  fittingIds(snapshot: Snapshot): readonly number[] {
    const open = [...this.#open.keys()].filter((pending) => pending.fit(snapshot) !== 'elsewhere');
    return open.map(({ id }) => id);
  }

  /** Requests for exactly this place. */
  at(snapshot: Snapshot): readonly PendingAnswer[] {
    return [...this.#open.keys()].filter((pending) => pending.fit(snapshot) === 'fits');
  }

  /**
   * Closes what cannot fit here any more.
   * @param shown answers that go on from here: what was asked for ahead of one of them is kept
   * @returns whether the person typed something else than what had been asked for
   */
  dropStrayed(snapshot: Snapshot, shown: readonly number[]): boolean {
    const strayed = [...this.#open].filter(
      ([pending, ahead]) =>
        pending.fit(snapshot) === 'elsewhere' && (ahead === undefined || !shown.includes(ahead)),
    );
    for (const [pending] of strayed) pending.drop();
    return strayed.some(([, ahead]) => ahead === undefined);
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

  /** Closes it unless someone waits for it again soon. */
  leave(pending: PendingAnswer): void {
    this.#ports.clock.after(graceMs, () => {
      if (!pending.isWatched) pending.drop();
    });
  }

  dropAll(): void {
    for (const pending of [...this.#open.keys()]) pending.drop();
  }

  /** What made requests fail may have changed. */
  forgive(): void {
    this.#budget.reset();
  }

  #changed(pending: PendingAnswer): void {
    if (pending.isOver) this.#open.delete(pending);
    this.#options.onChange(pending);
  }

  #report(exchange: CompletionExchange): void {
    const { failure, end } = exchange;
    if (failure !== undefined) this.#budget.failed(failure);
    else if (end === 'complete' || end === 'cut') this.#budget.reset();
    this.#options.ports.report(exchange);
  }
}

function varied(ask: CompletionAsk, variant: number): CompletionAsk {
  const temperature = temperatures[variant];
  if (temperature === undefined) return ask;
  return ask.route === 'chat'
    ? { ...ask, request: { ...ask.request, temperature, seed: variant } }
    : { ...ask, request: { ...ask.request, temperature } };
}
