import { ToolError } from '../agent/tool.ts';
import { compileName, type NamePattern } from './name-pattern.ts';
import { followsPattern } from './wildcard.ts';

/** Whether a path is one of the glob's. Paths are relative and have forward slashes. */
export type PathPattern = (path: string) => boolean;

const longestGlob = 1_000;
const mostAlternatives = 100;

/**
 * A glob as ignore files have it: `*` and `?` stay within a name, `**` crosses folders, `{a,b}` and `[a-z]` choose.
 * Without a slash it means a name in any folder, with one a path from the root. No pattern takes exponential time.
 * @throws ToolError `bad-arguments` for one that is too long or has too many alternatives.
 */
export function compileGlob(glob: string): PathPattern {
  const patterns = expandBraces(glob).map(compilePath);
  return (path) => patterns.some((matches) => matches(path));
}

/**
 * The alternatives that a glob's braces stand for; a brace without its partner is itself.
 * @throws ToolError as {@link compileGlob}.
 */
export function expandBraces(glob: string): readonly string[] {
  if (glob.length > longestGlob) throw new ToolError('bad-arguments', 'The pattern is too long.');
  let done: string[] = [];
  let open = [glob];
  while (open.length > 0) {
    const next: string[] = [];
    for (const each of open) {
      const alternatives = expandFirst(each);
      if (alternatives === undefined) done = [...done, each];
      else next.push(...alternatives);
    }
    if (done.length + next.length > mostAlternatives)
      throw new ToolError('bad-arguments', 'The pattern has too many alternatives in braces.');
    open = next;
  }
  return done;
}

/** Splits at commas that are not between braces. */
export function splitGlobs(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at <= text.length; at++) {
    const character = text.charAt(at);
    if (character === '\\') at += 1;
    else if (character === '{') depth += 1;
    else if (character === '}') depth = Math.max(0, depth - 1);
    else if (at === text.length || (character === ',' && depth === 0)) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  if (start < text.length) parts.push(text.slice(start));
  return parts.map((part) => part.trim().replace(/^\.\//u, '')).filter((part) => part !== '');
}

type Step = NamePattern | 'globstar';

function compilePath(glob: string): PathPattern {
  const rooted = glob.slice(0, -1).includes('/');
  const names = glob.replace(/^\//u, '').replace(/\/$/u, '').split('/');
  // The end of `folder/**` means what is in the folder, not the folder itself.
  if (names.at(-1) === '**') names.push('*');
  const steps: Step[] = names.map((name) => (name === '**' ? 'globstar' : compileName(name)));
  const [only] = steps;
  if (!rooted && steps.length === 1 && only !== undefined && only !== 'globstar')
    return (path) => only(path.slice(path.lastIndexOf('/') + 1));
  const pattern: Step[] = rooted ? steps : ['globstar', ...steps];
  return (path) => followsPattern(pattern, path.split('/'), { isStar, matches });
}

const isStar = (step: Step): boolean => step === 'globstar';
const matches = (step: Step, name: string): boolean => step !== 'globstar' && step(name);

function expandFirst(glob: string): string[] | undefined {
  const open = indexOutsideEscapes(glob, '{', 0);
  if (open < 0) return undefined;
  const cuts = [open];
  let depth = 0;
  for (let at = open; at < glob.length; at++) {
    const character = glob.charAt(at);
    if (character === '\\') at += 1;
    else if (character === '{') depth += 1;
    else if (character === ',' && depth === 1) cuts.push(at);
    else if (character === '}' && --depth === 0) return alternatives(glob, [...cuts, at]);
  }
  return undefined;
}

function alternatives(glob: string, cuts: readonly number[]): string[] {
  const [first = 0] = cuts;
  const last = cuts.at(-1) ?? first;
  const bodies = cuts.slice(0, -1).map((cut, index) => glob.slice(cut + 1, cuts[index + 1]));
  return bodies.map((body) => glob.slice(0, first) + body + glob.slice(last + 1));
}

function indexOutsideEscapes(text: string, character: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text.charAt(at) === '\\') at += 1;
    else if (text.charAt(at) === character) return at;
  }
  return -1;
}
