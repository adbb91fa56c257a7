import { changeFile, editsOf, firstLine, type LineChange } from './edit-plan.ts';
import { readLines } from './file-lines.ts';
import type { Outcome } from './outcome.ts';
import { attempt, type Context, insist, type Plan, type Report } from './plan.ts';
import { type Hit, hitsIn } from './search-hits.ts';
import type { Wanted } from './toolbox.ts';

interface Renaming {
  readonly from: string;
  /** Asked for when absent. */
  readonly to: string | undefined;
  /** Only these; wherever the name is found when empty. */
  readonly paths: readonly string[];
  /** Most files that change; the one that defines it first. */
  readonly most: number;
}

/** Looks for a name, reads every file that has it, and edits each: a word of code for another. */
export function* renameEverywhere(job: Renaming, context: Context): Plan {
  const { from } = job;
  const hits = job.paths.length > 0 ? [] : yield* hitsOf(from, context);
  const definition = hits.find(({ text }) => definesWord(from).test(text)) ?? hits[0];
  const found = job.paths.length > 0 ? job.paths : filesOf(hits, definition).slice(0, job.most);
  if (found.length === 0)
    return { text: `I did not find \`${from}\` anywhere, so there is nothing to rename.` };
  const to = job.to ?? (yield* newName(from, context));
  if (to === undefined)
    return {
      text: `What should \`${from}\` be called? Tell me the new name, and I rename it in ${count(found)}.`,
      word: from,
    };
  const change: LineChange = (text) => text.replaceAll(wordOf(from), to);
  const { toolbox } = context;
  const read = yield* insist({
    say: `\`${from}\` is in ${count(found)}; I read ${found.length === 1 ? 'it' : 'them'} before I change anything.`,
    calls: found.map((path) => toolbox.call('read_file', { path, ...windowFor(path, hits) })),
  });
  const wanted = read.flatMap((outcome, index): Wanted[] => {
    const edits = outcome.kind === 'done' ? editsOf(readLines(outcome.text), change) : [];
    return edits.length === 0 ? [] : [toolbox.call('edit_file', { path: found[index]!, edits })];
  });
  const edited = wanted.length === 0 ? [] : yield* attempt({ calls: wanted });
  const retried = new Set<string>();
  for (const { kind, args } of edited) {
    const path = String(args['path']);
    if (
      kind === 'failed' &&
      (yield* changeFile({
        path,
        change,
        toolbox,
        say: `I read \`${path}\` again, because the edit did not fit.`,
      })).kind === 'changed'
    )
      retried.add(path);
  }
  return reportOf({ from, to, edited, retried, definition });
}

const shownAtOnce = 1_500;
const around = 40;

/** Of a file that is too long to be shown whole, the part that has the hits. */
function windowFor(path: string, hits: readonly Hit[]): { start_line?: number; end_line?: number } {
  const lines = hits.filter((hit) => hit.path === path).map(({ line }) => line);
  if (Math.max(0, ...lines) < shownAtOnce) return {};
  return {
    start_line: Math.max(1, Math.min(...lines) - around),
    end_line: Math.max(...lines) + around,
  };
}

function* hitsOf(name: string, { toolbox }: Context): Plan<readonly Hit[]> {
  if (!toolbox.has('search_text')) return [];
  const step = {
    say: `I look for \`${name}\` first.`,
    calls: [toolbox.call('search_text', { query: name })],
  };
  const [found] = yield* insist(step);
  const hits = found?.kind === 'done' ? hitsIn(found.text) : [];
  return hits.filter(({ text }) => text === '' || wordOf(name).test(text));
}

const filesOf = (hits: readonly Hit[], definition: Hit | undefined): string[] => [
  ...new Set([
    ...(definition === undefined ? [] : [definition.path]),
    ...hits.map(({ path }) => path),
  ]),
];

function* newName(from: string, { toolbox }: Context): Plan<string | undefined> {
  if (!toolbox.has('ask_user')) return undefined;
  const capital = `${from.charAt(0).toUpperCase()}${from.slice(1)}`;
  const choices = [`new${capital}`, `${from}Renamed`];
  const [answer] = yield* insist({
    calls: [toolbox.call('ask_user', { question: `What should \`${from}\` be called?`, choices })],
  });
  if (answer?.kind !== 'done') return undefined;
  return nameIn(answer.text);
}

/** Of an answer in the person's own words. */
function nameIn(text: string): string | undefined {
  const quoted = /[`"“]([A-Za-z_$][\w$]*)[`"”]/.exec(text)?.[1];
  const said = /\b(?:call it|name it|to|as|use)\s+([A-Za-z_$][\w$]*)/i.exec(text)?.[1];
  return quoted ?? said ?? text.match(/[A-Za-z_$][\w$]*/g)?.at(-1);
}

function reportOf(work: {
  from: string;
  to: string;
  edited: readonly Outcome[];
  retried: ReadonlySet<string>;
  definition: Hit | undefined;
}): Report {
  const { from, to, edited, retried, definition } = work;
  const pathOf = ({ args }: Outcome): string => String(args['path']);
  const isDone = (each: Outcome): boolean => each.kind === 'done' || retried.has(pathOf(each));
  const done = edited.filter(isDone).map(pathOf);
  const where =
    definition === undefined
      ? ''
      : `\`${from}\` was defined in \`${definition.path}:${definition.line}\`. `;
  const left = edited
    .filter((each) => !isDone(each))
    .map((each) =>
      each.kind === 'denied'
        ? `You denied the change of \`${pathOf(each)}\`${each.reason === '' ? '' : ` (${each.reason})`}, so \`${from}\` is still there.`
        : `I could not change \`${pathOf(each)}\`: ${firstLine(each.text)}`,
    );
  const renamed =
    done.length === 0
      ? `Nothing was renamed.`
      : `I renamed \`${from}\` to \`${to}\` in ${count(done)}: ${done.map((path) => `\`${path}\``).join(', ')}.`;
  return { text: [`${where}${renamed}`, ...left].join('\n\n'), paths: done, word: to };
}

const count = (files: readonly unknown[]): string =>
  files.length === 1 ? 'one file' : `${files.length} files`;

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The name as a word of its own, not as part of a path; new each time, for the state of a global pattern. */
export const wordOf = (name: string): RegExp =>
  new RegExp(`(?<![\\w$/])${escaped(name)}(?![\\w$]|\\.(?:[cm]?[jt]sx?|py|json|md)\\b|/\\S)`, 'g');

/** A line that makes the name: `function x`, `const x`, `class X`, `def x`, `x = `. */
export const definesWord = (name: string): RegExp =>
  new RegExp(
    `\\b(?:function\\*?|const|let|var|class|interface|type|enum|struct|trait|def|fn|func)\\s+${escaped(name)}(?![\\w$])`,
  );
