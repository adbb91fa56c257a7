import { compileGlob, type PathPattern } from './glob.ts';

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
  return text.split('\n', mostRules).flatMap((line) => {
    const pattern = withoutTrailingSpaces(line.replace(/\r$/u, ''));
    if (pattern === '' || pattern.startsWith('#')) return [];
    const negated = pattern.startsWith('!');
    const body = (negated ? pattern.slice(1) : pattern).replaceAll(
      /(?<!\\)[{}]/gu,
      String.raw`\$&`,
    );
    if (body === '' || body === '/') return [];
    try {
      return [{ negated, foldersOnly: body.endsWith('/'), matches: compileGlob(body) }];
    } catch {
      return [];
    }
  });
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
