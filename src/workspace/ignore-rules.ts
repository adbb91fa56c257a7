import { compileGlob, type PathPattern } from './glob.ts';
import type { FileSource } from './search.ts';

interface IgnoreRule {
  readonly negated: boolean;
  readonly foldersOnly: boolean;
  readonly matches: PathPattern;
}

/** The ignore files of a folder and of those above it, up to the folder of the workspace. */
export interface IgnoreScope {
  /** Of the folder, relative to the workspace's; ends with a slash unless it is empty. */
  readonly base: string;
  readonly rules: readonly IgnoreRule[];
  readonly parent: IgnoreScope | undefined;
}

/** Longer ones are not written by people; what is beyond is not read. */
const mostRules = 5_000;

/** Reads an ignore file as git does. A line that is no pattern is passed over. */
export function readIgnoreFile(text: string): readonly IgnoreRule[] {
  return text
    .split('\n', mostRules)
    .flatMap(patternOf)
    .flatMap((pattern) => readRule(pattern) ?? []);
}

/** As {@link readIgnoreFile}, but undefined when that would pass over a line which may be a pattern. */
export function readWholeIgnoreFile(text: string): readonly IgnoreRule[] | undefined {
  const patterns = text.split('\n').flatMap(patternOf);
  const isUnclear = patterns.some((pattern) => pattern.includes('\uFFFD'));
  if (patterns.length > mostRules || isUnclear) return undefined;
  const rules = patterns.map(readRule);
  return rules.includes(undefined) ? undefined : rules.filter((rule) => rule !== undefined);
}

/** The text of an ignore file, which some editors write as UTF-16; undefined for what is no text. */
export function ignoreText(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  const isLittle = first === 0xff && second === 0xfe;
  const isBig = first === 0xfe && second === 0xff;
  const encoding = isLittle ? 'utf-16le' : isBig ? 'utf-16be' : 'utf-8';
  const text = new TextDecoder(encoding).decode(bytes);
  return text.includes('\0') ? undefined : text;
}

/** What a line says, without its end; nothing for one that is no pattern. */
function patternOf(line: string): string[] {
  const pattern = withoutTrailingSpaces(line.replace(/\r$/u, ''));
  return /^(?:#|!?\/?$)/u.test(pattern) ? [] : [pattern];
}

/** Undefined for one that is too long. */
function readRule(pattern: string): IgnoreRule | undefined {
  const negated = pattern.startsWith('!');
  const body = (negated ? pattern.slice(1) : pattern).replaceAll(/(?<!\\)[{}]/gu, String.raw`\$&`);
  try {
    return { negated, foldersOnly: body.endsWith('/'), matches: compileGlob(body) };
  } catch {
    return undefined;
  }
}

/**
 * Whether git would leave the entry out, if it does not leave out a folder above it.
 * @param path Relative to the workspace's folder, below the scope's.
 */
export function isIgnored(
  scope: IgnoreScope | undefined,
  path: string,
  isFolder: boolean,
): boolean {
  for (let each = scope; each !== undefined; each = each.parent) {
    const below = path.slice(each.base.length);
    const rule = each.rules.findLast(
      ({ foldersOnly, matches }) => (isFolder || !foldersOnly) && matches(below),
    );
    if (rule !== undefined) return !rule.negated;
  }
  return false;
}

/** Git keeps a trailing space only after a backslash. */
const withoutTrailingSpaces = (line: string): string => line.replace(/(?<!\\) +$/u, '');

/** As git and ripgrep have them; the later one has the last word. */
const ignoreFileNames = ['.gitignore', '.ignore'];

export const isIgnoreFile = (name: string): boolean => ignoreFileNames.includes(name);

/** Adds the ignore files of a folder to those above it. `present` are the names in the folder. */
export async function scopeBelow(
  source: FileSource,
  {
    parent,
    path,
    present,
  }: {
    readonly parent: IgnoreScope | undefined;
    readonly path: string;
    readonly present: readonly string[];
  },
): Promise<IgnoreScope | undefined> {
  const files = ignoreFileNames.filter((name) => present.includes(name));
  if (files.length === 0) return parent;
  const base = path === '' ? '' : `${path}/`;
  const rules = [];
  for (const name of files) {
    const bytes = await source.read(`${base}${name}`);
    rules.push(...readIgnoreFile(new TextDecoder().decode(bytes)));
  }
  return { base, rules, parent };
}

/** The ignore files from the root down to `folder`, itself included when `inclusive`. */
export async function scopeOf(
  source: FileSource,
  folder: string,
  inclusive: boolean,
): Promise<IgnoreScope | undefined> {
  let scope: IgnoreScope | undefined;
  for (const path of inclusive ? [...foldersAbove(folder), folder] : foldersAbove(folder))
    scope = await scopeBelow(source, { parent: scope, path, present: await names(source, path) });
  return scope;
}

/** Whether an ignore file leaves out the file, or a folder that it is in. */
export async function isIgnoredFile(source: FileSource, path: string): Promise<boolean> {
  let scope: IgnoreScope | undefined;
  for (const folder of foldersAbove(path)) {
    if (folder !== '' && isIgnored(scope, folder, true)) return true;
    const present = await names(source, folder);
    scope = await scopeBelow(source, { parent: scope, path: folder, present });
  }
  return isIgnored(scope, path, false);
}

/** `a/b/c` → ``, `a`, `a/b`. Nothing is above the root. */
export function foldersAbove(path: string): string[] {
  if (path === '') return [];
  const names = path.split('/');
  return names.map((_, count) => names.slice(0, count).join('/'));
}

async function names(source: FileSource, path: string): Promise<string[]> {
  return (await source.entries(path)).map(({ name }) => name);
}
