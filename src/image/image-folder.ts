import { canBecomePathSyntax } from '../base/fold-path.ts';

/**
 * Matches path separators, invisible characters, and characters that Windows does not allow in file names, such as `?`.
 */
const forbiddenCharactersPattern = /[<>:"|?*/\\\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** Matches names that Windows reserves for devices, with any file extension, such as `con` and `COM1.txt`. */
const deviceNamePattern =
  /^(?:con|prn|aux|nul|conin\$|conout\$|clock\$|(?:com|lpt)\d)\s*(?:\.|$)/iu;

/** Matches the short names that Windows generates as aliases of long file names, such as `PROGRA~1`. */
const shortNamePattern = /~\d/u;

/** Maximum length of a file name in UTF-8 bytes. */
const maxNameBytes = 255;

/** Checks whether the file name is valid on every operating system and has no special meaning on any of them. */
export function isPortableName(name: string): boolean {
  const normalizedName = name.normalize('NFKC');
  return (
    !/^$|^\p{Zs}|[.\p{Zs}]$/u.test(name) &&
    !forbiddenCharactersPattern.test(name) &&
    !Array.from(name).some(canBecomePathSyntax) &&
    !deviceNamePattern.test(normalizedName) &&
    !shortNamePattern.test(normalizedName) &&
    new TextEncoder().encode(name).length <= maxNameBytes
  );
}

/** Document for which an image folder is determined, and information about its workspace. */
export interface FolderContext {
  /** Document that refers to the image. Absent if the document is not on disk. */
  readonly document?: {
    /** File name with the extension. */
    readonly name: string;
    /**
     * Names of the folders from the workspace root to the document's folder. Absent if the document is outside of all
     * workspace folders.
     */
    readonly folderNames?: readonly string[];
  };
  /** True if a workspace folder is available: the one that contains the document, or the active one. */
  readonly hasWorkspace: boolean;
}

export type ImageFolder =
  | {
      readonly kind: 'folder';
      /** Folder to which `segments` are relative: the document's folder, or the root of the workspace folder. */
      readonly base: 'document' | 'workspace';
      /** Names of the nested folders below `base`, without `.` and `..`. Empty for `base` itself. */
      readonly segments: readonly string[];
    }
  | FolderProblem;

export interface FolderProblem {
  readonly kind: 'problem';
  readonly code: FolderProblemCode;
  /** Variable or folder name that causes the problem. */
  readonly invalidSegment?: string;
}

export type FolderProblemCode =
  /** There is neither a saved document nor a workspace folder. */
  | 'no-place'
  /** The setting contains a variable that requires a saved document. */
  | 'no-document'
  /** The setting contains a variable that requires a workspace folder. */
  | 'no-workspace'
  | 'unknown-variable'
  /** A variable that expands to a complete path is not at the start of the setting. */
  | 'misplaced-variable'
  | 'absolute'
  /**
   * The path leaves the workspace folder. For a document outside of the workspace, the path leaves the document's
   * folder.
   */
  | 'outside'
  /** An operating system does not allow the folder name, or a shell or template could run it as code. */
  | 'bad-name'
  | 'too-long';

/**
 * Default value of the folder setting, relative to the document's folder, or to the workspace root for an unsaved
 * document.
 */
export const defaultImageFolder = 'images';

/** Maximum length of the folder setting in UTF-16 code units. */
const maxSettingLength = 1_000;

/**
 * Resolves the folder setting: a path with `/` or `\` that is relative to the document's folder, or to a variable at
 * its start. The result is never outside of the workspace folder. If the document is outside of the workspace folder,
 * the result is never outside of the document's folder. Does not access the disk and does not resolve symbolic links.
 */
export function resolveImageFolder(setting: string, context: FolderContext): ImageFolder {
  const text = setting.trim() === '' ? defaultImageFolder : setting.trim();
  if (text.length > maxSettingLength) return createFolderProblem('too-long');
  if (/^(?:[\\/]|[a-z]:|~(?:[\\/]|$))/iu.test(text)) return createFolderProblem('absolute');
  const [firstSegment = '', ...otherSegments] = text.split(/[\\/]+/u);
  const folderBase = resolveBaseFolder(firstSegment, context);
  if ('kind' in folderBase) return folderBase;
  const names = folderBase.isVariable ? otherSegments : [firstSegment, ...otherSegments];
  return resolveSegments(names, folderBase, context);
}

interface FolderBase {
  readonly base: 'document' | 'workspace';
  readonly isVariable: boolean;
}

function resolveBaseFolder(
  firstSegment: string,
  { document, hasWorkspace }: FolderContext,
): FolderBase | FolderProblem {
  switch (firstSegment) {
    case '${fileDirname}':
    case '${relativeFileDirname}':
      return document === undefined
        ? createFolderProblem('no-document', firstSegment)
        : { base: 'document', isVariable: true };
    case '${workspaceFolder}':
      return hasWorkspace
        ? { base: 'workspace', isVariable: true }
        : createFolderProblem('no-workspace', firstSegment);
    case '${fileWorkspaceFolder}':
      if (document === undefined) return createFolderProblem('no-document', firstSegment);
      return document.folderNames === undefined
        ? createFolderProblem('no-workspace', firstSegment)
        : { base: 'workspace', isVariable: true };
    default:
      if (document !== undefined) return { base: 'document', isVariable: false };
      return hasWorkspace
        ? { base: 'workspace', isVariable: false }
        : createFolderProblem('no-place');
  }
}

function resolveSegments(
  names: readonly string[],
  { base }: FolderBase,
  context: FolderContext,
): ImageFolder {
  const documentFolders = base === 'document' ? (context.document?.folderNames ?? []) : [];
  const resolvedNames = [...documentFolders];
  for (const segment of names) {
    const expandedNames = expandVariables(segment, context);
    if ('kind' in expandedNames) return expandedNames;
    if (hasCodeCharacters(segment)) return createFolderProblem('bad-name', segment);
    for (const name of expandedNames) {
      if (name === '' || name === '.') continue;
      if (name !== '..') {
        if (!isPortableName(name)) return createFolderProblem('bad-name', name);
        resolvedNames.push(name);
      } else if (resolvedNames.pop() === undefined) return createFolderProblem('outside');
    }
  }
  const isBelow = documentFolders.every((name, index) => resolvedNames[index] === name);
  return isBelow
    ? { kind: 'folder', base, segments: resolvedNames.slice(documentFolders.length) }
    : { kind: 'folder', base: 'workspace', segments: resolvedNames };
}

/**
 * Checks whether a path segment of the folder setting contains characters that a shell or a template language
 * interprets, because some document types cannot escape them. Ignores variables and the folder names that replace them.
 */
const hasCodeCharacters = (segment: string): boolean =>
  /[$`;&'()]/u.test(segment.replaceAll(variablePattern, ''));

/** Replaces the variables in one path segment of the setting. Returns folder names, or a problem with a variable. */
function expandVariables(
  segment: string,
  { document }: FolderContext,
): readonly string[] | FolderProblem {
  if (segment === '${relativeFileDirname}') {
    if (document === undefined) return createFolderProblem('no-document', segment);
    return document.folderNames ?? createFolderProblem('no-workspace', segment);
  }
  let expansionProblem: FolderProblem | undefined;
  const name = segment.replaceAll(variablePattern, (variable) => {
    if (variable === '${fileBasenameNoExtension}') {
      if (document !== undefined) return removeExtension(document.name);
      expansionProblem ??= createFolderProblem('no-document', variable);
    } else {
      expansionProblem ??= createFolderProblem(
        pathVariables.has(variable) ? 'misplaced-variable' : 'unknown-variable',
        variable,
      );
    }
    return '';
  });
  return expansionProblem ?? [name];
}

const variablePattern = /\$\{[^}]*\}/gu;

const pathVariables: ReadonlySet<string> = new Set([
  '${fileDirname}',
  '${relativeFileDirname}',
  '${workspaceFolder}',
  '${fileWorkspaceFolder}',
]);

/** Removes the file extension. A name such as `.env` has no extension. */
const removeExtension = (name: string): string => name.replace(/(?<=.)\.[^.]*$/u, '');

const createFolderProblem = (code: FolderProblemCode, invalidSegment?: string): FolderProblem =>
  invalidSegment === undefined
    ? { kind: 'problem', code }
    : { kind: 'problem', code, invalidSegment };
