import type { Clause } from './clauses.ts';
import {
  type Order,
  named,
  pathsFor,
  quotedIn,
  type ReadOrder,
  type SimpleOrder,
  wish,
} from './order.ts';
import { insist, type Context, type Plan, type Report } from './plan.ts';
import type { Outcome } from './outcome.ts';
import { baseName } from './path-like.ts';
import { pathsIn } from './search-hits.ts';
import { quoteResults } from './quote-results.ts';

const told = (outcomes: readonly Outcome[]): Report => ({
  text: quoteResults(outcomes),
  paths: outcomes.flatMap(({ args, name, text }) =>
    name === 'read_file' || name === 'open_file'
      ? [String(args['path'])]
      : pathsIn(text).slice(0, 5),
  ),
});

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
  const text = `I opened ${paths.map((path) => `\`${path}\``).join(', ')}${line === undefined ? '' : ` at line ${line}`} in the editor.`;
  return { calls, tell: () => ({ text, paths }) };
};

const listing = wish(
  "^(?:list|ls|show|what(?:'s| is| are)|which files are|see)\\b(?:.*?\\b(?:files?|folders?|director(?:y|ies)|contents?|entries|everything|there|workspace)\\b|\\s)(?:.*\\b(?:in|of|under|inside|at)\\b\\s+(?:the\\s+)?(?:folder\\s+|directory\\s+)?(?<where>THING))?",
);

export const listFolder: ReadOrder = (clause, { toolbox }) => {
  const { text } = clause;
  if (!toolbox.has('list_directory') || !listing.test(text)) return undefined;
  const aboutFolder =
    /^(?:list|ls)\b|\b(?:folder|director(?:y|ies)|workspace)\b|\bfiles are\b/i.test(text);
  const path = clause.paths.find((each) => !/\.\w+$/.test(baseName(each))) ?? folderNamed(clause);
  const isWhole = /\b(?:files|workspace|everything|root|top|here|project|directory|folder)\b/i.test(
    text,
  );
  if (clause.paths.some((each) => each !== path) || (!aboutFolder && path === undefined))
    return undefined;
  if (path === undefined && !isWhole) return undefined;
  return { calls: [toolbox.call('list_directory', { path: path ?? '.' })], tell: told };
};

function folderNamed(clause: Clause): string | undefined {
  const found =
    wish('\\b(?:folder|directory)\\s+(?:named |called )?(?<path>THING)').exec(clause.text) ??
    wish(
      '\\b(?:in|of|under|inside|into)\\s+(?:the\\s+)?(?<path>THING)(?:\\s+(?:folder|directory))?$',
    ).exec(clause.text) ??
    wish('^(?:list|ls)\\s+(?:the\\s+)?(?<path>THING)(?:\\s+(?:folder|directory))?$').exec(
      clause.text,
    );
  const path = named(found, 'path', clause);
  return path === undefined ||
    /^(?:workspace|project|root|all|files|the|this|my|of|in|everything|here|folder|directory|contents|symbols|problems)$/i.test(
      path,
    )
    ? undefined
    : path;
}

const languages: Readonly<Record<string, string>> = {
  typescript: '*.ts',
  javascript: '*.js',
  python: '*.py',
  markdown: '*.md',
  json: '*.json',
  test: '*test*',
  css: '*.css',
  html: '*.html',
};

const filesNamed = wish(
  '\\bfiles?\\b.*?\\b(?:named|called|matching|like|with the name|that (?:is|are) (?:named|called)|that match(?:es)?|ending (?:in|with)|with (?:the )?(?:ending|extension))\\s+(?<name>THING)',
);
const bareGlob =
  /^(?:find|list|locate|show|look for|search for|get|which|where (?:is|are))\b.*?(?<glob>[^\s\u27e6\u27e7]*\*[^\s\u27e6\u27e7]*)/i;

export const findFiles: ReadOrder = (clause, { toolbox }) => {
  const { text } = clause;
  if (!toolbox.has('find_files')) return undefined;
  if (!/^(?:find|list|locate|show|look for|search for|get|which|where)\b/i.test(text))
    return undefined;
  const name = named(filesNamed.exec(text), 'name', clause);
  const literal = quotedIn(clause);
  const kind = /\b(?:all|every|the|any|find|list)\s+(?:of\s+)?(?:the\s+)?\.?(\w+)\s+files?\b/i.exec(
    text,
  )?.[1];
  const ending = /\s\.(\w{1,6})\s+files?\b/i.exec(text)?.[1];
  const glob =
    name ??
    (/^search\b/i.test(text) && literal !== undefined
      ? undefined
      : bareGlob.exec(text)?.groups?.['glob']) ??
    (!/^search\b/i.test(text) && literal?.includes('*') ? literal : undefined) ??
    (ending === undefined ? languages[kind?.toLowerCase() ?? ''] : `*.${ending}`) ??
    (/^(?:find|locate|where (?:is|are)|look for|search for)\s+(?:the\s+)?(?:files?\s+)?\S+$/i.test(
      text,
    )
      ? clause.paths[0]
      : undefined);
  if (glob === undefined) return undefined;
  return { calls: [toolbox.call('find_files', { glob: globFor(glob, text) })], tell: told };
};

function globFor(name: string, text: string): string {
  const ends = /\bending\b|\bextension\b/i.test(text) && !name.includes('*');
  const pattern = ends ? `*${name.startsWith('.') ? '' : '.'}${name}` : name;
  if (pattern.includes('/')) return pattern;
  return `**/${/[*?.]/.test(pattern) ? pattern : `*${pattern}*`}`;
}

const searching = wish(
  '^(?:search|grep|find|look|which files|list|show|where)\\b(?:.*?\\b(?:for|of|containing|contains?|mentions?|mentioning|with|matching|does)\\b)?\\s+(?:the\\s+)?(?:words?\\s+|text\\s+|string\\s+|pattern\\s+|regex(?:p| pattern)?\\s+|regular expression\\s+|every\\s+|all\\s+|any\\s+|me\\s+)*(?<query>THING)',
);
const searchVerb =
  /^(?:search|grep|look for|find|which files (?:contain|mention|have|say)|where does|list|show)\b/i;

/** Bare words are searched for after "search" and "grep" only; "find" may mean so many things. */
export const searchText: ReadOrder = (clause, { toolbox }) => {
  const { text } = clause;
  if (!toolbox.has('search_text') || !searchVerb.test(text)) return undefined;
  const quoted = quotedIn(clause);
  const bare = /^(?:search|grep|which files|where does)\b/i.test(text)
    ? named(searching.exec(text), 'query', clause)
    : /\b(?:occurrences?|mentions?|uses?) of\s/i.test(text) ||
        /^(?:look for|find) (?:all )?[A-Z]{2,}\b/.test(text) ||
        /^find\s+\w*(?:[a-z][A-Z]|_)\w*\b/.test(text)
      ? named(
          wish('(?:\\bof|^look for|^find)\\s+(?:all\\s+)?(?:the\\s+)?(?<query>THING)').exec(text),
          'query',
          clause,
        )
      : undefined;
  const query = quoted ?? bare;
  if (query === undefined || query === '' || clause.paths.includes(query)) return undefined;
  const where = named(
    wish(
      '\\b(?:in|under|inside|within)\\s+(?:the\\s+)?(?:folder\\s+|directory\\s+|files?\\s+)?(?<where>THING)(?:\\s+files)?',
    ).exec(text),
    'where',
    clause,
  );
  const include = includeFor(where, query);
  const context = /\b(\d+) lines? of context\b|\bcontext(?: of)? (\d+)/i.exec(text);
  const lines = context?.[1] ?? context?.[2];
  const most = /\b(?:at most|up to|first|max(?:imum)?(?: of)?)\s+(\d+)\b/i.exec(text)?.[1];
  const call = toolbox.call('search_text', {
    query,
    ...(/\bregex|\bregular expression|\bpattern\b/i.test(text) && { regex: true }),
    ...(include !== undefined && { include }),
    ...(lines !== undefined && { context_lines: Number(lines) }),
    ...(most !== undefined && { max_results: Number(most) }),
  });
  return { calls: [call], tell: (outcomes) => ({ ...told(outcomes), word: query }) };
};

function includeFor(where: string | undefined, query: string): string | undefined {
  if (where === undefined || where === query) return undefined;
  if (
    /^(?:workspace|project|code|files|all|this|my|every|any|each|the|it|them|\d+|one|two|three|four|five)$/i.test(
      where,
    )
  )
    return undefined;
  if (/[*?]/.test(where)) return where.includes('/') ? where : `**/${where}`;
  const language = languages[where.toLowerCase()];
  if (language !== undefined) return `**/${language}`;
  return /\.\w+$/.test(where) ? where : `${where.replace(/\/$/, '')}/**`;
}

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
  if (!asked || !context.toolbox.has('get_problems') || (paths.length === 0 && !here))
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
  const tell = (): Report => ({
    text: `The diff of ${paths.map((path) => `\`${path}\``).join(', ')} is open.`,
    paths,
  });
  return { calls, tell };
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

export const readOrders: readonly ReadOrder[] = [
  callTool,
  showDiff,
  getProblems,
  findFiles,
  openFiles,
  readFiles,
  listFolder,
  searchText,
];

export type { Order };
