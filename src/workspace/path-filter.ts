import { ToolError } from './tool-error.ts';
import { compileGlob, expandBraces, type PathPattern, splitGlobs } from './glob.ts';

/** Selects the files that a search reads, from the globs in the model's request. */
export interface PathFilter {
  /** Checks whether the search reads a file. The path is relative to the searched folder. */
  readonly accepts: (path: string) => boolean;
  /**
   * Globs of file names. A search need not read a file whose name matches none of these globs. Undefined if no file can
   * be excluded by its name alone.
   */
  readonly nameGlobs: readonly string[] | undefined;
  readonly excludeGlobs: readonly string[];
}

/**
 * Parses globs separated by commas. If the last segment of an include glob contains no wildcard, the glob also matches
 * all files in a folder of that name. An exclude glob always matches the contents of folders.
 * @throws ToolError `bad-arguments` for globs that are too long, too numerous, or contain line breaks.
 */
export function createPathFilter({
  include = '',
  exclude = '',
}: {
  readonly include?: string;
  readonly exclude?: string;
}): PathFilter {
  // File names with line breaks can't be passed to ripgrep, and the path rules reject them.
  if (/[\0\n\r]/u.test(include + exclude))
    throw new ToolError('bad-arguments', 'A pattern holds a character that no name has.');
  const includeGlobs = splitGlobs(include).flatMap(expandBraces);
  const excludeGlobs = splitGlobs(exclude);
  const includePatterns = includeGlobs.map(compileIncludeGlob);
  const excludePatterns = excludeGlobs.map(compileGlobWithContents);
  return {
    accepts: (path) =>
      (includePatterns.length === 0 || includePatterns.some((matches) => matches(path))) &&
      !excludePatterns.some((matches) => matches(path)),
    nameGlobs: toNameGlobs(includeGlobs),
    excludeGlobs,
  };
}

const hasWildcard = (text: string): boolean => /[*?[]/u.test(text);
const getLastSegment = (glob: string): string => glob.slice(glob.lastIndexOf('/') + 1);

function compileIncludeGlob(glob: string): PathPattern {
  return hasWildcard(getLastSegment(glob)) ? compileGlob(glob) : compileGlobWithContents(glob);
}

/** Compiles a glob that also matches the contents of matching folders. */
function compileGlobWithContents(glob: string): PathPattern {
  const matches = compileGlob(glob);
  return (path) => {
    for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1))
      if (matches(path.slice(0, end))) return true;
    return matches(path);
  };
}

function toNameGlobs(includeGlobs: readonly string[]): readonly string[] | undefined {
  const names = includeGlobs.map(getLastSegment);
  const areNamesSelective =
    names.length > 0 && names.every((name) => hasWildcard(name) && !/^\*+$/u.test(name));
  return areNamesSelective ? [...new Set(names)] : undefined;
}
