import { foldsToPathSyntax } from '../base/fold-path.ts';

/** Characters that Windows refuses, that lead elsewhere, or that nobody sees. */
const refused = /[<>:"|?*/\\\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** Devices on Windows, with any ending. */
const device = /^(?:con|prn|aux|nul|conin\$|conout\$|clock\$|(?:com|lpt)\d)\s*(?:\.|$)/iu;

/** A name that Windows made up for a longer one, which then goes by two. */
const shortened = /~\d/u;

/** Bytes of UTF-8, as file systems count them. */
const longest = 255;

/** Whether every system takes a file or folder name as it is written, and none reads something else in it. */
export function isPortableName(name: string): boolean {
  const plain = name.normalize('NFKC');
  return (
    !/^$|^\p{Zs}|[.\p{Zs}]$/u.test(name) &&
    !refused.test(name) &&
    !Array.from(name).some(foldsToPathSyntax) &&
    !device.test(plain) &&
    !shortened.test(plain) &&
    new TextEncoder().encode(name).length <= longest
  );
}

/** Where a document is, for the folder of its pictures. */
export interface FolderContext {
  /** The file that the picture is for; absent when it is on no disk yet. */
  readonly document?: {
    /** Its name with its ending. */
    readonly name: string;
    /** From the workspace folder's root down to the document's folder; absent outside of every workspace folder. */
    readonly folder?: readonly string[];
  };
  /** Whether there is a workspace folder: the document's, else one that the person means. */
  readonly hasWorkspace: boolean;
}

export type ImageFolder =
  | {
      readonly kind: 'folder';
      /** The document's own folder, or the root of the workspace folder. */
      readonly base: 'document' | 'workspace';
      /** Names below it, none of them `.` or `..`; none when it is the base itself. */
      readonly segments: readonly string[];
    }
  | FolderProblem;

export interface FolderProblem {
  readonly kind: 'problem';
  readonly code: FolderProblemCode;
  /** The variable or the name that it is about. */
  readonly part?: string;
}

export type FolderProblemCode =
  /** There is neither a document on disk nor a workspace folder. */
  | 'no-place'
  /** A variable tells of a document, and there is none on disk. */
  | 'no-document'
  /** A variable tells of a workspace folder, and there is none. */
  | 'no-workspace'
  | 'unknown-variable'
  /** A variable that stands for a whole path, somewhere behind the beginning. */
  | 'misplaced-variable'
  | 'absolute'
  /** Above the workspace folder, or above the document's folder outside of one. */
  | 'outside'
  /** No system takes it, or it could be more than a name where the path is written. */
  | 'bad-name'
  | 'too-long';

/** Beside the document, or at the root of the workspace folder when the document is on no disk yet. */
export const defaultImageFolder = 'images';

/** UTF-16 units of the setting. */
const longestSetting = 1_000;

/**
 * The folder that a setting means: a path with slashes of either kind, from the document's folder on, or from where its
 * first variable says. Never a place outside of the workspace folder. Nothing is asked of the disk: links are not followed.
 */
export function resolveImageFolder(setting: string, place: FolderContext): ImageFolder {
  const text = setting.trim() === '' ? defaultImageFolder : setting.trim();
  if (text.length > longestSetting) return problem('too-long');
  if (/^(?:[\\/]|[a-z]:|~(?:[\\/]|$))/iu.test(text)) return problem('absolute');
  const [first = '', ...rest] = text.split(/[\\/]+/u);
  const start = startOf(first, place);
  if ('kind' in start) return start;
  const names = start.isVariable ? rest : [first, ...rest];
  return walk(names, start, place);
}

interface Start {
  readonly base: 'document' | 'workspace';
  readonly isVariable: boolean;
}

function startOf(first: string, { document, hasWorkspace }: FolderContext): Start | FolderProblem {
  switch (first) {
    case '${fileDirname}':
    case '${relativeFileDirname}':
      return document === undefined
        ? problem('no-document', first)
        : { base: 'document', isVariable: true };
    case '${workspaceFolder}':
      return hasWorkspace
        ? { base: 'workspace', isVariable: true }
        : problem('no-workspace', first);
    case '${fileWorkspaceFolder}':
      if (document === undefined) return problem('no-document', first);
      return document.folder === undefined
        ? problem('no-workspace', first)
        : { base: 'workspace', isVariable: true };
    default:
      if (document !== undefined) return { base: 'document', isVariable: false };
      return hasWorkspace ? { base: 'workspace', isVariable: false } : problem('no-place');
  }
}

function walk(names: readonly string[], { base }: Start, place: FolderContext): ImageFolder {
  const above = base === 'document' ? (place.document?.folder ?? []) : [];
  const trail = [...above];
  for (const written of names) {
    const expanded = expand(written, place);
    if ('kind' in expanded) return expanded;
    if (isLikeCode(written)) return problem('bad-name', written);
    for (const name of expanded) {
      if (name === '' || name === '.') continue;
      if (name !== '..') {
        if (!isPortableName(name)) return problem('bad-name', name);
        trail.push(name);
      } else if (trail.pop() === undefined) return problem('outside');
    }
  }
  const isBelow = above.every((name, index) => trail[index] === name);
  return isBelow
    ? { kind: 'folder', base, segments: trail.slice(above.length) }
    : { kind: 'folder', base: 'workspace', segments: trail };
}

/**
 * What a shell or a program takes for more than a part of a path: not every document has a way to write it safely. Names
 * that a person already gave to documents and their folders are not asked.
 */
const isLikeCode = (written: string): boolean =>
  /[$`;&'()]/u.test(written.replaceAll(variables, ''));

/** The names that one name of the setting stands for. */
function expand(written: string, { document }: FolderContext): readonly string[] | FolderProblem {
  if (written === '${relativeFileDirname}') {
    if (document === undefined) return problem('no-document', written);
    return document.folder ?? problem('no-workspace', written);
  }
  let failed: FolderProblem | undefined;
  const name = written.replaceAll(variables, (variable) => {
    if (variable === '${fileBasenameNoExtension}') {
      if (document !== undefined) return withoutEnding(document.name);
      failed ??= problem('no-document', variable);
    } else {
      failed ??= problem(
        wholePaths.has(variable) ? 'misplaced-variable' : 'unknown-variable',
        variable,
      );
    }
    return '';
  });
  return failed ?? [name];
}

const variables = /\$\{[^}]*\}/gu;

const wholePaths: ReadonlySet<string> = new Set([
  '${fileDirname}',
  '${relativeFileDirname}',
  '${workspaceFolder}',
  '${fileWorkspaceFolder}',
]);

/** A name that begins with its only dot has no ending. */
const withoutEnding = (name: string): string => name.replace(/(?<=.)\.[^.]*$/u, '');

const problem = (code: FolderProblemCode, part?: string): FolderProblem =>
  part === undefined ? { kind: 'problem', code } : { kind: 'problem', code, part };
