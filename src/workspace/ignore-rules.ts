import { compileGlob, type PathPattern } from './glob.ts';
import type { FileSource } from './search.ts';

interface IgnoreRule {
  readonly negated: boolean;
  readonly foldersOnly: boolean;
  readonly matches: PathPattern;
}

/** Rules from the ignore files of a folder, linked to those of its parent folders up to the workspace folder. */
export interface IgnoreScope {
  /** Path of the folder relative to the workspace folder. Ends with a slash unless it is empty. */
  readonly base: string;
  readonly rules: readonly IgnoreRule[];
  readonly parent: IgnoreScope | undefined;
}

/** Maximum number of rules read per file. No hand-written ignore file is longer. */
const mostRules = 5_000;

/** Parses an ignore file like git does. Skips invalid patterns and all lines beyond the rule limit. */
export function readIgnoreFile(text: string): readonly IgnoreRule[] {
  return text
    .split('\n', mostRules)
    .flatMap(patternOf)
    .flatMap((pattern) => readRule(pattern) ?? []);
}

/** Parses like {@link readIgnoreFile}, but returns undefined when a possible pattern would be skipped. */
export function readWholeIgnoreFile(text: string): readonly IgnoreRule[] | undefined {
  const patterns = text.split('\n').flatMap(patternOf);
  const isUnclear = patterns.some((pattern) => pattern.includes('\uFFFD'));
  if (patterns.length > mostRules || isUnclear) return undefined;
  const rules = patterns.map(readRule);
  return rules.includes(undefined) ? undefined : rules.filter((rule) => rule !== undefined);
}

/** Decodes an ignore file, including UTF-16 with a byte order mark. Returns undefined for binary content. */
export function ignoreText(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  const isLittle = first === 0xff && second === 0xfe;
  const isBig = first === 0xfe && second === 0xff;
  const encoding = isLittle ? 'utf-16le' : isBig ? 'utf-16be' : 'utf-8';
  const text = new TextDecoder(encoding).decode(bytes);
  return text.includes('\0') ? undefined : text;
}

/** Returns the pattern on a line. The array is empty for a comment or a blank line. */
function patternOf(line: string): string[] {
  const pattern = withoutTrailingSpaces(line.replace(/\r$/u, ''));
  return /^(?:#|!?\/?$)/u.test(pattern) ? [] : [pattern];
}

/** Compiles a pattern. Returns undefined for an invalid pattern, such as one that is too long. */
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
 * Checks whether git would ignore the entry, assuming that git ignores none of its parent folders.
 * @param path Path relative to the workspace folder, inside the folder of the scope.
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

/** Removes trailing spaces except after a backslash, like git. */
const withoutTrailingSpaces = (line: string): string => line.replace(/(?<!\\) +$/u, '');

/** Ignore files that git and ripgrep read. Rules of a later file take precedence. */
const ignoreFileNames = ['.gitignore', '.ignore'];

export const isIgnoreFile = (name: string): boolean => ignoreFileNames.includes(name);

/** Adds the ignore files of the folder `path` to the scope of its parent. `present` lists the names in the folder. */
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

/** Collects the ignore files from the root down to the parent of `folder`, or to `folder` when `inclusive`. */
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

/** Checks whether an ignore file excludes the file or one of its parent folders. */
export async function isIgnoredFile(source: FileSource, path: string): Promise<boolean> {
  let scope: IgnoreScope | undefined;
  for (const folder of foldersAbove(path)) {
    if (folder !== '' && isIgnored(scope, folder, true)) return true;
    const present = await names(source, folder);
    scope = await scopeBelow(source, { parent: scope, path: folder, present });
  }
  return isIgnored(scope, path, false);
}

/** Returns the parent folders of a path from the root down: `a/b/c` → ``, `a`, `a/b`. The root has no parents. */
export function foldersAbove(path: string): string[] {
  if (path === '') return [];
  const names = path.split('/');
  return names.map((_, count) => names.slice(0, count).join('/'));
}

async function names(source: FileSource, path: string): Promise<string[]> {
  return (await source.entries(path)).map(({ name }) => name);
}
