import type { ChatBody, FunctionTool } from '../../chat/body.ts';
import { converse } from '../assistant.ts';
import { matchTools, toolArguments } from '../tool-matching.ts';
import { type Clause, clausesOf } from './clauses.ts';
import { firstLine } from './edit-plan.ts';
import { readLines } from './file-lines.ts';
import { unmask } from './literals.ts';
import type { Order, ReadOrder, SimpleOrder } from './order.ts';
import { codeOrders } from './orders-code.ts';
import { readOrders } from './orders-read.ts';
import { runAndFix, runOrders } from './orders-run.ts';
import { findAndRename, writeOrders } from './orders-write.ts';
import type { Outcome } from './outcome.ts';
import { attempt, type Context, Denial, type Plan, type Report } from './plan.ts';
import { baseName } from './path-like.ts';
import { quoteResults } from './quote-results.ts';
import { type Task, taskOf } from './task.ts';
import { Toolbox, type Wanted } from './toolbox.ts';

/** What the mind does next: calls with a few words before them, or words alone when all is done. */
export interface Work {
  readonly say: string;
  readonly calls: readonly Wanted[];
}

/** More rounds than any sensible request needs; a mind that is asked without end must end by itself. */
const mostCalls = 400;

/** The next step of what the conversation asks for with the tools it gives; undefined when it asks for no action. */
export function nextWork(body: ChatBody, tools: readonly FunctionTool[]): Work | undefined {
  const task = taskOf(body);
  const toolbox = new Toolbox(tools, task.request);
  const paths = task.attachedPath === undefined ? [] : [task.attachedPath];
  const context: Context = { toolbox, attached: paths, paths, word: undefined };
  const rounds = understood(task, context);
  if (rounds === undefined) return undefined;
  const work = advance(fulfil(rounds, context), task.outcomes, body.parallel_tool_calls !== false);
  if (task.outcomes.length < mostCalls || work.calls.length === 0) return work;
  return { say: 'I have called tools very often for this one request, so I stop here.', calls: [] };
}

/** Runs the plan with what is known; the calls whose results are not known yet are next. */
function advance(plan: Plan, known: readonly Outcome[], parallel: boolean): Work {
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
  const index = outcomes.findIndex((each) => each.name === name && canonical(each.args) === wanted);
  return index < 0 ? undefined : outcomes.splice(index, 1)[0];
}

/** The same text for the same arguments, in whichever order they stand. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );

type Rounds = readonly (readonly Clause[])[];

function understood({ request }: Task, context: Context): Rounds | undefined {
  const rounds = clausesOf(request);
  // What "it" will be is not known before the first clauses are done, so those are enough.
  const known = { ...context, paths: context.paths, word: context.word ?? 'it' };
  const acts = rounds.flat().some((clause) => orderFor(clause, known) !== undefined);
  return acts ? rounds : undefined;
}

const allOrders: readonly ReadOrder[] = [
  runAndFix,
  findAndRename,
  ...codeOrders,
  ...runOrders,
  ...writeOrders,
  ...readOrders,
];

function orderFor(clause: Clause, context: Context): Order | undefined {
  for (const read of [...allOrders, explainFile, otherTool]) {
    const order = read(clause, context);
    if (order !== undefined) return order;
  }
  return undefined;
}

function* fulfil(rounds: Rounds, context: Context): Plan {
  const reports: Report[] = [];
  try {
    for (const round of rounds) yield* fulfilRound(round, context, reports);
  } catch (error) {
    if (!(error instanceof Denial)) throw error;
    yield* afterDenial(error.outcome, context, reports);
  }
  return { text: reports.map(({ text }) => text).join('\n\n') };
}

const speaksOfBefore = /\b(?:it|its|them|their|that|those)\b/i;

/** Neighbours that are calls alone go together; a plan has its own rounds. */
function* fulfilRound(round: readonly Clause[], context: Context, reports: Report[]): Plan<void> {
  const together: SimpleOrder[] = [];
  for (const clause of round) {
    const order = orderFor(clause, context);
    if (order === undefined) continue;
    if ('calls' in order) {
      // What it speaks of has to be there first.
      if (clause.paths.length === 0 && speaksOfBefore.test(clause.text)) {
        yield* fulfilTogether(together.splice(0), context, reports);
      }
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

function note(context: Context, { paths, word }: Pick<Report, 'paths' | 'word'>): void {
  if (paths !== undefined && paths.length > 0) context.paths = paths;
  if (word !== undefined) context.word = word;
}

const pathsOf = ({ calls }: SimpleOrder): Pick<Report, 'paths'> => ({
  paths: calls.flatMap(({ args }) => (typeof args['path'] === 'string' ? [args['path']] : [])),
});

/** What the person wrote beside their no is done when it asks for something else; all the rest is left. */
function* afterDenial(
  { name, args, reason }: Outcome,
  context: Context,
  reports: Report[],
): Plan<void> {
  const object = String(args['path'] ?? args['from'] ?? args['command'] ?? args['query'] ?? '');
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

/** A file that is spoken of but not attached is read first. */
function explainFile(clause: Clause, { toolbox, attached }: Context): Order | undefined {
  const asked =
    /^(?:explain|describe|summari[sz]e|review|document)\b|^(?:what|how) does\b.*\b(?:do|work)$/i;
  const paths = clause.paths.filter((path) => /\.\w+$/.test(path) && !attached.includes(path));
  if (!asked.test(clause.text) || paths.length === 0 || !toolbox.has('read_file')) return undefined;
  const question = unmask(clause.text, clause.masked);
  return {
    calls: paths.map((path) => toolbox.call('read_file', { path })),
    tell: (outcomes) => ({ text: explained(question, outcomes), paths }),
  };
}

function explained(question: string, outcomes: readonly Outcome[]): string {
  const attached = outcomes.map(({ args, text }) => {
    const path = String(args['path']);
    const code = [...readLines(text).values()].join('\n').replaceAll('```', "'''");
    const language = baseName(path).split('.').at(-1) ?? 'text';
    return `<attachment: ${path}>\n\`\`\`${language === 'md' ? 'markdown' : language}\n${code}\n\`\`\`\n</attachment>`;
  });
  const content = [...attached, question].join('\n\n');
  return converse({ model: '', messages: [{ role: 'user', content }] }, () => 0);
}

/** Tools that there is no plan for are chosen by the words of their names and descriptions. */
function otherTool(clause: Clause, { toolbox }: Context): Order | undefined {
  const text = unmask(clause.text, clause.masked);
  const matched = matchTools(text, toolbox.others);
  if (matched.length === 0) return undefined;
  return {
    calls: matched.map(({ tool, text: about }) => ({
      name: tool.function.name,
      args: toolArguments(tool, about),
    })),
    tell: (outcomes) => ({ text: quoteResults(outcomes) }),
  };
}
