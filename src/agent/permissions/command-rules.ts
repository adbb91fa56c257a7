import {
  type CommandAccessPorts,
  type CommandFilePorts,
  checkCommandAccess,
} from './command-access.ts';
import {
  getCommandAccess,
  type CommandGrants,
  listCommandPrefixes,
  checkCommand,
  getNestedCommandLine,
} from '../commands/command-gate.ts';
import type { CommandGrant, Grants } from './grants.ts';
import type { CommandParser, ShellKind } from '../commands/command-line.ts';
import { checkCommandText } from '../commands/command-text.ts';
import {
  findSubstitution,
  isQuickCommand,
  replaceSubstitution,
} from '../commands/substitutions.ts';
import type { OutsideWorkspaceGrant, PathFacts } from '../../workspace/path-rules.ts';
import {
  combineVerdicts,
  type Reason,
  requireApproval,
  type Verdict,
} from '../../workspace/verdict.ts';
import type { ToolResource } from '../tool.ts';

export interface CommandPorts {
  readonly grants: Grants;
  readonly parser: CommandParser;
  readonly commandFiles: CommandFilePorts;
  /** Returns the shell that runs commands. */
  readonly getShell: () => ShellKind;
  /** Returns true if the user allows read-only commands without approval. */
  readonly isReadOnlyAllowed: () => boolean;
}

/** A command that a tool call declares, and the conversation of that call. */
export interface CommandRequest extends Extract<ToolResource, { type: 'command' }> {
  readonly conversationId: string;
  /** Verdict about the working directory, and the facts about its path. The facts are absent for a rejected path. */
  readonly folder: InspectedPath;
  readonly signal: AbortSignal | undefined;
}

export interface InspectedPath {
  readonly verdict: Verdict;
  /** Facts about the path; absent for a rejected path. */
  readonly facts?: PathFacts;
}

export interface EvaluatedResource {
  readonly verdict: Verdict;
  /**
   * Command prefixes that a grant would store; undefined if no grant can cover the command, empty for resources that
   * are not commands.
   */
  readonly commands: readonly CommandGrant[] | undefined;
  /** Grant that would allow access to a path outside the workspace without approval; undefined for other resources. */
  readonly outsideWorkspaceGrant?: OutsideWorkspaceGrant | undefined;
  /** True for an allowed command that can run code from the workspace. */
  readonly runsCode?: boolean;
}

/**
 * Decides whether a command line is allowed, is refused or requires approval. Considers the text of the line, the files
 * that its commands access, and the user's grants.
 */
export class CommandRules {
  readonly #ports: CommandPorts;

  constructor(ports: CommandPorts) {
    this.#ports = ports;
  }

  /**
   * Decides whether a command line may run.
   * @throws if a file cannot be checked; the command must then not run
   */
  async evaluateCommand({
    commandLine,
    cwd,
    isBackground = false,
    conversationId,
    folder: inspectedFolder,
    signal,
  }: CommandRequest): Promise<EvaluatedResource> {
    const { getShell, isReadOnlyAllowed, grants, commandFiles } = this.#ports;
    const folder = findGrantFolder(cwd, inspectedFolder.facts);
    const context: CommandContext = {
      shell: getShell(),
      cwd,
      // A folder behind a link gets no grants, but its files are checked like all others.
      isInWorkspace: isInWorkspace(inspectedFolder.facts),
      isWorkspaceRoot: folder !== undefined && inspectedFolder.facts?.realPath === '',
      commandGrants: {
        prefixes: folder === undefined ? [] : grants.listPrefixes(conversationId, folder),
        isReadOnlyAllowed: isReadOnlyAllowed(),
      },
      commandFiles: { ...commandFiles, findUnsafeFileReason: commandFiles.startSearch(signal) },
    };
    const line = await this.#unwrapShellLine(commandLine, context);
    const { verdict, prefixes, runsCode } = await this.#checkLine(
      isBackground ? line : await this.#expandSubstitutions(line, context),
      context,
    );
    return {
      verdict: combineVerdicts([
        verdict,
        ...checkCommandText(commandLine),
        {
          ...inspectedFolder.verdict,
          isRememberable: folder !== undefined && inspectedFolder.verdict.decision === 'allow',
        },
      ]),
      commands: folder === undefined ? undefined : prefixes?.map((words) => ({ folder, words })),
      runsCode: verdict.decision === 'allow' && runsCode,
    };
  }

  async #checkLine(commandLine: string, context: CommandContext): Promise<CheckedLine> {
    const { parser } = this.#ports;
    const { shell, cwd, isInWorkspace, isWorkspaceRoot, commandGrants, commandFiles } = context;
    const tree = await parser.parse(shell, commandLine);
    const command = { shell, commandLine, tree, cwd, isWorkspaceRoot };
    const verdict = checkCommand(command, commandGrants);
    const accesses = getCommandAccess(command, commandGrants);
    // Inspects files only for a command that could run or be remembered.
    const { verdicts, programReasons, runsPrograms } =
      verdict.isRememberable && isInWorkspace
        ? await checkCommandAccess(accesses, cwd, commandFiles)
        : { verdicts: [], programReasons: [], runsPrograms: false };
    // A grant covers commands that the built-in list does not allow in this repository.
    const otherGrants =
      programReasons.length > 0 ? { ...commandGrants, isReadOnlyAllowed: false } : commandGrants;
    return {
      verdict: combineVerdicts([verdict, ...verdicts, ...programReasons.map(requireGrant)]),
      prefixes: verdicts.length > 0 ? undefined : listCommandPrefixes(command, otherGrants),
      isReadOnly: accesses.every(({ readingCommand }) => readingCommand),
      runsCode:
        runsPrograms ||
        accesses.some(
          ({ readingCommand, newFolder }) => (readingCommand ?? newFolder) === undefined,
        ),
      // A filter after a pipe could read the input of the whole line.
      isRepeatable: !commandLine.includes('|') && accesses.every((access) => access.isRepeatable),
    };
  }

  /** Returns the inner line of `bash -c`, so that the rules check this line. Returns any other line unchanged. */
  async #unwrapShellLine(commandLine: string, { shell }: CommandContext): Promise<string> {
    const tree = await this.#ports.parser.parse(shell, commandLine);
    return getNestedCommandLine({ shell, commandLine, tree }) ?? commandLine;
  }

  /**
   * Replaces command substitutions with their output, so that the rules check the words that programs receive. Runs
   * only read-only commands that require no approval.
   * @returns the line with the output if all of its commands are read-only; otherwise the unchanged line
   */
  async #expandSubstitutions(commandLine: string, context: CommandContext): Promise<string> {
    const { parser } = this.#ports;
    const { commandFiles } = context;
    if (context.shell !== 'bash' || !context.isInWorkspace || canReadAfterLaterEdits(commandLine))
      return commandLine;
    let line = commandLine;
    let isDelayed = false;
    for (let count = 0; count <= maxSubstitutions; count += 1) {
      const tree = await parser.parse('bash', line);
      const substitution = tree && findSubstitution(tree);
      if (substitution === undefined) {
        if (line === commandLine) return line;
        return (await this.#checkLine(line, context)).isReadOnly ? line : commandLine;
      }
      if (isDelayed || substitution.canOutputChange) return commandLine;
      isDelayed = !isQuickCommand(substitution.innerCommand);
      const innerLine = await this.#checkLine(substitution.innerCommand, context);
      if (innerLine.verdict.decision !== 'allow' || innerLine.runsCode || !innerLine.isRepeatable)
        return commandLine;
      const output = await commandFiles.readOutput(context.cwd, substitution.innerCommand);
      const replacedLine =
        output === undefined ? undefined : replaceSubstitution(line, substitution, output);
      if (replacedLine === undefined) return commandLine;
      line = replacedLine;
    }
    return commandLine;
  }
}

/**
 * Checks whether a line sleeps or continues in the background. Such a line can read files after later edits by the
 * agent.
 */
const canReadAfterLaterEdits = (commandLine: string): boolean =>
  /\bsleep\b/u.test(commandLine) || /(?<![&>])&(?![&>\d])/u.test(commandLine);

/** Maximum number of command substitutions to replace. */
const maxSubstitutions = 5;

/** Working directory, grants and file access for the check of a command line. */
interface CommandContext {
  readonly shell: ShellKind;
  /** Working directory in the format of path arguments of tools, such as `src`. */
  readonly cwd: string;
  readonly isInWorkspace: boolean;
  readonly isWorkspaceRoot: boolean;
  readonly commandGrants: CommandGrants;
  /** File access for the check of one command line. All searches share their limits and results. */
  readonly commandFiles: CommandAccessPorts;
}

interface CheckedLine {
  readonly verdict: Verdict;
  /** Prefixes that a grant would store; undefined if no grant can be offered. */
  readonly prefixes: readonly (readonly string[])[] | undefined;
  /** True if every command of the line is read-only. False for a line that changes the working directory. */
  readonly isReadOnly: boolean;
  /** True if at least one command does more than read files or change the working directory. */
  readonly runsCode: boolean;
  /** True if the line prints the same output on each run while no file changes. */
  readonly isRepeatable: boolean;
}

const isInWorkspace = (facts: PathFacts | undefined): boolean =>
  facts?.isInWorkspace === true && facts.isRealPathInWorkspace;

/**
 * Returns the folder to which a grant applies. Returns undefined outside the workspace, and for a path with links,
 * which could lead elsewhere later.
 */
function findGrantFolder(cwd: string, facts: PathFacts | undefined): string | undefined {
  if (!isInWorkspace(facts) || facts?.path !== facts?.realPath) return undefined;
  return cwd === '' ? '.' : cwd;
}

/** Returns a verdict that requires approval, unless a grant covers the command. */
const requireGrant = (reason: Reason): Verdict => ({
  ...requireApproval(reason),
  isRememberable: true,
});
