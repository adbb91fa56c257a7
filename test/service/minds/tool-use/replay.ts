import type { Outcome } from './outcome.ts';
import type { Plan } from './plan.ts';
import type { Wanted } from './toolbox.ts';

/** What the mind does next: calls with a few words before them, or words alone when all is done. */
export interface Work {
  readonly say: string;
  readonly calls: readonly Wanted[];
}

/**
 * Runs the plan with the results that are known, each found by its call and not by its place; the calls whose results
 * are not known are what comes next.
 */
export function replay(plan: Plan, known: readonly Outcome[], parallel: boolean): Work {
  const left = known.filter(({ kind }) => kind !== 'skipped');
  let step = plan.next();
  while (step.done !== true) {
    const found = step.value.calls.map((call) => take(left, call));
    const missing = step.value.calls.filter((_, index) => found[index] === undefined);
    if (missing.length > 0) {
      const isBegun = missing.length < step.value.calls.length;
      const say = isBegun ? '' : (step.value.say ?? '');
      return { say, calls: parallel ? missing : missing.slice(0, 1) };
    }
    step = plan.next(found.filter((each) => each !== undefined));
  }
  return { say: step.value.text, calls: [] };
}

function take(outcomes: Outcome[], { name, args }: Wanted): Outcome | undefined {
  const wanted = canonical(args);
  const fitting = outcomes.filter((each) => each.name === name && canonical(each.args) === wanted);
  const told = fitting.find(({ kind }) => kind !== 'left-out');
  // What was left out is asked for again, but not without end.
  const found = told ?? (fitting.length > 2 ? fitting[0] : undefined);
  if (found !== undefined) outcomes.splice(outcomes.indexOf(found), 1);
  return found?.kind === 'left-out' ? { ...found, kind: 'done' } : found;
}

/** The same text for the same arguments, in whichever order they stand. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
