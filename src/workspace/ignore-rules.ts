import { compileGlob, type PathPattern } from './glob.ts';
import type { FileSource } from './search.ts';

interface IgnoreRule {
  readonly isNegated: boolean;
  readonly matchesOnlyFolders: boolean;
  readonly matches: PathPattern;
}

/**
 * Rules from the ignore files of a folder, with a link to the rules of the parent folder. The chain of links ends at
 * the workspace folder.
 */
export interface IgnoreScope {
  /** Path of the folder relative to the workspace folder. Ends with a slash unless it is empty. */
  readonly base: string;
  readonly rules: readonly IgnoreRule[];
  readonly parent: IgnoreScope | undefined;
}

/** Maximum number of rules per file. Ignore files that are written by hand contain fewer rules. */
const maxRules = 5_000;

/** Parses an ignore file as Git does. Skips invalid patterns and all lines after the first {@link maxRules}. */
export function parseIgnoreFile(text: string): readonly IgnoreRule[] {
  return text
    .split('\n', maxRules)
    .flatMap(parsePattern)
    .flatMap((pattern) => parseRule(pattern) ?? []);
}

/**
 * Parses an ignore file like {@link parseIgnoreFile}. Returns undefined if the file contains an invalid pattern or more
 * than {@link maxRules} rules.
 */
export function parseIgnoreFileStrictly(text: string): readonly IgnoreRule[] | undefined {
  const patterns = text.split('\n').flatMap(parsePattern);
  const hasInvalidCharacter = patterns.some((pattern) => pattern.includes('\uFFFD'));
  if (patterns.length > maxRules || hasInvalidCharacter) return undefined;
  const rules = patterns.map(parseRule);
  return rules.includes(undefined) ? undefined : rules.filter((rule) => rule !== undefined);
}

/** Decodes an ignore file, including UTF-16 with a byte order mark. Returns undefined for binary content. */
export function decodeIgnoreFile(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  const isLittleEndian = first === 0xff && second === 0xfe;
  const isBigEndian = first === 0xfe && second === 0xff;
  const encoding = isLittleEndian ? 'utf-16le' : isBigEndian ? 'utf-16be' : 'utf-8';
  const text = new TextDecoder(encoding).decode(bytes);
  return text.includes('\0') ? undefined : text;
}

/** Returns the pattern on a line as an array of one item. Returns an empty array for a comment or a blank line. */
function parsePattern(line: string): string[] {
  const pattern = trimTrailingSpaces(line.replace(/\r$/u, ''));
  return /^(?:#|!?\/?$)/u.test(pattern) ? [] : [pattern];
}

/** Compiles a pattern. Returns undefined for an invalid pattern, such as one that is too long. */
function parseRule(pattern: string): IgnoreRule | undefined {
  const isNegated = pattern.startsWith('!');
  const body = (isNegated ? pattern.slice(1) : pattern).replaceAll(
    /(?<!\\)[{}]/gu,
    String.raw`\$&`,
  );
  try {
    return { isNegated, matchesOnlyFolders: body.endsWith('/'), matches: compileGlob(body) };
  } catch {
    return undefined;
  }
}

/**
 * Checks whether Git would ignore a file or folder, assuming that Git ignores none of its parent folders.
 * @param path Path relative to the workspace folder, inside the folder of the scope.
 */
export function isIgnored(
  scope: IgnoreScope | undefined,
  path: string,
  isFolder: boolean,
): boolean {
  for (let currentScope = scope; currentScope !== undefined; currentScope = currentScope.parent) {
    const relativePath = path.slice(currentScope.base.length);
    const rule = currentScope.rules.findLast(
      ({ matchesOnlyFolders, matches }) =>
        (isFolder || !matchesOnlyFolders) && matches(relativePath),
    );
    if (rule !== undefined) return !rule.isNegated;
  }
  return false;
}

/** Removes trailing spaces as Git does. A space after a backslash remains. */
const trimTrailingSpaces = (line: string): string => line.replace(/(?<!\\) +$/u, '');

/** Names of the ignore files that Git or ripgrep reads. Rules of a later file in the list take precedence. */
const ignoreFileNames = ['.gitignore', '.ignore'];

export const isIgnoreFile = (name: string): boolean => ignoreFileNames.includes(name);

/**
 * Returns the ignore scope of the folder `path`: the scope of the parent folder, extended by the ignore files of the
 * folder. Returns the parent's scope if the folder has no ignore files.
 * @param options.fileNames Names of all files in the folder.
 */
export async function extendScope(
  source: FileSource,
  {
    parent,
    path,
    fileNames: presentNames,
  }: {
    readonly parent: IgnoreScope | undefined;
    readonly path: string;
    readonly fileNames: readonly string[];
  },
): Promise<IgnoreScope | undefined> {
  const ignoreFiles = ignoreFileNames.filter((name) => presentNames.includes(name));
  if (ignoreFiles.length === 0) return parent;
  const base = path === '' ? '' : `${path}/`;
  const rules = [];
  for (const name of ignoreFiles) {
    const bytes = await source.read(`${base}${name}`);
    rules.push(...parseIgnoreFile(new TextDecoder().decode(bytes)));
  }
  return { base, rules, parent };
}

/**
 * Returns the ignore scope of the parent of `folder`, with the rules of all folders from the root down. If
 * `isInclusive` is true, returns the scope of `folder` itself.
 */
export async function collectScope(
  source: FileSource,
  folder: string,
  isInclusive: boolean,
): Promise<IgnoreScope | undefined> {
  let scope: IgnoreScope | undefined;
  for (const path of isInclusive
    ? [...listAncestorFolders(folder), folder]
    : listAncestorFolders(folder))
    scope = await extendScope(source, {
      parent: scope,
      path,
      fileNames: await listEntryNames(source, path),
    });
  return scope;
}

/** Checks whether an ignore file excludes the file or one of its parent folders. */
export async function isIgnoredFile(source: FileSource, path: string): Promise<boolean> {
  let scope: IgnoreScope | undefined;
  for (const folder of listAncestorFolders(path)) {
    if (folder !== '' && isIgnored(scope, folder, true)) return true;
    const fileNames = await listEntryNames(source, folder);
    scope = await extendScope(source, { parent: scope, path: folder, fileNames });
  }
  return isIgnored(scope, path, false);
}

/**
 * Returns the parent folders of a path, from the root down. For `a/b/c`, these are the empty path,
 * `a` and `a/b`. The root has no parents.
 */
export function listAncestorFolders(path: string): string[] {
  if (path === '') return [];
  const names = path.split('/');
  return names.map((_, count) => names.slice(0, count).join('/'));
}

async function listEntryNames(source: FileSource, path: string): Promise<string[]> {
  return (await source.listEntries(path)).map(({ name }) => name);
}
