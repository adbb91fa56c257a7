import * as l10n from '@vscode/l10n';
import type { CommandAccess } from '../commands/command-gate.ts';
import type { GitAccess } from '../commands/git-commands.ts';
import { evaluatePathAccess, type PathFacts } from '../../workspace/path-rules.ts';
import { ToolError } from '../../workspace/tool-error.ts';
import { type Reason, requireApproval, type Verdict } from '../../workspace/verdict.ts';

/** Functions that inspect files and repositories to decide whether a command may run. */
export interface CommandAccessPorts {
  /**
   * Inspects the file or folder that an operand of a command names. It need not exist, and can have any name.
   * @param folder Working directory in the format of path arguments of tools, such as `src`.
   * @throws ToolError for an operand that cannot be inspected
   */
  readonly inspectOperand: (folder: string, operand: string) => Promise<PathFacts>;
  readonly findUnsafeFileReason: FindUnsafeFileReason;
  /**
   * Searches the settings of the repository for a program that a Git command would run.
   * @param command Name of the command, such as `status`.
   * @returns the name of the setting; undefined if none exists
   * @throws if the settings cannot be determined
   */
  readonly findConfiguredProgram: (folder: string, command: string) => Promise<string | undefined>;
  /**
   * Lists the files that `git diff` would compare, relative to `folder`.
   * @param args Arguments after `git diff`.
   * @returns undefined if Git is not available or fails
   */
  readonly listChangedFiles: (
    folder: string,
    args: readonly string[],
  ) => Promise<readonly string[] | undefined>;
  /**
   * Checks whether a revision, such as `HEAD:src/a.ts`, names a file or folder that the repository stores instead of a
   * commit. Returns false for a word that names nothing in the repository, and true if Git is not available.
   */
  readonly isStoredFileName: (folder: string, word: string) => Promise<boolean>;
  /**
   * Finds a secret file among the files that a Git command searches or shows.
   * @param args Arguments after `git` with which Git lists the names of these files, separated by NUL.
   * @returns the reason why the command must not read the files; undefined if none is secret
   * @throws if the files cannot be listed
   */
  readonly findListedSecretReason: (
    folder: string,
    args: readonly string[],
  ) => Promise<Reason | undefined>;
  /**
   * Searches a TypeScript configuration file, and the files that it extends, for a file that tools may change without
   * approval.
   * @param operand Configuration file, or its folder.
   * @returns the name of the file; undefined if none exists
   */
  readonly findUnprotectedConfiguration: (
    folder: string,
    operand: string,
  ) => Promise<string | undefined>;
  /**
   * Runs a line of read-only commands in Bash.
   * @returns the output; undefined if it is too long or takes too long
   */
  readonly readOutput: (folder: string, commandLine: string) => Promise<string | undefined>;
}

/**
 * Searches a folder and its subfolders for files that a command must not read.
 * @param folder Working directory in the format of path arguments of tools, such as `src`.
 * @param operand Folder, relative to `folder`; `.` for `folder` itself.
 * @param includeLinks True if the command reads files that links lead to.
 * @returns the reason why a recursive command must not read the folder; undefined if it may
 * @throws ToolError for an operand that cannot be inspected
 */
export type FindUnsafeFileReason = (
  folder: string,
  operand: string,
  includeLinks: boolean,
) => Promise<Reason | undefined>;

/**
 * Functions that inspect files and repositories for the permission rules. The searches for one command line share one
 * limit, so `startSearch` creates a new {@link FindUnsafeFileReason} function for each line.
 */
export interface CommandFilePorts extends Omit<CommandAccessPorts, 'findUnsafeFileReason'> {
  /**
   * Returns a new search function. Its calls share one limit on the number of searched entries and on the time.
   * @param signal Ends the searches early.
   */
  readonly startSearch: (signal?: AbortSignal) => FindUnsafeFileReason;
}

/** Maximum number of words to inspect per line. A line with more words requires approval. */
const maxInspections = 300;

export interface AccessCheck {
  /** Verdicts that no grant overrides; empty if the line reads only files that require no approval. */
  readonly verdicts: readonly Verdict[];
  /** Reasons why read-only commands require a grant: settings of the repository make Git run programs. */
  readonly programReasons: readonly Reason[];
  /** True if a granted Git command can run programs that the repository configures. */
  readonly runsPrograms: boolean;
}

/**
 * Checks whether the files that a command line reads require approval. Checks the target of a link, as the file tools
 * do. Every word that names an existing file counts as an operand, because programs differ in their options.
 * @param folder Working directory in the format of path arguments of tools, such as `src`.
 */
export async function checkCommandAccess(
  accesses: readonly CommandAccess[],
  folder: string,
  ports: CommandAccessPorts,
): Promise<AccessCheck> {
  const reasons: Reason[] = [];
  const programReasons: Reason[] = [];
  let runsPrograms = false;
  // Folders in which the next command can run, because a change of folder can fail. Relative to `folder`, because the
  // name of another workspace folder would mean that folder.
  const subfolders = [''];
  let inspectionCount = 0;
  for (const access of accesses) {
    const { words, readingCommand, gitAccess, newFolder } = access;
    const operands = [...new Set(words.flatMap(listPossibleOperands))];
    inspectionCount += operands.length * subfolders.length;
    if (inspectionCount > maxInspections) {
      const verdicts = [requireApproval(createWordLimitReason())];
      return { verdicts, programReasons: [], runsPrograms };
    }
    for (const subfolder of subfolders) {
      for (const operand of operands) {
        reasons.push(...(await checkOperand(folder, joinSubfolder(subfolder, operand), ports)));
      }
      if (readingCommand)
        reasons.push(...(await checkReadContents(readingCommand, { folder, subfolder }, ports)));
    }
    for (const operand of access.folderOnlyWords)
      reasons.push(...(await checkFolderOnlyOperand(folder, operand, ports)));
    for (const operand of access.configurationFiles)
      reasons.push(...(await checkConfiguration(folder, operand, ports)));
    if (gitAccess) {
      const { programReasons: gitProgramReasons, contentReasons } = await checkGitAccess(
        folder,
        gitAccess,
        ports,
      );
      // A granted command may run code of the workspace, as `git add` does.
      if (!access.isGranted) programReasons.push(...gitProgramReasons);
      else if (gitProgramReasons.length > 0) runsPrograms = true;
      reasons.push(...contentReasons);
    }
    if (newFolder !== undefined) {
      reasons.push(...(await checkNewFolder(folder, newFolder, ports)));
      subfolders.push(newFolder);
    }
  }
  return { verdicts: reasons.map(requireApproval), programReasons, runsPrograms };
}

/** Returns verdicts about the programs that a Git command would run, and about the file contents that it would show. */
async function checkGitAccess(
  folder: string,
  { command, revisions, diffArgs, fileListArgs }: GitAccess,
  ports: CommandAccessPorts,
): Promise<{
  readonly programReasons: readonly Reason[];
  readonly contentReasons: readonly Reason[];
}> {
  const programReasons = await checkGitSettings(folder, command, ports);
  if (!diffArgs && !fileListArgs && revisions.length === 0)
    return { programReasons, contentReasons: [] };
  // The following checks run Git before the user has answered. They are safe only if the settings start no program for
  // the Git command `checkedCommand`, which accesses the same files.
  const checkedCommand = diffArgs ? 'status' : 'cat-file';
  if (
    programReasons.length > 0 &&
    (await checkGitSettings(folder, checkedCommand, ports)).length > 0
  )
    return { programReasons, contentReasons: [createUnknownChangesReason()] };
  const contentReasons: Reason[] = [];
  for (const revision of revisions)
    contentReasons.push(...(await checkRevision(folder, revision, ports)));
  if (diffArgs) contentReasons.push(...(await checkChangedFiles(folder, diffArgs, ports)));
  if (fileListArgs) contentReasons.push(...(await checkListedFiles(folder, fileListArgs, ports)));
  return { programReasons, contentReasons };
}

async function checkListedFiles(
  folder: string,
  args: readonly string[],
  { findListedSecretReason }: CommandAccessPorts,
): Promise<readonly Reason[]> {
  if (args.length === 0) return [createUnknownFilesReason()];
  try {
    const foundReason = await findListedSecretReason(folder, args);
    return foundReason === undefined ? [] : [foundReason];
  } catch {
    return [createUnknownFilesReason()];
  }
}

type ReadingAccess = NonNullable<CommandAccess['readingCommand']>;

/**
 * Returns the word of a command, and the parts of it that could be operands: text after a separator or a short option,
 * such as `src` in `--dir=src` or `-Isrc`. Includes `-`, which means standard input to many programs, but is a file
 * name for others, such as `column`.
 */
const listPossibleOperands = (word: string): readonly string[] =>
  [word, ...word.split(/[=:,@]/u), ...(/^-[^-]./u.test(word) ? [word.slice(2)] : [])].filter(
    (operand) => operand !== '' && operand !== '.',
  );

async function checkOperand(
  folder: string,
  operand: string,
  { inspectOperand }: CommandAccessPorts,
): Promise<readonly Reason[]> {
  const facts = await runOrGetReason(() => inspectOperand(folder, operand));
  if ('code' in facts) return [facts];
  // The name of a missing file has no effect unless a link leads out of the workspace.
  if (facts.kind === 'missing' && facts.isInWorkspace && facts.isRealPathInWorkspace) return [];
  return evaluatePathAccess(facts, 'read').reasons;
}

async function checkFolderOnlyOperand(
  folder: string,
  operand: string,
  { inspectOperand }: CommandAccessPorts,
): Promise<readonly Reason[]> {
  const facts = await runOrGetReason(() => inspectOperand(folder, operand));
  if ('code' in facts) return [facts];
  return facts.kind === 'missing' || facts.kind === 'directory'
    ? []
    : [createConfigurationReason()];
}

/**
 * Decides whether a command such as `cd` may select a new working directory. Requires approval for a missing folder,
 * because the shell could find a folder of that name elsewhere, such as in `CDPATH`.
 */
async function checkNewFolder(
  folder: string,
  operand: string,
  { inspectOperand }: CommandAccessPorts,
): Promise<readonly Reason[]> {
  const facts = await runOrGetReason(() => inspectOperand(folder, operand));
  if ('code' in facts) return [facts];
  return facts.kind === 'directory' ? [] : [createUnknownFolderReason()];
}

async function checkConfiguration(
  folder: string,
  operand: string,
  { findUnprotectedConfiguration }: CommandAccessPorts,
): Promise<readonly Reason[]> {
  const foundReason = await runOrGetReason(() => findUnprotectedConfiguration(folder, operand));
  if (foundReason === undefined) return [];
  return [typeof foundReason === 'string' ? createConfigurationReason() : foundReason];
}

async function checkGitSettings(
  folder: string,
  command: string,
  { findConfiguredProgram }: CommandAccessPorts,
): Promise<readonly Reason[]> {
  try {
    const setting = await findConfiguredProgram(folder, command);
    return setting === undefined ? [] : [createProgramReason(setting)];
  } catch {
    return [createUnknownSettingsReason()];
  }
}

async function checkRevision(
  folder: string,
  revision: string,
  { isStoredFileName }: CommandAccessPorts,
): Promise<readonly Reason[]> {
  // Git accepts a negated revision, `^HEAD`, where it accepts a revision.
  const revisionNames = revision
    .split(/\.{2,3}/u)
    .map((name) => name.replace(/^\^/u, ''))
    .filter((name) => name !== '');
  const areFiles = await Promise.all(revisionNames.map((name) => isStoredFileName(folder, name)));
  return areFiles.includes(true) ? [createUnknownChangesReason()] : [];
}

async function checkReadContents(
  { paths, folderAccess }: ReadingAccess,
  { folder, subfolder }: { readonly folder: string; readonly subfolder: string },
  ports: CommandAccessPorts,
): Promise<readonly Reason[]> {
  if (folderAccess === 'names') return [];
  // Words that start with a dash can be options after the operands: `grep -r text -w` reads `.`.
  const operands = paths.some((path) => !path.startsWith('-')) ? paths : ['.', ...paths];
  const reasons: Reason[] = [];
  // One after another, because the searches share limits.
  for (const operand of operands) {
    const foundReason = await runOrGetReason(() =>
      ports.findUnsafeFileReason(
        folder,
        joinSubfolder(subfolder, operand),
        folderAccess === 'linked-contents',
      ),
    );
    if (foundReason !== undefined) reasons.push(foundReason);
  }
  return reasons;
}

async function checkChangedFiles(
  folder: string,
  args: readonly string[],
  { listChangedFiles, inspectOperand }: CommandAccessPorts,
): Promise<readonly Reason[]> {
  const files = await listChangedFiles(folder, args);
  if (files === undefined || files.length > maxInspections) return [createUnknownChangesReason()];
  const reasons: Reason[] = [];
  for (const file of files) {
    const facts = await runOrGetReason(() => inspectOperand(folder, file));
    if ('code' in facts) reasons.push(facts);
    // A folder is a submodule, whose changes can be of any file.
    else if (facts.kind === 'directory') reasons.push(createUnknownChangesReason());
    else
      reasons.push(
        ...evaluatePathAccess(facts, 'read').reasons.map((reason) =>
          reason.code === 'secret' ? createSecretReason(file) : reason,
        ),
      );
  }
  return reasons;
}

/**
 * Returns the result of a check. If the check throws a `ToolError`, returns the error's code and message as a reason
 * instead.
 */
async function runOrGetReason<T>(run: () => Promise<T>): Promise<T | Reason> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { code: error.code, text: error.message };
  }
}

const joinSubfolder = (subfolder: string, operand: string): string =>
  subfolder === '' || /^[/\\]/u.test(operand) ? operand : `${subfolder}/${operand}`;

const createWordLimitReason = (): Reason => ({
  code: 'too-long',
  text: l10n.t('It is too long to be checked.'),
});
const createConfigurationReason = (): Reason => ({
  code: 'argument',
  text: l10n.t('It reads a configuration file that can make it write elsewhere.'),
});
const createUnknownFolderReason = (): Reason => ({
  code: 'directory',
  text: l10n.t('It changes the folder before it runs other commands.'),
});
const createProgramReason = (setting: string): Reason => ({
  code: 'git',
  text: l10n.t('The repository can make Git run a program or use the network: {0}.', setting),
});
const createUnknownSettingsReason = (): Reason => ({
  code: 'git',
  text: l10n.t('The settings of the repository could not be checked for programs.'),
});
const createUnknownFilesReason = (): Reason => ({
  code: 'secret',
  text: l10n.t('The files that it searches could not be checked for secrets.'),
});
const createSecretReason = (file: string): Reason => ({
  code: 'secret',
  text: l10n.t('It would show {0}, which may contain keys or passwords.', `\`${file}\``),
});
const createUnknownChangesReason = (): Reason => ({
  code: 'secret',
  text: l10n.t('It names a file that may contain keys or passwords.'),
});
