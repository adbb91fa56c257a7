import { ToolError } from './tool-error.ts';
import { compileGlob, expandBraces, type PathPattern, splitGlobs } from './glob.ts';

/** Which files a search looks at, as the model asked. */
export interface PathFilter {
  /** For a path relative to the folder that is searched. */
  readonly accepts: (path: string) => boolean;
  /**
   * Globs of file names, one of which every accepted path has: what a search may skip without asking.
   * Undefined when there are none.
   */
  readonly names: readonly string[] | undefined;
  readonly excludes: readonly string[];
}

/**
 * Reads globs separated by commas. A glob without wildcards in its last part also means all that is in a folder
 * of that name; an exclusion always does.
 * @throws ToolError `bad-arguments` for globs that are too long or too many, or hold line breaks.
 */
export function pathFilter({
  include = '',
  exclude = '',
}: {
  readonly include?: string;
  readonly exclude?: string;
}): PathFilter {
  // A program could not be told of a name with such characters, and no rule lets one pass.
  if (/[\0\n\r]/u.test(include + exclude))
    throw new ToolError('bad-arguments', 'A pattern holds a character that no name has.');
  const includes = splitGlobs(include).flatMap(expandBraces);
  const excludes = splitGlobs(exclude);
  const included = includes.map(compileIncluded);
  const excluded = excludes.map(compileWithContents);
  return {
    accepts: (path) =>
      (included.length === 0 || included.some((matches) => matches(path))) &&
      !excluded.some((matches) => matches(path)),
    names: namesOf(includes),
    excludes,
  };
}

const hasWildcard = (text: string): boolean => /[*?[]/u.test(text);
const lastName = (glob: string): string => glob.slice(glob.lastIndexOf('/') + 1);

function compileIncluded(glob: string): PathPattern {
  return hasWildcard(lastName(glob)) ? compileGlob(glob) : compileWithContents(glob);
}

/** The entry itself, and all below a folder of that name. */
function compileWithContents(glob: string): PathPattern {
  const matches = compileGlob(glob);
  return (path) => {
    for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1))
      if (matches(path.slice(0, end))) return true;
    return matches(path);
  };
}

function namesOf(includes: readonly string[]): readonly string[] | undefined {
  const names = includes.map(lastName);
  const useful =
    names.length > 0 && names.every((name) => hasWildcard(name) && !/^\*+$/u.test(name));
  return useful ? [...new Set(names)] : undefined;
}
