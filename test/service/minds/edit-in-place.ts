import type { ChatBody } from '../chat/body.ts';
import { lastUserText } from '../chat/messages.ts';
import { type Code, declarationsIn } from './code-reading.ts';
import { docComment } from './suggest.ts';
import { failureIn } from './tool-use/failure.ts';
import { fixFor } from './tool-use/fixes.ts';
import { wordOf } from './tool-use/rename-plan.ts';
import { commentLine, isComment } from './wording.ts';

/** The new lines that an edit in place asks for, and nothing else; undefined for every other request. */
export function editedLines(body: ChatBody): string | undefined {
  const asked = request.exec(lastUserText(body))?.groups;
  if (asked === undefined) return undefined;
  const { path = '', language = '', lines: text = '', problems = '', instruction = '' } = asked;
  const code: Code = { path, language, text };
  const mended = /\bfix\b|\bproblems?\b/i.test(instruction) ? fixed(code, problems) : text;
  if (mended !== text) return mended;
  for (const { pattern, change } of changes) {
    const match = pattern.exec(instruction);
    const changed = match === null ? text : change(code, match.groups ?? {});
    if (changed !== text) return changed;
  }
  return noted(code, instruction);
}

const request =
  /^File: (?<path>.*) \((?<language>[^)\n]*)\)\n[\s\S]*?^<lines>\n(?<lines>[\s\S]*?)\n<\/lines>$(?:[\s\S]*^Problems of the lines:\n(?<problems>[\s\S]*))?[\s\S]*^Instruction: (?<instruction>[\s\S]*)/m;

/** What an instruction can name: a word, or anything quoted. */
const thing = '`[^`]+`|"[^"]+"|\'[^\']+\'|[^\\s,;]*[^\\s,;.]';

interface KnownChange {
  readonly pattern: RegExp;
  readonly change: (code: Code, named: Readonly<Record<string, string>>) => string;
}

/** The first that fits the instruction and changes something counts. */
const changes: readonly KnownChange[] = [
  {
    pattern: new RegExp(
      `\\b(?:rename|replace|change|turn|swap)\\s+(?<from>${thing})\\s+(?:to|into|with|by|for)\\s+(?<to>${thing})`,
      'i',
    ),
    change: replaced,
  },
  {
    pattern: new RegExp(
      `\\buse\\s+(?<to>${thing})\\s+(?:instead of|in place of|rather than)\\s+(?<from>${thing})`,
      'i',
    ),
    change: replaced,
  },
  { pattern: /\b(?:remove|delete|drop|strip)\b.*\bcomments?\b/i, change: withoutComments },
  { pattern: /\b(?:document|comments?|docstrings?|jsdoc)\b/i, change: documented },
  { pattern: /\bsort\b/i, change: ({ text }) => text.split('\n').toSorted().join('\n') },
];

function replaced(
  { text }: Code,
  { from = '', to = '' }: Readonly<Record<string, string>>,
): string {
  const [before, after] = [unquoted(from), unquoted(to)];
  return text.replaceAll(/^[\w$]+$/.test(before) ? wordOf(before) : before, () => after);
}

const unquoted = (token: string): string => token.replace(/^([`"'])(.*)\1$/, '$2');

function withoutComments(code: Code): string {
  const lines = code.text.split('\n');
  return lines.filter((line) => !isComment(code, line)).join('\n');
}

function documented(code: Code): string {
  const lines = code.text.split('\n');
  for (const declaration of declarationsIn(code).toReversed()) {
    if (declaration.comment !== '') continue;
    const at = declaration.line - 1;
    lines.splice(at, 0, indented(docComment(code, declaration), lines[at] ?? ''));
  }
  return lines.join('\n');
}

/** Each problem that has an obvious fix is mended; none is made up. */
function fixed({ path = '', text }: Code, problems: string): string {
  return problems.split('\n').reduce((now, problem) => {
    const failure = failureIn(problem);
    const lines = now.split('\n').map((line, index) => [index + 1, line] as const);
    const fix = failure && fixFor(failure, [{ path, lines: new Map(lines) }]);
    if (fix === undefined) return now;
    return lines
      .flatMap(([number, line]) => fix.change(line, number, lines.length) ?? [])
      .join('\n');
  }, text);
}

/** What it cannot do stands above the lines, so that one sees that they were answered. */
const noted = (code: Code, instruction: string): string =>
  [
    indented(commentLine(code, `To do: ${instruction.replaceAll(/\s+/g, ' ').trim()}`), code.text),
    ...(code.text === '' ? [] : [code.text]),
  ].join('\n');

const indented = (text: string, like: string): string =>
  text.replaceAll(/^(?=.)/gm, /^[ \t]*/.exec(like)?.[0] ?? '');
