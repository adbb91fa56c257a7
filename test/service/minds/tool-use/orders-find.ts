import type { Clause } from './clauses.ts';
import { named, quotedIn, type ReadOrder, wish } from './order.ts';
import { baseName } from './path-like.ts';
import { told } from './told.ts';

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
    /^(?:workspace|project|root|all|files|the|this|these|that|those|it|them|my|of|in|everything|here|folder|directory|contents|symbols|problems)$/i.test(
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
        /^(?:[Ll]ook for|[Ff]ind) (?:all )?(?:the )?[A-Z]{2,}\b/.test(text) ||
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
