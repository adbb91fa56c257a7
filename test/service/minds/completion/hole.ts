/** What a prompt asks to be filled, and the texts that tell how. */
export interface Hole {
  /** Texts around it, those of other files each for itself, in their order. */
  readonly context: readonly string[];
  readonly prefix: string;
  readonly suffix: string;
}

/** Whether a message has a hole that is marked in one of the usual ways. */
export const hasHole = (text: string): boolean => find(text) !== undefined;

/**
 * Reads the hole of a message: between `<prefix>` and `<suffix>`, by the tokens models were trained with, in either
 * order, or at `<|cursor|>`. Without any, all of it stands before the hole.
 * @param earlier the messages before it
 */
export function readHole(text: string, earlier: readonly string[] = []): Hole {
  const { before, prefix, suffix } = find(text) ?? { before: '', prefix: text, suffix: '' };
  const context = [...earlier, before].flatMap(documentsOf);
  const { comment, code } = splitComment(prefix);
  return { context: [...context, ...comment], prefix: code, suffix };
}

interface Split {
  readonly before: string;
  readonly prefix: string;
  readonly suffix: string;
}

const find = (text: string): Split | undefined =>
  splitByTags(text) ?? firstDefined(tokens, (each) => splitByTokens(text, each)) ?? atCursor(text);

function splitByTags(text: string): Split | undefined {
  const [prefix, suffix] = ['prefix', 'suffix'].map((name) => section(text, name));
  if (prefix === undefined || suffix === undefined) return undefined;
  const before = text.slice(0, Math.min(prefix.at, suffix.at));
  return { before, prefix: prefix.text, suffix: suffix.text };
}

function section(text: string, name: string): { at: number; text: string } | undefined {
  const open = `<${name}>`;
  const at = text.lastIndexOf(open);
  if (at < 0) return undefined;
  const start = at + open.length;
  const end = text.indexOf(`</${name}>`, start);
  return { at, text: text.slice(start, end < 0 ? undefined : end) };
}

interface Tokens {
  readonly prefix: string;
  readonly suffix: string;
  readonly middle: string;
}

const tokens: readonly Tokens[] = [
  { prefix: '<|fim_prefix|>', suffix: '<|fim_suffix|>', middle: '<|fim_middle|>' },
  { prefix: '<fim_prefix>', suffix: '<fim_suffix>', middle: '<fim_middle>' },
  { prefix: '<｜fim▁begin｜>', suffix: '<｜fim▁hole｜>', middle: '<｜fim▁end｜>' },
  { prefix: '<PRE>', suffix: '<SUF>', middle: '<MID>' },
  { prefix: '[PREFIX]', suffix: '[SUFFIX]', middle: '[MIDDLE]' },
];

function splitByTokens(text: string, { prefix, suffix, middle }: Tokens): Split | undefined {
  const marks = [prefix, suffix, middle];
  const [from = -1, to = -1] = marks.map((mark) => text.lastIndexOf(mark));
  if (from < 0 || to < 0) return undefined;
  const after = (mark: string, at: number): string => {
    const start = at + mark.length;
    const ends = marks.map((each) => text.indexOf(each, start)).filter((end) => end >= 0);
    return text.slice(start, Math.min(text.length, ...ends));
  };
  const before = text.slice(0, Math.min(from, to));
  return { before, prefix: after(prefix, from), suffix: after(suffix, to) };
}

function atCursor(text: string): Split | undefined {
  const mark = [...text.matchAll(/<\|cursor\|>|<cursor\s*\/?>/gi)].at(-1);
  if (mark === undefined) return undefined;
  const prefix = text.slice(0, mark.index);
  const suffix = text.slice(mark.index + mark[0].length);
  return unwrapped(prefix, suffix) ?? { before: '', prefix, suffix };
}

/** Without the tag or the fence that the prompt puts around the file, each on a line of its own. */
function unwrapped(prefix: string, suffix: string): Split | undefined {
  const closing = [...suffix.matchAll(/\n(?:<\/([a-z][\w-]*)>|(`{3,}))[ \t]*(?=\n|$)/gi)].at(-1);
  if (closing === undefined) return undefined;
  const [, name, fence = ''] = closing;
  const opening = name === undefined ? `${fence}[\\w-]*` : `<${name}(?:[ \\t][^>\\n]*)?>`;
  const opened = [...prefix.matchAll(new RegExp(`^${opening}[ \\t]*\\n`, 'gm'))].at(-1);
  if (opened === undefined) return undefined;
  return {
    before: prefix.slice(0, opened.index),
    prefix: prefix.slice(opened.index + opened[0].length),
    suffix: suffix.slice(0, closing.index + 1),
  };
}

const ofFile =
  /^<([a-z][\w-]*)[ \t][^>\n]*\b(?:path|file|name)="[^"\n]*"[^>\n]*>\n([\s\S]*?)\n<\/\1>[ \t]*$/gim;

/** The texts in tags that name a file, those behind the token of one, and what stands between them. */
function documentsOf(text: string): string[] {
  const files = [...text.matchAll(ofFile)].map(([, , content = '']) => content);
  const others = text.replace(ofFile, '').split('<|file_sep|>');
  return [...files, ...others].filter((each) => each.trim() !== '');
}

/** Tells the files in the comment that a prompt without tags begins with, each under its path, from the code. */
function splitComment(prefix: string): { comment: string[]; code: string } {
  const [, mark] = /^(\/\/|#|--|;|%|'|"|!|REM) \S.*\.\w+\n/.exec(prefix) ?? [];
  const lines = prefix.split('\n');
  const end = mark === undefined ? 0 : lines.findIndex((line) => !line.startsWith(mark));
  if (mark === undefined || end < 0) return { comment: [], code: prefix };
  const comment = lines.slice(0, end).map((line) => line.slice(mark.length + 1));
  return { comment: [comment.join('\n')], code: lines.slice(end).join('\n') };
}

function firstDefined<T, R>(all: readonly T[], of: (each: T) => R | undefined): R | undefined {
  for (const each of all) {
    const found = of(each);
    if (found !== undefined) return found;
  }
  return undefined;
}
