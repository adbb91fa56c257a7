import { wait } from '../base/clock.ts';
import { positionKind, AcceptanceStatistics } from './acceptance.ts';
import { type CachedCompletion, CompletionCache } from './completion-cache.ts';
import { fitToAutoClosed, fitToLine } from './filter/fit-line.ts';
import { refine } from './filter/refine.ts';
import { nextChange, type PendingCompletion } from './pending-completion.ts';
import type {
  CompletionPorts,
  SuggestionProvider,
  ProvidedSuggestions,
  Suggestion,
} from './ports.ts';
import type { PipelineRule, Reason } from './reason.ts';
import { findBlockingRule, findExplicitBlockingRule, TypingRhythm } from './request-timing.ts';
import { ActiveRequests } from './requests.ts';
import { lineSuffix, type Snapshot } from './snapshot.ts';

/** The text around the cursor as it will be when the suggestion is taken. */
export function afterAccept(
  snapshot: Snapshot,
  { text, replaceLength: replaces }: Suggestion,
): Snapshot {
  const { line, character } = snapshot.position;
  const lines = text.split('\n');
  const start = lines.length === 1 ? character : 0;
  return {
    ...snapshot,
    position: { line: line + lines.length - 1, character: start + (lines.at(-1) ?? '').length },
    prefix: snapshot.prefix + text,
    suffix: snapshot.suffix.slice(replaces),
  };
}

/** Milliseconds after which nobody waits for a suggestion any more. */
const longestWaitMs = 8_000;
/** Milliseconds that others are waited for once the first of several suggestions is there. */
const othersWaitMs = 1_000;
/** Suggestions at one place when the person asks for them. */
const wantedVariants = 3;
/** Characters that were typed along an answer before it counts as used. */
const leastUsed = 4;
/** Suggestions taken in a row from which on the next is asked for while one is still shown. */
const longStreak = 2;
/** Milliseconds that a suggestion is shown before what follows it is asked for. */
const dwellMs = 150;

type How = Parameters<SuggestionProvider['provide']>[1];

/** What was given to the editor last. The first is the one that is seen. */
interface Offered {
  readonly snapshot: Snapshot;
  readonly suggestions: readonly Suggestion[];
}

/**
 * Suggestions from the fewest requests: what is known goes on while the person types along it, a request under way is
 * waited for while its answer may still fit, and a new one is made only where it is likely to be worth its price.
 */
export class CompletionPipeline implements SuggestionProvider {
  readonly #ports: CompletionPorts;
  readonly #known: CompletionCache;
  readonly #rhythm: TypingRhythm;
  readonly #usefulness: AcceptanceStatistics;
  readonly #requests: ActiveRequests;
  /** Counts how often all was forgotten. */
  #generation = 0;
  #offered: Offered | undefined;
  /** Suggestions that were taken one after the other. */
  #streak = 0;
  #stopDwelling = (): void => {};

  /** @param usefulness acceptance statistics of the user and the model */
  constructor(
    ports: CompletionPorts,
    usefulness: AcceptanceStatistics = new AcceptanceStatistics(),
  ) {
    this.#ports = ports;
    this.#usefulness = usefulness;
    this.#known = new CompletionCache(ports.clock);
    this.#rhythm = new TypingRhythm(ports.clock);
    this.#requests = new ActiveRequests(ports, (pending) => this.#learn(pending));
  }

  async provide(snapshot: Snapshot, how: How): Promise<ProvidedSuggestions> {
    this.#see(snapshot);
    if (how.isExplicit) return this.#variants(snapshot, how);
    const generation = this.#generation;
    const before = await this.#withoutAsking(snapshot, how);
    if (before !== undefined) return before;
    if (!(await this.#pause(snapshot, how.signal))) return none(this.#whyWaited(snapshot));
    // Much can have happened meanwhile: all was switched off, or another call has asked for this very place.
    if (generation !== this.#generation) return none(movedOn);
    return (await this.#withoutAsking(snapshot, how)) ?? this.#ask(snapshot, how);
  }

  didAccept(id: number): void {
    const offered = this.#offered;
    const suggestion = offered?.suggestions.find((each) => each.id === id);
    if (offered === undefined || suggestion === undefined) return;
    this.#offered = undefined;
    this.#usefulness.recordAccepted(id);
    this.#streak += 1;
    this.#prefetch(offered.snapshot, suggestion);
  }

  didMoveCursor(to: Pick<Snapshot, 'document' | 'position'> | undefined): void {
    this.#requests.moved(to);
  }

  clear(): void {
    this.#generation += 1;
    this.#stopDwelling();
    this.#offered = undefined;
    this.#known.forget();
    this.#requests.dropAll();
    this.#requests.forgive();
  }

  dispose(): void {
    this.clear();
  }

  /** Takes note of where the text is now, and closes the requests that it went away from. */
  #see(snapshot: Snapshot): void {
    this.#stopDwelling();
    this.#rhythm.saw(snapshot);
    const found = this.#known.find(snapshot);
    const fitting = found.map(({ answer }) => answer.id);
    this.#judge(snapshot, found);
    this.#requests.dropStrayed(snapshot, fitting);
    const shown = this.#offered?.suggestions[0];
    if (shown === undefined || fitting.includes(shown.id)) return;
    this.#offered = undefined;
    this.#streak = 0;
  }

  /** Learns from which answers the text went on, and from which it went away. */
  #judge(snapshot: Snapshot, found: readonly CachedCompletion[]): void {
    for (const { answer, rest } of found) {
      const typed = answer.text.slice(0, answer.text.length - rest.length);
      const isTypedWhole = rest === '' && answer.text !== '';
      if (isTypedWhole || typed.trim().length >= leastUsed)
        this.#usefulness.recordAccepted(answer.id);
    }
    const pending = this.#requests.fittingIds(snapshot);
    this.#usefulness.rejectAllExcept(
      new Set([...pending, ...found.map(({ answer }) => answer.id)]),
    );
  }

  /** What is known to go on from here, the one that is shown already first. */
  #serve(snapshot: Snapshot): readonly Suggestion[] {
    const behind = lineSuffix(snapshot);
    const shown = this.#offered?.suggestions[0]?.id;
    const suggestions: Suggestion[] = [];
    for (const { answer, rest, closed } of this.#known.find(snapshot)) {
      const fitted =
        (closed === '' ? undefined : fitToAutoClosed(rest, closed)) ?? fitToLine(rest, behind);
      if (fitted === undefined || suggestions.some(({ text }) => text === fitted.text)) continue;
      const suggestion = { id: answer.id, ...fitted };
      if (answer.id === shown) suggestions.unshift(suggestion);
      else suggestions.push(suggestion);
    }
    if (suggestions.length > 0) this.#offer({ snapshot, suggestions });
    return suggestions;
  }

  /** Who took the last one is likely to take this one too. */
  #offer(offered: Offered): void {
    this.#offered = offered;
    const { snapshot, suggestions } = offered;
    const [first] = suggestions;
    this.#stopDwelling();
    if (this.#streak < longStreak || first === undefined) return;
    const { clock } = this.#ports;
    this.#stopDwelling = clock.after(dwellMs, () => this.#prefetch(snapshot, first));
  }

  /** What is known here, what comes of a request under way, or why none is made. */
  async #withoutAsking(snapshot: Snapshot, how: How): Promise<ProvidedSuggestions | undefined> {
    const known = this.#serve(snapshot);
    if (known.length > 0) return { suggestions: known, source: 'cached' };
    if (this.#requests.fitting(snapshot) !== undefined) {
      const awaited = await this.#await(snapshot, how);
      if (awaited !== 'no-answer') return answered(awaited, 'pending');
    }
    const reason = this.#whyNot(snapshot);
    return reason && none(reason);
  }

  async #ask(snapshot: Snapshot, how: How): Promise<ProvidedSuggestions> {
    const pending = this.#requests.begin(snapshot);
    if (pending === undefined) return none(this.#requests.obstacle ?? movedOn);
    this.#usefulness.recordRequest(pending.id, positionKind(snapshot));
    const asked = await this.#await(snapshot, how);
    return asked === 'no-answer' ? none(this.#whyNothing(pending)) : answered(asked, 'requested');
  }

  /**
   * Waits for a request under way until it has something for this place.
   * @returns `no-answer` when none is left that could
   */
  async #await(
    snapshot: Snapshot,
    { signal }: How,
  ): Promise<readonly Suggestion[] | Reason | 'no-answer'> {
    const { clock } = this.#ports;
    const until = clock.now() + longestWaitMs;
    for (;;) {
      const pending = this.#requests.fitting(snapshot);
      if (pending === undefined) return 'no-answer';
      const how = await nextChange([pending], { clock, signal, until });
      if (how === 'stopped') {
        this.#leave(pending);
        return movedOn;
      }
      const suggestions = this.#serve(snapshot);
      if (suggestions.length > 0) return suggestions;
      if (how === 'late') return rule('too-slow');
    }
  }

  #leave(pending: PendingCompletion): void {
    this.#requests.leave(
      pending,
      () => this.#offered?.suggestions.some(({ id }) => id === pending.id) === true,
    );
  }

  /** Several suggestions, as many as the person can turn over: asked for at any place, whatever the pace. */
  async #variants(snapshot: Snapshot, { signal }: How): Promise<ProvidedSuggestions> {
    const hard = findExplicitBlockingRule(snapshot);
    if (hard !== undefined) return none(rule(hard));
    const known = this.#serve(snapshot).length;
    const begun = [...this.#requests.allFitting(snapshot)];
    // What was answered with nothing, or with the same again, was asked for all the same.
    const asked = this.#known.find(snapshot).length + begun.length;
    for (let variant = asked; variant < wantedVariants; variant += 1) {
      const pending = this.#requests.begin(snapshot, { variant });
      if (pending !== undefined) begun.push(pending);
    }
    const { clock } = this.#ports;
    let until = clock.now() + longestWaitMs;
    let isFirst = known === 0;
    while (begun.some(({ isOver }) => !isOver)) {
      const open = begun.filter(({ isOver }) => !isOver);
      const how = await nextChange(open, { clock, signal, until });
      if (how !== 'changed') for (const pending of open) this.#leave(pending);
      if (how === 'stopped') return none(movedOn);
      if (how === 'late') break;
      if (isFirst && this.#serve(snapshot).length > 0) {
        isFirst = false;
        until = Math.min(until, clock.now() + othersWaitMs);
      }
    }
    const suggestions = this.#serve(snapshot);
    if (suggestions.length > 0)
      return { suggestions, source: begun.length > 0 ? 'requested' : 'cached' };
    const [last] = begun;
    if (last !== undefined) return none(this.#whyNothing(last));
    return none(this.#whyNot(snapshot) ?? rule('too-slow'));
  }

  /** @returns whether the place is still the same */
  async #pause(snapshot: Snapshot, signal: AbortSignal): Promise<boolean> {
    const { clock, debounceMs } = this.#ports;
    const ms = debounceMs(snapshot, {
      rhythm: this.#rhythm,
      usefulness: this.#usefulness,
      firstTextMs: this.#requests.firstTextMs,
    });
    if (ms > 0) await wait(ms, { clock, signal }).catch(() => {});
    return !signal.aborted;
  }

  #whyWaited(snapshot: Snapshot): Reason {
    const place = positionKind(snapshot);
    const isInDoubt = place !== 'line-start' && this.#usefulness.rejectionRate(place) > 0;
    return isInDoubt ? rule('low-acceptance') : movedOn;
  }

  #whyNot(snapshot: Snapshot): Reason | undefined {
    const { obstacle } = this.#requests;
    if (obstacle !== undefined) return obstacle;
    const [known] = this.#known.find(snapshot);
    const isOpenEnded = known?.rest === '' && known.answer.isPart === true;
    if (known !== undefined && !isOpenEnded) {
      const { filter = 'does-not-fit-line' } = known.answer;
      return known.rest === '' && known.answer.text !== ''
        ? rule('already-typed')
        : { kind: 'filtered', filter };
    }
    const found = findBlockingRule(snapshot, {
      motion: this.#rhythm.motion,
      settings: this.#ports.settings(),
    });
    return found === undefined ? undefined : rule(found);
  }

  #whyNothing({ id, snapshot, state }: PendingCompletion): Reason {
    if (state.kind === 'failed') return { kind: 'failed', failure: state.failure };
    if (state.kind === 'dropped') return movedOn;
    const own = this.#known.find(snapshot).find(({ answer }) => answer.id === id);
    return { kind: 'filtered', filter: own?.answer.filter ?? 'does-not-fit-line' };
  }

  /** Keeps what an answer has come to. */
  #learn({ id, anchor, snapshot, state, removed }: PendingCompletion): void {
    if (state.kind === 'failed') this.#usefulness.discard(id);
    if (state.kind !== 'whole' && state.kind !== 'partial') return;
    const isWhole = state.kind === 'whole';
    const { erased } = this.#rhythm;
    const refined = refine(state.text, { snapshot, erased, isWhole, removed });
    if ('text' in refined) this.#known.add({ id, anchor, text: refined.text, isPart: !isWhole });
    else if (isWhole) this.#known.add({ id, anchor, text: '', filter: refined.filter });
  }

  /** Asks for what follows a suggestion, so that it is there when that is taken. */
  #prefetch(snapshot: Snapshot, suggestion: Suggestion): void {
    const settings = this.#ports.settings();
    if (!settings.prefetch) return;
    const next = afterAccept(snapshot, suggestion);
    const isKnown = this.#known
      .find(next)
      .some(({ answer, rest }) => rest !== '' || answer.text === '');
    if (isKnown || this.#requests.obstacle !== undefined) return;
    if (this.#requests.fitting(next) !== undefined) return;
    if (findBlockingRule(next, { motion: 'typing', settings }) !== undefined) return;
    this.#requests.begin(next, { ahead: suggestion.id });
  }
}

const rule = (name: PipelineRule): Reason => ({ kind: 'rule', rule: name });
const movedOn = rule('moved-on');

const none = (reason: Reason): ProvidedSuggestions => ({ suggestions: [], reason, source: 'none' });

const answered = (
  found: readonly Suggestion[] | Reason,
  source: 'pending' | 'requested',
): ProvidedSuggestions => ('kind' in found ? none(found) : { suggestions: found, source });
