import { firstLine } from './edit-plan.ts';
import { named, type ReadOrder, wish } from './order.ts';
import { type Context, insist, type Plan, type Report } from './plan.ts';
import { quoteResults } from './quote-results.ts';
import { definesWord, wordOf } from './rename-plan.ts';
import { type Hit, hitsIn } from './search-hits.ts';
import type { KnownTool } from './toolbox.ts';

const definitions = [
  wish(
    '\\b(?:find|see|look|tell me|show me|check|locate)?\\s*\\bwhere\\s+(?:is\\s+|are\\s+)?(?:the\\s+)?(?:function\\s+|class\\s+|symbol\\s+|type\\s+|variable\\s+|constant\\s+|method\\s+)?(?<name>THING)\\s+(?:is\\s+|are\\s+)?(?:defined|declared|implemented)',
  ),
  wish(
    '\\b(?:go to|jump to|find|show(?: me)?|open|where is)\\s+(?:the\\s+)?(?:definition|declaration)\\s+of\\s+(?:the\\s+)?(?:function\\s+|class\\s+|symbol\\s+)?(?<name>THING)',
  ),
];

const usages = [
  wish(
    '^(?:who|what|which (?:files?|functions?|code))\\s+(?:all\\s+)?(?:uses?|calls?|references?|imports?)\\s+(?:the\\s+)?(?:function\\s+|class\\s+)?(?<name>THING)',
  ),
  wish(
    '\\bwhere\\s+(?:is|are)\\s+(?:the\\s+)?(?:function\\s+|class\\s+)?(?<name>THING)\\s+(?:used|called|referenced|imported)',
  ),
  wish(
    '^(?:find|list|show|get)\\b(?:\\s+me)?(?:\\s+all)?(?:\\s+the)?\\s+(?:references?|usages?|uses|callers?)\\s+(?:of|to)\\s+(?:the\\s+)?(?:function\\s+|class\\s+)?(?<name>THING)',
  ),
];

/** Where a name is defined: its place is searched for, then the language service is asked. */
export const definition: ReadOrder = (clause, context) => {
  const name = nameIn(definitions, clause);
  if (name === undefined || !canSearch(context)) return undefined;
  return { plan: () => define(name, placeIn(clause.text, clause.paths), context) };
};

export const references: ReadOrder = (clause, context) => {
  const name = nameIn(usages, clause);
  if (name === undefined || !canSearch(context)) return undefined;
  // "What uses memory?" is a question about the world.
  const isName =
    clause.text.includes('\u27e6') || !/^[a-z]+$/.test(name) || !/^what\b/i.test(clause.text);
  return isName
    ? { plan: () => refer(name, placeIn(clause.text, clause.paths), context) }
    : undefined;
};

const symbolNamed = wish(
  '\\bsymbols?\\b.*?\\b(?:named|called|matching|like|for|containing)\\s+(?<name>THING)|\\bsymbols?\\s+(?<name>LITERAL)|\\bthe symbol\\s+(?<name>THING)',
);

export const symbols: ReadOrder = (clause, { toolbox }) => {
  const { text, paths } = clause;
  if (
    !/\bsymbols?\b/i.test(text) ||
    !/^(?:what|which|list|show|find|get|are there|search)\b/i.test(text) ||
    !toolbox.has('find_symbols')
  )
    return undefined;
  const query = named(symbolNamed.exec(text), 'name', clause);
  const [path] = paths;
  if (query === undefined && path === undefined) return undefined;
  const call = toolbox.call('find_symbols', { query: query === path ? undefined : query, path });
  return {
    calls: [call],
    tell: (outcomes) => ({
      text: quoteResults(outcomes),
      ...(path !== undefined && { paths: [path] }),
    }),
  };
};

function nameIn(patterns: readonly RegExp[], clause: Parameters<ReadOrder>[0]): string | undefined {
  const names = patterns.map((pattern) => named(pattern.exec(clause.text), 'name', clause));
  const name = names.find((each) => each !== undefined)?.replace(/\(\)$/, '');
  return name !== undefined && /^[A-Za-z_$#][\w$.#]*$/.test(name) ? name : undefined;
}

const canSearch = ({ toolbox }: Context): boolean =>
  toolbox.has('search_text') || toolbox.has('find_symbols');

function placeIn(text: string, [path]: readonly string[]): Hit | undefined {
  const line = /:(\d+)\b|\bline (\d+)/i.exec(text);
  return path === undefined || line === null
    ? undefined
    : { path, line: Number(line[1] ?? line[2]), text: '' };
}

function* define(name: string, given: Hit | undefined, context: Context): Plan {
  const hits =
    given === undefined ? yield* placesOf(name, context, ['search_text', 'find_symbols']) : [given];
  const [first] = hits;
  if (first === undefined) return { text: `I did not find \`${name}\` anywhere.` };
  const { toolbox } = context;
  // A use leads to the definition; the definition itself is what one is found by without a language service.
  const use = hits.find(({ text }) => !definesWord(name).test(text)) ?? first;
  const guess = hits.find(({ text }) => definesWord(name).test(text));
  const asked = toolbox.has('go_to_definition')
    ? yield* insist({
        calls: [toolbox.call('go_to_definition', { path: use.path, line: use.line, symbol: name })],
      })
    : [];
  const [answer] = asked;
  const [exact] = answer?.kind === 'done' ? hitsIn(answer.text) : [];
  const place = exact ?? guess ?? first;
  const problem =
    answer?.kind === 'failed'
      ? ` The language service did not help: ${firstLine(answer.text)}`
      : '';
  return {
    text: `\`${name}\` is defined in \`${place.path}:${place.line}\`.${problem}`,
    paths: [place.path],
    word: name,
  };
}

function* refer(name: string, given: Hit | undefined, context: Context): Plan {
  const hits =
    given === undefined ? yield* placesOf(name, context, ['find_symbols', 'search_text']) : [given];
  const place = hits.find(({ text }) => definesWord(name).test(text)) ?? hits[0];
  if (place === undefined) return { text: `I did not find \`${name}\` anywhere.` };
  const { toolbox } = context;
  if (!toolbox.has('find_references')) return tellUses(name, hits, 'a text search');
  const call = toolbox.call('find_references', {
    path: place.path,
    line: place.line,
    symbol: name,
  });
  const [answer] = yield* insist({ calls: [call] });
  if (answer?.kind === 'done' && hitsIn(answer.text).length > 0)
    return {
      text: quoteResults([answer]),
      paths: hitsIn(answer.text).map(({ path }) => path),
      word: name,
    };
  const found = toolbox.has('search_text') ? yield* placesOf(name, context, ['search_text']) : hits;
  return tellUses(name, found, 'a text search, because the language service did not answer');
}

function tellUses(name: string, hits: readonly Hit[], how: string): Report {
  const places = hits.slice(0, 20).map(({ path, line }) => `- \`${path}:${line}\``);
  return {
    text: `\`${name}\` is in ${hits.length === 1 ? 'one place' : `${hits.length} places`}, by ${how}:\n\n${places.join('\n')}`,
    paths: [...new Set(hits.map(({ path }) => path))],
    word: name,
  };
}

/** From the first of the tools that finds any. */
function* placesOf(
  name: string,
  { toolbox }: Context,
  tools: readonly KnownTool[],
): Plan<readonly Hit[]> {
  for (const tool of tools.filter((each) => toolbox.has(each))) {
    const [found] = yield* insist({
      say: `I look for \`${name}\`.`,
      calls: [toolbox.call(tool, { query: name })],
    });
    const hits = found?.kind === 'done' ? hitsIn(found.text) : [];
    const fitting = hits.filter(({ text }) => text === '' || wordOf(name).test(text));
    if (fitting.length > 0) return fitting;
  }
  return [];
}

export const codeOrders: readonly ReadOrder[] = [definition, references, symbols];
