import { listDiffFiles } from './answer-hunks.ts';
import { readFileComment } from './answer-marks.ts';
import type { CodeBlock } from './apply-block.ts';

/** File whose name a code block, or text next to the block, contains. */
export interface NamedFile {
  readonly path: string;
  /** False for a path inside a sentence, because the sentence may be about a different file. */
  readonly isCertain: boolean;
}

/**
 * Returns the file that a block names. Searches the block's info string, a diff header, a first line such as `//
 * filepath: src/a.ts`, the line before the block, and the nearest heading. Returns undefined if none of these names a
 * file.
 */
export function findNamedFile({
  code,
  info,
  lineBefore,
  textBefore = '',
}: CodeBlock): NamedFile | undefined {
  const lines = code.split('\n');
  const comment = readFileComment(lines.find((line) => line.trim() !== '') ?? '');
  const commentPath = comment === undefined ? undefined : toFilePath(comment.path);
  const path =
    findFileInInfo(info) ??
    findFileInHeader(lines) ??
    (comment?.isLabeled === true ? commentPath : undefined);
  if (path !== undefined) return { path, isCertain: true };
  // A comment at the start of a file can also name another file.
  return (
    findFileInLine(lineBefore) ??
    (commentPath === undefined
      ? findFileInHeading(textBefore)
      : { path: commentPath, isCertain: false })
  );
}

/** Returns the file that the first line of a text names. Returns undefined if a later line also names a file. */
function findFileInHeading(text: string): NamedFile | undefined {
  const [heading = '', ...otherLines] = text.split('\n');
  const isOtherNamed = otherLines.some(
    (line) => findFileInLine(line) !== undefined || findFileInInfo(line) !== undefined,
  );
  return isOtherNamed ? undefined : findFileInLine(heading);
}

const fileAttributePattern =
  /(?:^|[\s{,])(?:title|file|filename|path|filepath)\s*[=:]\s*(?:"(?<double>[^"]+)"|'(?<single>[^']+)'|(?<plain>[^\s"'}]+))/iu;

function findFileInInfo(info: string): string | undefined {
  const groups = fileAttributePattern.exec(info)?.groups;
  const value = groups?.['double'] ?? groups?.['single'] ?? groups?.['plain'];
  if (value !== undefined) return toFilePath(value);
  const [firstWord = '', ...rest] = info.trim().split(/\s+/u);
  // The forms `ts:src/a.ts` and `12:20:src/a.ts` are also common.
  const pathAfterColon = /^(?:\d+:\d+|[A-Za-z][\w+#-]+):(?<path>[^:\\/].*|\.{0,2}\/.*)$/u.exec(
    firstWord,
  )?.groups?.['path'];
  return [pathAfterColon ?? firstWord, ...rest]
    .map((word) => toFilePath(word))
    .find((path) => path !== undefined);
}

/**
 * Finds the file name in a diff header, or in the line before a SEARCH/REPLACE block; undefined if neither contains
 * one.
 */
function findFileInHeader(lines: readonly string[]): string | undefined {
  const [diff] = listDiffFiles(lines);
  const fileName = diff?.newName === '/dev/null' ? diff.oldName : diff?.newName;
  if (fileName !== undefined) return toFilePath(fileName);
  const markIndex = lines.findIndex((line) => /^\s*<{5,9} ?(?:SEARCH|ORIGINAL)\b/u.test(line));
  return markIndex > 0 ? findFileInLine(lines[markIndex - 1] ?? '')?.path : undefined;
}

function findFileInLine(line: string): NamedFile | undefined {
  const plainText = line
    .replaceAll(/[*`]|^[\s#>-]+/gu, '')
    .trim()
    .replace(/[:.]$/u, '');
  const pathText = plainText.replace(/^(?:File|Path|Datei|Fichier|Archivo)(?: ?name)?:\s*/iu, '');
  const path = toFilePath(pathText);
  if (path !== undefined) return { path, isCertain: true };
  const candidatePaths = plainText
    .split(/[\s()"'“”„«»,;]+/u)
    .filter((word) => word.length <= maxPathCharacters)
    .map((word) => toFilePath(word.replace(/[:.!?]+$/u, '')));
  const paths = new Set(candidatePaths.filter((word) => word !== undefined));
  const [onlyPath] = paths;
  return onlyPath === undefined || paths.size > 1
    ? undefined
    : { path: onlyPath, isCertain: false };
}

/** Matches well-known names of files without an extension, such as `Dockerfile`. */
const namesWithoutExtensionPattern =
  /^(?:Dockerfile|Containerfile|Makefile|GNUmakefile|Rakefile|Gemfile|Procfile|Jenkinsfile|Vagrantfile|LICENSE|CODEOWNERS|BUILD|WORKSPACE)$/u;

/** Maximum number of characters in a file path with its delimiters and its line numbers. */
const maxPathCharacters = 400;

/** Returns a text that looks like a file path, with forward slashes; undefined for any other text. */
function toFilePath(text: string): string | undefined {
  const name = text.trim();
  if (name.length > maxPathCharacters) return undefined;
  const path = name
    .replaceAll(/^["'`([{]+|["'`)\]}]+$/gu, '')
    .replace(/(?:#L\d+(?:-L?\d+)?|:\d+(?:[:-]\d+)?)$/u, '')
    .replaceAll('\\', '/')
    .replace(/^\.\//u, '');
  if (path === '' || path.length > 300 || /[\s\p{Cc}<>|*?"]|:\/\/|\/\/|\/$/u.test(path))
    return undefined;
  const baseName = path.split('/').at(-1) ?? '';
  const hasExtension = /^.*[^.\s].*\.[A-Za-z][\w-]{0,14}$|^\.[A-Za-z][\w.-]+$/u.test(baseName);
  return hasExtension || namesWithoutExtensionPattern.test(baseName) ? path : undefined;
}
