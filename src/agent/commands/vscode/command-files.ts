import { execFile } from 'node:child_process';
import { lstat, readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { isRecord, parseJson } from '../../../base/json.ts';
import { findConfiguredProgram } from '../git-settings.ts';
import { createReadingEnvironment, findCommandShell } from './shell.ts';
import { findSecretNameReason, UnsafeFileSearch } from './unsafe-file-search.ts';
import type { CommandFilePorts, FindUnsafeFileReason } from '../../permissions/command-access.ts';
import { getGitApi } from '../../../platform/git.ts';
import type { PathFacts } from '../../../workspace/path-rules.ts';
import { isLikelySecret } from '../../../workspace/secret-file.ts';
import { findSensitiveReason } from '../../../workspace/sensitive-files.ts';
import type { Reason } from '../../../workspace/verdict.ts';
import type { PathResolver, UriLocator } from '../../../workspace/vscode/paths.ts';

/** Time limit in milliseconds of a Git command. */
const gitTimeoutMs = 10_000;
/** Maximum number of characters in the output of a Git command. */
const maxGitOutputChars = 1_000_000;
/** Maximum number of characters in the output of the Git command that lists all files of a repository. */
const maxIndexOutputChars = 100_000_000;
/** Time limit in milliseconds of a command substitution. */
const substitutionTimeoutMs = 3_000;
/** Maximum number of characters in the output of a command substitution. */
const maxSubstitutionOutputLength = 20_000;

/** Maximum path length in UTF-16 code units. Operating systems accept no longer paths in system calls. */
const maxPathLength = process.platform === 'win32' ? 32_767 : 4_096;
/** Maximum length of a file or folder name in characters. Common file systems allow no longer names. */
const maxNameLength = 255;

/** Inspects the files that commands would read, without running the commands. */
export class CommandFiles implements CommandFilePorts {
  readonly #paths: PathResolver & UriLocator;
  readonly #listFolders: () => readonly string[];

  /** @param listFolders Returns the full paths of the workspace folders on disk. */
  constructor(paths: PathResolver & UriLocator, listFolders: () => readonly string[]) {
    this.#paths = paths;
    this.#listFolders = listFolders;
  }

  readonly inspectOperand = async (folder: string, operand: string): Promise<PathFacts> => {
    const isTooLong =
      operand.length > maxPathLength ||
      operand.split('/').some((name) => Array.from(name).length > maxNameLength);
    if (isTooLong) return missingFile;
    return (await this.#locateOperand(folder, operand)).facts;
  };

  readonly startSearch = (signal?: AbortSignal): FindUnsafeFileReason => {
    const search = new UnsafeFileSearch({
      inspectPath: async (path) => (await this.#paths.locate(vscode.Uri.file(path))).facts,
      signal,
    });
    return async (folder, operand, includeLinks) => {
      const { uri, facts } = await this.#locateOperand(folder, operand);
      if (facts.kind !== 'directory') return undefined;
      return search.findUnsafeFileReason(uri.fsPath, facts.realPath, includeLinks);
    };
  };

  readonly findConfiguredProgram = async (
    folder: string,
    command: string,
  ): Promise<string | undefined> => {
    const { uri } = await this.#locateOperand(folder, '.');
    const signal = AbortSignal.timeout(gitTimeoutMs);
    return findConfiguredProgram(uri.fsPath, command, {
      runGit: (path, args, input = '') =>
        runGit(path, args, this.#listFolders(), { signal, maxBuffer: maxIndexOutputChars, input }),
      fileExists: (path, name) =>
        lstat(resolve(path, name)).then(
          () => true,
          (error: NodeJS.ErrnoException) => error.code !== 'ENOENT' && error.code !== 'ENOTDIR',
        ),
    });
  };

  readonly listChangedFiles = async (
    folder: string,
    args: readonly string[],
  ): Promise<readonly string[] | undefined> => {
    try {
      // Git prints names relative to the repository, which must be the folder itself.
      const pathToRoot = await this.#runGit(folder, ['rev-parse', '--show-cdup']);
      if (pathToRoot.trim() !== '') return undefined;
      const changes = await this.#listChanges(folder, args);
      // The added path includes the files outside of the paths in `args`.
      const allChanges = await this.#listChanges(folder, [...args, ':(top)']);
      const isRenamed = ({ status, file }: FileChange): boolean =>
        isLikelySecret(file) &&
        changes.some((change) => areOppositeStatuses(status, change.status));
      return [...changes, ...allChanges.filter(isRenamed)].map(({ file }) => file);
    } catch {
      return undefined;
    }
  };

  async #listChanges(folder: string, args: readonly string[]): Promise<readonly FileChange[]> {
    const output = await this.#runGit(folder, ['diff', ...changeOptions, ...args]);
    const statusesAndFiles = output.split('\0');
    return statusesAndFiles.flatMap((status, index) => {
      const file = statusesAndFiles[index + 1];
      return index % 2 === 0 && file !== undefined ? [{ status, file }] : [];
    });
  }

  readonly isStoredFileName = async (folder: string, word: string): Promise<boolean> => {
    if (word.startsWith('-')) return false;
    try {
      const type = await this.#runGit(folder, ['cat-file', '-t', `${word}^{}`]);
      return type.trim() !== 'commit';
    } catch (error) {
      // Git ends with an error code for a word that names nothing.
      return typeof (error as { code?: unknown }).code !== 'number';
    }
  };

  readonly findListedSecretReason = async (
    folder: string,
    args: readonly string[],
  ): Promise<Reason | undefined> => {
    const output = await this.#runGit(folder, args).catch((error: { readonly code?: unknown }) => {
      // `git grep` found no file.
      if (error.code === 1) return '';
      throw error;
    });
    return findSecretNameReason(output.split('\0').filter((name) => name !== ''));
  };

  readonly findUnprotectedConfiguration = async (
    folder: string,
    operand: string,
  ): Promise<string | undefined> => {
    const { uri, facts } = await this.#locateOperand(folder, operand);
    const file = facts.kind === 'directory' ? vscode.Uri.joinPath(uri, 'tsconfig.json') : uri;
    return this.#findUnprotectedFile(file.fsPath, new Set());
  };

  /**
   * Returns the first unsafe configuration file; undefined if none exists. A file is unsafe if tools may change it
   * without approval, if it cannot be read, or if it lets `tsc --noEmit` write outside the workspace. Follows
   * `extends`, but not into packages, whose files are protected.
   */
  async #findUnprotectedFile(file: string, visitedFiles: Set<string>): Promise<string | undefined> {
    if (visitedFiles.has(file)) return undefined;
    visitedFiles.add(file);
    if (visitedFiles.size > maxConfigurations || findSensitiveReason(file) === undefined)
      return file;
    const text = await readFile(file, 'utf8').catch(() => undefined);
    const configuration = text === undefined ? undefined : parseJson(removeComments(text));
    if (!isRecord(configuration)) return file;
    const folders = { folder: dirname(file), configDir: dirname([...visitedFiles][0] ?? file) };
    if (await this.#writesOutsideWorkspace(configuration['compilerOptions'] ?? {}, folders))
      return file;
    for (const parentPath of [configuration['extends'] ?? []].flat()) {
      if (typeof parentPath !== 'string') return file;
      // Trusts a package, because the user approves its installation.
      if (!/^(?:\.|[/\\]|[A-Za-z]:)/u.test(parentPath)) continue;
      // The compiler prefers a file with exactly this name.
      if (!parentPath.endsWith('.json')) return parentPath;
      const unprotectedFile = await this.#findUnprotectedFile(
        resolve(dirname(file), parentPath),
        visitedFiles,
      );
      if (unprotectedFile !== undefined) return unprotectedFile;
    }
    return undefined;
  }

  /**
   * Checks whether a TypeScript configuration makes the compiler write outside the workspace. Even without emitted
   * files, the compiler writes build information, traces and profiles.
   */
  async #writesOutsideWorkspace(
    compilerOptions: unknown,
    { folder, configDir }: { readonly folder: string; readonly configDir: string },
  ): Promise<boolean> {
    if (!isRecord(compilerOptions)) return true;
    for (const [option, value] of Object.entries(compilerOptions)) {
      const name = option.toLowerCase();
      if (/^generate(?:trace|cpuprofile)$/u.test(name)) return true;
      if (!/^(?:tsbuildinfofile|outdir|outfile|out)$/u.test(name)) continue;
      if (typeof value !== 'string') return true;
      if (name === 'tsbuildinfofile' && !value.endsWith('.tsbuildinfo')) return true;
      const targetPath = resolve(
        folder,
        value.replace(/^\$\{configDir\}/iu, () => configDir),
      );
      const { facts } = await this.#paths.locate(vscode.Uri.file(targetPath));
      if (!facts.isInWorkspace || !facts.isRealPathInWorkspace) return true;
    }
    return false;
  }

  readonly readOutput = async (
    folder: string,
    commandLine: string,
  ): Promise<string | undefined> => {
    const [program, ...args] = findCommandShell().createInvocation(commandLine, 'output-only');
    try {
      const execution = promisify(execFile)(program, args, {
        encoding: 'buffer',
        cwd: (await this.#locateOperand(folder, '.')).uri.fsPath,
        env: createReadingEnvironment(process.env, this.#listFolders()),
        timeout: substitutionTimeoutMs,
        killSignal: 'SIGKILL',
        maxBuffer: maxSubstitutionOutputLength,
      });
      execution.child.stdin?.end();
      return decodeGitOutput((await execution).stdout);
    } catch (error) {
      // Bash also uses the output of a failed command.
      const { code, stdout } = error as { code?: unknown; stdout?: Buffer };
      return typeof code === 'number' && stdout !== undefined ? decodeGitOutput(stdout) : undefined;
    }
  };

  /**
   * Runs Git in a workspace folder and returns its output.
   * @throws if Git is not available or returns an error
   */
  async #runGit(folder: string, args: readonly string[]): Promise<string> {
    return runGit((await this.#locateOperand(folder, '.')).uri.fsPath, args, this.#listFolders());
  }

  async #locateOperand(folder: string, operand: string): ReturnType<UriLocator['locate']> {
    const { uri } = await this.#paths.resolvePath(folder === '' ? '.' : folder);
    const path = process.platform === 'win32' ? operand.replaceAll('\\', '/') : operand;
    const target = path.startsWith('/') ? vscode.Uri.file(path) : vscode.Uri.joinPath(uri, path);
    return this.#paths.locate(target.with({ path: target.path.replace(/(?<=.)\/+$/u, '') }));
  }
}

/**
 * Runs Git in a folder and returns its output.
 * @param folders Full paths of the workspace folders.
 * @throws if Git is not available or fails
 */
async function runGit(
  cwd: string,
  args: readonly string[],
  folders: readonly string[],
  {
    input,
    ...executionOptions
  }: { readonly signal?: AbortSignal; readonly maxBuffer?: number; readonly input?: string } = {},
): Promise<string> {
  // Uses the program of VS Code's Git extension, because Windows would prefer a program in the
  // workspace.
  const program = (await getGitApi())?.git.path;
  if (program === undefined) throw new Error('Git is not available.');
  const execution = promisify(execFile)(program, ['--no-pager', ...args], {
    cwd,
    env: createReadingEnvironment(process.env, folders),
    timeout: gitTimeoutMs,
    maxBuffer: maxGitOutputChars,
    windowsHide: true,
    ...executionOptions,
  });
  // Git can end before it reads its input.
  execution.child.stdin?.on('error', () => undefined).end(input);
  return (await execution).stdout;
}

/**
 * Decodes the output of Git.
 * @returns undefined for bytes that are not UTF-8, because the decoded text would name a different file
 */
function decodeGitOutput(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Removes the comments and trailing commas that the TypeScript compiler allows in its configuration. */
const removeComments = (text: string): string =>
  text
    .replaceAll(/("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[^]*?\*\//gu, '$1')
    .replaceAll(/("(?:\\.|[^"\\])*")|,(?=\s*[\]}])/gu, '$1');

/** Maximum number of TypeScript configurations to read for one command. */
const maxConfigurations = 20;

const changeOptions = ['--name-status', '--no-renames', '--no-ext-diff', '--no-textconv', '-z'];

interface FileChange {
  /** Letter of `git diff --name-status`, such as `A` for an added file. */
  readonly status: string;
  readonly file: string;
}

/** Checks whether one of two files was added and the other was deleted. They may then be one renamed file. */
const areOppositeStatuses = (status: string, otherStatus: string): boolean =>
  (status === 'A' && otherStatus === 'D') || (status === 'D' && otherStatus === 'A');

const missingFile: PathFacts = {
  path: '-',
  isInWorkspace: true,
  realPath: '-',
  isRealPathInWorkspace: true,
  isLink: false,
  kind: 'missing',
};
