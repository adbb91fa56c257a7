import * as l10n from '@vscode/l10n';
import { foldPath, canBecomePathSyntax } from '../base/fold-path.ts';
import {
  addsActiveNotebookContent,
  addsRemoteReference,
  type TextChange,
} from './remote-reference.ts';
import { isLikelySecret } from './secret-file.ts';
import { findSensitiveReason } from './sensitive-files.ts';
import { type Decision, type Reason, combineVerdicts, type Verdict } from './verdict.ts';

/** Properties of a path that the rules evaluate. Paths use forward slashes on every system. */
export interface PathFacts {
  /** Path relative to its workspace folder, or the full path outside all workspace folders. */
  readonly path: string;
  /** True if the path is in a workspace folder, without resolving links in the path. */
  readonly isInWorkspace: boolean;
  /**
   * Path after all links are resolved. For a missing file, the links of the nearest existing parent
   * folder are resolved.
   */
  readonly realPath: string;
  readonly isRealPathInWorkspace: boolean;
  /** True when the last segment of the path is a link. */
  readonly isLink: boolean;
  readonly kind: 'file' | 'directory' | 'missing' | 'other';
}

/** Maximum length of a path in common file systems, in UTF-8 bytes. */
const maxPathBytes = 4_096;
const maxNameBytes = 255;

/**
 * Returns the reason to reject a path because of its text; undefined for an acceptable path. Rejects names that any
 * operating system treats specially, because the workspace may later be opened on another system.
 * @param path Path as the model wrote it, with slashes of either kind.
 */
export function findPathNameProblem(path: string): Reason | undefined {
  const brokenRule =
    wholePathRules.find(({ matches }) => matches(path)) ??
    splitNames(path)
      .map((name) => nameRules.find(({ matches: isViolated }) => isViolated(name)))
      .find((rule) => rule !== undefined);
  return brokenRule && { code: brokenRule.code, text: brokenRule.formatReason() };
}

interface NameRule {
  readonly code: string;
  readonly formatReason: () => string;
  readonly matches: (text: string) => boolean;
}

const wholePathRules: readonly NameRule[] = [
  {
    code: 'empty',
    formatReason: () => l10n.t('The path is empty.'),
    matches: (path) => path.trim() === '',
  },
  {
    code: 'too-long',
    formatReason: () => l10n.t('The path or a name in it is too long.'),
    matches: (path) => countBytes(path) > maxPathBytes,
  },
  {
    code: 'control-character',
    formatReason: () =>
      l10n.t('The path contains characters that are invisible or imitate others.'),
    matches: (path) => /[\p{Cc}\p{Zl}\p{Zp}]/u.test(path),
  },
  {
    code: 'hidden-character',
    formatReason: () =>
      l10n.t('The path contains characters that are invisible or imitate others.'),
    matches: (path) => /[\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u.test(path),
  },
  {
    code: 'look-alike',
    formatReason: () =>
      l10n.t('The path contains characters that are invisible or imitate others.'),
    matches: (path) => Array.from(path).some(canBecomePathSyntax),
  },
  {
    code: 'network-path',
    formatReason: () => l10n.t('The path leads to another machine or to a device.'),
    matches: (path) => /^[\\/]{2}/u.test(path),
  },
  {
    code: 'home',
    formatReason: () => l10n.t('The path is abbreviated. Write the whole path.'),
    matches: (path) => path.startsWith('~'),
  },
  {
    code: 'colon',
    formatReason: () => l10n.t('A name in the path is not valid on every system.'),
    matches: (path) => path.replace(/^\/?[a-z]:(?=[\\/])/iu, '').includes(':'),
  },
  {
    code: 'forbidden-character',
    formatReason: () => l10n.t('A name in the path is not valid on every system.'),
    matches: (path) => /[<>"|?*]/u.test(path),
  },
  {
    code: 'leading-dash',
    formatReason: () => l10n.t('A name in the path is not valid on every system.'),
    matches: (path) => path.startsWith('-') || (splitNames(path).at(-1)?.startsWith('-') ?? false),
  },
];

const nameRules: readonly NameRule[] = [
  {
    code: 'too-long',
    formatReason: () => l10n.t('The path or a name in it is too long.'),
    matches: (name) => countBytes(name) > maxNameBytes,
  },
  {
    code: 'trailing-dot',
    formatReason: () => l10n.t('A name in the path is not valid on every system.'),
    matches: (name) => name !== '.' && name !== '..' && /[.\p{Zs}]$/u.test(name),
  },
  {
    code: 'reserved-name',
    formatReason: () => l10n.t('A name in the path is not valid on every system.'),
    matches: (name) =>
      /^(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$|clock\$)\s*(?:\.|$)/iu.test(
        name.normalize('NFKC'),
      ),
  },
  {
    code: 'short-name',
    formatReason: () => l10n.t('The path is abbreviated. Write the whole path.'),
    matches: (name) => /~\d/u.test(name.normalize('NFKC')),
  },
];

const splitNames = (path: string): string[] => path.split(/[\\/]/u).filter((name) => name !== '');

const countBytes = (text: string): number => new TextEncoder().encode(text).length;

const privatePathPatterns = [
  // Settings, histories and keys are often stored in files and folders whose names start with a
  // dot.
  /(?:^|\/)\.[^/.]/u,
  /^(?:\/[^/]+)?\/(?:users|home)\/[^/]+\/(?:library|appdata)(?:\/|$)/u,
  /^\/?[a-z]:\/users\/[^/]+\/appdata(?:\/|$)/u,
  /^\/?[a-z]:\/(?:programdata|windows\/system32\/config)(?:\/|$)/u,
  /^\/(?:private\/)?(?:etc|proc|sys|dev|boot|run|root|var)(?:\/|$)/u,
  /^\/library\/(?:keychains|preferences|application support)(?:\/|$)/u,
];

/**
 * Checks whether a path outside the workspace is in a location for personal or system settings. A grant to read all
 * files outside the workspace does not cover these locations.
 * @param path Full path, with slashes of either kind.
 */
export function isPrivatePath(path: string): boolean {
  const foldedPath = foldPath(path);
  return privatePathPatterns.some((pattern) => pattern.test(foldedPath));
}

export type PathAccess = 'read' | 'write' | 'move' | 'delete';

/**
 * Decides whether a tool may access a path. Reading in the workspace is allowed; any other access requires approval or
 * is refused. Each rule checks both the given path and the real path, and the strictest verdict applies.
 * @param change Text before and after a write, if known.
 */
export function evaluatePathAccess(
  facts: PathFacts,
  access: PathAccess,
  change?: TextChange,
): Verdict {
  const input = { ...facts, access, isChange: access !== 'read', change };
  return combineVerdicts(pathRules.flatMap((rule) => rule(input) ?? []));
}

interface PathRuleInput extends PathFacts {
  readonly access: PathAccess;
  readonly isChange: boolean;
  readonly change: TextChange | undefined;
}

type PathRule = (input: PathRuleInput) => Verdict | undefined;

const pathRules: readonly PathRule[] = [
  rejectUnsafeName,
  rejectSpecialFile,
  requireOutsideWorkspaceApproval,
  requireLinkApproval,
  requireSecretApproval,
  requireGitFolderApproval,
  requireSensitiveFileApproval,
  requireRemoteReferenceApproval,
  requireFolderApproval,
  requireChangeApproval,
];

function rejectUnsafeName({ path }: PathRuleInput): Verdict | undefined {
  const refusal = path === '' ? undefined : findPathNameProblem(path);
  return refusal && { decision: 'refuse', reasons: [refusal], isRememberable: false };
}

/**
 * Refuses special files, such as devices and pipes. Reading such a file can block forever, and a write can't be undone.
 */
function rejectSpecialFile({ kind }: PathRuleInput): Verdict | undefined {
  if (kind !== 'other') return undefined;
  return createVerdict('refuse', 'special-file', l10n.t('It is neither a file nor a folder.'));
}

function requireOutsideWorkspaceApproval(input: PathRuleInput): Verdict | undefined {
  const { isInWorkspace, access } = input;
  const grant = findOutsideWorkspaceGrant(input, access);
  if (grant === undefined) return undefined;
  const text = isInWorkspace
    ? l10n.t('A link leads out of the workspace.')
    : l10n.t('The path is outside the workspace.');
  return {
    ...createVerdict('ask', 'outside-workspace', text),
    isRememberable: grant.scope !== 'none',
  };
}

/** Grant of the user that, once stored, allows later accesses to a path outside the workspace. */
export interface OutsideWorkspaceGrant {
  /**
   * `all` if a grant for all outside paths is sufficient, `file` if the grant must name this file, `none` if no grant
   * can be stored.
   */
  readonly scope: 'all' | 'file' | 'none';
  readonly access: PathAccess;
  /** Real path that the grant names. Undefined for a folder, a special file, or an unknown real path. */
  readonly file: string | undefined;
}

/**
 * Returns the kind of grant that can allow access to a path outside the workspace; undefined for a path in the
 * workspace. To read a location of personal or system settings, the user must grant access to the individual file. No
 * grant can allow a change in such a location, because programs run many of the files there.
 */
export function findOutsideWorkspaceGrant(
  facts: PathFacts,
  access: PathAccess,
): OutsideWorkspaceGrant | undefined {
  const { path, realPath, isInWorkspace, isRealPathInWorkspace, kind } = facts;
  if (isInWorkspace && isRealPathInWorkspace) return undefined;
  const isPrivate =
    (!isInWorkspace && isPrivatePath(path)) || (!isRealPathInWorkspace && isPrivatePath(realPath));
  const isFile = kind === 'file' || (kind === 'missing' && access === 'write');
  // Excludes virtual files of processes and devices, because their content changes all the time, and links in virtual file
  // systems, because their real path is unknown.
  const isKnown =
    !isRealPathInWorkspace && /^(?:\/(?!(?:proc|sys|dev)\/)|[a-z]:\/)/iu.test(realPath);
  const file = isFile && isKnown ? realPath : undefined;
  if (access === 'read') {
    if (!isPrivate) return { scope: 'all', access, file };
    return { scope: file === undefined ? 'none' : 'file', access, file };
  }
  const canGrant = access === 'write' && !isPrivate && file !== undefined;
  return { scope: canGrant ? 'file' : 'none', access, file };
}

function requireLinkApproval(input: PathRuleInput): Verdict | undefined {
  const { access, isChange, isLink, path, realPath, isInWorkspace, isRealPathInWorkspace } = input;
  if (access === 'write' && isLink) {
    return createVerdict(
      'refuse',
      'link',
      l10n.t('The path is a link. Name the file that it leads to.'),
    );
  }
  if (!isChange || isInWorkspace !== isRealPathInWorkspace || foldPath(path) === foldPath(realPath))
    return undefined;
  return createVerdict('ask', 'link', l10n.t('A link leads to another location than the path.'));
}

function requireSecretApproval(input: PathRuleInput): Verdict | undefined {
  // Also checks the path with a trailing slash, because a listing or search shows the contents of a
  // folder.
  const pathVariants = listNamedAndRealPath(input).flatMap((path) => [
    path,
    foldPath(path),
    `${foldPath(path)}/`,
  ]);
  if (!pathVariants.some(isLikelySecret)) return undefined;
  return createVerdict('ask', 'secret', l10n.t('The file may contain keys or passwords.'));
}

function requireGitFolderApproval(input: PathRuleInput): Verdict | undefined {
  const isInGitFolder = (path: string): boolean => foldPath(path).split('/').includes('.git');
  if (!listNamedAndRealPath(input).some(isInGitFolder)) return undefined;
  return createVerdict(
    'ask',
    'git-internals',
    l10n.t('Git keeps addresses and access tokens in this folder.'),
  );
}

function requireSensitiveFileApproval(input: PathRuleInput): Verdict | undefined {
  if (!input.isChange) return undefined;
  const reason = listNamedAndRealPath(input)
    .map(findSensitiveReason)
    .find((reason) => reason !== undefined);
  return reason && { decision: 'ask', reasons: [reason], isRememberable: false };
}

function requireRemoteReferenceApproval(input: PathRuleInput): Verdict | undefined {
  const { change } = input;
  if (change === undefined) return undefined;
  const isNotebook = listNamedAndRealPath(input).some((path) => foldPath(path).endsWith('.ipynb'));
  const isActive = isNotebook && addsActiveNotebookContent(change);
  if (!isActive && !addsRemoteReference(change)) return undefined;
  const text = l10n.t('The editor would fetch an address in this file automatically.');
  return createVerdict('ask', 'remote-schema', text);
}

function requireFolderApproval(input: PathRuleInput): Verdict | undefined {
  const { path, realPath, isInWorkspace, isRealPathInWorkspace, isChange, kind } = input;
  if (!isChange) return undefined;
  if ((isInWorkspace && path === '') || (isRealPathInWorkspace && realPath === '')) {
    return createVerdict('refuse', 'workspace-folder', l10n.t('the workspace folder itself'));
  }
  if (kind !== 'directory') return undefined;
  return createVerdict('ask', 'directory', l10n.t('It is a folder with everything in it.'));
}

function requireChangeApproval({ access }: PathRuleInput): Verdict | undefined {
  if (access === 'read') return undefined;
  const text = {
    write: l10n.t('It changes a file.'),
    move: l10n.t('It moves a file.'),
    delete: l10n.t('It deletes a file.'),
  }[access];
  return { ...createVerdict('ask', access, text), isRememberable: true };
}

const listNamedAndRealPath = ({ path, realPath }: PathRuleInput): [string, string] => [
  path,
  realPath,
];

const createVerdict = (decision: Decision, code: string, text: string): Verdict => ({
  decision,
  reasons: [{ code, text }],
  isRememberable: false,
});
