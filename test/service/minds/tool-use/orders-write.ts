import { stringOr } from '../../../../src/base/json.ts';
import type { Clause } from './clauses.ts';
import { changeFile, type LineChange } from './edit-plan.ts';
import { mark, valueOf } from './literals.ts';
import { named, type Order, pathsFor, quotedIn, type ReadOrder, wish } from './order.ts';
import { objectOf, type Outcome } from './outcome.ts';
import type { Context, Report } from './plan.ts';
import { baseName, folderOf, isPathLike, listOf } from './path-like.ts';
import { renameEverywhere } from './rename-plan.ts';

const createFile: ReadOrder = (clause, { toolbox }) => {
  const { text } = clause;
  const asked =
    /^(?:create|make|write|add|save)\b/i.test(text) &&
    !/^(?:add|write)\b.*\b(?:at the (?:end|top|start)|line \d)/i.test(text);
  if (!asked || !toolbox.has('create_file')) return undefined;
  const isNew =
    /^(?:create|make)\b|\bnew\b|^(?:add|write)\s+(?:an?|the)\s+(?:empty\s+)?file\b|\b(?:in|into|to)\s+(?:a|an|the)?\s*(?:new\s+)?file\b/i.test(
      text,
    );
  const path =
    clause.paths[0] ??
    named(wish('\\bfile\\s+(?:named |called |at )?(?<path>THING)').exec(text), 'path', clause);
  if (path === undefined || (!isNew && !/^(?:write|save)\b/i.test(text))) return undefined;
  const call = toolbox.call('create_file', { path, content: contentFor(clause, path) });
  const tell = (outcomes: readonly Outcome[]): Report => {
    const created = outcomes.map(objectOf);
    return { text: `I created ${listOf(created)}.`, paths: created };
  };
  return { calls: [call], tell };
};

function contentFor(clause: Clause, path: string): string {
  const { masked, text } = clause;
  const tokens = text.match(new RegExp(mark, 'g')) ?? [];
  const literals = tokens.flatMap((token) => masked.literals[Number(/\d+/.exec(token)?.[0])] ?? []);
  const block = literals.find(({ kind }) => kind === 'fence');
  if (block !== undefined) return block.value;
  const quoted = literals.find(({ value }) => value !== path);
  if (quoted !== undefined)
    return withLineEnd(quoted.value.replaceAll('\\n', '\n').replaceAll('\\t', '\t'));
  const said =
    /\b(?:containing|saying|that says|with(?: the)?(?: content| text| line)?s?)\s+(.+)$/is.exec(
      text,
    )?.[1];
  return said === undefined ? '' : withLineEnd(said);
}

const withLineEnd = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);

const deleteFiles: ReadOrder = (clause, context) => {
  const asked = /^(?:delete|remove|trash|throw away)\b/i.test(clause.text);
  const paths = pathsFor(clause, context);
  const fromInside = /\b(?:lines?|from)\b/i.test(clause.text) || quotedIn(clause) !== undefined;
  if (!asked || fromInside || paths.length === 0 || !context.toolbox.has('delete_file'))
    return undefined;
  const calls = paths.map((path) => context.toolbox.call('delete_file', { path }));
  return { calls, tell: (outcomes) => ({ text: `I deleted ${listOf(outcomes.map(objectOf))}.` }) };
};

const renaming = wish(
  '^(?:rename|move)\\s+(?:the\\s+)?(?:file\\s+|symbol\\s+|function\\s+|class\\s+|variable\\s+|constant\\s+|method\\s+|type\\s+|interface\\s+)?(?<from>THING)(?:.*?\\b(?:to|into|as)\\s+(?:the folder\\s+)?(?<to>THING))?',
);

const renameFile: ReadOrder = (clause, context) => {
  const match = renaming.exec(clause.text);
  const first = named(match, 'from', clause);
  const from =
    first !== undefined && /^(?:it|that|this)$/i.test(first) && context.word === undefined
      ? context.paths[0]
      : first;
  const to = named(match, 'to', clause);
  if (
    from === undefined ||
    to === undefined ||
    !isPathLike(from) ||
    !context.toolbox.has('rename_file')
  )
    return undefined;
  const target = targetOf(from, to, /^move\b/i.test(clause.text));
  return {
    calls: [context.toolbox.call('rename_file', { from, to: target })],
    tell: (outcomes) => {
      const to = stringOr(outcomes[0]?.args['to'], target);
      return { text: `I renamed \`${from}\` to \`${to}\`.`, paths: [to] };
    },
  };
};

function targetOf(from: string, to: string, isMove: boolean): string {
  if (to.endsWith('/')) return `${to}${baseName(from)}`;
  if (isMove && !/\.\w+$/.test(to)) return `${to}/${baseName(from)}`;
  return to.includes('/') || isMove ? to : `${folderOf(from)}${to}`;
}

const identifier = /^[A-Za-z_$][\w$]*$/;

const renameSymbol: ReadOrder = (clause, context) => {
  const match = renaming.exec(clause.text);
  const first = named(match, 'from', clause);
  if (first === undefined || !/^rename\b/i.test(clause.text)) return undefined;
  const from = /^(?:it|that|this|them)$/i.test(first) ? context.word : first;
  if (
    from === undefined ||
    !identifier.test(from) ||
    !context.toolbox.has('read_file', 'edit_file')
  )
    return undefined;
  const to = named(match, 'to', clause);
  const spoken = clause.paths.length === 0 && context.word !== from ? [] : clause.paths;
  return {
    plan: () =>
      renameEverywhere(
        {
          from,
          to: identifier.test(to ?? '') ? to : undefined,
          paths: spoken,
          most: countIn(clause.text),
        },
        context,
      ),
  };
};

const findingAndRenaming = wish(
  '^(?:find|look for|locate|see|search for)\\b.*?(?<from>THING)(?:\\s+(?:is|are)\\s+(?:defined|declared|used|implemented))?,?\\s+\u2192\\s+rename\\s+(?:it|them|that)\\b(?:.*?\\b(?:to|into|as)\\s+(?<to>THING))?',
);

/** "Find where X is defined and rename it to Y": one wish, which begins with the search of its own. */
export const findAndRename: ReadOrder = (clause, context) => {
  const match = findingAndRenaming.exec(clause.text);
  const from = named(match, 'from', clause);
  if (from === undefined || !identifier.test(from)) return undefined;
  if (!context.toolbox.has('read_file', 'edit_file')) return undefined;
  const to = named(match, 'to', clause);
  const job = {
    from,
    to: identifier.test(to ?? '') ? to : undefined,
    paths: clause.paths,
    most: countIn(clause.text),
  };
  return { plan: () => renameEverywhere(job, context) };
};

const numbers = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
];

/** "in three files" bounds the change. */
function countIn(text: string): number {
  const word = /\bin (\w+) files\b/i.exec(text)?.[1]?.toLowerCase() ?? '';
  const count = /^\d+$/.test(word) ? Number(word) : numbers.indexOf(word);
  return count > 0 ? count : Infinity;
}

const replacing = wish(
  '(?:replace|change|swap|edit|turn|rename|and|,)\\s+(?:all\\s+|every\\s+|each\\s+)?(?:occurrences? of\\s+|the (?:text|word|line|string)\\s+)?(?<a>LITERAL|[^\\s,;]+)\\s+(?:with|to|by|into|for)\\s+(?<b>LITERAL|[^\\s,;]+)',
);

const replaceText: ReadOrder = (clause, context) => {
  const lead = clause.text.replace(
    wish('^in\\s+(?:the file\\s+)?THING(?:(?:,|\\s+and)\\s+THING)*,?\\s+'),
    '',
  );
  const paths = pathsFor(clause, context);
  if (!/^(?:replace|change|swap|edit|turn)\b/i.test(lead) || paths.length === 0) return undefined;
  if (!context.toolbox.has('edit_file')) return undefined;
  const pairs = [...lead.matchAll(new RegExp(replacing.source, 'gi'))].map(({ groups }) => ({
    from: valueOf(groups?.['a'] ?? '', clause.masked),
    to: valueOf(groups?.['b'] ?? '', clause.masked),
  }));
  const fitting = pairs.filter(
    ({ from, to }) => from !== '' && from !== to && !paths.includes(from),
  );
  if (fitting.length === 0) return undefined;
  const change: LineChange = (text) =>
    fitting.reduce((line, { from, to }) => line.replaceAll(from, to), text);
  const what = fitting.map(({ from, to }) => `\`${from}\` with \`${to}\``).join(' and ');
  return inEach(paths, context, {
    change,
    what: `replaced ${what}`,
    find: `\`${fitting[0]!.from}\``,
  });
};

const deleteLines: ReadOrder = (clause, context) => {
  const text = quotedIn(clause);
  const number = /\bline (\d+)\b/i.exec(clause.text)?.[1];
  const paths = pathsFor(clause, context);
  if (
    !/^(?:delete|remove)\b/i.test(clause.text) ||
    paths.length === 0 ||
    !context.toolbox.has('edit_file')
  )
    return undefined;
  if (text === undefined && number === undefined) return undefined;
  const wholeLine = /\blines?\b/i.test(clause.text);
  const change: LineChange = (line, at) => {
    if (number !== undefined) return at === Number(number) ? undefined : line;
    if (text === undefined || !line.includes(text)) return line;
    return wholeLine || line.trim() === text ? undefined : line.replace(text, '');
  };
  return inEach(paths, context, {
    change,
    what: `removed ${text === undefined ? `line ${number}` : `\`${text}\``}`,
    find: `\`${text ?? `line ${number}`}\``,
  });
};

/** Where a text is put: beside a line that is named, at the top, else at the end. */
const addLines: ReadOrder = (clause, context) => {
  const { masked, text } = clause;
  const paths = pathsFor(clause, context);
  if (
    !/^(?:add|append|insert|prepend|write|put)\b/i.test(text) ||
    paths.length === 0 ||
    !context.toolbox.has('edit_file')
  )
    return undefined;
  const tokens = text.match(new RegExp(mark, 'g')) ?? [];
  const values = tokens
    .map((token) => valueOf(token, masked))
    .filter((value) => !paths.includes(value));
  const [raw, anchor] = values;
  if (raw === undefined) return undefined;
  const added = raw.replace(/\n$/, '').replaceAll('\\n', '\n');
  const side = /\b(before|above|after|below)\b/i.exec(text)?.[1]?.toLowerCase();
  const number = Number(/\bline (\d+)/i.exec(text)?.[1] ?? NaN);
  const isTop = /\b(?:top|start|beginning)\b|^prepend\b/i.test(text);
  const isPlace = (line: string, at: number, last: number): boolean => {
    if (!Number.isNaN(number)) return at === number;
    if (anchor !== undefined) return line.includes(anchor);
    return isTop ? at === 1 : at === last;
  };
  const before =
    side === 'before' ||
    side === 'above' ||
    (isTop && anchor === undefined && Number.isNaN(number));
  let done = false;
  const change: LineChange = (line, at, last) => {
    if (done || !isPlace(line, at, last)) return line;
    done = true;
    return before ? `${added}\n${line}` : `${line}\n${added}`;
  };
  return inEach(paths, context, {
    change: (line, at, last) => {
      if (at === 1) done = false;
      return change(line, at, last);
    },
    what: `added \`${added.split('\n')[0] ?? ''}\``,
    find: 'that place',
  });
};

function inEach(
  paths: readonly string[],
  { toolbox }: Context,
  { change, what, find }: { change: LineChange; what: string; find: string },
): Order {
  return {
    plan: function* () {
      const changed: string[] = [];
      const problems: string[] = [];
      for (const path of paths) {
        const result = yield* changeFile({ path, change, toolbox });
        if (result.kind === 'changed') changed.push(path);
        else
          problems.push(
            result.kind === 'nothing'
              ? `I did not find ${find} in \`${path}\`, so I left it alone.`
              : result.text,
          );
      }
      const done = changed.length === 0 ? [] : [`I ${what} in ${listOf(changed)}.`];
      return { text: [...done, ...problems].join(' '), paths: changed } satisfies Report;
    },
  };
}

export const writeOrders: readonly ReadOrder[] = [
  renameFile,
  renameSymbol,
  replaceText,
  deleteLines,
  deleteFiles,
  createFile,
  addLines,
];
