import { named, pathsFor, type ReadOrder, type SimpleOrder, wish } from './order.ts';
import { insist, type Context, type Plan, type Report } from './plan.ts';
import { objectOf, type Outcome } from './outcome.ts';
import { baseName, listOf } from './path-like.ts';
import { pathsIn } from './search-hits.ts';
import { told } from './told.ts';

const readVerb =
  /^(?:read|show|print|cat|display|view|look at|open)\b|^what(?:'s| is) in\b|^what does .* (?:contain|say)$/i;

export const readFiles: ReadOrder = (clause, context) => {
  const { toolbox } = context;
  const paths = pathsFor(clause, context).filter((path) => !path.endsWith('/'));
  const folder = /\b(?:folder|directory|diff|problems|errors|symbols)\b/i.test(clause.text);
  if (!readVerb.test(clause.text) || folder || paths.length === 0 || !toolbox.has('read_file')) {
    return undefined;
  }
  if (!paths.some((path) => /\.\w+$/.test(path)) && /^what/i.test(clause.text)) return undefined;
  const calls = paths.map((path) => toolbox.call('read_file', { path, ...rangeIn(clause.text) }));
  return { calls, tell: told, instead: (failed) => searchedFor(failed, context) };
};

function rangeIn(text: string): { start_line?: number; end_line?: number } {
  const both = /\blines?\s+(\d+)\s*(?:-|–|to|and|until|through)\s*(?:line\s+)?(\d+)/i.exec(text);
  const one = /\bline\s+(\d+)/i.exec(text);
  const first = /\bfirst\s+(\d+)\s+lines/i.exec(text);
  const from = /\bfrom (?:line )?(\d+)/i.exec(text);
  if (both !== null) return { start_line: Number(both[1]), end_line: Number(both[2]) };
  if (first !== null) return { start_line: 1, end_line: Number(first[1]) };
  if (from !== null) return { start_line: Number(from[1]) };
  return one === null ? {} : { start_line: Number(one[1]), end_line: Number(one[1]) };
}

/** A file that is not where it was said to be is looked for by its name. */
function searchedFor(
  { args }: Outcome,
  { toolbox }: Context,
): Plan<readonly Outcome[]> | undefined {
  if (!toolbox.has('find_files', 'read_file')) return undefined;
  const path = String(args['path']);
  return (function* () {
    const [found] = yield* insist({
      say: `There is no \`${path}\`; I look for it by its name.`,
      calls: [toolbox.call('find_files', { glob: `**/${baseName(path)}` })],
    });
    const [place] = found?.kind === 'done' ? pathsIn(found.text) : [];
    if (place === undefined || place === path) return [];
    return yield* insist({ calls: [toolbox.call('read_file', { ...args, path: place })] });
  })();
}

export const openFiles: ReadOrder = (clause, context) => {
  const { toolbox } = context;
  const paths = pathsFor(clause, context);
  const asked = /^(?:open|go to|jump to)\b|^show .* in (?:the|an) editor\b/i.test(clause.text);
  if (!asked || paths.length === 0 || !toolbox.has('open_file')) return undefined;
  const line = /\bline (\d+)/i.exec(clause.text)?.[1] ?? /:(\d+)/.exec(clause.text)?.[1];
  const calls = paths.map((path) =>
    toolbox.call('open_file', { path, ...(line !== undefined && { line: Number(line) }) }),
  );
  const where = line === undefined ? '' : ` at line ${line}`;
  const tell = (outcomes: readonly Outcome[]): Report => {
    const opened = outcomes.map(objectOf);
    return { text: `I opened ${listOf(opened)}${where} in the editor.`, paths: opened };
  };
  return { calls, tell };
};

export const getProblems: ReadOrder = (clause, context) => {
  const { text } = clause;
  const asked =
    /^(?:what|which|are there|is there|any|does|do|show|list|get|check|find|tell)\b.*\b(?:problems?|errors?|warnings?|diagnostics)\b/i.test(
      text,
    );
  const here =
    /\b(?:in|of|for) (?:the|this|my) (?:workspace|project|file)\b|\bare there\b|^(?:show|list|get|check)\b.*\b(?:problems|diagnostics)\b/i.test(
      text,
    );
  const paths = pathsFor(clause, context);
  const wrong = /^what(?:'s| is) wrong (?:with|in)\b/i.test(text);
  if (!(asked || wrong) || !context.toolbox.has('get_problems') || (paths.length === 0 && !here))
    return undefined;
  const places = paths.length === 0 ? [undefined] : paths;
  return {
    calls: places.map((path) => context.toolbox.call('get_problems', { path })),
    tell: told,
  };
};

export const showDiff: ReadOrder = (clause, context) => {
  const { text } = clause;
  const asked =
    /\bdiff\b|^what changed\b|^show (?:me )?(?:what changed|(?:the |my |your )?changes)\b/i.test(
      text,
    );
  if (!asked || !/^(?:show|open|display|see|view|what|give|get)\b/i.test(text)) return undefined;
  const paths = clause.paths.length > 0 ? clause.paths : context.paths;
  if (paths.length === 0 || !context.toolbox.has('show_diff')) return undefined;
  const calls = paths.map((path) => context.toolbox.call('show_diff', { path }));
  const tell = (outcomes: readonly Outcome[]): Report => {
    const shown = outcomes.map(objectOf);
    return { text: `The diff of ${listOf(shown)} is open.`, paths: shown };
  };
  return { calls, tell };
};

const everyFile = wish(
  '^(?:read|look at|show)\\b.*?\\b(?:every|all|each)\\b(?:\\s+of)?(?:\\s+the)?\\s+files?\\s+(?:in|of|under|inside)\\s+(?:the\\s+)?(?:folder\\s+)?(?<where>THING)',
);
const mostRead = 20;

/** All files of a folder at once. */
export const readFolder: ReadOrder = (clause, { toolbox }) => {
  const where = named(everyFile.exec(clause.text), 'where', clause)?.replace(/\/$/, '');
  if (where === undefined || !toolbox.has('find_files', 'read_file')) return undefined;
  return {
    plan: function* () {
      const glob = /^(?:workspace|project|\.)$/.test(where) ? '**/*' : `${where}/**`;
      const [found] = yield* insist({ calls: [toolbox.call('find_files', { glob })] });
      const paths = found?.kind === 'done' ? pathsIn(found.text).slice(0, mostRead) : [];
      if (paths.length === 0) return { text: `I found no files in \`${where}\`.` };
      const calls = paths.map((path) => toolbox.call('read_file', { path }));
      return told((yield* insist({ calls })).filter(({ kind }) => kind === 'done'));
    },
  };
};

/** A call of any tool, given word for word. */
export const callTool: ReadOrder = (clause, { toolbox }) => {
  const match = wish(
    '^(?:call|use|invoke|run)\\s+(?:the\\s+)?tool\\s+(?<name>THING)(?:.*?(?<args>LITERAL))?',
  ).exec(clause.text);
  const name = named(match, 'name', clause);
  if (name === undefined) return undefined;
  if (toolbox.find(name) === undefined) {
    return { calls: [], tell: () => ({ text: `I was not given a tool named \`${name}\`.` }) };
  }
  const parsed: unknown = JSON.parse(jsonOr(named(match, 'args', clause)));
  const call = { name, args: parsed as Readonly<Record<string, unknown>> };
  const times = Math.min(200, Number(/\b(\d+) times\b/i.exec(clause.text)?.[1] ?? 1));
  const calls = Array.from({ length: times }, () => call);
  const atOnce: SimpleOrder = { calls, tell: told };
  return times === 1 || /\bat once\b|\bin parallel\b/i.test(clause.text)
    ? atOnce
    : { plan: () => oneByOne(atOnce) };
};

function jsonOr(text = '{}'): string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? text : '{}';
  } catch {
    return '{}';
  }
}

function* oneByOne({ calls, tell }: SimpleOrder): Plan {
  let last: readonly Outcome[] = [];
  for (const call of calls) last = yield* insist({ calls: [call] });
  const { text, ...rest } = tell(last);
  return { ...rest, text: `I made the call ${calls.length} times. The last time:\n\n${text}` };
}
