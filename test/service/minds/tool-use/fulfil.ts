import { type Clause, clausesOf } from './clauses.ts';
import { firstLine } from './edit-plan.ts';
import type { SimpleOrder } from './order.ts';
import { orderFor } from './orders.ts';
import { objectOf, type Outcome } from './outcome.ts';
import { attempt, type Context, Denial, type Plan, type Report } from './plan.ts';

/** The clauses of a request: those of one round may be done together. */
export type Rounds = readonly (readonly Clause[])[];

/** Does what the rounds ask for, one after the other, until the person says no. */
export function* fulfil(rounds: Rounds, context: Context): Plan {
  const reports: Report[] = [];
  try {
    for (const round of rounds) yield* fulfilRound(round, context, reports);
  } catch (error) {
    if (!(error instanceof Denial)) throw error;
    yield* afterDenial(error.outcome, context, reports);
  }
  return { text: reports.map(({ text }) => text).join('\n\n') };
}

const speaksOfBefore = /\b(?:it|its|them|their|that|those|output|the command)\b/i;

/** Neighbours that are calls alone go together; a plan has its own rounds. */
function* fulfilRound(round: readonly Clause[], context: Context, reports: Report[]): Plan<void> {
  const together: SimpleOrder[] = [];
  for (const clause of round) {
    // What it speaks of has to be there first.
    if (clause.paths.length === 0 && speaksOfBefore.test(clause.text)) {
      yield* fulfilTogether(together.splice(0), context, reports);
    }
    const order = orderFor(clause, context);
    if (order === undefined) continue;
    if ('calls' in order) {
      together.push(order);
      note(context, pathsOf(order));
      continue;
    }
    yield* fulfilTogether(together.splice(0), context, reports);
    const report = yield* order.plan();
    reports.push(report);
    note(context, report);
  }
  yield* fulfilTogether(together, context, reports);
}

function* fulfilTogether(
  orders: readonly SimpleOrder[],
  context: Context,
  reports: Report[],
): Plan<void> {
  if (orders.length === 0) return;
  const calls = orders.flatMap((order) => order.calls);
  const outcomes = calls.length === 0 ? [] : [...(yield* attempt({ calls }))];
  const told: Report[] = [];
  let denied: Outcome | undefined;
  for (const order of orders) {
    const own = outcomes.splice(0, order.calls.length);
    denied ??= own.find(({ kind }) => kind === 'denied');
    const done = own.filter(({ kind }) => kind === 'done');
    for (const failed of own.filter(({ kind }) => kind === 'failed')) {
      const more = order.instead === undefined ? [] : yield* order.instead(failed) ?? nothing();
      done.push(...more.filter(({ kind }) => kind === 'done'));
      if (more.length === 0)
        told.push({ text: `\`${failed.name}\` failed: ${firstLine(failed.text)}` });
    }
    if (done.length > 0 || order.calls.length === 0) told.push(order.tell(done));
  }
  reports.push(...told);
  for (const report of told) note(context, report);
  if (denied !== undefined) throw new Denial(denied);
}

// oxlint-disable-next-line require-yield -- a plan that has nothing to do
function* nothing(): Plan<readonly Outcome[]> {
  return [];
}

function note(context: Context, { paths, word, command }: Partial<Report>): void {
  if (paths !== undefined && paths.length > 0) context.paths = paths;
  if (word !== undefined) context.word = word;
  if (command !== undefined) context.command = command;
}

const pathsOf = ({ calls }: SimpleOrder): Pick<Report, 'paths'> => ({
  paths: calls.flatMap(({ args }) => (typeof args['path'] === 'string' ? [args['path']] : [])),
});

/** What the person wrote beside their no is done when it asks for something else; all the rest is left. */
function* afterDenial(denied: Outcome, context: Context, reports: Report[]): Plan<void> {
  const { name, reason } = denied;
  const object = objectOf(denied);
  const what = object === '' ? `\`${name}\`` : `\`${name}\` on \`${object}\``;
  const instead = reason === '' ? [] : clausesOf(reason);
  const acts = instead.flat().some((clause) => orderFor(clause, context) !== undefined);
  if (!acts) {
    const why = reason === '' ? '' : ` You wrote: ${reason}`;
    reports.push({ text: `You denied ${what}, so I did not do it and stopped there.${why}` });
    return;
  }
  reports.push({ text: `You denied ${what} and asked for something else, which I did.` });
  try {
    for (const round of instead) yield* fulfilRound(round, context, reports);
  } catch (error) {
    if (!(error instanceof Denial)) throw error;
    reports.push({ text: 'You denied that too, so I stopped.' });
  }
}
