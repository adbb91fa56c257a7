import type { ChatBody } from '../chat/body.ts';
import { lastUserText } from '../chat/messages.ts';
import { declarationsIn } from './code-reading.ts';
import { baseName } from './tool-use/path-like.ts';

/** The commit message that is asked for, read off the changes, and nothing else; undefined for every other request. */
export function commitMessage(body: ChatBody): string | undefined {
  const text = lastUserText(body);
  if (!/^Write the message of a Git commit\b/m.test(text)) return undefined;
  const subject = inStyle(summaryOf(changesIn(text)), attached(text, 'last commits').split('\n'));
  const begun = [...text.matchAll(/^> (.*)$/gm)].map(([, line = '']) => line).join('\n');
  return begun === '' ? subject : `${begun}\n\n${subject}`;
}

type Verb = 'Add' | 'Change' | 'Remove' | 'Rename';

interface Summary {
  readonly verb: Verb;
  readonly what: string;
}

interface FileChange {
  readonly path: string;
  readonly verb: Verb;
  /** Of declarations in lines that came and in lines that went. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

function summaryOf(files: readonly FileChange[]): Summary {
  const paths = listOf(files.map(({ path }) => baseName(path)));
  const verbs = new Set(files.map(({ verb }) => verb));
  const [verb = 'Change'] = verbs;
  if (verbs.size > 1 || files.length === 0) return { verb: 'Change', what: paths };
  if (verb !== 'Change') return { verb, what: paths };
  const added = files.flatMap((file) => file.added);
  const removed = files.flatMap((file) => file.removed);
  const came = added.filter((name) => !removed.includes(name));
  const went = removed.filter((name) => !added.includes(name));
  if (came.length === 1 && went.length === 1)
    return { verb: 'Rename', what: `${went[0]} to ${came[0]} in ${paths}` };
  if (came.length > 0) return { verb: 'Add', what: `${listOf(came)} to ${paths}` };
  if (went.length > 0) return { verb: 'Remove', what: `${listOf(went)} from ${paths}` };
  return { verb, what: added.length > 0 ? `${listOf(added)} in ${paths}` : paths };
}

function changesIn(text: string): FileChange[] {
  const diffs = attached(text, 'changes').split(/^(?=diff --git )/m);
  const unknown = attached(text, 'new files').split('\n');
  return [
    ...diffs.filter((diff) => diff.startsWith('diff ')).map(changeOf),
    ...unknown.filter(Boolean).map((path) => ({ path, verb: 'Add', ...nothing }) as const),
  ];
}

const nothing = { added: [], removed: [] };

function changeOf(diff: string): FileChange {
  const path = /^diff --git a\/.* b\/(.*)$/m.exec(diff)?.[1] ?? '';
  const from = /^rename from (.*)$/m.exec(diff)?.[1];
  if (from !== undefined)
    return { path: `${baseName(from)} to ${baseName(path)}`, verb: 'Rename', ...nothing };
  if (/^new file mode/m.test(diff)) return { path, verb: 'Add', ...nothing };
  if (/^deleted file mode/m.test(diff)) return { path, verb: 'Remove', ...nothing };
  return { path, verb: 'Change', added: namesIn(diff, '+'), removed: namesIn(diff, '-') };
}

function namesIn(diff: string, sign: '+' | '-'): string[] {
  const lines = diff.slice(Math.max(0, diff.search(/^@@ /m))).split('\n');
  const text = lines.flatMap((line) => (line.startsWith(sign) ? line.slice(1) : [])).join('\n');
  return declarationsIn({ text, language: '' }).map(({ name }) => name);
}

const attached = (text: string, label: string): string =>
  new RegExp(`<attachment: ${label}>\\n(\`{3,})\\w*\\n([\\s\\S]*?)\\n\\1\\n</attachment>`).exec(
    text,
  )?.[2] ?? '';

const listOf = (names: readonly string[]): string => {
  const [first = 'files', second, ...others] = names;
  if (second === undefined) return first;
  return others.length === 0 ? `${first} and ${second}` : `${first} and ${others.length + 1} more`;
};

const kinds: Readonly<Record<Verb, string>> = {
  Add: 'feat',
  Change: 'fix',
  Remove: 'refactor',
  Rename: 'refactor',
};

/** With the prefix that the last commit has; of the usual kinds of change, with the fitting one. */
function inStyle({ verb, what }: Summary, [last = '']: readonly string[]): string {
  const prefix = /^(?<kind>[\w/-]+)(?:\([^)]*\))?!?: /.exec(last)?.groups?.['kind'];
  if (prefix === undefined) return `${verb} ${what}`;
  const isKind = /^(?:feat|fix|docs|style|refactor|perf|test|build|ci|chore|revert)$/.test(prefix);
  return `${isKind ? kinds[verb] : prefix}: ${verb.toLowerCase()} ${what}`;
}
